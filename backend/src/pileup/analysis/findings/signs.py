"""Signs: small questions about a stall, each answered with a number and its source."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from pileup.analysis.contract import HotLatchDoc, Locator, ShiftDoc
from pileup.analysis.evidence import latch_stacks
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.times import iso
from pileup.analysis.stacks.hot_stacks import clean
from pileup.knowledge import match_stack
from pileup.numerals import number


@dataclass(frozen=True, slots=True)
class Sign:
    """How much of something was seen."""

    most: int
    """At once."""
    share: float
    """0..1 of its kind."""
    evidence: tuple[Locator, ...] = ()

    def __bool__(self) -> bool:
        return self.most > 0


NOTHING = Sign(0, 0.0)
_DOMINANT = 0.8
_PAGES_OF_ONE = 4


def latch(context: Context, latch_id: str) -> Sign:
    """Semaphore waits for a latch of the knowledge base, whatever the place they wait at.

    Where no dump lists any (MariaDB from 10.6, stacks alone): threads whose stack waits for it.
    """
    if not context.hot_latches:
        return _latch_by_stacks(context, latch_id)
    some = [one for one in context.hot_latches if one.latch == latch_id]
    if not some:
        return NOTHING
    places = [w for w in context.hot_waits if w.latch == latch_id and w.example]
    top = max(some, key=lambda one: one.max_at_once)
    evidence = tuple(
        _said(
            w.example,
            f"{w.max_at_once} at once wait at {w.file}:{w.line} ({w.mode}) for {w.latch_label} "
            f"({latch_id}), {w.share:.0%} of all semaphore waits",
        )
        for w in places[:2]
        if w.example
    )
    return Sign(top.max_at_once, min(1.0, sum(one.share for one in some)), evidence)


def _latch_by_stacks(context: Context, latch_id: str) -> Sign:
    def waits(functions: list[str]) -> bool:
        found = latch_stacks.waits_for(functions)
        return found is not None and found.latch == latch_id

    return stacks(context, waits, f"wait for {latch_id} by their stacks")


def dominant_latch(context: Context) -> HotLatchDoc | None:
    """The one latch that most threads in SEMAPHORES wait for; None where they meet in several.

    Page latches of one origin are many latches: they count where one page has the half.
    """
    top = max(context.hot_latches, key=lambda one: one.share, default=None)
    if top is None or top.share < _DOMINANT:
        return None
    spread = top.latch == "buf_block_lock" and top.addresses > _PAGES_OF_ONE
    return None if spread else top


def stacks(context: Context, wanted: Callable[[list[str]], bool], what: str) -> Sign:
    """Threads whose stack (innermost first, function names) passes a test.

    share is of the threads that are not idle, over all samples of the stall.
    """
    frame = context.evidence.frame("stack")
    if frame is None:
        return NOTHING
    if context.stall is not None:
        inside = frame.filter(context.stall.widened(2).holds())
        frame = inside if inside.height else frame
    answers: dict[tuple[str, ...], tuple[bool, bool]] = {}
    at_once: defaultdict[tuple[str, int | None], int] = defaultdict(int)
    passed = busy = 0
    columns = ["artifact", "snapshot", "count", "samples", "frames", "line_first", "line_last"]
    best: dict[str, object] | None = None
    for row in frame.select(columns).iter_rows(named=True):
        names = tuple(clean(one["function"] or "??") for one in row["frames"])
        if names not in answers:
            meaning = match_stack(names)
            answers[names] = (wanted(list(names)), bool(meaning and meaning.set_aside))
        fits, idle = answers[names]
        threads = row["count"] // max(1, row["samples"]) or 1
        busy += 0 if idle else threads
        if fits:
            passed += threads
            at_once[row["artifact"], row["snapshot"]] += threads
            if best is None or row["count"] > best["count"]:
                best = row
    if best is None:
        return NOTHING
    most = max(at_once.values())
    text = f"{most} threads at once {what}; {best['count']} of them with this stack"
    return Sign(most, min(1.0, passed / (busy or 1)), (_lines(context, best, text),))


def having(*functions: str) -> Callable[[list[str]], bool]:
    """A test for ``stacks``: all of these functions occur."""
    wanted = set(functions)
    return lambda stack: wanted <= set(stack)


def having_any(*functions: str) -> Callable[[list[str]], bool]:
    """A test for ``stacks``: one of these functions occurs."""
    wanted = set(functions)
    return lambda stack: bool(wanted & set(stack))


def sessions(context: Context, pattern: str) -> Sign:
    """Sessions whose State matches, at most in one processlist of the stall."""
    frame = context.evidence.frame("session")
    if frame is None:
        return NOTHING
    if context.stall is not None:
        frame = frame.filter(context.stall.holds())
    if frame.is_empty():
        return NOTHING
    found = frame.filter(pl.col("state").fill_null("").str.contains(pattern))
    if found.is_empty():
        return NOTHING
    grouped = found.group_by("artifact", "snapshot", "time", maintain_order=True).agg(
        pl.len().alias("n"), pl.col("line_first").min(), pl.col("line_last").max()
    )
    top = grouped.sort("n", "time", descending=[True, False], maintain_order=True).row(
        0, named=True
    )
    state = found["state"].mode().sort()[0]
    text = f"{top['n']} sessions in state '{state}' at {iso(top['time'])}"
    return Sign(top["n"], found.height / frame.height, (_lines(context, top, text),))


def events(context: Context, pattern: str) -> Sign:
    """Log lines that match, anywhere in the capture."""
    frame = context.evidence.frame("event")
    if frame is None:
        return NOTHING
    found = frame.filter(pl.col("message").str.contains(pattern))
    if found.is_empty():
        return NOTHING
    row = found.row(0, named=True)
    text = f"{found.height} times in the log: {row['message'][:120]}"
    return Sign(found.height, found.height / frame.height, (_lines(context, row, text),))


def lock_waiters(context: Context) -> tuple[Sign, str | None, str | None]:
    """Transactions that wait for one row or table lock: the sign, the table, the mode."""
    frame = context.evidence.frame("transaction")
    if frame is None:
        return NOTHING, None, None
    if context.stall is not None:
        frame = frame.filter(context.stall.holds())
    waiting = frame.filter(pl.col("lock_wait") & pl.col("waits_table").is_not_null())
    if waiting.is_empty():
        return NOTHING, None, None
    grouped = waiting.group_by(
        "artifact",
        "snapshot",
        "time",
        "waits_table",
        "waits_index",
        "waits_mode",
        maintain_order=True,
    ).agg(pl.len().alias("n"), pl.col("line_first").min(), pl.col("line_last").max())
    top = grouped.sort("n", "time", descending=[True, False], maintain_order=True).row(
        0, named=True
    )
    text = (
        f"{top['n']} transactions wait for a lock on {top['waits_table']} "
        f"({top['waits_index'] or 'table'}, {top['waits_mode']}) at {iso(top['time'])}"
    )
    share = waiting.filter(pl.col("waits_table") == top["waits_table"]).height / waiting.height
    sign = Sign(top["n"], share, (_lines(context, top, text),))
    return sign, top["waits_table"], top["waits_mode"]


def shift(context: Context, *names: str) -> ShiftDoc | None:
    """How a series moved, by the first of these names that there is."""
    for name in names:
        for one in context.shifts:
            if one.name.lower() == name.lower():
                return one
    return None


def moved(context: Context, one: ShiftDoc) -> Locator:
    """The source of a shift: the series over the stall."""
    stall = context.stall
    return Locator(
        kind="series",
        series=one.series,
        start=iso(stall.start) if stall else None,
        end=iso(stall.end) if stall else None,
        text=f"{one.name}: {_number(one.baseline)} before, {_number(one.stall)} during the stall",
    )


def most_waiters(context: Context) -> int:
    """The most threads in SEMAPHORES at once, over all latches."""
    frame = context.evidence.frame("semaphore_wait")
    if frame is None:
        return 0
    if context.stall is not None:
        frame = frame.filter(context.stall.holds())
    if frame.is_empty():
        return 0
    counts = frame.group_by("artifact", "snapshot").len()["len"]
    return int(counts.max() or 0)  # type: ignore[arg-type]  # a count


def queries(context: Context, pattern: str) -> float:
    """Share of the stall's running statements that match (a sample of 2,000)."""
    expression = re.compile(pattern, re.IGNORECASE | re.DOTALL)
    frame = context.evidence.frame("transaction")
    if frame is None:
        return 0.0
    if context.stall is not None:
        frame = frame.filter(context.stall.holds())
    texts = frame["query"].drop_nulls().head(2000)
    return sum(1 for text in texts if expression.search(text)) / len(texts) if len(texts) else 0.0


def setting(context: Context, name: str) -> Locator | None:
    """Where a setting was read."""
    found = context.settings.get(name)
    if found is None:
        return None
    return Locator(
        kind="lines",
        artifact=found.artifact,
        path=context.evidence.path(found.artifact),
        line_first=found.line_first,
        line_last=found.line_first,
        text=f"{name}={found.value} ({found.source})",
    )


def _lines(context: Context, row: dict[str, object], text: str) -> Locator:
    sha = row["artifact"]
    first, last = row["line_first"], row["line_last"]
    assert isinstance(sha, str) and isinstance(first, int) and isinstance(last, int)  # noqa: PT018
    return Locator(
        kind="lines",
        artifact=sha,
        path=context.evidence.path(sha),
        line_first=first,
        line_last=last,
        text=text,
    )


def _said(locator: Locator, text: str) -> Locator:
    return Locator(
        kind=locator.kind,
        artifact=locator.artifact,
        path=locator.path,
        line_first=locator.line_first,
        line_last=locator.line_last,
        text=text,
    )


def _number(value: float | None) -> str:
    return "unknown" if value is None else number(value)
