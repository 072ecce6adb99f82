"""Heartbeats of worker processes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from pileup.storage import models
from pileup.storage.database import Unit


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """Whether any worker is alive, when one was last seen, and their names."""

    alive: bool
    last_seen: datetime | None
    names: tuple[str, ...]


class Workers:
    """Repository of worker heartbeats."""

    def __init__(self, unit: Unit) -> None:
        self._db = unit.session

    def beat(self, name: str, version: str, concurrency: int) -> None:
        """Record a heartbeat; delete workers that were silent for a day."""
        values = {"version": version, "concurrency": concurrency, "last_seen": func.now()}
        self._db.execute(
            insert(models.Worker)
            .values(name=name, **values)
            .on_conflict_do_update(index_elements=["name"], set_=values)
        )
        self._db.execute(
            delete(models.Worker).where(models.Worker.last_seen < func.now() - timedelta(days=1))
        )

    def leave(self, name: str) -> None:
        """Delete the worker's row at an orderly stop."""
        self._db.execute(delete(models.Worker).where(models.Worker.name == name))

    def presence(self, within: timedelta) -> WorkerStatus:
        """Return the status of the workers with a heartbeat within this time."""
        last = self._db.scalar(select(func.max(models.Worker.last_seen)))
        names = tuple(
            self._db.scalars(
                select(models.Worker.name)
                .where(models.Worker.last_seen > func.now() - within)
                .order_by(models.Worker.name)
            )
        )
        return WorkerStatus(bool(names), last, names)
