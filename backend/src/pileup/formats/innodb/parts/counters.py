"""Read the numbers of the counter sections as samples: one value per dump, named innodb.<snake>.

A section's text without its numbers repeats from dump to dump. So a text is read once, line by line
with the rules of counter_series; the meaning of each number is kept under the text with each run of
digits reduced to one zero, and later dumps cost one split and one look-up.

Labels: instance (buffer pool), part (adaptive hash), thread (I/O), area (memory).
Null:   a number beyond 63 bits wrapped around in the server; it is null here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import polars as pl

from pileup.formats.innodb.parts.counter_series import (
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
from pileup.formats.reading.repeated_text import MOST_TEXT
from pileup.records import SAMPLE, Rows, build_frame
from pileup.records.columns import group_of_rows

_NUMBER = re.compile(r"[0-9.]+")
_DIGITS = bytes(byte if byte in b"0123456789." else 32 for byte in range(256))
"""Translates all but numbers to blanks."""
_ZEROS = bytes(48 if 48 <= byte <= 57 else byte for byte in range(256))
_RUNS = (b"0" * 8, b"0" * 4, b"0" * 2, b"0" * 2)
"""Replaced one after the other, they reduce up to 64 digits to one."""
_POOL = re.compile(r"^Buffer pool size +\d", re.MULTILINE)
_INSTANCE = re.compile(r"---BUFFER POOL (\d+)")
_WRAPPED = float(1 << 63)
_MOST_TEXTS = 2_000
_MOST_LINE = 2_000
"""Characters: the longest line of a counter section in any capture has 400."""


class Value(NamedTuple):
    """A number that a reader of another section counted."""

    series: Series
    value: float | None
    line: int


class _Place(NamedTuple):
    """The position of a value among the numbers of a text."""

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
    """The meaning of a section's text without its numbers."""

    places: list[_Place]
    """The values that are one number, then the values made of several, or negative."""
    pick: Callable[[list[str]], tuple[str, ...]]
    """Picks the values that are one number."""
    made: list[_Place]
    """The values made of several numbers, or negative."""
    series: list[int]
    """Per place: its row in the table of series."""
    lines: list[int]
    unread: tuple[int, ...]
    """0-based lines that no rule knows."""


class Counted(NamedTuple):
    """The result of reading a section."""

    text: _Text
    numbers: list[str]

    @property
    def unread(self) -> tuple[int, ...]:
        """Lines (0-based) that no rule matches."""
        return self.text.unread

    def whole_numbers(self, names: tuple[str, ...]) -> dict[str, tuple[int, int]]:
        """Return whole numbers by the names of their series, each with its line (0-based)."""
        made = (
            (place, _made(place, self.numbers))
            for place in self.text.places
            if place.series.name in names
        )
        return {
            place.series.name: (int(value), place.line)
            for place, value in made
            if abs(value) < _LARGEST_WHOLE
        }


