"""What a remedy leaves open is filled in by what this server shows, in its own words."""

from __future__ import annotations

import pytest

from pileup.analysis.evidence.context import Context, Setting
from pileup.analysis.findings import particulars
from tests.analysis.frames import evidence


def _with(action: str, **values: str) -> str:
    settings = {
        name: Setting(value, "SHOW VARIABLES", None, "a", 1) for name, value in values.items()
    }
    return particulars.fill(action, Context(evidence({}), settings=settings), None)


@pytest.mark.parametrize(
    ("values", "known"),
    [
        ({"slave_parallel_threads": "4"}, " (slave_parallel_threads is 4)"),
        ({"replica_parallel_workers": "8"}, " (replica_parallel_workers is 8)"),
        ({"slave_parallel_workers": "2"}, " (slave_parallel_workers is 2)"),
        ({}, ""),
    ],
)
def test_a_variable_with_several_names_is_named_as_the_server_does(
    values: dict[str, str], known: str
) -> None:
    """Once, though the remedy has a name of it for each product."""
    action = "More appliers (replica_parallel_workers, slave_parallel_threads)"
    assert _with(action, **values) == action + known
