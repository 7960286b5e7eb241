"""Where a ledger may lie: a local file, private to its owner, on a disk that keeps its word.

SQLite's write-ahead log shares memory between processes and trusts the disk's locks. Network file
systems give neither, and a lost lock is a budget spent twice: they are refused.
"""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

from discreet.errors import LedgerError

__all__ = ["claim", "file_of", "refuse_network", "sync_directory"]

SCHEME = "sqlite:///"
MOUNTS = Path("/proc/self/mounts")
NETWORKS = re.compile(
    r"(nfs\d?|cifs|smb\w*|ncpfs|afs|coda|9p|ceph|lustre|glusterfs|beegfs|gpfs|orangefs|ocfs2|gfs2"
    r"|fuse\.(sshfs|glusterfs\S*|ceph\S*|s3fs|goofys|rclone|davfs\d?|gcsfuse|blobfuse\d?|smbnetfs|juicefs))"
)

# Closing any descriptor of a file drops the process's locks on it: nobody may open the ledger
# in this process while the new file's own descriptor is not closed yet.
_claiming = threading.Lock()


def file_of(url: str) -> Path:
    """The path in ``sqlite:///path``, or the path itself."""
    if url.startswith(SCHEME):
        return Path(url.removeprefix(SCHEME))
    if "://" in url:
        scheme = url.partition("://")[0][:20]
        raise LedgerError("bad-ledger-url", f"a ledger cannot be kept in {scheme!r}", "use sqlite:///path/to/file")
    return Path(url)


def claim(path: Path) -> None:
    """Make the file, readable by its owner alone, unless it is there."""
    with _claiming:
        if path.exists():
            return
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            return
        except OSError as error:
            raise LedgerError(
                "ledger-unwritable",
                f"the ledger {path} cannot be created ({error.strerror})",
                "put it in a directory that exists and that this user may write to",
            ) from error


def sync_directory(path: Path) -> None:
    """Make the file's name survive a power cut, where a directory can be synced."""
    if os.name != "posix":
        return
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def refuse_network(path: Path) -> None:
    """Refuse a file system on which two machines could each believe to hold the lock."""
    if not MOUNTS.exists():
        return
    kind = _file_system(path.resolve(), MOUNTS.read_text(encoding="utf-8", errors="surrogateescape"))
    if NETWORKS.fullmatch(kind):
        raise LedgerError(
            "ledger-on-network",
            f"the ledger {path} lies on a network file system ({kind}), where locks cannot be trusted",
            "put it on a local disk of the one machine that answers",
        )


def _file_system(path: Path, mounts: str) -> str:
    """The type of the mount that holds the path: the longest mount point above it, the latest if two."""
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        point = Path(_unescape(fields[1]))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), fields[2]
    return kind


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
