"""Counts of sessions that people write in sentences."""

from __future__ import annotations

import pytest

from pileup.formats.errors import FormatError
from pileup.formats.tables import counted_sessions
from pileup.records import Table
from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples(counted_sessions.NAME), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


def test_a_state_that_comes_again_is_another_moment() -> None:
    text = "9 threads in 'System lock'\n2 in 'Sending data'\nthen 70 threads in 'System lock'\n"
    found = counted_sessions.parse(text.split("\n"))
    rows = [item.rows for item in found if isinstance(item, Table)]
    assert rows == [(("9", "System lock"), ("2", "Sending data")), (("70", "System lock"),)]


def test_a_text_without_a_count_is_refused() -> None:
    with pytest.raises(FormatError, match="No count was found"):
        list(counted_sessions.parse(["Sessions wait for a lock."]))
