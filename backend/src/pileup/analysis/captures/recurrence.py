"""Say how often stalls recur over the captures of an incident, and whether for one reason."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from pileup.analysis.contract import (
    CaptureDoc,
    EpisodeDoc,
    Headline,
    RecurrenceDoc,
    StallDoc,
)
from pileup.analysis.evidence.times import clock_text, date_text, parse
from pileup.analysis.findings.summary import stall_sentence
from pileup.numerals import number

_SIMILAR = 3.0
"""Largest ratio of two intervals that still count as one rhythm."""
_NAMED = 3
"""Most exceptions that a sentence names."""


def unjudged_headline(stall: StallDoc) -> Headline:
    """Build the headline of a stall that was not analysed."""
    return Headline(verdict="stall", text=stall_sentence(stall))


def recurrence(
    captures: Sequence[CaptureDoc], episodes: Sequence[EpisodeDoc], titles: dict[str, str]
) -> RecurrenceDoc:
    """Count different stalls over all captures, the time between them, and their causes.

    titles: finding id to title.
    """
    stalls = [episode for episode in episodes if episode.same_as is None]
    short = sum(capture.verdict == "short" for capture in captures)
    apart = _apart(stalls)
    causes = Counter(episode.finding for episode in stalls if episode.finding is not None)
    first = next((episode.finding for episode in stalls if episode.leading), None)
    common = max(causes, key=lambda name: (causes[name], name == first, name), default=None)
    shared = [episode.id for episode in stalls if common and episode.finding == common]
    others = [episode for episode in stalls if episode.id not in shared]
    return RecurrenceDoc(
        captures=len(captures),
        stalls=len(stalls),
        short=short,
        least_apart_s=min(apart, default=None),
        most_apart_s=max(apart, default=None),
        finding=common if len(stalls) > 1 else None,
        shared_by=shared if len(stalls) > 1 else [],
        exceptions=[episode.id for episode in others] if len(stalls) > 1 else [],
        text=_text(captures, stalls, short, apart, titles.get(common or "", ""), others),
    )


def _apart(stalls: Sequence[EpisodeDoc]) -> list[float]:
    """Return the seconds between consecutive onsets of each host."""
    by_host: dict[str | None, list[int]] = {}
    for episode in stalls:
        by_host.setdefault(episode.stall.host, []).append(parse(episode.stall.onset))
    return [
        (after - before) / 1e6
        for onsets in by_host.values()
        for before, after in itertools.pairwise(sorted(onsets))
    ]


def _text(
    captures: Sequence[CaptureDoc],
    stalls: Sequence[EpisodeDoc],
    short: int,
    apart: Sequence[float],
    title: str,
    others: Sequence[EpisodeDoc],
) -> str:
    dated = [capture for capture in captures if capture.first is not None]
    # what shows no sessions and no work, as a slow log, shows no capture without a stall either
    judged = [capture for capture in dated if capture.verdict != "unknown"] or dated
    if len(judged or captures) < 2 and len(stalls) < 2:
        return ""
    text = _count(len(stalls), "stall")
    if judged or not captures:  # a log alone is no capture with a range of its own
        text += f" in {_count(len(judged), 'capture')}"
    hosts = {capture.host for capture in judged}
    if len(hosts) > 1:
        text += f" of {len(hosts)} hosts"
    text += f"{_rhythm(apart)}."
    if short:
        text += (
            f" In {number(short)} more, work piled up and cleared within seconds."
            if stalls
            else f" In {number(short)}, work piled up and cleared within seconds."
        )
    if len(stalls) < 2:
        return text
    when = _moments(stalls)
    agree = len(stalls) - len(others)
    if not title:
        return f"{text} No known problem matches any of them."
    if agree == 1:
        causes = [f"{_cause(episode)} ({when[episode.id]})" for episode in stalls[:_NAMED]]
        return f"{text} Their likely causes differ: {'; '.join(causes)}{_more(stalls)}."
    text += f" Same likely cause in {agree} of {len(stalls)}: {title}."
    if others:
        named = [f"{when[episode.id]} ({_cause(episode)})" for episode in others[:_NAMED]]
        text += f" The exception: {'; '.join(named)}{_more(others)}."
    return text


def _moments(stalls: Sequence[EpisodeDoc]) -> dict[str, str]:
    """Map episodes to their onset for sentences, with the date if they span several days."""
    onsets = {episode.id: parse(episode.stall.onset) for episode in stalls}
    days = {date_text(onset)[:10] for onset in onsets.values()}
    text = clock_text if len(days) == 1 else date_text
    return {name: text(onset) for name, onset in onsets.items()}


def _cause(episode: EpisodeDoc) -> str:
    return episode.findings[0].title if episode.findings else "no known problem matches"


def _more(named: Sequence[EpisodeDoc]) -> str:
    more = len(named) - _NAMED
    return f"; and {more} more" if more > 0 else ""


def _rhythm(apart: Sequence[float]) -> str:
    """Describe the time between stalls: ', every 20 to 30 h', ', 19 min apart'."""
    if not apart:
        return ""
    least, most = min(apart), max(apart)
    if len(apart) == 1:
        return f", {_duration(least)} apart"
    span = _duration(least) if _duration(least) == _duration(most) else _range(least, most)
    return f", every {span}" if most <= _SIMILAR * least else f", {span} apart"


def _unit(seconds: float) -> tuple[str, float]:
    for unit, size, up_to in (("s", 1.0, 600.0), ("min", 60.0, 120.0), ("h", 3600.0, 72.0)):
        if seconds / size < up_to:
            return unit, size
    return "days", 86400.0


def _duration(seconds: float) -> str:
    unit, size = _unit(seconds)
    return f"{number(round(seconds / size))} {unit}"


_LEAST_OF_UNIT = 2
"""From so many on a number of the larger unit is precise enough: 48 h are 2 days."""


def _range(least: float, most: float) -> str:
    unit, size = _unit(most)
    if _unit(least)[0] != unit and least < _LEAST_OF_UNIT * size:
        return f"{_duration(least)} to {_duration(most)}"
    return f"{number(round(least / size))} to {number(round(most / size))} {unit}"


def _count(count: int, noun: str) -> str:
    return f"{number(count) if count else 'No'} {noun}{'' if count == 1 else 's'}"


__all__ = ["recurrence", "unjudged_headline"]
