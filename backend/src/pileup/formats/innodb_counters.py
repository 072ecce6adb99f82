"""The numbers of the counter sections as samples: one value per dump, named innodb.<snake>.

A section's text with its numbers taken out repeats from dump to dump. So a text is read once, line
by line after the rules of innodb_series; what it says about each number is kept under that text,
and later dumps cost one split and one look-up. Labels: instance (buffer pool), part (adaptive
hash), thread (I/O), area (memory).

Null: a number beyond 63 bits wrapped around in the server; it is null here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from pileup.formats.innodb_series import (
    DISCARDED,
    HASH,
    IO_THREAD,
    IO_THREAD_SERIES,
    MEMORY,
    MEMORY_SERIES,
    MERGED,
    PENDING_IO,
    PENDING_IO_SERIES,
    ROW_RATES,
    RULES,
    SYSTEM_ROW_RATES,
    WORDS,
    Rule,
    Series,
)
from pileup.records import SAMPLE, Rows, frame_schema

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")
_INSTANCE = re.compile(r"---BUFFER POOL (\d+)")
_WRAPPED = float(1 << 63)
_MOST_TEXTS = 2_000
_MOST_LINE = 2_000
"""Characters: the longest line of a counter section in any capture has 400."""


class Value(NamedTuple):
    """One number that a reader of another section counted itself."""

    series: Series
    value: float | None
    line: int


class _Place(NamedTuple):
    """Where a value stands among the numbers of a text."""

    series: Series
    labels: str
    line: int
    """0-based, from the section's first line."""
    numbers: tuple[int, ...]
    """Which number; of several, their sum. Two halves of an LSN: see ``halves``."""
    negative: bool = False
    halves: bool = False


@dataclass(slots=True)
class _Text:
    """What a section's text without its numbers says."""

    plain: list[_Place]
    """Values that are one number."""
    made: list[_Place]
    """Values made of several, or negative."""
    unread: tuple[int, ...]
    """0-based lines that no rule knows."""


class Counters:
    """Collects the numbers of many dumps; ``flush`` hands them on as one frame."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, tuple[str, ...]], _Text] = {}
        self._rows: dict[int, tuple[_Text, list[tuple[int | None, int, list[str]]]]] = {}
        self._values: list[tuple[int | None, Value]] = []

    def read(self, title: str, text: str, line: int, wall_us: int | None) -> tuple[int, ...]:
        """One section; gives the lines (0-based) that could not be read."""
        parts = _NUMBER.split(text)
        numbers = parts[1::2]
        key = (title, tuple(parts[::2]))
        known = self._texts.get(key)
        if known is None:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            known = self._texts[key] = _read(title, text)
        rows = self._rows.get(id(known))
        if rows is None:
            rows = self._rows[id(known)] = (known, [])  # holds the text, so its id stays its own
        rows[1].append((wall_us, line, numbers))
        return known.unread

    def latest(self, title: str, text: str, names: tuple[str, ...]) -> dict[str, tuple[int, int]]:
        """Whole numbers of the section just read, by their series' names, each with its line."""
        parts = _NUMBER.split(text)
        known = self._texts[title, tuple(parts[::2])]
        return {
            place.series.name: (int(_made(place, parts[1::2])), place.line)
            for place in (*known.plain, *known.made)
            if place.series.name in names
        }

    def add(self, values: Iterable[Value], wall_us: int | None) -> None:
        """Numbers counted by others."""
        self._values.extend((wall_us, value) for value in values)

    def flush(self) -> Iterator[Rows]:
        """All that was read since the last flush, each series in the order of its dumps."""
        frames = [_frame(text, rows) for text, rows in self._rows.values()]
        if self._values:
            frames.append(_counted(self._values))
        self._rows = {}
        self._values = []
        frames = [frame for frame in frames if frame.height]
        if frames:
            frame = pl.concat(frames).sort("series", "labels", "line_first", maintain_order=True)
            yield Rows(SAMPLE, frame)


def _read(title: str, text: str) -> _Text:
    """Line by line: what each number means."""
    rules = RULES.get(title, ())
    starts = [match.start() for match in _NUMBER.finditer(text)]
    ordinal = {start: index for index, start in enumerate(starts)}
    places: dict[tuple[Series, str], _Place] = {}
    unread: list[int] = []
    instance = ""
    hashes = text.count("Hash table size")
    part = 0
    rates: Rule = ROW_RATES
    operations: Rule = MERGED
    at = 0
    for line, words in enumerate(text.split("\n")):
        found: list[tuple[Series, str, int, int]] = []
        if len(words) > _MOST_LINE:
            unread.append(line)
        elif match := _INSTANCE.match(words):
            instance = f"instance={match[1]}"
        elif known := _first((*rules, rates, operations), words):
            found = _groups(known, instance)
        elif match := HASH.pattern.match(words):
            labels = f"part={part}" if hashes > 1 else ""
            found = _groups((match, HASH.series), labels)
            part += 1
        elif words.startswith(("Pending normal aio", " ibuf aio", " log i/o's")):
            found = list(_pending_io(words))
        elif match := IO_THREAD.match(words):
            found = [
                (series, f"thread={match['thread']}", *match.span(group))
                for group, series in enumerate(IO_THREAD_SERIES, start=2)
            ]
        elif match := MEMORY.match(words):
            area = match["area"].strip().lower().replace(" ", "_")
            found = [
                (series, f"area={area}", *match.span(group))
                for group, series in enumerate(MEMORY_SERIES, start=2)
                if match[group]
            ]
        elif not WORDS.match(words):
            unread.append(line)
        if words.startswith("merged operations"):
            operations = MERGED
        elif words.startswith("discarded operations"):
            operations = DISCARDED
        elif words.startswith("Number of "):
            rates = SYSTEM_ROW_RATES if "system rows" in words else ROW_RATES
        for series, labels, start, end in found:
            negative = words[start : start + 1] == "-"
            first = ordinal.get(at + start + negative)
            if first is None:
                continue
            halves = " " in words[start:end]
            numbers = (first, first + 1) if halves else (first,)
            place = _Place(series, labels, line, numbers, negative, halves)
            printed = places.get((series, labels))
            if printed is None:
                places[series, labels] = place
            elif series.name in ("reservation_count", *_SUMMED) and not negative:
                # One line per sync array, one number per I/O thread: their sum is the whole.
                places[series, labels] = printed._replace(numbers=(*printed.numbers, *numbers))
        at += len(words) + 1
    every = list(places.values())
    return _Text(
        plain=[p for p in every if len(p.numbers) == 1 and not p.negative],
        made=[p for p in every if len(p.numbers) > 1 or p.negative],
        unread=tuple(unread),
    )


