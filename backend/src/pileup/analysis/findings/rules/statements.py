"""Rule for statements of one shape that run for long and wait for nothing (slow-statement)."""

from __future__ import annotations

import polars as pl

from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import Match, Rule, count
from pileup.analysis.findings.strength import Patience, age
from pileup.knowledge import knowledge
from pileup.numerals import number
from pileup.sql_tokens import shapes

_SLOW = Patience(1.0, 300.0)
"""A statement of this age is slow for what waits on it, or slow by any measure."""
_ALIKE, _LEAST_ALIKE_S, _ALL_ALIKE = 2, 2.0, 0.2
"""Several of one shape and nothing else at work are seen from this age on, with this score."""
_MOST = 2000
"""Rows whose statements are compared."""
_SHOWN = 160
_DUMP = r"(?i)^\s*select\s*/\*!40001 SQL_NO_CACHE \*/"
"""A mysqldump reads whole tables by design, one after the other, with a statement for each."""
_READS = r"(?i)^\s*(/\*.{0,200}?\*/\s*|\()*(select|with|call|execute)\b"
"""Statements that wait for no row lock where none is listed: a processlist does not show such."""


def slow_statement(observed: Observed) -> Match | None:
    """Match running statements that wait for nothing known, most of them of one shape."""
    frame = observed.during("session")
    if frame is None:
        return None
    running = frame.filter(
        pl.col("query").is_not_null()
        & pl.col("query").str.contains(_READS)
        & ~pl.col("query").str.contains(_DUMP)
        & (pl.col("time_s").fill_null(0.0) >= _SLOW.usual)
    )
    running = running.filter(_at_work(running)).head(_MOST)
    if running.is_empty():
        return None
    shaped = running.with_columns(shapes(pl.col("query")).alias("shape"))
    of_shape = shaped["shape"].value_counts(sort=True).row(0)
    same = shaped.filter(pl.col("shape") == of_shape[0])
    moments = same.group_by("artifact", "snapshot", "time", maintain_order=True).len()
    most = int(moments["len"].max() or 0)  # type: ignore[arg-type]  # a count
    longest = float(same["time_s"].max() or 0.0)  # type: ignore[arg-type]
    waiting = observed.worst.waiting
    share = most / max(1, most + waiting)
    grade = age(longest, _SLOW)
    rest = share if waiting else 1.0
    score = grade * (0.3 + 0.35 * min(1.0, most / 5)) * min(1.0, rest / 0.5)
    alone = same.height == running.height and not waiting
    if alone and most >= _ALIKE and longest >= _LEAST_ALIKE_S:
        score = max(score, _ALL_ALIKE)
    statement = " ".join(str(same.row(0, named=True)["query"]).split())[:_SHOWN]
    many = count(most, "session runs", "sessions run")
    text = f"{many} statements like '{statement}', for up to {number(longest)} s"
    against = (
        (f"{count(waiting, 'session waits', 'sessions wait')} for something else.",)
        if waiting > most
        else ()
    )
    where = (observed.lines(same.row(0, named=True), text),)
    why = f"{text}; they wait for no lock or latch that shows."
    return Match("slow-statement", round(score, 3), why, where, against)


def _at_work(frame: pl.DataFrame) -> pl.Series:
    """Return for each session whether its State is one of statements at work."""
    known, quick = knowledge(), {}
    for command, state in frame.select("command", "state").unique().iter_rows():
        meaning = known.state_for(command, state)
        quick[command, state] = command in (None, "Query", "Execute") and (
            not state or (meaning is not None and meaning.category in _WORK)
        )
    rows = frame.select("command", "state").iter_rows()
    return pl.Series([quick[row] for row in rows], dtype=pl.Boolean)


_WORK = ("running", "io", "temp", "sort")
RULES: dict[str, Rule] = {"slow-statement": slow_statement}
