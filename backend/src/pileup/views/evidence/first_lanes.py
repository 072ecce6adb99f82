"""Choose the lanes of the timeline for a first look: one per quantity, of the leading stall."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pileup.analysis.contract import SeriesDoc
from pileup.analysis.evidence.load_series import role_of
from pileup.knowledge import knowledge
from pileup.knowledge.series_titles import series_title
from pileup.storage.incidents.analyses import Series

Drawn = Series | SeriesDoc
"""A series as it is stored, or as the analysis document lists it."""
MOST_LANES = 8
_FEWEST = 3
"""A capture in which nothing is known to matter shows its densest series."""
_OF_THE_HOST = ("cpu", "io", "memory")
"""Subsystems in which any stall may show, whatever its cause."""
_BAD = {"up": ("up",), "down": ("down", "low")}
"""Direction of a shift to the directions that the knowledge calls bad."""
_FILLERS = {"innodb", "mysql", "of", "the"}
"""Words in which the titles of one quantity differ between collectors."""
_SURE = 0.6
"""Trust from which series of one role (sessions running, statements done) are one quantity."""


def first_lanes(series: Sequence[Drawn], parts: Mapping[str, Any]) -> list[str]:
    """List the ids of at most ``MOST_LANES`` series, in the order of their lanes.

    parts: ``shifts``, ``episodes``, ``findings`` and ``stalls`` of the analysis document. First
    what the stall was detected by, then the throughput, the evidence of the leading finding, and
    what moved most among the series that bear on it; if these are few, whatever moved, and any that
    change. A series that never changes is left out,
    unless the finding names it. Of one quantity the first series counts, and of equals the densest
    on the host of the stall.
    """
    stall, finding = _leading(parts)
    host = stall.get("host") if stall else None
    by_id = {each.id: each for each in series}
    densest = sorted(series, key=lambda s: (s.host != host, -s.points, s.id))
    named = [id_ for id_ in _evidence_of(finding) if id_ in by_id]
    moving = [each for each in densest if each.min is None or each.min != each.max]
    shifts = [(by_id[s["series"]], s) for s in parts.get("shifts") or () if s["series"] in by_id]
    category = (finding or {}).get("category")
    near = [each for each, shift in shifts if _bears_on(category, each, shift["direction"])]
    own = [each for each in near if category and category == _subsystem(each)]
    ids = [
        *(each["series"] for each in (stall["evidence"][:1] if stall else ())),
        *_of_role("concurrency", moving),
        *_of_role("throughput", moving),
        *named,
        *(each.id for each in own),
        *(each["series"] for each in (stall["evidence"][1:] if stall else ())),
        *(each.id for each in near),
    ]
    allowed = {each.id for each in moving} | set(named)
    chosen: dict[str, str] = {}
    for id_ in ids:
        if id_ in allowed:
            chosen.setdefault(_quantity(by_id[id_]), id_)
    rest = [each for each, _ in shifts] + [each for each in moving if not each.labels]
    for each in rest:
        if len(chosen) >= _FEWEST:
            break
        if each.id in allowed:
            chosen.setdefault(_quantity(each), each.id)
    return list(chosen.values())[:MOST_LANES]


def _leading(parts: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]:
    """Return the leading stall and its likely cause, as documents; None where there is none."""
    findings = parts.get("findings") or ()
    for episode in parts.get("episodes") or ():
        if episode["leading"]:
            own = {each["id"]: each for each in episode["findings"]}
            best = own.get(episode["finding"]) or next(iter(findings), None)
            return episode["stall"], best
    stalls = [each for each in parts.get("stalls") or () if each["kind"] == "stall"]
    return next(iter(stalls), None), next(iter(findings), None)


def _evidence_of(finding: Mapping[str, Any] | None) -> Iterator[str]:
    for locator in (finding or {}).get("evidence") or ():
        if locator["kind"] == "series" and locator["series"]:
            yield locator["series"]


def _bears_on(category: str | None, series: Drawn, direction: str) -> bool:
    """Return whether a series that moved belongs to the story of a finding of this category.

    Load and the states of sessions always do. So does a rise that someone chose to monitor; of the
    hundreds of counters that a server prints, those that moved the bad way in the finding's own
    subsystem, or in the host's.
    """
    if role_of(series.name, series.labels) or series.name == "processlist.state":
        return True
    meaning = knowledge().series(series.name)
    if meaning is None:
        return series.name.startswith("metric.") and direction == "up"
    is_near = category is None or meaning.subsystem in (None, category, *_OF_THE_HOST)
    return is_near and meaning.bad_direction in _BAD[direction]


def _subsystem(series: Drawn) -> str | None:
    return getattr(knowledge().series(series.name), "subsystem", None)


def _of_role(role: str, series: Iterable[Drawn]) -> list[str]:
    """Return the id of the most trusted series of this role; empty where there is none."""
    best: tuple[float, str] | None = None
    for each in series:
        found = role_of(each.name, each.labels)
        if found is None or found[0] != role or each.labels:
            continue
        if best is None or found[1] > best[0]:
            best = (found[1], each.id)
    return [best[1]] if best else []


def _quantity(series: Drawn) -> str:
    """Name what a series measures, equal for all collectors of one quantity on one host."""
    role, trust = role_of(series.name, series.labels) or ("", 0.0)
    is_load = role == "throughput" or (role == "concurrency" and trust >= _SURE)
    if is_load and not series.labels:
        return f"{role}@{series.host}"
    named = series_title(series.name, series.labels)
    words = sorted(set(f"{named.title} {named.detail}".lower().split()) - _FILLERS)
    return f"{' '.join(words)}@{series.host}"
