"""Find past incidents with the same symptoms, and what was refuted or supported there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pileup.analysis.reasoning.similar import likeness
from pileup.storage.database import Unit
from pileup.storage.incidents.incidents import Incidents
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
    """Weighted share of the features that both have, 0..1."""
    shared: list[str]
    only_here: list[str]
    only_there: list[str]
    refuted: list[PastHypothesis]
    """What people tried there and refuted: a dead end that nobody needs to walk twice."""
    supported: list[PastHypothesis]


def similar_incidents(unit: Unit, incident_id: str) -> list[SimilarIncident]:
    """List incidents with the same symptoms, the most similar first; empty without an analysis."""
    incidents = Incidents(unit)
    mine = incidents.symptoms([incident_id]).get(incident_id)
    if mine is None or not mine.features:
        return []
    found = incidents.similar(mine.features, MOST + 1)
    ids = [name for name in found if name != incident_id][:MOST]
    others = incidents.symptoms(ids)
    similar = []
    for other in (others[name] for name in ids if name in others):
        alike = likeness(mine.features, other.features)
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
