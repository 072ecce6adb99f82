"""What was seen during the stall, indexed once for every signature that looks at it.

Each question answers a ``Seen``: whether it holds (None: there was nothing to look in), how many
at once, which share, one clause with the numbers, and the raw lines.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from pileup.analysis.contract import Locator
from pileup.analysis.evidence import latch_stacks
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.levels import Level, Levels
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.times import iso
from pileup.analysis.stacks.hot_stacks import clean, is_waiting
from pileup.analysis.waits import moment_graph
from pileup.knowledge import function_key, match_stack
from pileup.numerals import number

_QUERY_LENGTH = 2000
"""Characters of a statement that are matched: enough for its shape."""
_SIZES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"^(-?\d+(?:\.\d+)?)\s*([KMGT])?B?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Seen:
    """The answer to one sign."""

    holds: bool | None
    """None: no record of that kind was uploaded."""
    most: int = 0
    share: float = 0.0
    text: str = ""
    evidence: tuple[Locator, ...] = ()
    dumps: tuple[int, int] | None = None
    """For waits: in how many of how many status dumps of the stall, all of them."""


NO_DATA = Seen(None)


@dataclass(slots=True)
class StackGroup:
    """Threads that show one stack."""

    names: tuple[str, ...]
    keys: frozenset[str]
    waiting: bool
    threads: int = 0
    per_sample: defaultdict[tuple[str, int | None], int] = field(
        default_factory=lambda: defaultdict(int)
    )
    example: dict[str, Any] | None = None


class Observed:
    """The stall's records; nothing is computed before it is asked for."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._stall = context.stall

    # ---- what there is

    @cached_property
    def looked_at(self) -> dict[str, int]:
        """How much there was to look in: dumps, stack samples, processlists, log lines, series."""
        moments = self._during("snapshot")
        kinds = dict(moments.group_by("kind").len().iter_rows()) if moments is not None else {}
        sessions = self._during("session")
        lists = (
            sessions.select("artifact", "snapshot", "time").n_unique()
            if (sessions is not None)
            else 0
        )
        logs = self.context.evidence.frame("event")
        return {
            "status dumps": int(kinds.get("innodb_status", 0)),
            "stack samples": len({key for one in self.stacks for key in one.per_sample}),
            "processlists": lists,
            "log lines": 0 if logs is None else logs.filter(pl.col("kind") != "clock").height,
            "series": len(self._levels.rows),
            "settings": len(self.context.settings),
        }

    @cached_property
    def stacks(self) -> tuple[StackGroup, ...]:
        """Stacks of the stall that are not idle; of all samples where none has a time inside."""
        frame = self.context.evidence.frame("stack")
        if frame is None:
            return ()
        if self._stall is not None:
            inside = frame.filter(self._stall.widened(2).holds())
            frame = inside if inside.height else frame
        groups: dict[tuple[str, ...], StackGroup | None] = {}
        columns = ["artifact", "snapshot", "count", "samples", "frames", "line_first", "line_last"]
        for row in frame.select(columns).iter_rows(named=True):
            names = tuple(clean(one["function"] or "??") for one in row["frames"])
            if names not in groups:
                meaning = match_stack(names)
                idle = meaning is not None and meaning.set_aside
                groups[names] = None if idle else _group(names)
            group = groups[names]
            if group is None:
                continue
            threads = row["count"] // max(1, row["samples"]) or 1
            group.threads += threads
            group.per_sample[row["artifact"], row["snapshot"]] += threads
            if group.example is None or row["count"] > group.example["count"]:
                group.example = row
        return tuple(one for one in groups.values() if one is not None)

    # ---- questions

    def latch(self, ids: Sequence[str]) -> Seen:
        """Semaphore waits for one of these latches; by stacks where SEMAPHORES lists none at all.

        MariaDB from 10.6 lists none ever, and pt-pmp may be all that was taken.
        """
        listed = self._waits(pl.col("latch").is_in(ids), f"wait for {' or '.join(ids)}")
        if listed.holds or self._during("semaphore_wait") is not None:
            return listed
        found = [
            one
            for one in self.stacks
            if (wait := latch_stacks.waits_for(one.names)) and wait.latch in ids
        ]
        return self._by_stack(found, f"wait for {' or '.join(ids)}") if found else listed

    def place(self, places: Sequence[str]) -> Seen:
        """Semaphore waits at one of these places: 'btr0sea.*', 'row0ins.cc:2953'."""
        expressions = []
        for one in places:
            file, _, lines = one.partition(":")
            test: pl.Expr = pl.col("file").str.contains(_glob(file))
            if lines:
                first, _, last = lines.partition("-")
                test &= pl.col("line").is_between(int(first), int(last or first))
            expressions.append(test)
        return self._waits(pl.any_horizontal(expressions), f"wait at {' or '.join(places)}")

    def stack(self, functions: Sequence[str], within: Sequence[str], waiting: bool | None) -> Seen:
        """Threads with one of the functions, and one of ``within`` where given."""
        if not self.stacks:
            return NO_DATA
        wanted, outer = (
            {function_key(one) for one in functions},
            {function_key(one) for one in within},
        )
        found = [
            one
            for one in self.stacks
            if wanted & one.keys
            and (not outer or outer & one.keys)
            and (waiting is None or one.waiting == waiting)
        ]
        if not found:
            return Seen(False)
        most = _most_at_once(found)
        top = max(found, key=lambda one: one.threads)
        named = next((name for name in top.names if function_key(name) in wanted), functions[0])
        verb = {True: "wait in", False: "work in", None: "are in"}[waiting]
        if most == 1:
            verb = {True: "waits in", False: "works in", None: "is in"}[waiting]
        text = f"{_threads(most)} {verb} {named}"
        if outer:
            text += f" (below {next((n for n in top.names if function_key(n) in outer), '')})"
        return self._told(found, top, most, text)

    def _by_stack(self, found: Sequence[StackGroup], verb: str) -> Seen:
        most = _most_at_once(found)
        top = max(found, key=lambda one: one.threads)
        return self._told(found, top, most, f"{_threads(most)} {verb} by their stacks")

    def _told(self, found: Sequence[StackGroup], top: StackGroup, most: int, text: str) -> Seen:
        busy = sum(one.threads for one in self.stacks)
        share = sum(one.threads for one in found) / busy
        evidence = (self._lines(top.example, text),) if top.example else ()
        return Seen(True, most, share, text, evidence)

    def state(self, pattern: str) -> Seen:
        """Sessions by their State, else transactions by their thread's."""
        for kind, column in (("session", "state"), ("transaction", "thread_state")):
            frame = self._during(kind)
            if frame is not None and frame[column].drop_nulls().len():
                return self._most(
                    frame, pl.col(column).fill_null("").str.contains(pattern), column, "sessions in"
                )
        return NO_DATA if self._during("session") is None else Seen(False)

    def user(self, pattern: str) -> Seen:
        """Sessions by their user."""
        frame = self._during("session")
        if frame is None:
            return NO_DATA
        test = pl.col("user").fill_null("").str.contains(pattern)
        return self._most(frame, test, "user", "sessions of user")

    def transaction(self, pattern: str) -> Seen:
        """Transactions by 'state operation'."""
        frame = self._during("transaction")
        if frame is None:
            return NO_DATA
        frame = frame.with_columns(
            pl.concat_str("state", pl.lit(" "), pl.col("operation").fill_null("")).alias("what")
        )
        return self._most(frame, pl.col("what").str.contains(pattern), "what", "transactions in")

    def lock(self, pattern: str) -> Seen:
        """Transactions in LOCK WAIT by 'kind mode table'."""
        frame = self._during("transaction")
        if frame is None:
            return NO_DATA
        parts = [pl.col(one).fill_null("") for one in ("waits_kind", "waits_mode", "waits_table")]
        frame = frame.filter(pl.col("lock_wait")).with_columns(
            pl.concat_str(parts, separator=" ").alias("what")
        )
        test = pl.col("what").str.contains(pattern)
        return self._most(frame, test, "what", "transactions wait for the lock")

    def query(self, pattern: str) -> Seen:
        """Running statements, of processlists or, without one, of transactions."""
        for kind in ("session", "transaction"):
            frame = self._during(kind)
            if frame is None or not frame["query"].drop_nulls().len():
                continue
            frame = frame.filter(pl.col("query").is_not_null()).with_columns(
                pl.col("query").str.slice(0, _QUERY_LENGTH)
            )
            return self._most(
                frame, pl.col("query").str.contains(pattern), "query", "statements like"
            )
        return NO_DATA

    def log(self, pattern: str) -> Seen:
        """Log lines, anywhere in the capture: a warning may come before the stall."""
        frame = self.context.evidence.frame("event")
        if frame is not None:
            frame = frame.filter(pl.col("kind") != "clock")
        if frame is None or frame.is_empty():
            return NO_DATA
        found = frame.filter(pl.col("message").str.contains(pattern))
        if found.is_empty():
            return Seen(False)
        row = found.row(0, named=True)
        times = "once" if found.height == 1 else f"{found.height} times"
        text = f"the log says {times} '{row['message'][:120]}'"
        share = found.height / frame.height
        return Seen(True, found.height, share, text, (self._lines(row, text),))

    def levels(self, names: Iterable[str]) -> list[Level]:
        """Series of the stall by short name, whatever their collector and labels."""
        wanted = {one.lower() for one in names}
        return [one for name in sorted(wanted) for one in self._by_name.get(name, ())]

    def series(self, level: Level, text: str) -> Locator:
        """The source of a statement about a series."""
        span = self._stall
        return Locator(
            kind="series",
            artifact=level.artifact,
            path=self.context.evidence.path(level.artifact),
            series=level.id,
            start=iso(span.start) if span else None,
            end=iso(span.end) if span else None,
            text=text,
        )

    # ---- parts

    @cached_property
    def _levels(self) -> Levels:
        return Levels.of(self.context)

    @cached_property
    def _by_name(self) -> dict[str, list[Level]]:
        found: defaultdict[str, list[Level]] = defaultdict(list)
        for one in self._levels.rows:
            if one.inside is not None:
                found[short_name(one.series)].append(one)
        return found

    @cached_property
    def _semaphores(self) -> pl.DataFrame | None:
        return moment_graph.semaphores(self.context.evidence, self._stall)

    @cached_property
    def _dumps(self) -> int:
        return self.looked_at["status dumps"]

    def _during(self, kind: str) -> pl.DataFrame | None:
        frame = self.context.evidence.frame(kind)
        if frame is None:
            return None
        if self._stall is not None:
            frame = frame.filter(self._stall.holds())
        return None if frame.is_empty() else frame

    def _waits(self, test: pl.Expr, what: str) -> Seen:
        frame = self._semaphores
        if frame is None:
            return Seen(False) if self._dumps else NO_DATA
        found = frame.filter(test)
        if found.is_empty():
            return Seen(False)
        moments = (
            found.group_by("artifact", "snapshot", maintain_order=True)
            .agg(
                pl.len().alias("n"),
                pl.col("time").first(),
                pl.col("line_first").min(),
                pl.col("line_last").max(),
            )
            .sort("n", "time", descending=[True, False], nulls_last=True, maintain_order=True)
        )
        top = moments.row(0, named=True)
        share = found.height / frame.height
        dumps = (moments.height, max(self._dumps, moments.height))
        text = f"{_threads(top['n'])} {what} in one status dump ({share:.0%} of the latch waits"
        of = f"status dumps{' of the stall' if self._stall else ''}"
        text += f", in {dumps[0]} of {dumps[1]} {of})" if dumps[1] > 1 else ")"
        return Seen(True, top["n"], share, text, (self._lines(top, text),), dumps)

    def _most(self, frame: pl.DataFrame, test: pl.Expr, column: str, what: str) -> Seen:
        """The moment with the most rows that pass a test."""
        found = frame.filter(test)
        if found.is_empty():
            return Seen(False)
        moments = found.group_by("artifact", "snapshot", "time", maintain_order=True).agg(
            pl.len().alias("n"), pl.col("line_first").min(), pl.col("line_last").max()
        )
        top = moments.sort("n", "time", descending=[True, False], maintain_order=True).row(
            0, named=True
        )
        usual = str(found[column].mode().sort()[0])[:80]
        text = f"{top['n']} {what} '{usual}' at once"
        return Seen(True, top["n"], found.height / frame.height, text, (self._lines(top, text),))

    def _lines(self, row: dict[str, Any], text: str) -> Locator:
        return Locator(
            kind="lines",
            artifact=row["artifact"],
            path=self.context.evidence.path(row["artifact"]),
            line_first=row["line_first"],
            line_last=row["line_last"],
            text=text,
        )