_SUMMED = tuple(series.name for series in PENDING_IO_SERIES.values())


def _first(rules: Iterable[Rule], words: str) -> tuple[re.Match[str], tuple[Series, ...]] | None:
    for rule in rules:
        if match := rule.pattern.match(words):
            return match, rule.series
    return None


def _groups(
    found: tuple[re.Match[str], tuple[Series, ...]], labels: str
) -> list[tuple[Series, str, int, int]]:
    match, every = found
    return [
        (series, labels, *match.span(group))
        for group, series in enumerate(every, start=1)
        if match[group] is not None
    ]


def _pending_io(words: str) -> Iterator[tuple[Series, str, int, int]]:
    """Per I/O thread, and in all: as printed, else their sum."""
    for match in PENDING_IO.finditer(words):
        series = PENDING_IO_SERIES[match["what"]]
        if match["total"]:
            yield series, "", *match.span("total")
        if match["threads"]:
            begin = match.start("threads")
            for thread, number in enumerate(_NUMBER.finditer(match["threads"])):
                span = begin + number.start(), begin + number.end()
                yield series, f"thread={thread}", *span
                if not match["total"]:
                    yield series, "", *span


def _made(place: _Place, numbers: list[str]) -> float:
    chosen = [_whole(numbers[i]) for i in place.numbers]
    if place.halves:
        return chosen[0] * (1 << 32) + chosen[1]
    return -sum(chosen) if place.negative else sum(chosen)


def _whole(number: str) -> float:
    """An int where it can be one: an LSN must not be rounded before it is subtracted."""
    return int(number) if len(number) < 20 and number.isdecimal() else float(number)


def _frame(text: _Text, rows: list[tuple[int | None, int, list[str]]]) -> pl.DataFrame:
    """One row per number and dump."""
    plain = [place.numbers[0] for place in text.plain]
    columns = [*text.plain, *text.made]
    values = pl.Series([numbers[i] for _, _, numbers in rows for i in plain], dtype=pl.String)
    places = len(columns)
    value = values.cast(pl.Float64, strict=False)
    frame = _samples(text.plain, rows, value)
    if text.made:
        made = [_made(place, numbers) for _, _, numbers in rows for place in text.made]
        other = _samples(text.made, rows, pl.Series(made, dtype=pl.Float64))
        frame = pl.concat((frame, other))
    assert frame.height == places * len(rows)
    return frame


def _samples(
    places: list[_Place], rows: list[tuple[int | None, int, list[str]]], value: pl.Series
) -> pl.DataFrame:
    dumps = pl.DataFrame(
        {"wall_us": [wall for wall, _, _ in rows], "first": [line for _, line, _ in rows]},
        schema={"wall_us": pl.Int64(), "first": pl.Int64()},
    )
    names = pl.DataFrame(
        {
            "series": [f"innodb.{place.series.name}" for place in places],
            "labels": [place.labels for place in places],
            "kind": [place.series.kind for place in places],
            "unit": [place.series.unit for place in places],
            "offset": [place.line for place in places],
        },
        schema_overrides={"series": pl.String(), "offset": pl.Int64()},
    )
    return _typed(
        dumps.join(names, how="cross", maintain_order="left_right").with_columns(
            value.alias("value"), (pl.col("first") + pl.col("offset")).alias("line_first")
        )
    )


def _counted(values: list[tuple[int | None, Value]]) -> pl.DataFrame:
    return _typed(
        pl.DataFrame(
            {
                "wall_us": pl.Series([wall for wall, _ in values], dtype=pl.Int64),
                "series": [f"innodb.{value.series.name}" for _, value in values],
                "kind": [value.series.kind for _, value in values],
                "unit": [value.series.unit for _, value in values],
                "value": pl.Series([_float(value.value) for _, value in values], dtype=pl.Float64),
                "line_first": pl.Series([value.line for _, value in values], dtype=pl.Int64),
            }
        ).with_columns(pl.lit("").alias("labels"))
    )


def _float(value: float | None) -> float | None:
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None


def _typed(frame: pl.DataFrame) -> pl.DataFrame:
    """All columns of the sample schema; numbers that wrapped around are null."""
    schema = frame_schema(SAMPLE)
    return frame.with_columns(
        pl.lit(None, dtype=pl.String).alias("host"),
        pl.lit("local").alias("clock"),
        pl.when(pl.col("value").abs() < _WRAPPED).then("value").alias("value"),
    ).select(*(pl.col(name).cast(dtype) for name, dtype in schema.items()))
