"""Redaction profiles: named choices of what is replaced by tokens, one list per installation."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, to_record
from pileup.storage.errors import NotFound


@dataclass(frozen=True, slots=True)
class ProfileRecord:
    name: str
    kinds: list[str]


class RedactionProfiles:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def all(self) -> list[ProfileRecord]:
        """By name."""
        table = models.RedactionProfile
        return [
            to_record(ProfileRecord, row)
            for row in self._session.scalars(select(table).order_by(table.name))
        ]

    def find(self, name: str) -> ProfileRecord | None:
        row = self._session.get(models.RedactionProfile, clean(name))
        return None if row is None else to_record(ProfileRecord, row)

    def save(self, name: str, kinds: list[str], *, by: Actor) -> ProfileRecord:
        """Make it, or make it say this."""
        row = self._session.get(models.RedactionProfile, name, with_for_update=True)
        if row is None:
            row = models.RedactionProfile(name=name, kinds=kinds)
            self._session.add(row)
        row.kinds = kinds
        self._session.flush()
        record(self._unit, by, "redaction_profile.saved", target=name, kinds=kinds)
        return to_record(ProfileRecord, row)

    def delete(self, name: str, *, by: Actor) -> None:
        row = self._session.get(models.RedactionProfile, clean(name))
        if row is None:
            raise NotFound("There is no such redaction profile.")
        self._session.delete(row)
        self._session.flush()
        record(self._unit, by, "redaction_profile.deleted", target=name)
