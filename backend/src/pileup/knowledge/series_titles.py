"""Name series in words: 'Threads waiting for a latch' for 'innodb.semaphore_waits'.

The vocabulary is data: ``data/series_titles.yaml``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import yaml

from pileup.knowledge import knowledge
from pileup.knowledge.series_names import Measure, measure_of
from pileup.paths import packaged

_NAMED_BY_OTHERS = frozenset({"metric", "cloudwatch"})
_PIECES = re.compile(r"[_.\s]+")
_LONGEST = 300
_COMMAND = "com_"
"""SHOW STATUS counts each command under this prefix: Com_select."""


@dataclass(frozen=True, slots=True)
class SeriesTitle:
    title: str
    """Of the quantity, or of the part of it that a single label selects (a session's state)."""
    detail: str
    """The labels in words: 'device vda'; '' without labels."""
    source: str
    """Who measured it: 'SHOW STATUS', 'vmstat'; the collector's name if nothing is known of it."""
    unit: str | None
    """The printed unit, else the one that the knowledge or the name gives; None: not known."""
    quantity: str
    """Equal for series of one quantity from several collectors, labels included."""

    whole: str = ""
    """The quantity of which the title is a part; '' where the title is of the quantity."""

    @property
    def words(self) -> str:
        """The title with the labels: 'CPU user, cpu 0', 'Sessions by state: updating'."""
        if self.whole:
            return f"{self.whole}: {self.title}"
        return ", ".join(part for part in (self.title, self.detail) if part)

    @property
    def is_idleness(self) -> bool:
        """Return whether it measures time that nothing used: 'CPU idle', loops of an idle thread.

        It moves because something else does. Idle connections or threads are things of their own.
        """
        return "idle" in self.title.lower().split() and self.unit not in _vocabulary().idlers


@lru_cache(maxsize=16384)
def series_title(name: str, labels: str = "", unit: str | None = None) -> SeriesTitle:
    """Name a series. name: with its collector; labels: 'key=value,...'; unit: as printed."""
    collector, _, short = name.partition(".")
    if not short:
        collector, short = "", name
    words = _vocabulary()
    known = words.collectors.get(collector, {})
    measure = measure_of(short, labels, unit) if collector in _NAMED_BY_OTHERS else None
    key = measure.name if measure is not None else short.lower()
    plain, ending = _without_unit(short)
    if measure is not None and measure.is_known:
        plain = _without_unit(key)[0]
    title = words.titles.get(name) or words.titles.get(key) or _read(plain)
    pairs = [item.partition("=")[::2] for item in labels[:_LONGEST].split(",") if item]
    is_part = len(pairs) == 1 and pairs[0][0] == short.rpartition(".")[2] and bool(pairs[0][1])
    if is_part:
        title, detail = pairs[0][1], title
    else:
        detail = ", ".join(f"{label} {value}" if value else f"no {label}" for label, value in pairs)
    return SeriesTitle(
        title=title,
        detail=detail,
        source=known.get("title") or collector,
        unit=("1/s" if unit == "/s" else unit)
        or _unit_of(name, key, measure)
        or ending
        or known.get("unit")
        or _counted(short),
        quantity=f"{key}{{{labels}}}",
        whole=detail if is_part else "",
    )


def amount(text: str, unit: str | None) -> str:
    """Write a formatted number with its unit: '396/s', '672 KiB', '99.7%'.

    A noun that is counted stays out: the title of the series has it ('Threads running').
    """
    units = _vocabulary().endings.values()
    if unit is not None and unit.endswith("/s") and unit not in units:
        return text + (f" {unit}" if unit.removesuffix("/s") in units else "/s")
    if unit is None or unit not in units:
        return text
    return text + {"1/s": "/s", "%": "%"}.get(unit, f" {unit}")


def title_of_id(id_: str) -> SeriesTitle:
    """Name a series by its id: 'metric.Threads_running@db1', 'mpstat.user{cpu=0}'."""
    name, _, labels = id_.partition("@")[0].partition("{")
    return series_title(name, labels.removesuffix("}"))


def typed_title(typed: str) -> str:
    """Name a quantity that a person chose or typed: 'Threads running' for 'metric.Threads_running'.

    typed: an id of a series, '@host' may follow; or words of their own, which stay as they are.
    """
    name, _, host = typed.partition("@")
    if name.partition(".")[0] not in _vocabulary().collectors:
        return typed
    words = title_of_id(name).words
    return f"{words} on {host}" if host else words


def _unit_of(name: str, key: str, measure: Measure | None) -> str | None:
    """Return the unit that the vocabulary or the knowledge gives; None: neither does."""
    if measure is not None and measure.is_rate:
        return "1/s"
    units = _vocabulary().units
    meaning = knowledge().series(name)
    known = (measure.unit if measure is not None else None) or units.get(name) or units.get(key)
    return known or (meaning.unit if meaning is not None else None)


def _counted(name: str) -> str | None:
    """Return what a name counts: 'pages' for 'bp_pages_dirty'; None where no noun says it."""
    if _is_command(name):
        return "statements"
    words = _vocabulary()
    pieces = reversed(_PIECES.split(name.lower()))
    counted = next((word for word in pieces if word in words.nouns), None)
    return None if counted is None else words.endings.get(counted, counted)


def _without_unit(name: str) -> tuple[str, str | None]:
    """Split 'latency_ms' into 'latency' and 'ms'; None where the name says no unit."""
    for ending, unit in _vocabulary().endings.items():
        if name.lower().endswith(f"_{ending}") and len(name) > len(ending) + 1:
            return name[: -len(ending) - 1], unit
    return name, None


def _is_command(name: str) -> bool:
    return name.lower().startswith(_COMMAND) and len(name) > len(_COMMAND)


def _read(name: str) -> str:
    """Write a name of words joined by underscores as text."""
    known = _vocabulary().words
    if _is_command(name):
        return f"{name[len(_COMMAND) :].replace('_', ' ').upper()} statements"
    pieces = [piece for piece in _PIECES.split(name[:_LONGEST]) if piece]
    text = " ".join(known.get(piece.lower(), piece) for piece in pieces) or name or "unnamed"
    return text[0].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    collectors: dict[str, dict[str, str]]
    titles: dict[str, str]
    units: dict[str, str]
    words: dict[str, str]
    endings: dict[str, str]
    nouns: frozenset[str]
    idlers: frozenset[str]


@cache
def _vocabulary() -> _Vocabulary:
    text = packaged("knowledge/data/series_titles.yaml")
    data: dict[str, Any] = yaml.safe_load(text.read_text("utf-8"))
    return _Vocabulary(**{**data, **{key: frozenset(data[key]) for key in ("nouns", "idlers")}})


__all__ = ["SeriesTitle", "series_title"]
