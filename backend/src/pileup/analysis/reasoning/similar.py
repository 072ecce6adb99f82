"""Compare incidents by their symptoms, as sets of features with a reason per feature.

A feature is something the analysis measured: a matching known problem, the most contended latch,
the kind of root blocker, the direction of a series, what the threads did, a suspicious check. A
weight is the diagnostic value of a feature: two incidents that share a hot latch are alike; two
that share only a busy CPU are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.gaps import check_title
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.servers import server_title
from pileup.knowledge import knowledge, latch_words
from pileup.knowledge.series_titles import title_of_id

LEAST = 0.3
"""Incidents with a lower score are not similar."""
_FINDING_SCORE = 0.5
_SAME_CAUSE = 0.4
"""The least of two incidents with a likely cause in common: load, series and servers may differ."""
_LATCH_SHARE = 0.2
_STACK_SHARE = 0.1
_SERIES = 30
_WEIGHTS = {
    "finding": 5.0,
    "latch": 4.0,
    "place": 2.0,
    "blocker": 3.0,
    "stack": 2.0,
    "series": 0.5,
    "check": 1.0,
    "engine": 0.5,
    "own": 4.0,
}
_WORDS = {
    "finding": "likely cause",
    "latch": "contended latch",
    "place": "waits at",
    "blocker": "root blocker",
    "stack": "stacks",
    "series": "series",
    "check": "suspected",
    "engine": "server",
    "own": "own symptom",  # what people wrote (``predicates``)
}
_SHOWN_BY: Mapping[str, Sequence[str]] = {
    "latch": ("semaphore_wait", "innodb_status"),
    "place": ("semaphore_wait", "innodb_status"),
    "blocker": ("semaphore_wait", "innodb_status", "session", "stack", "lock_wait"),
    "stack": ("stack",),
}
"""Feature to the records and snapshots that can show it."""
# these follow the machine's uptime or the load, not the fault
_EVERYWHERE = frozenset({"uptime", "questions", "queries", "qps", "bytes_sent", "bytes_received"})

Signature = Mapping[str, str]
"""Feature ('latch:btr_search_latch') to its text for people."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Similarity of two incidents: score, shared features and differences."""

    score: float
    """Weighted share of the features that both have (Jaccard), 0..1."""
    shared: tuple[str, ...]
    """'contended latch: adaptive hash index latch', the largest weight first."""
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]


def signature(analysis: Analysis) -> dict[str, str]:
    """Return the features of one incident; empty without a stall."""
    if not any(stall.kind == "stall" for stall in analysis.stalls):
        return {}
    return {
        **_findings(analysis),
        **_waits(analysis),
        **_stacks(analysis),
        **_series(analysis),
        **_checks(analysis),
        **_engine(analysis),
    }


def _findings(analysis: Analysis) -> Signature:
    return {
        f"finding:{finding.id}": finding.title
        for finding in analysis.findings
        if finding.score >= _FINDING_SCORE and finding.role != "symptom"
    }


def _waits(analysis: Analysis) -> Signature:
    """Return latches and places with a large share of the waits, and the root blocker's kind."""
    features: dict[str, str] = {}
    total = sum(latch.waits for latch in analysis.hot_latches)
    for latch in analysis.hot_latches:
        if latch.latch and total and latch.waits / total >= _LATCH_SHARE:
            known = knowledge().latches.get(latch.latch)
            named = latch_words(known.title, latch.latch) if known else latch.label
            features[f"latch:{latch.latch}"] = named
    for wait in analysis.hot_waits[:5]:
        if wait.share >= _LATCH_SHARE:
            features[f"place:{wait.file}:{wait.mode}"] = f"{wait.file} ({wait.mode})"
    if analysis.blockers:
        kind = analysis.blockers[0].kind
        features[f"blocker:{kind}"] = kind.replace("_", " ")
    return features


def _stacks(analysis: Analysis) -> Signature:
    return {
        f"stack:{stack.signature}": stack.meaning or stack.signature
        for stack in analysis.hot_stacks
        if stack.signature and not stack.set_aside and stack.share >= _STACK_SHARE
    }