class Counters:
    """Collects the numbers of many dumps; ``flush`` yields them as one frame."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, bytes], _Text] = {}
        self._series: dict[tuple[Series, str], int] = {}
        self._clear()

    def _clear(self) -> None:
        self._series_index: list[int] = []
        self._value: list[str | None] = []
        self._line: list[int] = []
        self._reads: list[tuple[int, int, int | None]] = []
        """How many values were read at once, the line that theirs count from, and the time."""

    def read(self, title: str, text: str, line: int, wall_us: int | None) -> Counted:
        """Read one section; ``line`` is the number of its first line."""
        raw = text.encode("utf-8", "replace")
        numbers = raw.translate(_DIGITS).decode("ascii").split()
        key = raw.translate(_ZEROS)
        for run in _RUNS:
            key = key.replace(run, b"0")
        known = self._texts.get((title, key))
        if known is None:
            known = self._text(title, text, key)
        if known.places:
            self._value += known.pick(numbers)
            for place in known.made:
                self._value.append(repr(_made(place, numbers)))
            self._series_index += known.series
            self._line += known.lines
            self._reads.append((len(known.places), line, wall_us))
        return Counted(known, numbers)

    def add(self, values: Iterable[Value], wall_us: int | None) -> None:
        """Add numbers that other readers counted."""
        for series, value, line in values:
            self._value.append(None if value is None else str(value))
            self._series_index.append(self._number(series, ""))
            self._line.append(0)
            self._reads.append((1, line, wall_us))

    def flush(self) -> Iterator[Rows]:
        """Yield all values since the last flush, each series in the order of its dumps."""
        if self._value:
            yield Rows(SAMPLE, self._frame())
        self._clear()

    def _text(self, title: str, text: str, key: bytes) -> _Text:
        if len(self._texts) >= _MOST_TEXTS:
            self._texts.clear()
        places, unread = _SectionText(title, text).read()
        plain = [place for place in places if len(place.numbers) == 1 and not place.negative]
        made = [place for place in places if len(place.numbers) > 1 or place.negative]
        known = _Text(
            places=[*plain, *made],
            pick=_picker([place.numbers[0] for place in plain]),
            made=made,
            series=[self._number(place.series, place.labels) for place in (*plain, *made)],
            lines=[place.line for place in (*plain, *made)],
            unread=tuple(unread),
        )
        if len(key) <= MOST_TEXT:
            self._texts[title, key] = known
        return known

    def _number(self, series: Series, labels: str) -> int:
        return self._series.setdefault((series, labels), len(self._series))

    def _frame(self) -> pl.DataFrame:
        counts, lines, walls = zip(*self._reads, strict=True)
        reads = group_of_rows(list(counts))
        value = pl.Series(self._value, dtype=pl.String).cast(pl.Float64, strict=False)
        number = pl.Series("number", self._series_index, dtype=pl.UInt32)
        sorted_ = number.to_frame().with_row_index().sort("number", maintain_order=True)
        order, number = sorted_["index"], sorted_["number"]
        reads = reads.gather(order)
        value = value.set(value.abs() >= _WRAPPED, None)
        line = pl.Series(self._line, dtype=pl.Int64).gather(order)
        every = [(f"innodb.{series.name}", labels, *series[1:]) for series, labels in self._series]
        names = ("series", "labels", "kind", "unit")
        texts = pl.DataFrame(every, schema=dict.fromkeys(names, pl.String()), orient="row")[number]
        return build_frame(
            SAMPLE,
            {
                **texts.to_dict(),
                "clock": "local",
                "wall_us": pl.Series(walls, dtype=pl.Int64).gather(reads),
                "value": value.gather(order),
                "line_first": pl.Series(lines, dtype=pl.Int64).gather(reads) + line,
            },
        )


def _picker(chosen: list[int]) -> Callable[[list[str]], tuple[str, ...]]:
    """Return a function that picks the chosen numbers in one step."""
    if len(chosen) > 1:
        return itemgetter(*chosen)
    return lambda numbers: tuple(numbers[number] for number in chosen)


_Meaning = tuple[Series, str, int, int]
"""A series with its labels, and the span of its number in the line."""


class _SectionText:
    """Reads a section's text line by line and finds the meaning of each number."""

    def __init__(self, title: str, text: str) -> None:
        self._rules = RULES.get(title, ())
        self._lines = text.split("\n")
        self._ordinal = {m.span(): index for index, m in enumerate(_NUMBER.finditer(text))}
        # 5.5.8 prints every instance, under no title of its own, and no totals.
        self._pools = len(_POOL.findall(text.partition("---BUFFER POOL")[0]))
        self._hashes = text.count("Hash table size")
        self._instance = ""
        self._pool = self._part = 0
        self._rates: Rule = ROW_RATES
        self._operations: Rule = MERGED
        self._places: dict[tuple[Series, str], _Place] = {}

    def read(self) -> tuple[list[_Place], list[int]]:
        """Return the positions of values among the numbers, and the lines (0-based) not read."""
        unread: list[int] = []
        at = 0
        for line, words in enumerate(self._lines):
            meanings = self._meanings(words)
            self._turn(words)
            if meanings is None:
                unread.append(line)
            else:
                understood = [self._place(meaning, line, words, at) for meaning in meanings]
                unread += [line] * understood.count(False)
            at += len(words) + 1
        return list(self._places.values()), unread

    def _meanings(self, words: str) -> list[_Meaning] | None:
        """Return the meanings of the numbers of a line; None when no rule matches the line."""
        if len(words) > _MOST_LINE:
            return None
        if match := _INSTANCE.match(words):
            self._instance = f"instance={match[1]}"
            return []
        rows = self._pool_meanings(words)
        if rows is None:
            rows = _list_meanings(words)
        if rows is None:
            return [] if WORDS.match(words) else None
        if self._pools > 1 and self._instance:
            rows += [
                (series, "", start, end) for series, _, start, end in rows if series.unit == "pages"
            ]
        return rows

    def _pool_meanings(self, words: str) -> list[_Meaning] | None:
        """Apply the rules of the section, with the labels that are current here."""
        if self._pools > 1 and _POOL.match(words) and (known := _first(self._rules, words)):
            self._instance = f"instance={self._pool}"
            self._pool += 1
            return _groups(known, self._instance)
        if known := _first((*self._rules, self._rates, self._operations), words):
            return _groups(known, self._instance)
        if match := HASH.pattern.match(words):
            labels = f"part={self._part}" if self._hashes > 1 else ""
            self._part += 1
            return _groups((match, HASH.series), labels)
        return None

    def _turn(self, words: str) -> None:
        """Take a line that changes the meaning of the numbers below it."""
        if words.startswith("merged operations"):
            self._operations = MERGED
        elif words.startswith("discarded operations"):
            self._operations = DISCARDED
        elif words.startswith("Number of "):
            self._rates = SYSTEM_ROW_RATES if "system rows" in words else ROW_RATES

    def _place(self, meaning: _Meaning, line: int, words: str, at: int) -> bool:
        """Add the position of a value; return False when its number has a dot too many."""
        series, labels, start, end = meaning
        negative = words[start : start + 1] == "-"
        numbers = _ordinals(self._ordinal, at, words, start + negative, end)
        if not numbers:
            return False
        printed = self._places.get((series, labels))
        if printed is None:
            halves = " " in words[start:end]
            place = _Place(series, labels, line, numbers, negative, halves)
            self._places[series, labels] = place
        elif not negative and (series.name in _SUMMED or (self._pools > 1 and not labels)):
            # One line per sync array or pool, one number per I/O thread: their sum is the total.
            place = printed._replace(numbers=(*printed.numbers, *numbers))
            self._places[series, labels] = place
        return True


