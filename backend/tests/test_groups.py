"""Tests of one group run in one process; nothing else fails when they stop doing so."""

from __future__ import annotations

import pytest

from tests.support.groups import group_of

_ran: list[str] = []


@pytest.mark.xdist_group("one-process")
@pytest.mark.parametrize("number", range(8))
def test_a_group_runs_in_one_process(request: pytest.FixtureRequest, number: int) -> None:
    group = [item.name for item in request.session.items if group_of(item) == "one-process"]
    assert _ran == group[: group.index(request.node.name)]
    _ran.append(request.node.name)
