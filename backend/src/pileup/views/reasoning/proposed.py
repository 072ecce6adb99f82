"""Propose the hypothesis that a finding makes: a sentence that can be shown to be false."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pileup.analysis.contract import FindingDoc, RootDoc, StallDoc
from pileup.analysis.reasoning.falsifiable import falsifier, statement
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound
from pileup.storage.incidents.analyses import Analyses


@dataclass(frozen=True, slots=True)
class ProposedHypothesis:
    statement: str
    falsifier: str


def proposed_hypothesis(unit: Unit, incident_id: str, finding_id: str) -> ProposedHypothesis:
    """Write the hypothesis of a finding of the last analysis; raises NotFound."""
    parts = Analyses(unit).parts(incident_id, "findings", "stalls", "roots") or {}
    findings = msgspec.convert(parts.get("findings") or [], list[FindingDoc])
    stalls = msgspec.convert(parts.get("stalls") or [], list[StallDoc])
    roots = msgspec.convert(parts.get("roots") or [], list[RootDoc])
    for rank, finding in enumerate(findings):
        if finding.id == finding_id:
            leads = rank == 0
            return ProposedHypothesis(
                statement(finding, stalls, roots, leads=leads),
                falsifier(finding, stalls, roots, leads=leads),
            )
    raise NotFound(f"The last analysis of this incident has no finding {finding_id!r}.")
