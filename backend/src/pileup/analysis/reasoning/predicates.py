"""Evaluate people's own symptoms: predicates over records, with the number that decided each.

    series mysql.Threads_running above 100 for 30 s
    at least 20 threads in state 'query end' | with 'os_event_wait' on the stack
    at least 20 threads waiting at 'btr0sea.ic:98' | at least 50 log lines with 'free blocks'
    prose, such as "a restart helps for one or two hours", which people answer for each run

Threads are counted within one sample (processlist, stack sample, status dump), so 'at least' means
at once. Missing evidence gives the answer None, never False. Texts match literally and ignore case;
they are not patterns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

import polars as pl

from pileup.analysis.contract import Locator
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.line_ranges import line_ranges
from pileup.analysis.evidence.series import short_name, values
from pileup.analysis.evidence.times import iso
from pileup.numerals import number

Place = Literal["state", "stack", "location", "log"]


@dataclass(frozen=True, slots=True)
class SeriesStays:
    """A series that stays above or below a value for ``for_s`` seconds."""

    series: str
    """Id or name of the series; on any host."""
    op: Literal[">", "<"]
    value: float
    for_s: float
    """0: one sample suffices."""

    @property
    def words(self) -> str:
        side = "above" if self.op == ">" else "below"
        lasting = f" for {number(self.for_s)} s" if self.for_s else ""
        return f"{self.series} {side} {number(self.value)}{lasting}"


@dataclass(frozen=True, slots=True)
class SeenAtLeast:
    """A state, function or place seen at least so often at once, or a log message in all."""

    place: Place
    text: str
    at_least: int

    @property
    def words(self) -> str:
        many = f"at least {self.at_least}"
        threads = f"{many} thread{'s' if self.at_least != 1 else ''}"
        return {
            "state": f"{threads} in state '{self.text}'",
            "stack": f"{threads} with '{self.text}' on the stack",
            "location": f"{threads} waiting at '{self.text}'",
            "log": f"{many} log line{'s' if self.at_least != 1 else ''} with '{self.text}'",
        }[self.place]


@dataclass(frozen=True, slots=True)
class Prose:
    """A symptom in words alone: people answer it, and no record decides it."""

    text: str

    @property
    def words(self) -> str:
        return self.text


Predicate = SeriesStays | SeenAtLeast | Prose


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a predicate holds; None when the evidence cannot decide it."""

    holds: bool | None
    text: str
    """The deciding observation: 'at most 8 s (db-1, from 22:19:50Z)'."""
    locator: Locator | None = None


def evaluate(predicate: Predicate, evidence: Evidence) -> Answer:
    """Evaluate a predicate over all of the evidence of a run or an incident."""
    if isinstance(predicate, Prose):
        return Answer(None, "for people to answer")
    if isinstance(predicate, SeriesStays):
        return _series(predicate, evidence)
    if predicate.place == "log":
        return _log(predicate, evidence)
    return _threads(predicate, evidence)


def _series(stays: SeriesStays, evidence: Evidence) -> Answer:
    name = stays.series.partition("@")[0]
    rows = values(evidence.frame("sample"))
    ids = _named(rows["id"].unique().to_list(), name)
    rows = rows.filter(pl.col("id").is_in(ids), pl.col("value").is_not_null())
    if rows.is_empty():
        return Answer(None, f"no samples of {name}")
    stretches = _stretches(rows, stays)
    if stretches.is_empty():
        best = cast(float, rows["value"].max() if stays.op == ">" else rows["value"].min())
        most = "highest" if stays.op == ">" else "lowest"
        return Answer(False, f"never: the {most} is {number(best)} over {rows.height} samples")
    top = stretches.row(0, named=True)
    where = f"{top['host']}, " if top["host"] else ""
    holds = top["seconds"] >= stays.for_s
    reach = "up to" if stays.op == ">" else "down to"
    text = (
        f"{'' if holds else 'at most '}{number(top['seconds'])} s, {reach} {number(top['worst'])} "
        f"({where}from {iso(top['start'])})"
    )
    seen = Locator(
        kind="series",
        series=top["id"],
        start=iso(top["start"]),
        end=iso(top["end"]),
        text=f"{stays.words}: {text}",
    )
    return Answer(holds, text, seen)


