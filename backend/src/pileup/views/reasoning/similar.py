"""Find past incidents with the same cause or symptoms, and what was refuted or supported there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pileup.analysis.reasoning.similar import likeness_of_incidents
from pileup.storage.database import Unit
from pileup.storage.incidents.incidents import Incidents, Symptoms
from pileup.storage.reasoning.hypotheses import Hypotheses

MOST = 5
_FEATURES = 12


@dataclass(frozen=True, slots=True)
class PastHypothesis:
    statement: str
    status: str
    confidence: int | None


@dataclass(frozen=True, slots=True)
class SimilarIncident:
    id: str
    title: str
    onset: datetime | None
    score: float
    """Weighted share of the features that both have, 0..1; from 0.4 on with a cause in common."""
    shared: list[str]
    only_here: list[str]
    only_there: list[str]
    refuted: list[PastHypothesis]
    """What people tried there and refuted: a dead end that nobody needs to walk twice."""
    supported: list[PastHypothesis]


def _share_cause(mine: Symptoms, other: Symptoms) -> bool:
    return mine.cause is not None and mine.cause == other.cause


def _features(of: Symptoms) -> dict[str, str]:
    """Return the symptoms and the leading finding: all that a dump without a stall has."""
    leading = {f"finding:{of.cause}": of.cause_title or of.cause} if of.cause else {}
    return leading | of.features


def similar_incidents(unit: Unit, incident_id: str) -> list[SimilarIncident]:
    """List incidents with the same cause or symptoms; empty without an analysis.

    Those with the same leading finding come first, however much else they share; among them, and
    behind them, the most similar first.
    """
    incidents = Incidents(unit)
    mine = incidents.symptoms([incident_id]).get(incident_id)
    if mine is None or not _features(mine):
        return []
    found = [
        *(incidents.of_cause(mine.cause, MOST + 1) if mine.cause else ()),
        *(incidents.similar(mine.features, MOST + 1) if mine.features else ()),
    ]
    others = incidents.symptoms([name for name in dict.fromkeys(found) if name != incident_id])
    compared = [
        (other, likeness_of_incidents(_features(mine), _features(other)))
        for other in others.values()
    ]
    compared.sort(key=lambda pair: (not _share_cause(mine, pair[0]), -pair[1].score, pair[0].id))
    similar = []
    for other, alike in compared[:MOST]:
        past = [
            PastHypothesis(hypothesis.statement, hypothesis.status, hypothesis.confidence)
            for hypothesis in Hypotheses(unit).of_incident(other.id)
        ]
        similar.append(
            SimilarIncident(
                id=other.id,
                title=other.title,
                onset=datetime.fromisoformat(other.onset) if other.onset else None,
                score=alike.score,
                shared=list(alike.shared[:_FEATURES]),
                only_here=list(alike.only_here[:_FEATURES]),
                only_there=list(alike.only_there[:_FEATURES]),
                refuted=[hypothesis for hypothesis in past if hypothesis.status == "refuted"],
                supported=[hypothesis for hypothesis in past if hypothesis.status == "supported"],
            )
        )
    return similar
