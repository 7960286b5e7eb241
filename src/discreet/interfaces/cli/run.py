"""From arguments to an exit code, whatever happens on the way."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from discreet.errors import DiscreetError
from discreet.interfaces.cli.failures import Exit, Failure, report
from discreet.interfaces.cli.parser import build

__all__ = ["main"]

UNEXPECTED = "discreet: something unexpected went wrong; the details are withheld, since they could hold private data\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    _tolerate_odd_characters()
    try:
        arguments = build().parse_args(argv)
        code = int(arguments.run(arguments))
        sys.stdout.flush()
    except SystemExit as leaving:  # --help, --version and wrong usage
        return leaving.code if isinstance(leaving.code, int) else Exit.ANSWERED
    except (DiscreetError, Failure) as error:
        return report(error)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except Exception:  # a traceback would show values; this is the last door, and nothing private may pass
        sys.stderr.write(UNEXPECTED)
        return Exit.FAILURE
    return code


def _tolerate_odd_characters() -> None:
    """A character that the terminal has no sign for is escaped, and does not end the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _reader_left() -> Exit:
    """``discreet … | head``: nobody listens, and Python shall not complain of it when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.FAILURE
