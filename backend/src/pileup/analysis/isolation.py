"""Analyse an incident even if some artifact makes the analysis fail: find it and leave it out.

``analyse_incident`` is the whole analysis for the worker and the command line. What runs in another
process, because the failure would end this one, belongs to them: they pass ``works``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import polars as pl

from pileup.analysis import analyse
from pileup.analysis.blocked_time.first_view import FirstWaits, first_waits
from pileup.analysis.clock.gather import gather, with_problems
from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.answers import DEFECTS
from pileup.analysis.evidence.evidence import ClockOverride, Evidence, EvidenceArtifact
from pileup.analysis.stalls.corrections import StallCorrection
from pileup.records import Problem

Item = TypeVar("Item")
Parsed = tuple[EvidenceArtifact, dict[str, pl.DataFrame]]

MOST_CULPRITS = 20
_MOST_SILENCING = 3
"""With more artifacts than this without which a question is answered, the question is defective."""


@dataclass(frozen=True)
class Request:
    """What people decided about the analysis of an incident."""

    timezones: Mapping[str, str] = field(default_factory=dict)
    """Host to zone."""
    overrides: Mapping[str, ClockOverride] = field(default_factory=dict)
    """SHA-256 to a clock correction."""
    corrections: Sequence[StallCorrection] = ()
    interrupts: tuple[type[BaseException], ...] = ()
    """Exceptions that end the analysis, such as a time limit."""


@dataclass(frozen=True)
class Result:
    evidence: Evidence
    document: Analysis
    first: FirstWaits
    left_out: dict[str, str]
    """SHA-256 of each artifact that was left out, with the reason as a sentence."""


class TooManyCulpritsError(Exception):
    """More artifacts fail than can be left out."""


def analyse_incident(
    load: Callable[[], list[Parsed]],
    request: Request,
    left_out: Mapping[str, str] | None = None,
) -> Result:
    """Analyse the artifacts; on a failure find the artifacts that cause it and leave them out.

    load: reads the artifacts, in the order of their arrival; called again after a failure, because
    the analysis of a large incident cannot keep two copies. left_out: known culprits.
    """
    known = dict(left_out or {})
    try:
        whole = analyse_once(without(load(), known), request, known)
        if not whole.document.unanswered:
            return whole
    except request.interrupts:
        raise
    except DEFECTS as error:
        return _without_culprits(load, request, known, error)
    try:
        return _without_culprits(load, request, known, None)
    except (*DEFECTS, TooManyCulpritsError):
        return whole  # what is answered is right; what is not is named


def _without_culprits(
    load: Callable[[], list[Parsed]],
    request: Request,
    known: Mapping[str, str],
    error: BaseException | None,
) -> Result:
    artifacts = [item for item in load() if item[0].sha256 not in known]

    def why(some: Sequence[Parsed]) -> str | None:
        try:
            unanswered = analyse_once(list(some), request).document.unanswered
        except request.interrupts:
            raise
        except DEFECTS as failure:
            return _words(failure)
        return unanswered[0].why if unanswered else None

    try:
        most = MOST_CULPRITS if error else min(_MOST_SILENCING, len(artifacts) - 1)
        found = culprits(artifacts, why, most)
    except TooManyCulpritsError as many:
        raise error or many from None
    named = dict(known) | {item[0].sha256: left_out_sentence(reason) for item, reason in found}
    return analyse_once(without(load(), named), request, named)


def culprits(
    items: Sequence[Item],
    why: Callable[[Sequence[Item]], str | None],
    most: int = MOST_CULPRITS,
) -> list[tuple[Item, str]]:
    """Find items without which all others work together; return each with its reason.

    why: why these items fail together, or None. most: culprits; with more, raises
    TooManyCulpritsError. Earlier items are trusted more: of two that fail
    only together the later is the culprit. Takes about log2(items) calls per culprit.
    """
    good: list[Item] = []
    found: list[tuple[Item, str]] = []

    def grow(part: Sequence[Item]) -> None:
        reason = why([*good, *part])
        if reason is None:
            good.extend(part)
        elif len(part) == 1:
            found.append((part[0], reason))
            if len(found) > most:
                raise TooManyCulpritsError(reason)
        else:
            middle = len(part) // 2
            grow(part[:middle])
            grow(part[middle:])

    if items:
        grow(items)
    return found


def without(parsed: Sequence[Parsed], left_out: Mapping[str, str]) -> list[Parsed]:
    """Return the artifacts, those left out without their frames but with a problem."""
    return [
        (with_problems(artifact, [Problem(None, left_out[artifact.sha256], severity="error")]), {})
        if artifact.sha256 in left_out
        else (artifact, frames)
        for artifact, frames in parsed
    ]


def left_out_sentence(why: str) -> str:
    """Build the sentence for an artifact that the analysis does without."""
    return f"Left out of the analysis: {why.rstrip('.')}. Everything else was analysed without it."


def analyse_once(
    parsed: list[Parsed], request: Request, left_out: dict[str, str] | None = None
) -> Result:
    """Analyse these artifacts; ``parsed`` is emptied, and a defect is raised."""
    evidence = gather(parsed, timezones=request.timezones, overrides=request.overrides)
    parsed.clear()  # the evidence holds it all
    document = analyse(evidence, request.corrections, request.interrupts)
    return Result(evidence, document, first_waits(evidence, document), left_out or {})


def gathered(
    parsed: Sequence[Parsed],
    use: Callable[[Evidence], object] | None = None,
    *,
    overrides: Mapping[str, ClockOverride] | None = None,
) -> tuple[Evidence, dict[str, str]]:
    """Gather these artifacts without those that make it, or ``use`` of the evidence, fail.

    Returns also SHA-256 to the reason as a sentence.
    """

    def attempt(some: Sequence[Parsed]) -> Evidence:
        evidence = gather(some, overrides=overrides)
        if use is not None:
            use(evidence)
        return evidence

    def why(some: Sequence[Parsed]) -> str | None:
        try:
            attempt(some)
        except DEFECTS as failure:
            return _words(failure)
        return None

    try:
        return attempt(parsed), {}
    except DEFECTS as error:
        try:
            found = culprits(parsed, why)
        except TooManyCulpritsError:
            raise error from None
    named = {item[0].sha256: left_out_sentence(reason) for item, reason in found}
    return attempt(without(parsed, named)), named


def _words(error: BaseException) -> str:
    text = " ".join(str(error).split())[:200]
    return f"a defect in Pileup, please report it: {type(error).__name__}: {text}"


__all__ = [
    "Parsed", "Request", "Result", "TooManyCulpritsError", "analyse_incident", "analyse_once",
    "culprits", "gathered", "left_out_sentence", "without",
]  # fmt: skip
