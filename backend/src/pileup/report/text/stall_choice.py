"""Choose the stall or the capture that a live block shows, and name it in the caption.

An incident can have several captures with several stalls. A block shows one of them: the leading
stall, unless its arguments ``stall`` or ``capture`` name another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pileup.analysis.contract import CaptureDoc, EpisodeDoc
from pileup.report.case import Case
from pileup.report.document import Trouble
from pileup.report.text.wording import moment, when

_MARGIN = timedelta(seconds=60)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Shown:
    """A stall of a capture, or a whole capture."""

    capture: CaptureDoc
    episode: EpisodeDoc | None
    """None: the whole capture."""

    def window(self) -> tuple[datetime, datetime] | None:
        """Return the time to draw, no second of it outside the capture; None without times."""
        first, last = moment(self.capture.first or ""), moment(self.capture.last or "")
        if first is None or last is None:
            return None
        if self.episode is None:
            return first, last
        stall = self.episode.stall
        onset = moment(stall.onset)
        assert onset is not None  # the analysis wrote it
        length = timedelta(seconds=stall.duration_s or 0.0)
        margin = max(_MARGIN, length / 2)
        return max(first, onset - margin), min(last, onset + length + margin)

    def worst(self) -> str | None:
        """Return the worst moment of the stall; None for a whole capture."""
        if self.episode is None:
            return None
        return self.episode.stall.peak_at or self.episode.stall.onset


def choose(case: Case, block: str, names: dict[str, str]) -> Shown | Trouble | None:
    """Return what the arguments name; None when they name neither a stall nor a capture."""
    episodes = case.analysis.episodes if case.analysis else []
    captures = case.analysis.captures if case.analysis else []
    by_id = {capture.id: capture for capture in captures}
    if "stall" in names and "capture" in names:
        return Trouble(f"“::{block}” shows a stall or a capture: give only one of the two.")
    if "stall" in names:
        at = _place(names["stall"], [(e.id, e.stall.onset, e.stall.end) for e in episodes])
        if at is None:
            return _unknown(block, "stall", names["stall"], len(episodes))
        return Shown(by_id[episodes[at].capture], episodes[at])
    if "capture" in names:
        at = _place(names["capture"], [(c.id, c.first, c.last) for c in captures])
        if at is None:
            return _unknown(block, "capture", names["capture"], len(captures))
        return Shown(captures[at], None)
    return None


def leading(case: Case) -> Shown | None:
    """Return the stall that the analysis describes; None without one."""
    for episode in case.analysis.episodes if case.analysis else ():
        if episode.leading:
            return containing(case, episode.stall.onset)
    return None


def containing(case: Case, at: str | None) -> Shown | None:
    """Return the stall at a moment, or else the capture of that moment; None in a gap."""
    instant = moment(at or "")
    if case.analysis is None or instant is None:
        return None
    of_time = [
        capture
        for capture in case.analysis.captures
        if _spans(capture.first, capture.last, instant)
    ]
    for capture in of_time:
        for episode in case.analysis.episodes:
            stall = episode.stall
            if episode.capture == capture.id and _spans(stall.onset, stall.end, instant):
                return Shown(capture, episode)
    return Shown(of_time[0], None) if of_time else None


def named(case: Case, shown: Shown | None) -> str:
    """Name the stall and its capture in a sentence; empty where the incident has only one."""
    if case.analysis is None or shown is None:
        return ""
    captures, episodes = case.analysis.captures, case.analysis.episodes
    if len(captures) < 2 and len(episodes) < 2:
        return ""
    host = f" of {shown.capture.host}" if shown.capture.host else ""
    place = f"capture {_nth(captures, shown.capture)}{host}"
    if shown.episode is None:
        return f" {place[0].upper()}{place[1:]}, from {when(shown.capture.first)}."
    onset = when(shown.episode.stall.onset)
    return f" Stall {_nth(episodes, shown.episode)}, of {onset}, in {place}."


def _nth(items: Sequence[CaptureDoc] | Sequence[EpisodeDoc], item: CaptureDoc | EpisodeDoc) -> str:
    return f"{list(items).index(item) + 1} of {len(items)}"


def _place(wanted: str, items: Sequence[tuple[str, str | None, str | None]]) -> int | None:
    """Return the index of the item with this number, id, or time; None when there is none."""
    if wanted.isdecimal():
        return int(wanted) - 1 if 1 <= int(wanted) <= len(items) else None
    instant = moment(wanted)
    for at, (name, first, last) in enumerate(items):
        if name == wanted or (instant is not None and _spans(first, last, instant)):
            return at
    return None


def _spans(first: str | None, last: str | None, at: datetime) -> bool:
    """Return whether a time is between two that the analysis prints in whole seconds."""
    start, end = moment(first or ""), moment(last or "")
    return start is not None and start <= at and (end is None or at < end + _SECOND)


def _unknown(block: str, what: str, wanted: str, known: int) -> Trouble:
    has = f"{known} {what}{'' if known == 1 else 's'}" if known else f"no {what}"
    return Trouble(
        f"“::{block}” {what}=“{wanted}” names none: the incident has {has}. "
        f"Write the number of a {what}, its id, or a time inside it."
    )
