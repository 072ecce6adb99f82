"""Ranges of lines: joined, ordered, and the same whatever the order of the records."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from pileup.analysis.contract.base import MOST_RANGES
from pileup.analysis.evidence.line_ranges import line_ranges

PARTS = st.lists(
    st.tuples(st.integers(1, 200), st.integers(0, 5)).map(lambda p: (p[0], p[0] + p[1])),
    max_size=9,
)


@given(PARTS, st.randoms())
def test_ranges_cover_exactly_the_lines_of_the_records(
    parts: list[tuple[int, int]], order: object
) -> None:
    lines = {line for first, last in parts for line in range(first, last + 1)}
    shuffled = sorted(parts, key=lambda _: order.random())  # type: ignore[attr-defined]
    assert line_ranges(shuffled) == line_ranges(parts)
    ranges = [(part.first, part.last) for part in line_ranges(parts)]
    if not ranges:
        assert not lines or len(lines) == max(lines) - min(lines) + 1
        return
    assert {line for first, last in ranges for line in range(first, last + 1)} == lines
    assert all(b[0] > a[1] + 1 for a, b in itertools.pairwise(ranges))


def test_many_ranges_are_cut() -> None:
    assert len(line_ranges([(line, line) for line in range(1, 1000, 3)])) == MOST_RANGES
