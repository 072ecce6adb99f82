"""Convert result sets to records: known tables to their records, any other to a Table.

The columns identify a result set; so a paste of several queries is read whole, also with a table of
locks in the middle of others. ``lock_tables``, ``replication``, ``open_tables`` and ``result_set``
share this reader and differ in what they claim.

Time:   pt-stalk's TS lines. Without them a file's first samples are a second apart (relative), as
        pt-stalk takes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pileup.formats.reading.pt_stalk_samples import clock_event
from pileup.formats.tables.parts import lock_rows, open_tables_rows, replication_rows, status_values
from pileup.formats.tables.parts.client_results import ResultRow, ResultSet, Stamp, Stray, read
from pileup.formats.tables.parts.result_tables import LeftOut, Shared, TableCollector
from pileup.formats.tables.parts.row_handlers import Handler, Where
from pileup.formats.unwrapping.client_layouts import stray
from pileup.records import Item, Snapshot

MOST_SETS = 100_000
"""Per file: one a second for a day. Tiny ones take a hundred times their text in memory."""
_S = 1_000_000
_NOISE = ("lock collection already running", "too many open tables")


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the records of every result set, and a Snapshot per moment of lock tables."""
    reader = _Reader()
    for part in read(lines):
        yield from reader.part(part)
    yield from reader.end()


@dataclass(slots=True)
class _Moment:
    """The snapshot to which rows of one kind are being added."""

    kind: str
    snapshot: int
    sample: int
    """How many such tables the file has before this one."""
    first: int
    last: int
    columns: set[tuple[str, ...]]


class _Reader:
    def __init__(self) -> None:
        self._stamp: Stamp | None = None
        self._clock_yielded = False
        self._handler: Handler | None = None
        self._moment: _Moment | None = None
        self._snapshots = 0
        self._seen: dict[tuple[str, ...], int] = {}
        self._shared = Shared()
        self._sets = 0
        self._left_out = LeftOut()
        """The result sets beyond MOST_SETS."""

    def part(self, part: Stamp | ResultSet | ResultRow | Stray) -> Iterator[Item]:
        if isinstance(part, ResultRow):
            if self._left_out.count:
                self._left_out.reaches(part.line_last)
            if self._moment is not None:
                self._moment.last = part.line_last
            if self._handler is not None:
                self._handler.row(part)
                yield from self._handler.drain()
        elif isinstance(part, ResultSet):
            yield from self._end_set()
            self._sets += 1
            if self._sets > MOST_SETS:
                yield from self._end_moment()
                self._left_out.add(part.line, part.line)
            else:
                yield from self._begin(part)
        elif isinstance(part, Stamp):
            yield from self._end_set()
            yield from self._end_moment()
            self._stamp = part
            if part.local and not self._clock_yielded:
                self._clock_yielded = True
                yield clock_event(part.line, part.epoch_us, part.local)
        elif not self._left_out.count and not part.text.lower().startswith(_NOISE):
            why = f"not part of a result set: {part.text[:60]!r}"
            yield from stray(part.line, part.text, why)

    def end(self) -> Iterator[Item]:
        yield from self._end_set()
        yield from self._end_moment()
        yield from self._left_out.report_omitted(
            f"The file has {self._left_out.count} more result sets than the {MOST_SETS} that are "
            "kept; split it and upload the parts.",
            "more result sets than a file keeps",
        )

    def _begin(self, result: ResultSet) -> Iterator[Item]:
        columns = tuple(column.lower() for column in result.columns)
        sample = self._seen.get(columns, 0)
        self._seen[columns] = sample + 1
        kind = lock_rows.snapshot_kind(columns)
        if kind is None:
            yield from self._end_moment()
        else:
            yield from self._begin_moment(kind, columns, result.line, sample)
        where = self._where(kind is not None, sample)
        self._handler = (
            lock_rows.handler(columns, where)
            or replication_rows.handler(columns, where, self._shared)
            or status_values.handler(result, columns, where, self._shared)
            or open_tables_rows.handler(result, columns, where, self._shared)
            or TableCollector(result, where, self._shared)
        )

    def _begin_moment(
        self, kind: str, columns: tuple[str, ...], line: int, sample: int
    ) -> Iterator[Item]:
        """Begin a moment, unless the table is of the current one: same kind, not repeated."""
        moment = self._moment
        if moment is not None and moment.kind == kind and columns not in moment.columns:
            moment.columns.add(columns)
            return
        yield from self._end_moment()
        self._moment = _Moment(kind, self._snapshots, sample, line, line, {columns})
        self._snapshots += 1

    def _where(self, of_moment: bool, sample: int) -> Where:
        snapshot = self._moment.snapshot if of_moment and self._moment else None
        if self._stamp is not None:
            return Where(self._stamp.epoch_us, "utc", snapshot, self._stamp.local)
        return Where(sample * _S, "relative", snapshot, None)

    def _end_set(self) -> Iterator[Item]:
        handler, self._handler = self._handler, None
        if handler is not None:
            yield from handler.end()

    def _end_moment(self) -> Iterator[Item]:
        moment, self._moment = self._moment, None
        if moment is None:
            return
        stamp = self._stamp
        yield Snapshot(
            line_first=moment.first,
            line_last=moment.last,
            wall_us=stamp.epoch_us if stamp else moment.sample * _S,
            clock="utc" if stamp else "relative",
            snapshot=moment.snapshot,
            kind=moment.kind,
            time_quality="exact" if stamp else "unknown",
            original=stamp.local if stamp else None,
        )
