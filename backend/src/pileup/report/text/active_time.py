"""Write where the time of active sessions went: by class, capture and stall, and to its roots."""

from __future__ import annotations

from collections.abc import Sequence

from pileup.analysis.contract import ActiveSessionsDoc, CaptureDoc, EpisodeDoc, RootDoc
from pileup.analysis.evidence.times import clock_text, parse
from pileup.knowledge.series_titles import typed_title
from pileup.numerals import grouped, number

_CLASSES = 3
_ROOTS = 5
_LEAST = 0.005
"""Shares below this are not written: they would read as 0%."""


def time_sentence(doc: ActiveSessionsDoc) -> str:
    """Write the active-session seconds with their interval, and the classes with most of them."""
    classes = [each for each in doc.classes if each.share >= _LEAST]
    classes.sort(key=lambda each: -each.share)
    mix = ", ".join(f"{each.title.lower()} {each.share:.0%}" for each in classes[:_CLASSES])
    peak = f"at most {number(doc.peak)} at once"
    if doc.peak_at:
        peak += f" ({clock_text(parse(doc.peak_at))})"
    if doc.seconds is None:
        sessions = "active session" if doc.peak == 1 else "active sessions"
        return f"{number(doc.peak)} {sessions} at this moment{f': {mix}' if mix else ''}."
    return f"{seconds_text(doc)} active-session seconds, {peak}{f': {mix}' if mix else ''}."


def seconds_text(doc: ActiveSessionsDoc) -> str:
    """Write '4 321 (4 100 to 4 540)'; empty where a single moment has no duration."""
    if doc.seconds is None:
        return ""
    if doc.low is None or doc.high is None:
        return grouped(round(doc.seconds))
    low, high = grouped(round(doc.low)), grouped(round(doc.high))
    interval = f" ({low} to {high})" if low != high else ""
    return f"{grouped(round(doc.seconds))}{interval}"


def sources_text(doc: ActiveSessionsDoc) -> str:
    """Write what the level and the classes come from."""
    classes = f"; classes from {doc.mix_from}" if doc.mix_from else ""
    return f"Level from {typed_title(doc.level_from)}{classes}."


def class_rows(doc: ActiveSessionsDoc) -> list[tuple[str, str, str]]:
    """Return title, seconds and share of each class, the largest first."""
    rows = sorted(doc.classes, key=lambda each: -each.share)
    return [
        (
            each.title,
            "" if each.seconds is None else grouped(round(each.seconds)),
            share_words(each.share),
        )
        for each in rows
        if each.share > 0
    ]


def share_words(share: float) -> str:
    """Write '86%'; 'less than 1%' for what would read as 0%."""
    return f"{share:.0%}" if share >= _LEAST or share == 0 else "less than 1%"


def root_rows(roots: Sequence[RootDoc]) -> list[tuple[str, str, str, str, str]]:
    """Return label, seconds, share with interval, path and reason of the first roots."""
    return [
        (
            root.label + (" (inferred)" if root.inferred and root.known else ""),
            "" if root.seconds is None else grouped(round(root.seconds)),
            share_text(root),
            " > ".join(root.path),
            root.why,
        )
        for root in roots[:_ROOTS]
    ]


def share_text(root: RootDoc) -> str:
    """Write '99% (97 to 100%)'."""
    low, high = f"{root.low * 100:.0f}", f"{root.high * 100:.0f}"
    return f"{root.share:.0%}{f' ({low} to {high}%)' if low != high else ''}"


def path_sentence(root: RootDoc) -> str:
    """Write where most of the time ends, and the way there."""
    way = f": {' > '.join(root.path)}" if len(root.path) > 1 else ""
    return f"{share_text(root)} of it is spent behind {root.label}{way}."


def scope_rows(
    captures: Sequence[CaptureDoc], episodes: Sequence[EpisodeDoc]
) -> list[tuple[str, str, str, str]]:
    """Return for each capture and each stall its seconds, its classes and its first root."""
    rows = []
    for capture in captures:
        doc = capture.active_sessions
        if doc is not None:
            rows.append(
                (_scope("capture", capture.host, capture.first), seconds_text(doc), _mix(doc), "")
            )
        for episode in episodes:
            stall = episode.active_sessions
            if episode.capture != capture.id or stall is None:
                continue
            root = episode.roots[0] if episode.roots else None
            end = f"{root.label}, {share_text(root)}" if root else ""
            name = _scope("stall", episode.stall.host, episode.stall.onset)
            rows.append((name, seconds_text(stall), _mix(stall), end))
    return rows


def _scope(what: str, host: str | None, since: str | None) -> str:
    """Name a capture or a stall: 'stall of db-07 from 22:17:05 UTC'."""
    whose = f" of {host}" if host else ""
    return f"{what}{whose}{f' from {clock_text(parse(since))}' if since else ''}"


def _mix(doc: ActiveSessionsDoc) -> str:
    return ", ".join(f"{title} {share}" for title, _, share in class_rows(doc)[:_CLASSES])


__all__ = [
    "class_rows",
    "path_sentence",
    "root_rows",
    "scope_rows",
    "seconds_text",
    "share_text",
    "share_words",
    "sources_text",
    "time_sentence",
]
