"""Say what a pasted text is before it is stored: type, records, and whether it prints a time."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from pileup import formats
from pileup.formats.driver import parse_stream, parse_with_fallback
from pileup.formats.parsed import Parsed
from pileup.numerals import grouped
from pileup.views.window import moment_of

PREVIEW_CHARACTERS = 200_000
"""A preview reads no more of a text; the stored artifact is read in full by a worker."""
_SHOWN_PROBLEMS = 20
_PARTIAL = {"relative", "yearless", "dayless"}
"""Clocks that do not say when: a person may."""
_NAMES = {"my-cnf": "my.cnf"}
"""File names that say more than the name of the format."""


@dataclass(frozen=True, slots=True)
class RecordCount:
    kind: str
    """Kind of record, such as semaphore_wait."""
    count: int
    words: str
    """The same in words: '3 semaphore waits'."""


@dataclass(frozen=True, slots=True)
class PastedProblem:
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Understood:
    """What the readers make of a text."""

    format: str | None
    """None: no known format."""
    title: str | None
    confidence: float
    why: str
    name: str
    """A file name to store the text under: 'pasted/innodb-status.txt'."""
    lines: int
    coverage: float | None
    """Share of the bytes that a reader understood, 0 to 1; None without a format."""
    records: list[RecordCount]
    """By kind, most first."""
    prints_time: bool
    """Whether the text prints full times; if not, a person may say when it was taken."""
    first: datetime | None
    """First and last time that it prints with a zone; None when it prints none, or no zone."""
    last: datetime | None
    host: str | None
    """The one host that it names."""
    problems: list[PastedProblem]
    problems_total: int


def understand(text: str) -> Understood:
    """Read the beginning of a text as the worker would read the stored file."""
    content = text[:PREVIEW_CHARACTERS].encode("utf-8", "replace")

    def parse_as(name: str | None) -> Parsed:
        return parse_stream(io.BytesIO(content), name="pasted.txt", format=name)

    parsed = parse_with_fallback(parse_as)
    receipt = parsed.receipt
    clocks = _clocks(parsed)
    absolute = clocks.get("utc")
    counts = sorted(receipt.records.items(), key=lambda item: (-item[1], item[0]))
    chosen = formats.by_name(parsed.format) if parsed.format else None
    problems = [PastedProblem(problem.line, problem.message) for problem in parsed.problems]
    return Understood(
        format=parsed.format,
        title=chosen.TITLE if chosen else None,
        confidence=parsed.detection.confidence,
        why=parsed.failed or parsed.detection.why,
        name=suggested_name(parsed.format),
        lines=receipt.lines,
        coverage=receipt.bytes_understood / max(receipt.bytes_read, 1) if parsed.format else None,
        records=[RecordCount(kind, count, _words(kind, count)) for kind, count in counts if count],
        prints_time=bool(clocks.keys() - _PARTIAL),
        first=moment_of(absolute[0]) if absolute else None,
        last=moment_of(absolute[1]) if absolute else None,
        host=_host(parsed),
        problems=problems[:_SHOWN_PROBLEMS],
        problems_total=receipt.problems,
    )


def suggested_name(format_name: str | None) -> str:
    """Return a path for a pasted text of a format; never one that holds a time stamp."""
    name = format_name or "text"
    stem = _NAMES.get(name) or f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.txt"
    return f"pasted/{stem}"


def _words(kind: str, count: int) -> str:
    noun = kind.replace("_", " ")
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{grouped(count)} {noun if count == 1 else many}"


def _clocks(parsed: Parsed) -> dict[str, tuple[int, int]]:
    """Map each clock of the printed times to their first and last value in µs."""
    found: dict[str, tuple[int, int]] = {}
    for kind in parsed.frames:
        frame = parsed.frames[kind]
        if "wall_us" not in frame.columns:
            continue
        bounds = (
            frame.lazy()
            .filter(pl.col("wall_us").is_not_null() & pl.col("clock").is_not_null())
            .group_by("clock")
            .agg(pl.col("wall_us").min().alias("first"), pl.col("wall_us").max().alias("last"))
            .collect()
        )
        for clock, first, last in bounds.iter_rows():
            known = found.get(clock, (first, last))
            found[clock] = min(known[0], first), max(known[1], last)
    return found


def _host(parsed: Parsed) -> str | None:
    """Return the host that all records with one name, or None."""
    hosts: set[str] = set()
    for kind in parsed.frames:
        frame = parsed.frames[kind]
        if "host" in frame.columns:
            hosts.update(frame["host"].drop_nulls().unique().to_list())
    return next(iter(hosts)) if len(hosts) == 1 else None
