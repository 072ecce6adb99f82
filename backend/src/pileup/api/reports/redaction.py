"""Redaction profiles: an admin names what reports that leave do not say; everybody may use them."""

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
    """By name."""
    return RedactionProfiles(unit).all()


@router.put("/redaction-profiles/{name}")
def save_profile(name: Name, body: ProfileKinds, by: AdminDep, unit: UnitDep) -> RedactionProfile:
    """Make it, or make it say this."""
    if name in KINDS:
        raise Refused(f"{name!r} is a kind of redaction; call the profile something else.", "name")
    kinds: list[RedactionKind] = [kind for kind in KINDS if kind in body.kinds]
    return RedactionProfiles(unit).save(name, kinds, by=by.actor)


@router.delete("/redaction-profiles/{name}", status_code=status.HTTP_204_NO_CONTENT)
def delete_profile(name: Name, by: AdminDep, unit: UnitDep) -> None:
    """Exports that were made with it stay as they are."""
    RedactionProfiles(unit).delete(name, by=by.actor)