def amount(text: str | None) -> float | None:
    """A variable's value as a number: '512M', '1073741824', 'ON' (1), 'OFF' (0)."""
    value = (text or "").strip()
    if value.upper() in ("ON", "YES", "TRUE"):
        return 1.0
    if value.upper() in ("OFF", "NO", "FALSE"):
        return 0.0
    match = _SIZE.match(value)
    return float(match[1]) * _SIZES.get((match[2] or "").upper(), 1) if match else None


def is_value(text: str | None, wanted: Iterable[str]) -> bool:
    """Whether a variable has one of these values; ON, 1 and YES are one."""
    same = {"1": "ON", "YES": "ON", "TRUE": "ON", "0": "OFF", "NO": "OFF", "FALSE": "OFF"}

    def plain(value: str) -> str:
        upper = value.strip().upper()
        return same.get(upper, upper)

    return text is not None and plain(text) in {plain(one) for one in wanted}


def change(level: Level) -> str:
    """'com_select fell from 400 to 12'."""
    before, inside = level.before, level.inside
    name = short_name(level.series) + (f" ({level.labels})" if level.labels else "")
    if before is None or inside is None:
        return f"{name} is {number(inside or 0)} (most {number(level.peak)})"
    verb = "rose" if inside > before else "fell" if inside < before else "stayed"
    if verb == "stayed":
        return f"{name} stayed at {number(inside)} (most {number(level.peak)})"
    return f"{name} {verb} from {number(before)} to {number(inside)}"


def _group(names: tuple[str, ...]) -> StackGroup:
    return StackGroup(names, frozenset(map(function_key, names)), is_waiting(names))


def _glob(file: str) -> str:
    return "(^|/)" + re.escape(file).replace(r"\*", "[^/]*") + "$"


def _most_at_once(found: Iterable[StackGroup]) -> int:
    """Threads in the sample that has most of them."""
    at_once: defaultdict[tuple[str, int | None], int] = defaultdict(int)
    for one in found:
        for key, threads in one.per_sample.items():
            at_once[key] += threads
    return max(at_once.values())


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads at once"


__all__ = ["NO_DATA", "Observed", "Seen", "amount", "change", "is_value"]
