"""Combine the answers about all captures: captures, episodes, the leading one, and recurrence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import msgspec
import polars as pl

from pileup.analysis import contract
from pileup.analysis.captures.examine import (
    Examined,
    Judged,
    active_sessions,
    document_of,
    examine,
    judge,
)
from pileup.analysis.captures.partition import UNDATED, Capture, partition, with_shared
from pileup.analysis.captures.recurrence import recurrence, unjudged_headline
from pileup.analysis.captures.shares import shares
from pileup.analysis.captures.stretches import DENSE_S
from pileup.analysis.evidence import series
from pileup.analysis.evidence.answers import Answers, Missing
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.times import DAY_US, clock_text, iso_of
from pileup.analysis.stalls.corrections import NEAR_US, StallCorrection
from pileup.analysis.stalls.detection import Stall
from pileup.analysis.stalls.indicators import signals
from pileup.analysis.story import sentence

MOST_JUDGED = 24
"""Most stalls that get findings of their own; the larger ones first."""
_UNEXPLAINED = 0.5
"""Weight of a stall without any finding, relative to one whose cause is certain."""


@dataclass(slots=True)
class Episode:
    """One stall of one capture, judged or not."""

    examined: Examined
    at: int
    """Index of the stall in the capture's stalls."""
    judged: Judged | None = None
    same_as: Episode | None = None

    @property
    def stall(self) -> Stall:
        return self.examined.stalls[self.at]

    @property
    def id(self) -> str:
        return f"{self.examined.capture.id.partition('@')[0]}@{iso_of(self.stall.onset)}"

    @property
    def document(self) -> contract.StallDoc:
        if self.judged and self.judged.stall:
            return self.judged.stall
        return document_of(self.examined, self.at)


@dataclass(slots=True)
class Case:
    """Everything known of the incident's captures."""

    captures: list[Examined]
    episodes: list[Episode]
    leading: Episode | None
    whole: Judged
    """The answers that the document gives outside of its episodes."""
    calm: list[Judged] = field(default_factory=list)
    """What captures without a stall say, and fragments without a time that may be of several."""


def examine_case(
    evidence: Evidence,
    corrections_by_people: Sequence[StallCorrection],
    answers: Answers,
) -> Case:
    """Examine every capture and judge its stalls."""
    captures = answers.settle("captures", lambda: partition(evidence), None)
    if not captures:
        everything = frozenset(artifact.sha256 for artifact in evidence.artifacts)
        captures = [Capture(id=UNDATED, host=None, span=None, undated=everything)]
    examined = _examined(evidence, captures, corrections_by_people, answers)
    fragments = examined.pop() if len(examined) > 1 and examined[-1].capture.id == UNDATED else None
    episodes = [
        Episode(each, at)
        for each in examined
        for at, stall in enumerate(() if isinstance(each.stalls, Missing) else each.stalls)
        if stall.kind == "stall"
    ]
    episodes.sort(key=lambda episode: (episode.stall.onset, episode.id))
    _mark_same(episodes)
    largest = sorted(episodes, key=lambda e: (-_size(e.stall), e.stall.onset))[:MOST_JUDGED]
    for episode in largest:
        beside = _neighbours(evidence, episode)
        episode.judged = judge(episode.examined, episode.stall, beside)
    leading = max(largest, key=lambda e: (_weight(e), -e.stall.onset), default=None)
    telling = None
    if leading is not None and leading.judged is not None:
        whole = leading.judged
    else:
        telling = _most_telling(examined)
        whole = judge(telling, None, pl.DataFrame)
    calm = [each for each in examined if each is not telling and _shows_waits(each)]
    calm = sorted(calm, key=lambda each: (-_most_waiting(each), each.capture.id))[:MOST_JUDGED]
    others = [judge(each, None, pl.DataFrame) for each in (*calm, *filter(None, [fragments]))]
    return Case(examined, episodes, leading, whole, others)


def _examined(
    evidence: Evidence,
    captures: list[Capture],
    corrections_by_people: Sequence[StallCorrection],
    answers: Answers,
) -> list[Examined]:
    """Examine each capture; again the one whose stall explains what may be of several."""
    by_capture = _by_capture(corrections_by_people, captures)

    def examined(capture: Capture, share: Evidence) -> Examined:
        return examine(capture, captures, share, by_capture.get(capture.id, ()), answers)

    found = [examined(*each) for each in shares(evidence, captures)]
    if len(captures) == 1 or captures[-1].id != UNDATED:
        return found
    settled = with_shared(captures, {each.capture.id for each in found if each.real})
    if settled == captures:
        return found
    known = {each.capture: each for each in found}
    return [known.get(each) or examined(each, share) for each, share in shares(evidence, settled)]


# ---- its story ---------------------------------------------------------------------------------


