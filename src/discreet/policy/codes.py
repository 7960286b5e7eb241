"""Every code with which a policy is refused. docs/policy.md explains each one; a test holds that."""

from __future__ import annotations

from typing import Literal

__all__ = ["Code"]

Code = Literal[
    # the file
    "no-policy",
    "toml-syntax",
    "unknown-key",
    "missing-key",
    "wrong-type",
    "undecided",
    "unsupported",
    "bad-name",
    "duplicate-name",
    "number-size",
    # the dataset
    "missing-env",
    "bad-source",
    "bad-ledger",
    # the budget, the analysts and private keys
    "bad-epsilon",
    "bad-delta",
    "bad-accounting",
    "bad-slots",
    "bad-renew",
    "bad-when-spent",
    "bad-quota",
    # the tables
    "no-unit",
    "contradiction",
    "missing-bound",
    "bad-count",
    "bad-via",
    "via-cycle",
    "via-row",
    "bad-range",
    "bad-step",
    "range-off-grid",
    "bad-values",
    "bad-values-from",
    "bad-type",
    # the policy against the source
    "no-source",
    "unknown-table",
    "unknown-column",
    "ambiguous-name",
    "type-mismatch",
    "unit-type",
    "unit-row-column",
    "via-type",
    "range-type",
    "values-type",
    "public-refers-to-private",
    "public-names-unit",
]
