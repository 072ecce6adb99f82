"""Redaction profiles: named choices of what tokens replace, one list per installation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, to_record
from pileup.storage.errors import NotFound

RedactionKind = Literal["sql", "hosts", "users", "addresses"]


@dataclass(frozen=True, slots=True)
class RedactionProfile:
    name: str
    kinds: list[RedactionKind]


class RedactionProfiles:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def all(self) -> list[RedactionProfile]:
        """List the profiles by name."""
        table = models.RedactionProfile
        return [
            to_record(RedactionProfile, row)
            for row in self._session.scalars(select(table).order_by(table.name))
        ]

    def find(self, name: str) -> RedactionProfile | None:
        row = self._session.get(models.RedactionProfile, clean(name))
        return None if row is None else to_record(RedactionProfile, row)

    def save(self, name: str, kinds: Sequence[RedactionKind], *, by: Actor) -> RedactionProfile:
        """Create the profile, or replace its kinds."""
        row = self._session.get(models.RedactionProfile, name, with_for_update=True)
        if row is None:
            row = models.RedactionProfile(name=name, kinds=list(kinds))
            self._session.add(row)
        row.kinds = list(kinds)
        self._session.flush()
        record(self._unit, by, "redaction_profile.saved", target=name, kinds=list(kinds))
        return to_record(RedactionProfile, row)

    def delete(self, name: str, *, by: Actor) -> None:
        row = self._session.get(models.RedactionProfile, clean(name))
        if row is None:
            raise NotFound("There is no such redaction profile.")
        self._session.delete(row)
        self._session.flush()
        record(self._unit, by, "redaction_profile.deleted", target=name)