def _named(ids: Sequence[str], wanted: str) -> list[str]:
    """Return the ids of a series, on any host: those with this very name, else of its measure.

    Sources differ in prefix and case: a status sample, a CSV and an exporter all count
    Threads_running.
    """
    exact = [series for series in ids if series.partition("@")[0] == wanted]
    # a bare name may be that of any collector, also of one whose names are measures of ours
    names = (
        {short_name(wanted)} if "." in wanted else {wanted.lower(), short_name(f"metric.{wanted}")}
    )
    return exact or [series for series in ids if short_name(series.partition("@")[0]) in names]


def _stretches(rows: pl.DataFrame, predicate: SeriesStays) -> pl.DataFrame:
    """List the stretches beyond the value, the longest first: host, seconds, start, worst."""
    above = predicate.op == ">"
    value = pl.col("value")
    beyond = value > predicate.value if above else value < predicate.value
    step = pl.col("time").diff().over("id")
    return (
        rows.sort("id", "time")
        .with_columns(beyond.alias("beyond"), step.alias("step"))
        .with_columns(pl.col("step").median().over("id").fill_null(0).alias("usual"))
        .with_columns(
            (
                (pl.col("beyond") != pl.col("beyond").shift().over("id"))
                # a gap in the samples ends a stretch
                | (pl.col("step") > 3 * pl.col("usual"))
            )
            .fill_null(True)
            .cum_sum()
            .alias("stretch")
        )
        .filter("beyond")
        .group_by("stretch", "id")
        .agg(
            pl.col("host").first(),
            pl.col("time").min().alias("start"),
            pl.col("time").max().alias("end"),
            pl.col("usual").first(),
            (value.max() if above else value.min()).alias("worst"),
        )
        # a sample holds until the next one
        .with_columns(((pl.col("end") - pl.col("start") + pl.col("usual")) / 1e6).alias("seconds"))
        .sort("seconds", "start", descending=[True, False])
    )


_FRAMES: dict[str, tuple[str, str]] = {
    "state": ("session", "processlist"),
    "stack": ("stack", "stack sample"),
    "location": ("semaphore_wait", "status dump"),
}
_DUMPS = ("innodb_status",)


def _threads(least: SeenAtLeast, evidence: Evidence) -> Answer:
    kind, sample = _FRAMES[least.place]
    frame = evidence.frame(kind)
    if frame is None:
        # a dump without waiters answers "no"; without any dump there is no answer
        if least.place == "location" and _has(evidence, _DUMPS):
            return Answer(False, "nobody waits in any status dump")
        return Answer(None, f"no {sample} was collected")
    matches = frame.with_columns(
        _matching(least).alias("seen"), _count(least).alias("threads")
    ).filter("seen")
    if matches.is_empty():
        return Answer(False, f"in no {sample}")
    grouped = matches.group_by("artifact", "snapshot", maintain_order=True).agg(
        pl.col("threads").sum(),
        pl.col("time").first(),
        pl.col("line_first").min(),
        pl.col("line_last").max(),
        pl.concat_list("line_first", "line_last").alias("parts"),
    )
    return _seen(least, evidence, grouped, f"at once, in {grouped.height} of the {sample}s")


def _log(least: SeenAtLeast, evidence: Evidence) -> Answer:
    frame = evidence.frame("event")
    if frame is None:
        return Answer(None, "no log was collected")
    matches = frame.filter(_holds_text(pl.col("message"), least.text))
    if matches.is_empty():
        return Answer(False, "in no log line")
    grouped = matches.sort("time", nulls_last=True, maintain_order=True).select(
        pl.lit(matches.height).alias("threads"),
        pl.col("artifact", "time", "line_first", "line_last").first(),
    )
    return _seen(least, evidence, grouped, "lines in all")