def _series(analysis: Analysis) -> Signature:
    features: dict[str, str] = {}
    for shift in analysis.shifts[:_SERIES]:
        name = short_name(shift.name)
        if name not in _EVERYWHERE:
            text = f"{title_of_id(shift.name).title} went {shift.direction}"
            features.setdefault(f"series:{name}:{shift.direction}", text)
    return features


def _checks(analysis: Analysis) -> Signature:
    return {
        f"check:{check.check}": check_title(check.check)
        for check in analysis.triage
        if check.verdict == "suspect"
    }


def _engine(analysis: Analysis) -> Signature:
    version = (analysis.server.get("version") or "").split(".")
    family = analysis.server.get("family")
    if not family or len(version) < 2:
        return {}
    name = f"{family}:{version[0]}.{version[1]}"
    return {f"engine:{name}": server_title(family, ".".join(version[:2]))}


def undecided(features: Signature, run: Analysis, evidence: Evidence) -> dict[str, str]:
    """Return the features of an incident that a run's evidence cannot show, whether there or not.

    A latch needs a status dump, a stack a stack sample, a series the same measure, a check and a
    known problem the data that they look at. A run whose load stayed calm shows that it has none.
    """
    if run.headline.verdict == "no_stall":
        return {}
    no_data = {check.check for check in run.triage if check.verdict == "no_data"}
    unchecked = {absence.id for absence in run.absences if absence.verdict == "no_data"}
    checked = {absence.id for absence in run.absences} | {found.id for found in run.findings}
    samples = evidence.frame("sample")
    ids = [] if samples is None else samples["id"].unique().to_list()
    measured = {short_name(name.partition("@")[0]) for name in ids}

    def lacks(feature: str) -> bool:
        kind, _, name = feature.partition(":")
        match kind:
            case "series":
                return name.rpartition(":")[0] not in measured
            case "check":
                return name in no_data
            case "finding":
                return name in unchecked or name not in checked
            case "engine":
                return not run.server.get("version")
            case "own":
                return False
        return not any(_holds(evidence, wanted) for wanted in _SHOWN_BY[kind])

    return {name: text for name, text in features.items() if lacks(name)}


def _holds(evidence: Evidence, kind: str) -> bool:
    """Return whether there are records or, for a dump without waiters, snapshots of a kind."""
    if (frame := evidence.frame(kind)) is not None and not frame.is_empty():
        return True
    snapshots = evidence.frame("snapshot")
    return snapshots is not None and bool((snapshots["kind"] == kind).any())


def likeness(here: Signature, there: Signature) -> Likeness:
    """Compare two signatures; the score is 0 when either is empty."""
    both, all_ = here.keys() & there.keys(), here.keys() | there.keys()
    weight = sum(map(weight_of, all_))
    return Likeness(
        score=sum(map(weight_of, both)) / weight if here and there and weight else 0.0,
        shared=_describe(both, here),
        only_here=_describe(here.keys() - there.keys(), here),
        only_there=_describe(there.keys() - here.keys(), there),
    )


def likeness_of_incidents(here: Signature, there: Signature) -> Likeness:
    """Compare two incidents: a likely cause in common outweighs that load and servers differ."""
    alike = likeness(here, there)
    if any(feature.startswith("finding:") for feature in here.keys() & there.keys()):
        return replace(alike, score=_SAME_CAUSE + (1 - _SAME_CAUSE) * alike.score)
    return alike


def weight_of(feature: str) -> float:
    """Return the diagnostic value of a feature."""
    return _WEIGHTS[feature.partition(":")[0]]


def _describe(features: Sequence[str] | set[str], texts: Signature) -> tuple[str, ...]:
    ranked = sorted(features, key=lambda feature: (-weight_of(feature), feature))
    return tuple(f"{_WORDS[name.partition(':')[0]]}: {texts[name]}" for name in ranked)


__all__ = [
    "LEAST",
    "Likeness",
    "Signature",
    "likeness",
    "likeness_of_incidents",
    "signature",
    "undecided",
    "weight_of",
]
