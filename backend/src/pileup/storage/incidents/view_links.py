"""Short links to views, and named views."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, select

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean, to_record
from pileup.storage.errors import NotFound, Refused
from pileup.storage.visibility import in_bin

_SCREEN = re.compile(r"[a-z]+(/[a-z]+)*(\?[^#\s]*)?(#[A-Za-z0-9,=.-]*)?\Z")
"""A screen of an incident and nothing else: a link must not lead to another site."""


def check_view(view: str) -> None:
    """Raise Refused unless the view is a screen of an incident."""
    if not _SCREEN.match(view):
        raise Refused(
            "A link leads to a screen of the incident, such as 'timeline?start=…'; "
            f"{view[:80]!r} is none."
        )


@dataclass(frozen=True, slots=True)
class ViewLink:
    id: str
    incident_id: str
    view: str
    name: str | None
    by: str | None
    at: datetime


class ViewLinks:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def named(self, incident_id: str) -> list[ViewLink]:
        """List the named views, newest first."""
        rows = self._session.execute(
            self._all()
            .where(models.ViewLink.incident_id == incident_id, models.ViewLink.name.is_not(None))
            .order_by(models.ViewLink.at.desc(), models.ViewLink.id.desc())
        )
        return [to_record(ViewLink, row, by=name) for row, name in rows]

    def get(self, link_id: str) -> ViewLink:
        """Return one link.

        Raises:
            NotFound: no link has this id.
        """
        row = self._session.execute(self._all().where(models.ViewLink.id == link_id)).first()
        if row is None or in_bin(self._session, row[0].incident_id):
            raise NotFound("This link is not known: it may have gone with its incident.")
        return to_record(ViewLink, row[0], by=row[1])

    def make(self, incident_id: str, view: str, name: str | None, *, by: Actor) -> ViewLink:
        """Create a link to this view; without a name, return the existing one.

        Raises:
            Refused: the view is not a screen of an incident.
        """
        view = clean(view)
        check_view(view)
        if name is None:
            same = self._session.scalar(
                select(models.ViewLink.id).where(
                    models.ViewLink.incident_id == incident_id,
                    models.ViewLink.view == view,
                    models.ViewLink.name.is_(None),
                )
            )
            if same is not None:
                return self.get(same)
        row = models.ViewLink(
            incident_id=incident_id, view=view, name=clean(name) if name else None, by_id=by.id
        )
        self._session.add(row)
        self._session.flush()
        if row.name is not None:
            record(
                self._unit,
                by,
                "view.named",
                incident_id=incident_id,
                target=row.id,
                name=row.name,
            )
            self._unit.notify(incident_id, "view", row.id)
        return self.get(row.id)

    def _all(self) -> Select[models.ViewLink, str]:
        return select(models.ViewLink, models.User.name).outerjoin(
            models.User, models.User.id == models.ViewLink.by_id
        )
