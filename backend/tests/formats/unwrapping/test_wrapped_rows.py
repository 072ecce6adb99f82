"""Rows of columns that are wrapped at any width are rows again; the blanks between them are not."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.formats.checks import parse_bytes, samples
from tests.formats.unwrapping.test_layouts import at_columns, at_words
from tests.support.rounds import Rounds

LISTINGS = [
    path
    for name, part in (
        ("diskstats", "vmstat-dt"),
        ("memory-map", "numa-maps"),
        ("ps", "threads-eLo"),
        ("iostat", "sysstat-12.txt"),
    )
    for path in samples(name)
    if part in path.name and path.suffix == ".txt"
]


@pytest.mark.parametrize("wrap", [at_words, at_columns])
@pytest.mark.parametrize("path", LISTINGS, ids=lambda path: path.name)
def test_wrapped_rows_lose_no_record(
    path: Path, wrap: Callable[[str, int], str], rounds: Rounds
) -> None:
    text = path.read_text(encoding="utf-8")[:6_000]
    plain = parse_bytes(text.encode(), "x")
    longest = max(map(len, text.split("\n")))
    for round_ in range(rounds.times(1, 10)):
        width = random.Random(f"{path.name} {round_} {rounds.turn}").randrange(60, 101)
        wrapped = wrap(text, width)
        parsed = parse_bytes(wrapped.encode(), "x")
        assert parsed.format == plain.format, (width, longest)
        assert parsed.receipt.records == plain.receipt.records, (width, longest)


def test_a_row_that_is_as_long_as_its_heading_is_no_cut_line() -> None:
    """Columns of a fixed width end at the same place, also above a line that tells something."""
    (path,) = (path for path in samples("sar") if "german-12-hours" in path.name)
    labels = parse_bytes(path.read_bytes(), path.name).frames["sample"]["labels"]
    assert "device=dm-0" in labels.to_list()
