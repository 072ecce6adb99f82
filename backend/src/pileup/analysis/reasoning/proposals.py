"""Propose ratings from the case. A proposal counts nothing in the matrix until a person accepts it.

Two rules, each with its reason:
- a pin that is evidence of a finding is consistent with the hypothesis made of that finding (very,
  where the finding's score is high);
- a pin of a finished experiment supports the experiment's hypothesis when the locked prediction
  came true, and strongly contradicts it otherwise. A match is C only: it contradicts nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pileup.analysis.reasoning.matrix import Rating

_SURE = 0.8
"""The evidence of a finding is proposed as very consistent from this score on."""

_OF_VERDICT: Mapping[str, tuple[Rating, str]] = {
    "match": ("C", "matched its locked prediction"),
    "partial": ("N", "matched its prediction in part"),
    "miss": ("II", "missed its locked prediction"),
    "not_measurable": ("N", "could not be measured"),
}


@dataclass(frozen=True, slots=True)
class Proposal:
    rating: Rating
    rule: str
    """'finding mysql-62018' or 'experiment 2'."""
    why: str


@dataclass(frozen=True, slots=True)
class Held:
    """A pin and its locator."""

    id: str
    locator: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tried:
    """A finished experiment with its verdict."""

    name: str
    hypothesis_id: str
    verdict: str
    pins: tuple[str, ...]


def propose(
    pins: Sequence[Held],
    of_finding: Mapping[str, str],
    findings: Iterable[Mapping[str, Any]],
    experiments: Iterable[Tried],
) -> dict[tuple[str, str], Proposal]:
    """Map (pin, hypothesis) to the proposed rating. of_finding: hypothesis to its finding's id.

    findings: stored FindingDoc. Linear in the pins and the findings' evidence.
    """
    by_finding: defaultdict[str, list[str]] = defaultdict(list)
    for hypothesis, finding in of_finding.items():
        by_finding[finding].append(hypothesis)
    places = _places(finding for finding in findings if finding["id"] in by_finding)
    proposals: dict[tuple[str, str], Proposal] = {}
    for pin in pins:
        for key in _keys(pin.locator):
            for made, text in places.get(key, ()):
                rating: Rating = "CC" if made["score"] >= _SURE else "C"
                why = text or str(made["why"])
                for hypothesis in by_finding[made["id"]]:
                    rule = f"finding {made['id']}"
                    proposals.setdefault((pin.id, hypothesis), Proposal(rating, rule, why))
    for tried in experiments:
        if tried.verdict in _OF_VERDICT:
            rating, words = _OF_VERDICT[tried.verdict]
            for held in tried.pins:
                proposals[held, tried.hypothesis_id] = Proposal(
                    rating, tried.name, f"{tried.name} {words}"
                )
    return proposals


_Key = tuple[Any, ...]


def _places(
    findings: Iterable[Mapping[str, Any]],
) -> dict[_Key, list[tuple[Mapping[str, Any], str]]]:
    """Map the places of each finding's evidence to the finding and its text there."""
    places: defaultdict[_Key, list[tuple[Mapping[str, Any], str]]] = defaultdict(list)
    for finding in findings:
        places["finding", finding["id"]].append((finding, ""))
        for locator in finding["evidence"]:
            series = locator.get("series")
            place = {**locator, "series": [series] if series else None}
            for key in _keys(place):
                places[key].append((finding, locator.get("text") or ""))
    return dict(places)


def _keys(locator: Mapping[str, Any]) -> list[_Key]:
    """List the lookup keys of a locator: its lines, else its series; a finding by its id."""
    if locator.get("artifact") and locator.get("line_first"):
        return [("lines", locator["artifact"], locator["line_first"])]
    if locator.get("series"):
        return [("series", name) for name in locator["series"]]
    if locator.get("node") and not locator.get("at"):
        return [("finding", locator["node"])]
    return []
