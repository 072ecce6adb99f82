"""Convert result sets to records: known tables to their records, any other to a Table.

The columns identify a result set; so a paste of several queries is read whole, also with a table of
locks in the middle of others. ``lock_tables``, ``replication``, ``open_tables`` and ``result_set``
share this reader and differ in what they claim.

Time:   pt-stalk's TS lines. Without them a file's first samples are a second apart (relative), as
        pt-stalk takes them, or as far apart as a SLEEP between them says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pileup.formats.reading.pt_stalk_samples import clock_event
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts.reader import (
    Block,
    ResultRow,
    ResultSet,
    RowBlock,
    Stamp,
    read_chunks,
)
from pileup.formats.tables.meanings.counts_in_text import COLUMNS, counts_in
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where, now_of
from pileup.formats.tables.meanings.registry import RESULT, is_known, meaning_of
from pileup.formats.tables.meanings.tables import LeftOut, Shared
from pileup.formats.unwrapping.client_layouts import NO_ANSWER, stray
from pileup.records import CLIENT, Event, Item, Problem, Snapshot

MOST_SETS = 100_000
"""Per file: one a second for a day. Tiny ones take a hundred times their text in memory."""
_S = 1_000_000
_MOST_EMPTY_REPORTED = 20
_MOST_REMARKS = 50
_NOISE = ("lock collection already running", "too many open tables")


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the records of every result set, and a Snapshot per moment of lock tables."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(
    chunks: Iterable[Chunk], *, each_time_answers: bool = False, any_words: bool = False
) -> Iterator[Item]:
    """Yield the same as ``parse``.

    each_time_answers: a table follows each TS line, unless the server did not answer.
    any_words: columns of any names above numbers are a table, too.
    """
    reader = TableReader(each_time_answers)
    for part in read_chunks(chunks, is_known, any_words=any_words):
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


# SELECT SLEEP(10)        sleep 10        (10 s later)
_PAUSE = re.compile(
    r"\bsleep ?\(? ?(?P<asleep>\d{1,4})\b"
    r"|\b(?P<later>\d{1,4}) ?(?P<unit>s|secs?|seconds|m|mins?|minutes) (?:later|after)\b",
    re.IGNORECASE,
)
_LONGEST_PAUSE = 500
_MOST_BESIDE_NOW = 4
"""Columns of a query that asks for the time and for a few things of the server beside it."""


class TableReader:
    """Reads the parts of a text into records."""

    def __init__(self, each_time_answers: bool = False) -> None:
        self._each_time_answers = each_time_answers
        self._unanswered: Stamp | None = None
        self._empty = 0
        self._stamp: Stamp | None = None
        self._clock_yielded = False
        self._handler: Handler | None = None
        self._pending: ResultSet | None = None
        """A table whose first row is not read yet."""
        self._moment: _Moment | None = None
        self._seen: dict[tuple[str, ...], int] = {}
        self._shared = Shared()
        self._sets = 0
        self._remarks: list[tuple[int, str, str]] = []
        """Counts of sessions in sentences: line, count and state."""
        self._lists_sessions = False
        self._step = _S
        """Between two samples without a time (microseconds)."""
        self._left_out = LeftOut()
        """The result sets beyond MOST_SETS."""

    def part(self, part: Block) -> Iterator[Item]:
        """Read the next part of the text."""
        if isinstance(part, ResultRow | RowBlock):
            if self._left_out.count:
                self._left_out.reaches(part.line_last)
            if self._pending is not None:
                first = part.values if isinstance(part, ResultRow) else part.first.values
                yield from self._begin(first)
            if self._moment is not None:
                self._moment.last = part.line_last
            if self._handler is not None:
                if isinstance(part, ResultRow):
                    if part.missing:
                        message = "A row that is cut; what is whole of it was kept."
                        yield Problem(part.line_first, message)
                    self._handler.row(part)
                else:
                    self._handler.block(part)
                yield from self._handler.drain()
        elif isinstance(part, ResultSet):
            yield from self._end_set()
            self._unanswered = None
            self._read_pause(part.title)
            self._sets += 1
            if self._sets > MOST_SETS:
                yield from self._end_moment()
                self._left_out.add(part.line, part.line)
            else:
                self._pending = part
        elif isinstance(part, Stamp):
            yield from self._end_set()
            yield from self._end_moment()
            yield from self._no_answer()
            self._stamp = part
            self._unanswered = part if part.is_ts and self._each_time_answers else None
            if part.is_ts and part.local and not self._clock_yielded:
                self._clock_yielded = True
                yield clock_event(part.line, part.wall_us, part.local)
        elif failed := NO_ANSWER.match(part.text):
            yield self._failure(part.line, failed)
        elif not self._left_out.count and not part.text.lower().startswith(_NOISE):
            self._read_pause(part.text)
            if len(self._remarks) < _MOST_REMARKS:
                self._remarks += ((part.line, *row) for row in counts_in(part.text))
            why = f"not part of a result set: {part.text[:60]!r}"
            yield from stray(part.line, part.text, why)

    def _failure(self, line: int, failed: re.Match[str]) -> Event:
        """Build the event of a client that got no answer: it is all that shows some stalls."""
        stamp = self._stamp
        return Event(
            line_first=line,
            line_last=line,
            wall_us=stamp.wall_us if stamp else None,
            clock=stamp.clock if stamp else None,
            kind="log",
            severity="error",
            subsystem=CLIENT,
            code=failed["code"],
            message=failed[0].strip(),
            original=stamp.local if stamp else None,
        )

    def _counted(self) -> Iterator[Item]:
        """Read the sessions that remarks around the tables count, where no table lists any."""
        remarks, self._remarks = self._remarks, []
        states: set[str] = set()
        yield from self.part(ResultSet(self._sets, "", COLUMNS, remarks[0][0], "cells"))
        assert self._pending is not None
        result = self._pending
        for line, count, state in remarks:
            if state not in states:
                states.add(state)
                yield from self.part(ResultRow(result, (count, state), line, line))
        yield from self._end_set()

    def _read_pause(self, text: str) -> None:
        """Learn how far apart samples are from a statement or a remark between them."""
        match = _PAUSE.search(text[:_LONGEST_PAUSE])
        if match is not None:
            unit = 60 if (match["unit"] or "").startswith("m") else 1
            self._step = max(1, int(match["asleep"] or match["later"]) * unit) * _S

    def _no_answer(self) -> Iterator[Item]:
        """Report the TS line above which no table follows."""
        if self._unanswered is None:
            return
        self._empty += 1
        if self._empty <= _MOST_EMPTY_REPORTED:
            message = "Nothing follows this TS line: the server did not answer."
            yield Problem(self._unanswered.line, message)

    def end(self) -> Iterator[Item]:
        yield from self._end_set()
        if self._remarks and not self._lists_sessions:
            yield from self._counted()
        yield from self._end_moment()
        yield from self._no_answer()
        if self._empty > _MOST_EMPTY_REPORTED:
            yield Problem(
                None,
                f"{self._empty} TS lines in all are followed by nothing: the server did not answer",
            )
        yield from self._shared.held.flush()
        yield from self._shared.columns.flush()
        yield from self._shared.listings.finish()
        yield from self._left_out.report_omitted(
            f"The file has {self._left_out.count} more result sets than the {MOST_SETS} that are "
            "kept; split it and upload the parts.",
            "more result sets than a file keeps",
        )

    def _begin(self, first: tuple[str | None, ...] | None) -> Iterator[Item]:
        """Choose the meaning of a table by its columns and its first row."""
        result, self._pending = self._pending, None
        assert result is not None
        columns = tuple(column.lower() for column in result.columns)
        seen = Seen(result, columns, first)
        meaning = meaning_of(seen)
        self._lists_sessions |= meaning.format == "processlist"
        sample = self._seen.get(columns, 0)
        self._seen[columns] = sample + 1
        kind = meaning.snapshot(columns)
        if kind is None:
            yield from self._end_moment()
        else:
            yield from self._begin_moment(kind, columns, result.line, sample)
        where = self._where(kind is not None, sample)
        self._handler = meaning.handler(seen, where, self._shared)
        if kind is None and meaning.format == RESULT:
            yield from self._read_now(seen)

    def _read_now(self, seen: Seen) -> Iterator[Item]:
        """Take the time that a query prints (``SELECT NOW()``) as that of the tables below it."""
        now = now_of(seen.columns, seen.first or ())
        if now is None or len(seen.columns) > _MOST_BESIDE_NOW:
            return
        yield from self._end_moment()
        printed = next((value for value in seen.first or () if value and read_stamp(value)), None)
        self._stamp = Stamp(seen.result.line, now[0], now[1], printed, is_ts=False)

    def _begin_moment(
        self, kind: str, columns: tuple[str, ...], line: int, sample: int
    ) -> Iterator[Item]:
        """Begin a moment, unless the table is of the current one: same kind, not repeated."""
        moment = self._moment
        if moment is not None and moment.kind == kind and columns not in moment.columns:
            moment.columns.add(columns)
            return
        yield from self._end_moment()
        snapshot = self._shared.take_snapshot()
        self._moment = _Moment(kind, snapshot, sample, line, line, {columns})

    def _where(self, of_moment: bool, sample: int) -> Where:
        snapshot = self._moment.snapshot if of_moment and self._moment else None
        if self._stamp is not None:
            return Where(self._stamp.wall_us, self._stamp.clock, snapshot, self._stamp.local)
        return Where(sample * self._step, "relative", snapshot, None)

    def _end_set(self) -> Iterator[Item]:
        if self._pending is not None:
            yield from self._begin(None)
        handler, self._handler = self._handler, None
        if handler is not None:
            yield from handler.end()
            if self._shared.columns.full:
                yield from self._shared.columns.flush()

    def _end_moment(self) -> Iterator[Item]:
        moment, self._moment = self._moment, None
        if moment is None:
            return
        stamp = self._stamp
        yield Snapshot(
            line_first=moment.first,
            line_last=moment.last,
            wall_us=stamp.wall_us if stamp else moment.sample * self._step,
            clock=stamp.clock if stamp else "relative",
            snapshot=moment.snapshot,
            kind=moment.kind,
            time_quality="exact" if stamp else "unknown",
            original=stamp.local if stamp else None,
        )
