"""Find the measure behind the name that an exporter or a script gave to a series.

The vocabulary is data: ``data/series_names.yaml``. A name is cut into words (at separators and
capitals); words of the exporter come off its beginning, statistics and units off its end, until
what is left is a measure of the list or a status variable. So ``mysql.status[Threads_running]``,
``mysql_global_status_threads_running`` and ``db.Users.Threads_running.avg`` are one measure without
being listed. The unit at the end, or the one that was printed, gives the factor to the measure's
own unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import msgspec

from pileup.paths import packaged

_SEPARATORS = re.compile(r"[^a-z0-9]+")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_IN_BRACKETS = re.compile(r"^(?P<name>[^\[\]]*)\[(?P<arguments>[^\[\]]*)\]$")
_CALL = re.compile(r"^(?P<function>\w+)\s*\((?P<inside>.*)\)$", re.DOTALL)
_OF_PROMQL = re.compile(r"[a-zA-Z_:][\w:.]*")
_RATES = frozenset({"rate", "irate", "deriv", "per_second", "persecond"})
_SEGMENT = re.compile(r"[./\s:]+")
_LONGEST = 300
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Measure:
    """The measure behind a series' name, and how its values become the measure's."""

    name: str
    """threads_running, qps, cpu_busy_pct, a status variable in lower case, or the name itself."""
    unit: str | None = None
    """Unit of the measure after conversion; None where the list has none."""
    factor: float = 1.0
    is_complement: bool = False
    """The series is the idle share: the measure is 100 minus its value."""
    is_fraction_or_percent: bool = False
    """Neither the name nor a printed unit says which; the values do."""
    is_rate: bool = False
    """The name says 'per second': never a count since the start."""
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    unit: str | None
    is_complement: bool = False
    factor: float | None = None


def canonical_name(name: str) -> str:
    """Return the measure's name, such as threads_running, qps or cpu_busy_pct; else the name.

    name: of a series without its collector, as printed.
    """
    return measure_of(name).name


@lru_cache(maxsize=16384)  # a hostile file may have any number of names
def measure_of(name: str, labels: str = "", unit: str | None = None) -> Measure:
    """Return the measure of a series.

    name: without its collector, as printed. labels: 'key=value,...'; a label that tells parts of
    one measure apart (state=idle, dimension=running) counts as part of the name. unit: as printed.
    """
    if len(name) > _LONGEST:
        return Measure(name.lower(), is_known=False)
    part = _dividing(labels)
    if part and (measure := _measure(f"{_without_endings(name)} {part}", unit)):
        return measure
    measure = _measure(name, unit)
    if measure is not None and not (part and measure.unit == "%"):  # a share of one part
        return measure
    plain = _SEPARATORS.sub("_", name.lower()).strip("_")
    for prefix in _vocabulary().prefixes:
        rest = plain.removeprefix(prefix)
        if rest and rest != plain:
            return Measure(rest, is_known=False)
    return Measure(name.lower(), is_known=False)


def _without_endings(name: str) -> str:
    """Remove what a part's name would follow: statistics, rates, and percent."""
    known = _vocabulary()
    shares = known.scales["%"]
    words = list(_words(name))
    while words and (words[-1] in known.endings - known.units or words[-1] in shares):
        words.pop()
    return " ".join(words)


def _measure(name: str, unit: str | None) -> Measure | None:
    rated = False
    for _ in range(_DEEPEST):  # sum(rate(mysql_global_status_questions[1m]))
        match = _CALL.match(name.strip())
        if match is None:
            break
        rated = rated or match["function"].lower() in _RATES
        name = match["inside"]
    if rated and (inner := _OF_PROMQL.match(name.strip())):
        name = inner[0]
    elif match := _IN_BRACKETS.match(name):
        last = match["arguments"].split(",")[-1].strip("\"' ")
        name = f"{match['name']} {last}"
    for words in _phrases(name):
        if measure := _of_words(words, unit, rated=rated):
            return measure
    return None


