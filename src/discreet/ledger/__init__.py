"""The ledger: what was spent, on what, and by whom. The only thing in the house that changes.

**Why it exists.** The promise to a person in the data is (epsilon, delta) for everything that is
ever released together, however cleverly the questions are chosen. ``accountants`` say what an event
costs; the ledger sees to it that the costs, added up, never pass the capacity that was fixed before
the first question. The guarantee is the dataset's account. Quotas lie under it and divide it among
analysts; they promise nothing to anybody in the data, since analysts may pool what they learn.

**Reserve, then ask, then settle.** A price is spent before private data is touched, in one locked
transaction over all its accounts that is on the disk when the call returns. Nothing gives it back:
not a failure, not a crash, not a dropped connection (``machine`` has the table). Settling only tells
how it ended and keeps the answer, so it is atomic but waits for no disk: this is one durable commit
a question. A power cut may undo a settlement whose answer had been shown. The reservation under it
stays spent, which is sound; what is lost is the receipt, and that the same question is free again.

**Hold, where the answer decides on its price.** A question that is made sharper until it is sharp
enough spends the most that it may cost. Settling it writes down what the answer did cost, which is
a function of what was released, and returns the rest to the accounts that it came from
(docs/proofs/ex-post.md). Without that settlement the whole of it stays spent.

**Exact, and rounded against the analyst.** Costs are fractions. An account holds whole grains of
1e-30: a charge is rounded up, a cap down (``amount``). The store refuses by its own triggers to pass
a cap, to lower what is spent, or to change or remove an entry, whatever this program says.

**Chained.** Every entry carries the hash of the one before (``receipts``), and ``verify`` recomputes
chain, prices and accounts from the entries alone (``verification``). It finds a changed line. It
cannot find that the whole file was replaced by an older copy: for that, compare the newest receipt
that anyone holds with the chain. Restoring a ledger from a backup hands out spent budget again; so
does deleting it. The ledger must be kept at least as carefully as the data.

**Periods.** Where the owner lets the budget renew, each period has accounts of its own and the
promise holds for each period; over all periods it is their sum, which the balance shows. Periods are
counted by the clock of the machine and never go back. A clock that runs ahead renews early: it is the
owner's clock.

**What it holds.** The analyst's text, prices, times, and payloads that were released. Nothing else of
the data ever comes here. The file is readable by its owner alone, since it also holds the salt, and
the noise of watches that are open.

    events        what happened to the data           amount        whole grains, and the door for prices
    accountants/  what it costs                       terms         what the owner grants
    machine       the life of one price               balance       what is left
    ledger        the room's front: Ledger            books         what one transaction writes
    store         the file: turns, forks, crashes     tables        every SQL statement
    place         where the file may lie              receipts      entries, hashes, receipts
    publications  released numbers under a name       written       how values are written down
    watch         the life of a watch                 watches       they are opened, asked and run down
    verification  the replay                          watch_replay  that of watches
    schema/       numbered migrations
"""

from __future__ import annotations

from discreet.ledger.balance import Account, Balance, Period
from discreet.ledger.ledger import Ledger
from discreet.ledger.publications import Publication
from discreet.ledger.receipts import Answer, Entry, Receipt, Reservation
from discreet.ledger.verification import Verification

__all__ = [
    "Account",
    "Answer",
    "Balance",
    "Entry",
    "Ledger",
    "Period",
    "Publication",
    "Receipt",
    "Reservation",
    "Verification",
]
