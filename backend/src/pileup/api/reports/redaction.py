"""Routes for redaction profiles: admins define what exported reports hide, all can use them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, status
from pydantic import Field

from pileup.api.auth import AdminDep
from pileup.api.deps import UnitDep
from pileup.api.schema import In
from pileup.report.redaction.redactor import KINDS
from pileup.storage.errors import Refused
from pileup.storage.reports.redaction import RedactionKind, RedactionProfile, RedactionProfiles

router = APIRouter(tags=["reports"])

Name = Annotated[str, Path(max_length=60, pattern=r"^[^\s,/][^,/]*$")]


class ProfileKinds(In):
    kinds: Annotated[list[RedactionKind], Field(min_length=1, max_length=len(KINDS))]


@router.get("/redaction-profiles")
def list_profiles(unit: UnitDep) -> list[RedactionProfile]:
    """List the profiles by name."""
    return RedactionProfiles(unit).all()


@router.put("/redaction-profiles/{name}")
def save_profile(name: Name, body: ProfileKinds, by: AdminDep, unit: UnitDep) -> RedactionProfile:
    """Create or replace a profile."""
    if name in KINDS:
        raise Refused(f"{name!r} is a kind of redaction; call the profile something else.", "name")
    kinds: list[RedactionKind] = [kind for kind in KINDS if kind in body.kinds]
    return RedactionProfiles(unit).save(name, kinds, by=by.actor)


@router.delete("/redaction-profiles/{name}", status_code=status.HTTP_204_NO_CONTENT)
def delete_profile(name: Name, by: AdminDep, unit: UnitDep) -> None:
    """Delete a profile; exports made with it do not change."""
    RedactionProfiles(unit).delete(name, by=by.actor)