def _phrases(name: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name, then those of the last parts of a path with several words."""
    yield _words(name)
    parts = [part for part in _SEGMENT.split(name) if part]
    for count in (2, 1):
        if len(parts) > count:
            words = _words(".".join(parts[-count:]))
            if len(words) >= 2:
                yield words


def _words(text: str) -> tuple[str, ...]:
    words: list[str] = []
    for word in _WORD.findall(text):
        lower = word.lower()
        if not words or words[-1] != lower:  # netdata repeats its chart: threads_threads
            words.append(lower)
    return tuple(words)


def _of_words(words: Sequence[str], unit: str | None, *, rated: bool) -> Measure | None:
    """Find a measure by dropping words of exporters in front, statistics and units behind."""
    known = _vocabulary()
    first = 0
    while True:
        last = len(words)
        tail: list[str] = []
        while last > first:
            key = "".join(words[first:last])
            if (entry := known.measures.get(key)) and _fits(entry, tail):
                return _made(entry, tail, unit, rated=rated)
            if (variable := known.variables.get(key)) and _is_of_server(words[:first]):
                return _made(_Entry(variable, None), tail, unit, rated=rated)
            if words[last - 1] not in known.endings:
                break
            last -= 1
            tail.insert(0, words[last])
        if first >= len(words) or words[first] not in known.beginnings:
            return None
        first += 1


def _fits(entry: _Entry, tail: Sequence[str]) -> bool:
    """Return whether the dropped units are units of the measure: cpu_seconds is no percentage."""
    known = _vocabulary()
    allowed = known.scales.get(entry.unit or "")
    named = [word for word in tail if word in known.units and word not in known.rates]
    return allowed is None or all(word in allowed for word in named)


def _is_of_server(dropped: Sequence[str]) -> bool:
    """Return whether the dropped words name no machine: system.uptime is not the server's."""
    return not any(word in _vocabulary().machine for word in dropped)


def _made(entry: _Entry, tail: Sequence[str], unit: str | None, *, rated: bool) -> Measure:
    known = _vocabulary()
    scales = known.scales.get(entry.unit or "", {})
    named = next((scales[word] for word in reversed(tail) if word in scales), None)
    printed = scales.get((unit or "").lower())
    factor = named if named is not None else printed if printed is not None else entry.factor
    return Measure(
        entry.name,
        entry.unit,
        factor if factor is not None else 1.0,
        entry.is_complement,
        entry.unit == "%" and factor is None,
        rated or entry.unit == "1/s" or any(word in known.rates for word in tail),
    )


def _dividing(labels: str) -> str:
    """Return the values of the labels that name a part of a measure, in words."""
    if not labels:
        return ""
    pairs = [item.partition("=") for item in labels[:_LONGEST].split(",")]
    return " ".join(value for key, _, value in pairs if key in _vocabulary().dividing)


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    prefixes: tuple[str, ...]
    beginnings: frozenset[str]
    machine: frozenset[str]
    endings: frozenset[str]
    units: frozenset[str]
    rates: frozenset[str]
    dividing: frozenset[str]
    scales: dict[str, dict[str, float]]
    """Unit of a measure: word at the end of a name, or printed unit: factor."""
    measures: dict[str, _Entry]
    """By the words of the alias, joined."""
    variables: dict[str, str]


@cache
def _vocabulary() -> _Vocabulary:
    from pileup.knowledge import knowledge  # the package's own front door, which loads much

    text = packaged("knowledge/data/series_names.yaml").read_text("utf-8")
    words, *rows = msgspec.yaml.decode(text)
    measures: dict[str, _Entry] = {}
    for row in rows:
        for alias in (row["name"], *row["aliases"]):
            measures.setdefault(_joined(alias), _Entry(row["name"], row.get("unit")))
        for alias in row.get("complements", ()):
            measures[_joined(alias)] = _Entry(row["name"], row.get("unit"), True)
        for key in ("scaled", "scaled_complements"):
            for alias, factor in (row.get(key) or {}).items():
                complement = key == "scaled_complements"
                entry = _Entry(row["name"], row.get("unit"), complement, float(factor))
                measures[_joined(alias)] = entry
    scales: dict[str, dict[str, float]] = words["scales"]
    units = {word for scale in scales.values() for word in scale}
    return _Vocabulary(
        tuple(sorted(words["prefixes"], key=len, reverse=True)),
        frozenset(words["beginnings"]) | frozenset(words["machine"]),
        frozenset(words["machine"]),
        frozenset(words["statistics"]) | frozenset(words["rates"]) | frozenset(units),
        frozenset(units),
        frozenset(words["rates"]),
        frozenset(words["dividing"]),
        scales,
        measures,
        {_joined(name): name for name in _variables(knowledge().counters)},
    )


def _variables(counters: dict[str, Any]) -> Iterator[str]:
    """Yield the status variables among the counters: SHOW STATUS prints them with a capital."""
    return (name for name in counters if counters[name].name[0].isupper() and name != "uptime")


def _joined(alias: str) -> str:
    return "".join(_words(alias))


__all__ = ["Measure", "canonical_name", "measure_of"]