def story(case: Case) -> contract.StoryDoc | None:
    """Return the story of the leading stall; with its day where a time alone is unclear."""
    whole, leading = case.whole.story, case.leading
    spans = [each.capture.span for each in case.captures if each.capture.span is not None]
    if whole is None or leading is None or not spans:
        return whole
    if max(span.end for span in spans) - min(span.start for span in spans) < DAY_US:
        return whole
    onset = leading.document.onset
    return msgspec.structs.replace(whole, plain=sentence.on_its_day(whole.plain, onset))


# ---- which stall leads -------------------------------------------------------------------------


def _size(stall: Stall) -> float:
    """Return session-seconds above the baseline, or seconds where nothing counts sessions."""
    signal = stall.signal
    if signal is None or signal.role != "concurrency":
        return max(stall.duration_s, 1.0)
    inside = [
        value
        for time, value in zip(signal.times, signal.values, strict=True)
        if stall.span.start <= time <= stall.span.end
    ]
    level = sum(inside) / len(inside) if inside else 1.0
    return max(stall.duration_s, 1.0) * max(level, 1.0)


def _weight(episode: Episode) -> float:
    findings = episode.judged.findings if episode.judged else []
    explained = _UNEXPLAINED + (findings[0].score if findings else 0.0)
    copy = 0.1 if episode.same_as is not None else 1.0
    return _size(episode.stall) * explained * copy


def _most_telling(examined: Sequence[Examined]) -> Examined:
    """Return the capture with most samples of load; of equals, the first."""

    def samples(each: Examined) -> int:
        if isinstance(each.values, Missing):
            return 0
        return max((len(signal.times) for signal in signals(each.values)), default=0)

    return max(examined, key=lambda each: (samples(each), len(each.evidence.artifacts)))


def _shows_waits(each: Examined) -> bool:
    """Return whether a capture without a stall has dumps, lists or stacks: they have findings."""
    return not each.real and not isinstance(each.every, Missing) and bool(each.every)


def _most_waiting(each: Examined) -> int:
    return max((moment.waiting for moment in each.every), default=0)


def _mark_same(episodes: Sequence[Episode]) -> None:
    """Link a stall in a coarse capture to the same stall of the same host in a denser one."""

    def interval(episode: Episode) -> float:
        return episode.examined.capture.interval_s or 0.0

    for host in {episode.stall.host for episode in episodes}:
        mine = [e for e in episodes if e.stall.host == host]
        for before, after in itertools.pairwise(mine):
            if before.examined is after.examined:
                continue
            slack = round(max(interval(before), interval(after)) * 1e6)
            if after.stall.onset > before.stall.span.end + slack:
                continue
            coarse, dense = sorted((before, after), key=interval, reverse=True)
            if interval(coarse) > DENSE_S:
                coarse.same_as = dense.same_as or dense


# ---- rows from elsewhere -----------------------------------------------------------------------


def _neighbours(evidence: Evidence, episode: Episode) -> Callable[[], pl.DataFrame]:
    """Return a function for the series of other hosts in the seconds of a stall."""
    stall = episode.stall

    def values() -> pl.DataFrame:
        samples = evidence.frame("sample")
        if samples is None or stall.host is None:
            return series.values(None)
        wide = Span(stall.onset, stall.span.end).widened(60)
        return series.values(samples.filter(wide.holds() & (pl.col("host") != stall.host)))

    return values


def _by_capture(
    corrections: Iterable[StallCorrection], captures: Sequence[Capture]
) -> dict[str, list[StallCorrection]]:
    """Give each correction to the nearest capture of its host."""
    found: dict[str, list[StallCorrection]] = {}
    for correction in corrections:
        mine = [c for c in captures if correction.host in c.hosts] or list(captures)

        def distance(capture: Capture, at: int = correction.computed_onset) -> float:
            return NEAR_US if capture.span is None else capture.apart(Span(at, at))

        nearest = min(mine, key=distance)
        found.setdefault(nearest.id, []).append(correction)
    return found


# ---- the document ------------------------------------------------------------------------------


def stalls(case: Case) -> list[contract.StallDoc]:
    """List every stall, short pileup and recovery burst of all captures in time order."""
    docs = []
    judged = {(id(e.examined), e.at): e for e in case.episodes}
    for each in case.captures:
        for at in range(0 if isinstance(each.stalls, Missing) else len(each.stalls)):
            episode = judged.get((id(each), at))
            document = episode.document if episode else document_of(each, at)
            docs.append(
                msgspec.structs.replace(
                    document,
                    capture=each.capture.id,
                    leading=episode is not None and episode is case.leading,
                )
            )
    return sorted(docs, key=lambda stall: stall.onset)


