"""Count the sessions of each listing: all, running, and by state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import polars as pl

from pileup.formats.tables.meanings.handlers import Where
from pileup.records import Clock, Item, Rows, Samples, Section, Session, Snapshot, build_frame
from pileup.records.columns import group_of_rows

# Not doing a statement: they would hide the pileup in the count.
NOT_RUNNING = frozenset({"Sleep", "Daemon", "Binlog Dump", "Binlog Dump GTID", None})
_SECOND = 1_000_000
_MOST_HELD = 20_000
_PLACE = {
    "wall_us": pl.Int64,
    "clock": pl.String,
    "snapshot": pl.Int64,
    "lines": pl.Int64,
    "line_first": pl.Int64,
}

_MAX_STATES = 300
_FLUSH_VALUES = 50_000


class ListingSeries:
    """Counts per listing, kept as columns until there are many."""

    def __init__(self) -> None:
        self._ready: list[Samples] = []
        self._wall: list[int] = []
        self._lines: list[int] = []
        self._clock: Clock = "relative"
        self._values: dict[str, list[int | None]] = {"sessions": [], "running": []}

    def add(
        self,
        wall_us: int,
        clock: Clock,
        line: int,
        sessions: int,
        running: int | None,
        states: Counter[str],
    ) -> None:
        """Add the counts of one listing; ``running`` is None where nobody knows."""
        if clock != self._clock:
            self._to_samples()
        self._clock = clock
        before = len(self._wall)
        self._wall.append(wall_us)
        self._lines.append(line)
        for state in states:
            key = "state=" + state
            if key not in self._values and len(self._values) < _MAX_STATES:
                # A listing names every session: a state not in it was in no session, a true zero.
                self._values[key] = [0] * before
        for key, values in self._values.items():
            if key == "sessions":
                values.append(sessions)
            elif key == "running":
                values.append(running)
            else:
                values.append(states.get(key[6:], 0))
        if len(self._wall) * len(self._values) >= _FLUSH_VALUES:
            self._to_samples()

    def drain(self) -> list[Samples]:
        """Return samples once there are many listings; call it after each ``add``."""
        ready, self._ready = self._ready, []
        return ready

    def end(self) -> list[Samples]:
        """Return all remaining samples."""
        self._to_samples()
        return self.drain()

    def _to_samples(self) -> None:
        if not self._wall:
            return
        for key, values in self._values.items():
            if not any(value is not None for value in values):
                continue
            state = key[6:] if key.startswith("state=") else None
            samples = Samples(
                series="processlist.state" if state else f"processlist.{key}",
                kind="gauge",
                unit=None,
                clock=self._clock,
                wall_us=self._wall,
                values=values,
                lines=self._lines,
                labels=(("state", state),) if state else (),
            )
            self._ready.append(samples)
        self._wall, self._lines = [], []
        self._values = {key: [] for key in self._values}


@dataclass(slots=True)
class Listing:
    """The counts of one listing while its rows are read."""

    where: Where
    first: int
    last: int
    sessions: int = 0
    running: int | None = None
    states: Counter[str] = field(default_factory=Counter)
    complete: bool = True
    """The file does not end inside a row."""

    def take(
        self,
        line: int,
        command: str | None,
        state: str | None,
        info: str | None,
        names: frozenset[str],
    ) -> None:
        """Count a session up to a line; ``names`` are the columns that its listing has."""
        self.last = line
        self.sessions += 1
        runs = _runs(command, info, names)
        if runs is not None:
            self.running = (self.running or 0) + runs
        if runs is not False and state:
            self.states[state] += 1

    def take_many(
        self, line: int, sessions: int, running: int | None, states: Mapping[str | None, int]
    ) -> None:
        """Count sessions up to a line, as ``take`` does for each.

        running: None where nobody knows which run.
        states: of the running ones, or else of all.
        """
        self.last = line
        self.sessions += sessions
        if running is not None:
            self.running = (self.running or 0) + running
        self.states.update({state: count for state, count in states.items() if state})


def _runs(command: str | None, info: str | None, names: frozenset[str]) -> bool | None:
    """Whether a session does a statement; None when its listing does not show it."""
    if "command" in names:
        return command not in NOT_RUNNING
    return bool(info) if "info" in names else None


class Listings:
    """The listings of one file: their numbers, times and counts."""

    def __init__(self) -> None:
        self._count = 0
        self._series = ListingSeries()
        self._last: tuple[int | None, Clock | None] = (None, None)

    def begin(self, where: Where, line: int, snapshot: int | None) -> Listing:
        """Begin a listing; without a time it is a second after the one before it."""
        if where.clock in (None, "relative"):
            where = replace(where, wall_us=self._count * _SECOND, clock="relative")
        self._count += 1
        return Listing(replace(where, snapshot=snapshot), line, line)

    def end(self, listing: Listing) -> Iterator[Item]:
        """Yield the snapshot of a listing, its title, and counts when there are many."""
        where = listing.where
        quality, time = "unknown", (where.wall_us, where.clock)
        if where.clock != "relative":
            # A second listing below one time came late: its time is only near.
            quality = "inferred" if time == self._last else "exact"
            self._last = time
        yield Snapshot(
            line_first=listing.first,
            line_last=listing.last,
            wall_us=where.wall_us,
            clock=where.clock,
            snapshot=where.snapshot or 0,
            kind="processlist",
            time_quality=quality,
            original=where.local,
            complete=listing.complete,
        )
        running = "" if listing.running is None else f", {listing.running} running"
        yield Section(f"{listing.sessions} sessions{running}", listing.first, listing.last)
        yield from self.count(listing)

    def count(self, listing: Listing) -> Iterator[Item]:
        """Add the counts of a listing, and yield them when there are many."""
        self._series.add(
            listing.where.wall_us or 0,
            listing.where.clock or "relative",
            listing.first,
            listing.sessions,
            listing.running,
            listing.states,
        )
        yield from self._series.drain()

    def finish(self) -> Iterator[Item]:
        """Yield all remaining counts."""
        yield from self._series.end()


class HeldSessions:
    """Sessions of many listings that wait to be yielded as one frame."""

    def __init__(self) -> None:
        self._frames: list[pl.DataFrame] = []
        self._cells: list[pl.DataFrame] = []
        """Adjacent rows that are not converted yet."""
        self._fields: Sequence[pl.Expr] = ()
        """What converts them."""
        self._listings: list[tuple[int, int, int, Where]] = []
        """Rows, first line, lines of a row, and place of each listing."""
        self._rows = 0

    @property
    def full(self) -> bool:
        return self._rows >= _MOST_HELD

    def add(
        self, rows: pl.DataFrame, fields: Sequence[pl.Expr], line: int, lines: int, where: Where
    ) -> None:
        """Add the sessions of adjacent rows from a line on: as sessions, or as cells to convert."""
        if "session_id" in rows.columns:
            self._convert()
            self._frames.append(rows)
        else:
            if fields is not self._fields:
                self._convert()
            self._fields = fields
            self._cells.append(rows)
        self._listings.append((rows.height, line, lines, where))
        self._rows += rows.height

    def _convert(self) -> None:
        """Convert the cells of listings with the same columns at once."""
        if self._cells:
            self._frames.append(pl.concat(self._cells).select(self._fields))
            self._cells = []

    def flush(self) -> Iterator[Item]:
        """Yield the sessions."""
        if not self._rows:
            return
        self._convert()
        rows = pl.concat(self._frames)
        counts = [count for count, *_ in self._listings]
        before = accumulate(counts, initial=0)
        listings = [
            (where.wall_us, where.clock, where.snapshot, lines, line - rows_before * lines)
            for rows_before, (_, line, lines, where) in zip(before, self._listings, strict=False)
        ]
        line_first = pl.col("line_first") + pl.int_range(pl.len()) * pl.col("lines")
        places = (
            pl.DataFrame(listings, schema=_PLACE, orient="row")
            .select(pl.all().gather(group_of_rows(counts)))
            .with_columns(line_first, (line_first + pl.col("lines") - 1).alias("line_last"))
            .drop("lines")
        )
        columns = {**rows.to_dict(), **places.to_dict()}
        self._frames, self._listings, self._rows = [], [], 0
        yield Rows(Session.KIND, build_frame(Session.KIND, columns))


__all__ = ["NOT_RUNNING", "HeldSessions", "Listing", "ListingSeries", "Listings"]
