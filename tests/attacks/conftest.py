"""Noise that is nought, so that what one person changes can be seen: a seam that only tests have."""

from __future__ import annotations

import pytest

from discreet.mechanisms import noise_source


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise_source, "discrete_laplace", lambda _scale, n: [0] * n)
    monkeypatch.setattr(noise_source, "discrete_gaussian", lambda _variance, n: [0] * n)