def _seen(least: SeenAtLeast, evidence: Evidence, rows: pl.DataFrame, of: str) -> Answer:
    top = rows.sort(
        "threads", "time", descending=[True, False], nulls_last=True, maintain_order=True
    ).row(0, named=True)
    holds = top["threads"] >= least.at_least
    when = f" ({iso(top['time'])})" if top["time"] is not None else ""
    text = f"{'' if holds else 'at most '}{top['threads']} {of}{when}"
    seen = Locator(
        kind="lines",
        artifact=top["artifact"],
        path=evidence.path(top["artifact"]),
        line_first=top["line_first"],
        line_last=top["line_last"],
        ranges=line_ranges(top.get("parts") or ()),
        at=iso(top["time"]),
        text=f"{least.words}: {text}",
    )
    return Answer(holds, text, seen)


def _matching(least: SeenAtLeast) -> pl.Expr:
    if least.place == "state":
        return _holds_text(pl.col("state"), least.text)
    if least.place == "stack":
        function = pl.element().struct.field("function")
        return pl.col("frames").list.eval(_holds_text(function, least.text)).list.any()
    file, _, line = least.text.rpartition(":")
    if file and line.isdecimal() and len(line) < 10:
        return _holds_text(pl.col("file"), file) & (pl.col("line") == int(line))
    return _holds_text(pl.col("file"), least.text)


def _count(least: SeenAtLeast) -> pl.Expr:
    """Count the threads of one record at one moment; a stack record covers several threads."""
    if least.place != "stack":
        return pl.lit(1)
    samples = pl.max_horizontal(pl.col("samples").fill_null(1), pl.lit(1))
    return pl.max_horizontal(pl.col("count") // samples, pl.lit(1))


def _holds_text(column: pl.Expr, text: str) -> pl.Expr:
    return (
        column.cast(pl.String)
        .fill_null("")
        .str.to_lowercase()
        .str.contains(text.lower(), literal=True)
    )


def _has(evidence: Evidence, kinds: tuple[str, ...]) -> bool:
    frame = evidence.frame("snapshot")
    return frame is not None and bool(frame["kind"].is_in(list(kinds)).any())


def kinds(predicates: Iterable[Predicate]) -> set[str]:
    """Return the record kinds that these predicates need."""
    names: set[str] = set()
    for predicate in predicates:
        if isinstance(predicate, Prose):
            continue
        if isinstance(predicate, SeriesStays):
            names.add("sample")
        elif predicate.place == "log":
            names.add("event")
        else:
            names |= {_FRAMES[predicate.place][0], "snapshot"}
    return names


def read(stored: Any) -> Predicate:
    """Parse a stored predicate: {'kind': 'series', ...}, {'kind': 'state', 'text', 'at_least'}."""
    if stored["kind"] == "series":
        return SeriesStays(stored["series"], stored["op"], stored["value"], stored["for_s"])
    if stored["kind"] == "prose":
        return Prose(stored["text"])
    return SeenAtLeast(stored["kind"], stored["text"], stored["at_least"])


def written(predicate: Predicate) -> dict[str, Any]:
    """Return a predicate as stored data, the inverse of ``read``."""
    if isinstance(predicate, SeriesStays):
        return {"kind": "series", **asdict(predicate)}
    if isinstance(predicate, Prose):
        return {"kind": "prose", "text": predicate.text}
    return {"kind": predicate.place, "text": predicate.text, "at_least": predicate.at_least}


__all__ = [
    "Answer",
    "Predicate",
    "Prose",
    "SeenAtLeast",
    "SeriesStays",
    "evaluate",
    "kinds",
    "read",
    "written",
]