def findings(case: Case) -> list[contract.FindingDoc]:
    """List the leading episode's findings, then those of other episodes, captures and fragments."""
    matched: dict[str, list[str]] = {}
    others: dict[str, contract.FindingDoc] = {}
    for episode in case.episodes:
        for finding in episode.judged.findings if episode.judged else ():
            matched.setdefault(finding.id, []).append(episode.id)
            known = others.get(finding.id)
            if known is None or known.score < finding.score:
                others[finding.id] = finding
    for judged in case.calm:
        for finding in judged.findings:
            others.setdefault(finding.id, finding)
    own = case.whole.findings
    listed = {finding.id for finding in own}
    rest = [finding for name, finding in others.items() if name not in listed]
    if case.leading is None:
        own, rest = [], [*own, *rest]
    rest.sort(key=_strongest_first)
    return [
        msgspec.structs.replace(finding, episodes=matched.get(finding.id, []))
        for finding in (*own, *rest)
    ]


def _strongest_first(finding: contract.FindingDoc) -> tuple[bool, bool, float, str]:
    """Order findings of several captures: symptoms last, what is found before what is seen."""
    is_symptom = finding.role == "symptom"
    return is_symptom, finding.verdict != "found", -finding.score, finding.id


def absences(case: Case) -> list[contract.AbsenceDoc]:
    """List the known problems that no episode matches."""
    matched = {known.id for finding in findings(case) for known in finding.known_as}
    return [absence for absence in case.whole.absences if absence.id not in matched]


def episodes(case: Case) -> list[contract.EpisodeDoc]:
    return [_episode(episode, case) for episode in case.episodes]


def _episode(episode: Episode, case: Case) -> contract.EpisodeDoc:
    judged = episode.judged
    return contract.EpisodeDoc(
        id=episode.id,
        capture=episode.examined.capture.id,
        stall=msgspec.structs.replace(
            episode.document,
            capture=episode.examined.capture.id,
            leading=episode is case.leading,
        ),
        headline=judged.headline if judged else unjudged_headline(episode.document),
        finding=judged.findings[0].id if judged and judged.findings else None,
        findings=judged.findings if judged else [],
        blockers=judged.blockers if judged else [],
        shifts=judged.shifts if judged else [],
        analysed=judged is not None,
        leading=episode is case.leading,
        same_as=episode.same_as.id if episode.same_as else None,
        active_sessions=judged.active_sessions if judged else None,
        roots=judged.roots if judged else [],
    )


def captures(case: Case) -> list[contract.CaptureDoc]:
    return [_capture(each, case) for each in case.captures]


def _capture(each: Examined, case: Case) -> contract.CaptureDoc:
    capture, span = each.capture, each.capture.span
    mine = [episode for episode in case.episodes if episode.examined is each]
    short = sum(s.kind == "false_positive" for s in _stalls_of(each))
    verdict, text = _verdict(each, [e.stall for e in mine], short)
    return contract.CaptureDoc(
        id=capture.id,
        host=capture.host,
        first=None if span is None else iso_of(span.start),
        last=None if span is None else iso_of(span.end // 1_000_000 * 1_000_000),
        verdict=verdict,
        text=text,
        artifacts=[*sorted(capture.members), *sorted(capture.artifacts - capture.members)],
        gaps=[contract.Window(start=iso_of(g.start), end=iso_of(g.end)) for g in capture.gaps],
        episodes=[episode.id for episode in mine],
        short_stalls=short,
        interval_s=capture.interval_s,
        bundles=_bundles(each),
        active_sessions=active_sessions(each, [e.judged for e in mine if e.judged]),
    )


def _bundles(each: Examined) -> list[str]:
    used = (a for a in each.evidence.artifacts if a.sha256 in each.capture.artifacts)
    return sorted({artifact.bundle for artifact in used if artifact.bundle is not None})


def _stalls_of(each: Examined) -> Sequence[Stall]:
    return () if isinstance(each.stalls, Missing) else each.stalls


def _verdict(each: Examined, mine: Sequence[Stall], short: int) -> tuple[contract.Verdict, str]:
    if mine:
        first = mine[0]
        if len(mine) == 1 and first.baseline is None and first.end is None and first.signal:
            return "inside", "It begins and ends inside a stall."
        if len(mine) == 1:
            how = f" for {first.duration_s:.0f} s" if first.end is not None else " to its end"
            return "stall", f"Stalled from {clock_text(first.onset)}{how}."
        return "stall", f"Stalled {len(mine)} times."
    if short:
        longest = max(s.duration_s for s in _stalls_of(each) if s.kind == "false_positive")
        times = "once" if short == 1 else f"{short} times"
        return "short", f"Work piled up {times} and cleared within {longest + 1:.0f} s."
    if isinstance(each.values, Missing) or not signals(each.values):
        return "unknown", "Nothing in it shows sessions or work over time."
    return "calm", "No stall."


__all__ = [
    "Case",
    "Episode",
    "absences",
    "captures",
    "episodes",
    "examine_case",
    "findings",
    "recurrence",
    "stalls",
]
