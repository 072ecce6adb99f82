"""Routes for findings: matching known problems, verdicts on them, and new hypotheses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, status
from pydantic import Field

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.reasoning.hypotheses import Hypothesis
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.storage.errors import NotFound
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.reasoning.findings import Findings
from pileup.storage.reasoning.hypotheses import Hypotheses
from pileup.storage.reasoning.pins import Pins
from pileup.views.documents import FindingJson
from pileup.views.reasoning.pin_places import Placer
from pileup.views.reasoning.proposed import proposed_hypothesis

router = APIRouter(tags=["findings"])

FINDING_ID = Annotated[str, Field(max_length=100)]
FindingId = Annotated[str, Path(max_length=100)]
VerdictWord = Literal["open", "accepted", "dismissed"]


class Finding(Out):
    finding: FindingJson
    verdict: VerdictWord
    reason: str | None


class NewVerdict(In):
    verdict: VerdictWord
    reason: str | None = Field(default=None, max_length=2000)


class VerdictOut(Out):
    finding_id: str
    verdict: VerdictWord
    reason: str | None


@router.get("/incidents/{incident_id}/findings")
@by_version()
def list_findings(incident: IncidentDep, unit: UnitDep) -> list[Finding]:
    """List the findings, best first, with the verdict on each."""
    verdicts = Findings(unit).verdicts(incident.id)
    parts = Analyses(unit).parts(incident.id, "findings") or {"findings": []}
    return [
        Finding.model_validate(
            {
                "finding": finding,
                "verdict": verdicts[finding["id"]].verdict if finding["id"] in verdicts else "open",
                "reason": verdicts[finding["id"]].reason if finding["id"] in verdicts else None,
            }
        )
        for finding in parts["findings"]
    ]


@router.put("/incidents/{incident_id}/findings/{finding_id}/verdict")
def judge_finding(
    incident: IncidentDep, finding_id: FindingId, body: NewVerdict, unit: UnitDep, caller: Caller
) -> VerdictOut:
    """Accept or dismiss a finding; a dismissed one stays visible with its reason."""
    finding = _finding(incident.id, finding_id, Analyses(unit))
    verdict = Findings(unit).judge(
        incident.id, finding["id"], body.verdict, body.reason, by=caller.actor
    )
    return VerdictOut.model_validate(verdict)


@router.post(
    "/incidents/{incident_id}/findings/{finding_id}/hypothesis",
    status_code=status.HTTP_201_CREATED,
)
def make_hypothesis(
    incident: IncidentDep,
    finding_id: FindingId,
    services: ServicesDep,
    unit: UnitDep,
    caller: Caller,
) -> Hypothesis:
    """Create a hypothesis from a finding and pin the finding's evidence for it."""
    finding = _finding(incident.id, finding_id, Analyses(unit))
    proposed = proposed_hypothesis(unit, incident.id, finding_id)
    hypotheses = Hypotheses(unit)
    hypothesis = hypotheses.create(
        incident.id,
        statement=proposed.statement,
        falsifier=proposed.falsifier,
        confidence=None,
        finding_id=finding["id"],
        by=caller.actor,
        reason=f"from the finding {finding['id']}",
    )
    placer = Placer(unit, services.placed, services.frames, services.blobs, incident.id)
    for locator in finding["evidence"]:
        kind = "lines" if locator.get("artifact") and locator.get("line_first") else "series"
        view = _view(incident.id, locator)
        placed = placer.place(kind, "observation", _pin_locator(locator), view)
        pin = Pins(unit).create(
            incident.id,
            kind=kind,
            title=locator["text"] or finding["title"],
            locator=placed.locator,
            view=view,
            excerpt=placed.excerpt,
            value=placed.value,
            by=caller.actor,
        )
        hypothesis = hypotheses.add_evidence(
            hypothesis.id, pin_id=pin.id, side="for", note=locator["text"], by=caller.actor
        )
    Findings(unit).judge(incident.id, finding["id"], "accepted", None, by=caller.actor)
    return Hypothesis.model_validate(hypothesis)


def _finding(incident_id: str, finding_id: str, analyses: Analyses) -> dict[str, Any]:
    parts = analyses.parts(incident_id, "findings") or {"findings": []}
    for finding in parts["findings"]:
        if finding["id"] == finding_id:
            result: dict[str, Any] = finding
            return result
    raise NotFound(f"The last analysis of this incident has no finding {finding_id!r}.")


def _pin_locator(locator: dict[str, Any]) -> dict[str, Any]:
    chosen = {
        name: locator[name]
        for name in ("artifact", "path", "line_first", "line_last", "start", "end", "at", "node")
        if locator.get(name) is not None
    }
    if locator.get("series"):
        chosen["series"] = [locator["series"]]
    return chosen | {"value": locator["text"]}


def _view(incident_id: str, locator: dict[str, Any]) -> str:
    """Choose the screen that shows what a locator points at."""
    base = f"/incidents/{incident_id}"
    if locator.get("artifact") and locator.get("line_first"):
        last = locator.get("line_last") or locator["line_first"]
        return (
            f"{base}/artifacts?artifact={locator['artifact']}"
            f"&line={locator['line_first']}&to={last}"
        )
    if locator.get("at"):
        return f"{base}/waits?at={locator['at']}"
    if locator.get("series"):
        window = "".join(
            f"&{name}={locator[name]}" for name in ("start", "end") if locator.get(name)
        )
        return f"{base}/timeline?series={locator['series']}{window}"
    return f"{base}/overview"
