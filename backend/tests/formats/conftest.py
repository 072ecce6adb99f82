"""Provide check_sample, which asserts everything that a format must do with a sample."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pileup.formats.parsed import Parsed
from tests.formats.checks import check
from tests.support.rounds import Rounds


@pytest.fixture
def check_sample(request: pytest.FixtureRequest, rounds: Rounds) -> Callable[..., Parsed]:
    bless = bool(request.config.getoption("--bless", default=False))

    def call(path, *, by_name=False, shared=()):  # type: ignore[no-untyped-def]  # as checks.check
        return check(path, rounds, bless=bless, by_name=by_name, shared=shared)

    return call
