"""Any table with a time column, read by a mapping of its columns that a person made or a guess.

Source: exports that metric_csv leaves alone: a preamble above the header (CloudWatch, Datadog),
        12-hour and European dates, date and time in two columns, decimal commas between commas,
        units that change from row to row (980 ms, 1.2 s), Prometheus legends as headers
        (Grafana's "series joined by time": mysql_up{instance="db1:9104"}).
Yields: gauges (or what the mapping says) named metric.<header>, or by the Prometheus legend. A gap
        stays a gap; a cell that should be a number and is none is a Problem with line and column.
Note:   a mapping is data: ``with_mapping`` returns a format that uses it, ``parse`` guesses one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from pileup.formats.errors import FormatError
from pileup.formats.metrics import metric_csv
from pileup.formats.metrics.parts import csv_mapping
from pileup.formats.metrics.parts.csv_cells import read_number, read_time
from pileup.formats.metrics.parts.csv_mapping import Mapping
from pileup.formats.metrics.parts.csv_rows import CellProblem, Reader
from pileup.formats.metrics.parts.prometheus_names import split_name
from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.registry import RESULT
from pileup.records import Item, Problem, Section

NAME = "csv-table"
TITLE = "Table with a time column"
GIVES = "Gauges `metric.<header>`, or as a person maps each column; legends of Prometheus."
PRINTED_BY = "CloudWatch, Datadog, Grafana with units or legends, spreadsheets; see the dialog"
VERSION = 2
HINTS = (".csv", ".tsv")

_MOST_ABOVE = 30
_TOGETHER = 50_000
"""Cells of rows that are read in bulk."""


def sniff(head: str) -> bool | None:
    """Return whether the text is surely a table that metric_csv would not read, or not in full."""
    lines = head.split("\n")
    lines = lines[: csv_mapping.HEAD_LINES] if len(lines) > csv_mapping.HEAD_LINES else lines
    whole = lines[:-1] if len(head) > 60_000 and len(lines) > 2 else lines
    if sum(bool(line.strip()) for line in whole[:10]) < 2 or len(whole[0]) > 500_000:
        return False
    delimiter = _likely_delimiter(whole)
    if delimiter is None or format_of(head) not in (None, RESULT):
        return False
    if any(map(metric_csv.names_sessions, (line.split(delimiter) for line in whole[:10]))):
        return False
    guess = csv_mapping.guess(whole, delimiter=delimiter)
    if not guess.sure:
        return False  # not even by its name: day and month could be swapped silently
    if metric_csv.sniff(head) is not True:
        return True
    rows = [csv_mapping.split_cells(line, guess.mapping.delimiter) for line in whole[:50]]
    return _more_than_plain(guess.mapping, rows)


def _likely_delimiter(lines: Sequence[str]) -> str | None:
    """Return the delimiter of the last lines if one of their cells is a time, else None."""
    last = [line for line in lines[:60] if line.strip()][-6:]
    for delimiter in csv_mapping.DELIMITERS:
        if delimiter == " " or sum(delimiter in line for line in last) < 0.8 * len(last):
            continue
        rows = [csv_mapping.split_cells(line[:20_000], delimiter)[:8] for line in last[-2:]]
        if all(any(map(_may_be_time, [*row, " ".join(row[:2])])) for row in rows):
            return delimiter
    return None


def _may_be_time(cell: str) -> bool:
    return any(read_time(cell, how) is not None for how in ("auto", "dmy", "mdy", "excel"))


def _more_than_plain(mapping: Mapping, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether metric_csv cannot read the table: legends, decimal commas, mixed units."""
    values = mapping.positions("value")
    if any(split_name(mapping.columns[at].name) for at in values[:50]):
        return True
    if mapping.decimal == "," and mapping.delimiter != ";":
        return True
    cells = [row[at] for row in rows for at in values[:50] if at < len(row)]
    read = [read_number(cell, mapping.decimal) for cell in cells]
    units = {row[1] for row in read if row}
    return bool(units & {"s", "B", "B/s", "1/s"})


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the table's series by the likeliest mapping.

    Raises FormatError for a table whose columns of times or values cannot be guessed.
    """
    rest = iter(lines)
    first = csv_mapping.head_lines(rest)
    guess = csv_mapping.guess(first)
    if not guess.mapping.positions("time") or not guess.mapping.positions("value"):
        raise FormatError(
            f"This table cannot be read without help: {guess.why}. Tell Pileup what the columns "
            "are."
        )
    if not guess.sure:
        yield Problem(
            guess.header_line,
            f"The columns were guessed and may be wrong: {guess.why}. Tell Pileup what the columns "
            "are.",
        )
    yield from _read(chain(first, rest), guess.mapping, guess.header_line)


@dataclass(frozen=True, slots=True)
class Mapped:
    """The format of a mapping, with the interface of ``detect.Format``."""

    mapping: Mapping
    NAME: str = NAME
    TITLE: str = TITLE
    GIVES: str = GIVES
    PRINTED_BY: str = PRINTED_BY
    VERSION: int = VERSION
    HINTS: tuple[str, ...] = HINTS

    def sniff(self, head: str, /) -> bool | None:
        """Return True for any text: a mapping is made for its file."""
        return True if head else None

    def parse(self, lines: Iterable[str], /) -> Iterator[Item]:
        """Yield the series of the rows below the header.

        Raises FormatError if the mapping's header is not among the first lines.
        """
        rest = iter(lines)
        first = csv_mapping.head_lines(rest)
        header_line = 0
        if self.mapping.header is not None:
            header_line = csv_mapping.find_header(first, self.mapping.header) or 0
            if not header_line:
                raise FormatError(
                    "The header that the columns were mapped for is not among the first "
                    f"{csv_mapping.HEAD_LINES} lines: {self.mapping.header[:200]!r}. Tell Pileup "
                    "again what the columns are."
                )
        yield from _read(chain(first, rest), self.mapping, header_line)


def with_mapping(mapping: Mapping) -> Mapped:
    """Return a format that reads tables by this mapping."""
    return Mapped(mapping)


def _read(lines: Iterable[str], mapping: Mapping, header_line: int | None) -> Iterator[Item]:
    reader = Reader(mapping)
    last = 0
    above: list[CellProblem] | None = []  # problems of rows before the first time, such as units
    for number, text in enumerate(lines, start=1):
        if number == header_line:
            names = " · ".join(column.name for column in mapping.columns[:8])
            yield Section(names, number, number)
        if number <= (header_line or 0) or not csv_mapping.holds_cells(number, text):
            continue
        last = number
        if above is None and reader.plain(number, text):
            if reader.waiting >= _TOGETHER:
                yield from _problems(reader.settle(), mapping)
            if reader.full:
                yield from reader.flush()
            continue
        yield from _problems(reader.settle(), mapping)
        row = reader.row(number, text)
        if above is not None and row.time is None and len(above) < _MOST_ABOVE:
            above.extend(row.problems)
            continue
        if above is not None:
            if row.time is None:
                yield from _problems(above, mapping)
            above = None
        yield from _problems(row.problems, mapping)
        if reader.full:
            yield from reader.flush()
    yield from _problems(reader.settle(), mapping)
    yield from reader.flush()
    yield from _problems(above or (), mapping)
    if reader.unreported:
        yield Problem(
            last, f"{reader.unreported} more cells or rows could not be read; they are left out."
        )


def _problems(problems: Iterable[CellProblem], mapping: Mapping) -> Iterator[Problem]:
    return (problem.as_problem(mapping) for problem in problems)