def _list_meanings(words: str) -> list[_Meaning] | None:
    """Return the meanings of a line with a number per thread or per area of memory."""
    if words.startswith(("Pending normal aio", " ibuf aio", " log i/o's")):
        return list(_pending_io(words))
    if match := IO_THREAD.match(words):
        labels = f"thread={match['thread']}"
        return [
            (series, labels, *match.span(group))
            for group, series in enumerate(IO_THREAD_SERIES, start=2)
        ]
    if match := MEMORY.match(words):
        labels = f"area={match['area'].strip().lower().replace(' ', '_')}"
        return [
            (series, labels, *match.span(group))
            for group, series in enumerate(MEMORY_SERIES, start=2)
            if match[group]
        ]
    return None


def _ordinals(
    ordinal: dict[tuple[int, int], int], at: int, words: str, start: int, end: int
) -> tuple[int, ...]:
    """Return which numbers are in a part of a line; none when one has a dot too many."""
    spans = [match.span() for match in _NUMBER.finditer(words, start, end)]
    numbers = [ordinal.get((at + first, at + last)) for first, last in spans]
    return tuple(number for number in numbers if number is not None) if None not in numbers else ()


_SUMMED = ("reservation_count", *(series.name for series in PENDING_IO_SERIES.values()))


def _first(rules: Iterable[Rule], words: str) -> tuple[re.Match[str], tuple[Series, ...]] | None:
    for rule in rules:
        if match := rule.pattern.match(words):
            return match, rule.series
    return None


def _groups(found: tuple[re.Match[str], tuple[Series, ...]], labels: str) -> list[_Meaning]:
    match, every = found
    return [
        (series, labels, *match.span(group))
        for group, series in enumerate(every, start=1)
        if match[group] is not None
    ]


def _pending_io(words: str) -> Iterator[_Meaning]:
    """Yield the meanings per I/O thread and in total: as printed, else their sum."""
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


_LARGEST_WHOLE = 1 << 65
"""No counter of a dump is larger: an unsigned LSN printed in two halves ends below."""


def _whole(number: str) -> float:
    """Convert to an int where possible: an LSN must not be rounded before it is subtracted."""
    return int(number) if len(number) < 20 and number.isdecimal() else float(number)
