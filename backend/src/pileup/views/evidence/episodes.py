"""List the stalls of an incident or a run, each with its series aligned at the onset.

A capture without a stall is aligned at its first sample: where the load began, as far as known.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import values
from pileup.analysis.evidence.times import parse
from pileup.analysis.stalls.indicators import signals
from pileup.knowledge.series_titles import title_of_id
from pileup.storage.database import Unit
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.analyses import Analyses
from pileup.views.documents import CaptureJson, EpisodeJson, RecurrenceJson

_BEFORE_S = 60.0
_AFTER_S = 60.0
_MOST_POINTS = 240
_MOST_CALM = 12
_CALM_S = 600.0
"""So much of a capture without a stall is shown."""
_GAP = 5.0
"""Sampling intervals of silence that end a line."""


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The series that shows a stall best, from a minute before its onset to a minute after it.

    Of a capture without a stall: its sessions or work, from the first sample on.
    """

    series: str
    title: str
    """The series in words, with its labels."""
    baseline: float | None
    peak: float | None
    points: list[tuple[float, float | None]]
    """(seconds from the onset, highest value); null is a gap. Never outside the capture."""


@dataclass(frozen=True, slots=True)
class EpisodeCard:
    episode: EpisodeJson
    capture: CaptureJson
    onset: datetime
    thumbnail: Thumbnail | None
    """None: no series shows it."""


@dataclass(frozen=True, slots=True)
class CalmCard:
    capture: CaptureJson
    thumbnail: Thumbnail


@dataclass(frozen=True, slots=True)
class Episodes:
    """Stalls in time order, with all captures, also those without a stall."""

    captures: list[CaptureJson]
    recurrence: RecurrenceJson | None
    episodes: list[EpisodeCard]
    from_s: float
    """Leftmost second of all thumbnails, relative to the onset: one scale for all."""
    to_s: float
    calm: list[CalmCard] = field(default_factory=list)
    """Captures without a stall that show sessions or work, at most twelve."""


def stored_episodes(unit: Unit, placed: PlacedStore, incident_id: str) -> Episodes:
    """Return the stalls of an incident from its last analysis."""
    parts = Analyses(unit).parts(incident_id, "captures", "episodes", "recurrence") or {}
    evidence = placed.load(incident_id, ("sample",)) if parts.get("captures") else None
    return episodes(parts, evidence)


def episodes(parts: Mapping[str, Any], evidence: Evidence | None) -> Episodes:
    """Build the list from parts of an analysis document and the evidence behind it."""
    captures = {capture["id"]: capture for capture in parts.get("captures") or []}
    samples = evidence.frame("sample") if evidence else None
    cards = [
        EpisodeCard(
            episode=episode,
            capture=captures[episode["capture"]],
            onset=datetime.fromisoformat(episode["stall"]["onset"]),
            thumbnail=_thumbnail(episode, captures[episode["capture"]], samples),
        )
        for episode in parts.get("episodes") or []
    ]
    calm = _calm(list(captures.values()), samples)
    shown = [card.thumbnail for card in cards if card.thumbnail]
    shown += [card.thumbnail for card in calm]
    seconds = [point[0] for thumbnail in shown for point in thumbnail.points]
    return Episodes(
        captures=list(captures.values()),
        recurrence=parts.get("recurrence"),
        episodes=cards,
        from_s=min(seconds, default=0.0),
        to_s=max(seconds, default=0.0),
        calm=calm,
    )


def _calm(captures: Sequence[dict[str, Any]], samples: pl.DataFrame | None) -> list[CalmCard]:
    """Draw the captures without a stall, each from its first sample on."""
    cards: list[CalmCard] = []
    for capture in captures if samples is not None else ():
        if capture["episodes"] or capture["first"] is None or len(cards) == _MOST_CALM:
            continue
        assert samples is not None
        first = parse(capture["first"])
        last = min(parse(capture["last"]) + 999_999, first + round(_CALM_S * 1e6))
        host = capture["host"]
        rows = samples.filter(
            Span(first, last).holds() & pl.col("artifact").is_in(capture["artifacts"])
        )
        if host is not None:
            rows = rows.filter(pl.col("host").is_null() | (pl.col("host") == host))
        for signal in signals(values(rows))[:1]:
            points = _aligned(signal.times, signal.values, first)
            thumbnail = Thumbnail(
                series=signal.id,
                title=title_of_id(signal.id).words,
                baseline=None,
                peak=max(signal.values),
                points=points,
            )
            cards.append(CalmCard(capture=capture, thumbnail=thumbnail))
    return cards


def _thumbnail(
    episode: Mapping[str, Any], capture: Mapping[str, Any], samples: pl.DataFrame | None
) -> Thumbnail | None:
    stall = episode["stall"]
    if samples is None or not stall["evidence"]:
        return None
    shown = stall["evidence"][0]
    onset = parse(stall["onset"])
    span = _window(stall, capture, onset)
    rows = samples.filter((pl.col("id") == shown["series"]) & span.holds())
    points = values(rows).group_by("time").agg(pl.col("value").max()).sort("time")
    if points.is_empty():
        return None
    return Thumbnail(
        series=shown["series"],
        title=title_of_id(shown["series"]).words,
        baseline=shown["baseline"],
        peak=shown["peak"],
        points=_aligned(points["time"].to_list(), points["value"].to_list(), onset),
    )


def _window(stall: Mapping[str, Any], capture: Mapping[str, Any], onset: int) -> Span:
    """Return the time that a thumbnail shows: no second outside the capture."""
    end = onset + round((stall["duration_s"] or 0.0) * 1e6)
    first, last = onset - round(_BEFORE_S * 1e6), end + round(_AFTER_S * 1e6)
    if capture["first"] is not None:
        first = max(first, parse(capture["first"]))
    if capture["last"] is not None:
        last = min(last, parse(capture["last"]) + 999_999)
    return Span(first, last)


def _aligned(
    times: Sequence[int], numbers: Sequence[float], onset: int
) -> list[tuple[float, float | None]]:
    """Return at most ``_MOST_POINTS`` maxima, with a null where the samples are silent."""
    steps = sorted(after - before for before, after in itertools.pairwise(times))
    usual = steps[len(steps) // 2] if steps else 0
    width = max(1, -(-len(times) // _MOST_POINTS))
    points: list[tuple[float, float | None]] = []
    previous: int | None = None
    for at in range(0, len(times), width):
        begin = times[at]
        if previous is not None and usual and begin - previous > _GAP * usual:
            points.append(((previous + usual - onset) / 1e6, None))
        points.append(((begin - onset) / 1e6, max(numbers[at : at + width])))
        previous = times[min(at + width, len(times)) - 1]
    return points
