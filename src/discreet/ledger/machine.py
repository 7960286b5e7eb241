"""The life of one statement's price, as a state machine without any input or output.

            RESERVE or HOLD                  SETTLE
    ASKED ----------------> RESERVED or HELD -------> SETTLED     the answer was released
      |                         |
      | REFUSE                  | FAIL
      v                         v
    REFUSED                   FAILED                              the engine could not answer

A statement is ASKED until the ledger has decided. RESERVED is written durably before an engine is
asked, and from then on the price is spent: private data may have been touched, and an answer, a
failure or silence each tell something about it. So RESERVED, SETTLED and FAILED are all spent, no
row of the table leads from a spent state to an unspent one, and a crash is simply no transition:
the statement stays RESERVED for ever. A refund would be an oracle.

HELD is RESERVED for a statement whose price depends on its own answer: the most that it may cost is
spent. Settling it writes down what the answer did cost, and returns the rest. That is no refund: the
price is told by the released answer, which was paid for (docs/proofs/ex-post.md). Whatever
else happens to it, a failure or a crash, the whole of it stays spent.

The states from which no row departs are final: a second answer for one price has no transition.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType

from discreet.errors import LedgerError

__all__ = ["SPENT", "TRANSITIONS", "Move", "State", "step"]


class State(Enum):
    """Where a statement stands; the value is the kind of the entry that says so."""

    ASKED = "asked"
    REFUSED = "refused"
    RESERVED = "reserved"
    HELD = "held"
    SETTLED = "settled"
    FAILED = "failed"


class Move(Enum):
    """What may happen to a statement."""

    RESERVE = "reserve"
    HOLD = "hold"
    REFUSE = "refuse"
    SETTLE = "settle"
    FAIL = "fail"


TRANSITIONS = MappingProxyType(
    {
        (State.ASKED, Move.RESERVE): State.RESERVED,
        (State.ASKED, Move.HOLD): State.HELD,
        (State.ASKED, Move.REFUSE): State.REFUSED,
        (State.RESERVED, Move.SETTLE): State.SETTLED,
        (State.RESERVED, Move.FAIL): State.FAILED,
        (State.HELD, Move.SETTLE): State.SETTLED,
        (State.HELD, Move.FAIL): State.FAILED,
    }
)

SPENT = frozenset({State.RESERVED, State.HELD, State.SETTLED, State.FAILED})


def step(state: State, move: Move) -> State:
    """The state after the move; a move that the table does not have is refused."""
    after = TRANSITIONS.get((state, move))
    if after is None:
        raise LedgerError("wrong-state", f"a statement that is {state.value} cannot {move.value}")
    return after
