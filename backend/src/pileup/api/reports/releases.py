"""Routes for releases of the report: draft, in review, approved (frozen, with hash)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response, status
from pydantic import Field

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, Services, ServicesDep, UnitDep
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.report.release import SectionDiff
from pileup.storage.reports.releases import ReleaseRecord, Releases
from pileup.storage.signing import State as SignatureState
from pileup.storage.signing import verify
from pileup.views.reports.releases import draft_differs, release_diff, submit_release

router = APIRouter(tags=["releases"])

State = Literal["in_review", "approved", "withdrawn"]
Note = Annotated[str, Field(max_length=2000)]


class ReleaseSignature(Out):
    state: SignatureState
    """ok: this installation signed it; another key: another installation did."""
    fingerprint: str | None
    """Of the public key."""
    key: str | None
    """The public key, in base64."""
    value: str | None
    """Of the SHA-256, in base64."""


class ReleaseApproval(Out):
    by: str
    at: datetime
    note: str
    signature: SignatureState
    """ok: this installation signed that this user approved this document at this time."""


class Release(Out):
    id: str
    number: int
    state: State
    sha256: str
    signature: ReleaseSignature
    bytes: int
    """Of the frozen document."""
    note: str
    made_by: str
    made_at: datetime
    decided_at: datetime | None
    approvals: list[ReleaseApproval]


class ReleaseList(Out):
    releases: list[Release]
    """The newest first."""
    draft_differs: bool
    """The draft says something else than the newest release that was not withdrawn."""
    second_person: bool
    """Who sends a release to review does not approve it, if anybody else could."""


class NewRelease(In):
    note: Note = ""


class NewApproval(In):
    sha256: Annotated[str, Field(min_length=64, max_length=64)]
    """Of the document that was read."""
    note: Note = ""


class Withdrawal(In):
    reason: Note = ""


def _release(release: ReleaseRecord, services: Services) -> Release:
    """Return a release with the state of its signature."""
    signature = release.signature
    state = verify(signature, "release", release.sha256.encode(), services.signer.key)
    signed = ReleaseSignature(
        state=state,
        fingerprint=signature.fingerprint if signature else None,
        key=signature.key if signature else None,
        value=signature.value if signature else None,
    )
    values = {name: getattr(release, name) for name in Release.model_fields}
    approvals = [
        ReleaseApproval(
            by=approval.by,
            at=approval.at,
            note=approval.note,
            signature=approval.state(release.sha256, services.signer.key),
        )
        for approval in release.approvals
    ]
    return Release.model_validate(values | {"signature": signed, "approvals": approvals})


@router.get("/incidents/{incident_id}/releases")
@by_version()
def list_releases(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> ReleaseList:
    """List every release, and whether the draft differs from the last one."""
    releases = Releases(unit).of_incident(incident.id)
    return ReleaseList(
        releases=[_release(release, services) for release in releases],
        draft_differs=draft_differs(unit, incident, releases, services.stores),
        second_person=services.settings.release_second_person,
    )


@router.post("/incidents/{incident_id}/releases", status_code=status.HTTP_201_CREATED)
def send_to_review(
    incident: IncidentDep, body: NewRelease, services: ServicesDep, unit: UnitDep, caller: Caller
) -> Release:
    """Freeze the current report for review; approval applies to this version."""
    made = submit_release(
        unit, incident, body.note, services.stores, services.signer, by=caller.actor
    )
    return _release(made, services)


@router.get(
    "/releases/{release_id}/document",
    response_class=Response,
    responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
)
def frozen_document(release_id: str, unit: UnitDep) -> Response:
    """Return the frozen document, the bytes that the SHA-256 was computed from."""
    return Response(Releases(unit).get(release_id)[1], media_type="application/json")


@router.post("/releases/{release_id}/approve")
def approve_release(
    release_id: str, body: NewApproval, services: ServicesDep, unit: UnitDep, caller: Caller
) -> Release:
    """Approve the document with this hash."""
    approved = Releases(unit).approve(
        release_id,
        body.sha256,
        body.note,
        services.signer,
        second_person=services.settings.release_second_person,
        by=caller.actor,
    )
    return _release(approved, services)


@router.post("/releases/{release_id}/withdraw")
def withdraw_release(
    release_id: str, body: Withdrawal, services: ServicesDep, unit: UnitDep, caller: Caller
) -> Release:
    """End a review without approval."""
    withdrawn = Releases(unit).withdraw(release_id, body.reason, by=caller.actor)
    return _release(withdrawn, services)


@router.get("/incidents/{incident_id}/releases/diff")
def diff_releases(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    before: Annotated[str, Query(max_length=60, description="Id of a release.")],
    after: Annotated[str, Query(max_length=60, description="Id of a release, or draft.")] = "draft",
) -> list[SectionDiff]:
    """Compare two versions of the report, section by section."""
    return release_diff(unit, incident, before, after, services.stores)
