"""The table of one price's life."""

from __future__ import annotations

from itertools import product

import pytest

from discreet.errors import LedgerError
from discreet.ledger.machine import SPENT, TRANSITIONS, Move, State, step


def test_the_table():
    assert dict(TRANSITIONS) == {
        (State.ASKED, Move.RESERVE): State.RESERVED,
        (State.ASKED, Move.HOLD): State.HELD,
        (State.ASKED, Move.REFUSE): State.REFUSED,
        (State.RESERVED, Move.SETTLE): State.SETTLED,
        (State.RESERVED, Move.FAIL): State.FAILED,
        (State.HELD, Move.SETTLE): State.SETTLED,
        (State.HELD, Move.FAIL): State.FAILED,
    }


@pytest.mark.parametrize(("state", "move"), list(product(State, Move)))
def test_every_other_move_is_refused(state, move):
    if (state, move) in TRANSITIONS:
        assert step(state, move) is TRANSITIONS[state, move]
    else:
        with pytest.raises(LedgerError, match=f"{state.value} cannot {move.value}"):
            step(state, move)


def test_nothing_that_is_spent_comes_back():
    assert all(after in SPENT for (before, _), after in TRANSITIONS.items() if before in SPENT)


def test_only_reserving_and_holding_spend():
    assert {move for (before, move), after in TRANSITIONS.items() if (before in SPENT) != (after in SPENT)} == {
        Move.RESERVE,
        Move.HOLD,
    }
