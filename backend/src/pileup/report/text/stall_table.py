"""Tabulate the stalls of an incident with several captures, and the captures without one."""

from __future__ import annotations

from collections.abc import Callable

from pileup.analysis.contract import Analysis, EpisodeDoc
from pileup.numerals import counted
from pileup.report.case import Case
from pileup.report.document import Block, Trouble
from pileup.report.text.tables import table
from pileup.report.text.wording import peak_words, when

_VERDICTS = {
    "short": "cleared within seconds",
    "calm": "calm",
    "inside": "inside a stall",
    "unknown": "too little to judge",
}
_MOST_ROWS = 20


def has_several(analysis: Analysis) -> bool:
    """Return whether there is more than one capture or stall to list."""
    return len(analysis.captures) > 1 or len(analysis.episodes) > 1


def stalls(case: Case, names: dict[str, str], _: Callable[[str], int]) -> list[Block]:
    """Tabulate each stall, and each capture without one, in the order of time."""
    analysis = case.analysis
    if analysis is None or not (analysis.captures or analysis.episodes):
        return [Trouble("No artifact has samples over time, so there are no captures to list.")]
    hosts = {capture.id: capture.host or "" for capture in analysis.captures}
    rows = [
        (episode.stall.onset, hosts.get(episode.capture, ""), *_stall(episode))
        for episode in analysis.episodes
    ]
    rows += [
        (capture.first, capture.host or "", _VERDICTS.get(capture.verdict, ""), "", "")
        for capture in analysis.captures
        if capture.first and not capture.episodes
    ]
    rows.sort(key=lambda row: row[0])
    hidden = len(rows) - _MOST_ROWS
    recurrence = analysis.recurrence.text if analysis.recurrence else ""
    stalls, captures = len(analysis.episodes), len(analysis.captures)
    whole = f"{counted(stalls, 'stall')} in {counted(captures, 'capture')}."
    caption = names.get("caption") or recurrence or whole
    if hidden > 0:
        caption += f" {counted(hidden, 'more row')}."
    head = ["begins", "host", "lasted", "peak", "likely cause"]
    shown = [[when(begins), *rest] for begins, *rest in rows[:_MOST_ROWS]]
    return [table(head, shown, None, caption)]


def _stall(episode: EpisodeDoc) -> tuple[str, str, str]:
    """Format duration, peak and likely cause; a duration that the capture cuts off says so."""
    stall = episode.stall
    length = "" if stall.duration_s is None else f"{stall.duration_s:.0f} s"
    if stall.end is None:
        length = f"{length}, until the capture ends".removeprefix(", ")
    cause = next((f for f in episode.findings if f.id == episode.finding), None)
    likely = f"{cause.title} ({cause.score:.2f})" if cause else "none found"
    return length, "" if stall.peak_waiters is None else peak_words(stall), likely
