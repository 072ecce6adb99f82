"""Views of the list of incidents that a user keeps: a filter and order under a name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from pileup.storage import models
from pileup.storage.database import Unit, clean, to_record
from pileup.storage.errors import NotFound, Refused
from pileup.storage.ids import new_id

MOST = 50
"""Views of one user."""


@dataclass(frozen=True, slots=True)
class ListView:
    id: str
    name: str
    query: str
    at: datetime


class ListViews:
    """The views of one user."""

    def __init__(self, unit: Unit, user_id: str) -> None:
        self._session = unit.session
        self._user_id = user_id

    def all(self) -> list[ListView]:
        """List the views by name."""
        rows = self._session.scalars(
            select(models.ListView)
            .where(models.ListView.user_id == self._user_id)
            .order_by(models.ListView.name)
        )
        return [to_record(ListView, row) for row in rows]

    def keep(self, name: str, query: str) -> list[ListView]:
        """Keep a view under a name, in place of the one with this name, and list all.

        Raises:
            Refused: the user has as many views as can be kept.
        """
        name, query = clean(name), clean(query)
        self._session.execute(
            insert(models.ListView)
            .values(id=new_id(), user_id=self._user_id, name=name, query=query)
            .on_conflict_do_update(
                constraint="uq_list_views_user_id_name", set_={"query": query, "at": func.now()}
            )
        )
        views = self.all()
        if len(views) > MOST:
            raise Refused(f"You have {MOST} saved views; delete one first.")
        return views

    def drop(self, view_id: str) -> None:
        """Delete a view of this user.

        Raises:
            NotFound: the user has no such view.
        """
        gone = self._session.execute(
            delete(models.ListView)
            .where(models.ListView.id == view_id, models.ListView.user_id == self._user_id)
            .returning(models.ListView.id)
        ).first()
        if gone is None:
            raise NotFound("You have no such view; it may be deleted already.")
