"""Preview of the first rows read by a mapping, for the dialog in which a person corrects it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pileup.formats.metrics.parts.csv_mapping import Mapping, is_zone
from pileup.formats.metrics.parts.csv_rows import CellProblem, Reader, Row
from pileup.records import Samples

SHOWN_ROWS = 12
SHOWN_PROBLEMS = 50


@dataclass(frozen=True, slots=True)
class Preview:
    """Rows as read, cells that could not be read, and the resulting series."""

    rows: tuple[Row, ...]
    """The first rows below the header."""
    problems: tuple[CellProblem, ...]
    problem_count: int
    series: tuple[Samples, ...]
    rows_read: int
    rows_timed: int
    """Rows whose time was readable."""


def preview(lines: Sequence[str], mapping: Mapping, header_line: int | None) -> Preview:
    """Read these lines as ``csv_table`` would.

    A mapping without a time or a value reads none. An invalid zone (half typed) is ignored here and
    reported by ``csv_mapping.find_problems``.
    """
    if mapping.zone is not None and not is_zone(mapping.zone):
        mapping = replace(mapping, zone=None)
    reader = Reader(mapping)
    rows: list[Row] = []
    problems: list[CellProblem] = []
    read = timed = 0
    for number, text in enumerate(lines, start=1):
        if number <= (header_line or 0) or not text.strip():
            continue
        if number == 1 and text.lower().startswith("sep="):
            continue
        row = reader.row(number, text)
        read += 1
        timed += row.time is not None
        problems.extend(row.problems)
        if len(rows) < SHOWN_ROWS:
            rows.append(row)
    return Preview(
        tuple(rows),
        tuple(problems[:SHOWN_PROBLEMS]),
        len(problems) + reader.unreported,
        tuple(reader.flush()),
        read,
        timed,
    )
