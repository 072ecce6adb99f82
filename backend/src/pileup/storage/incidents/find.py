"""Search an incident's items by words in their names, for the search in the top bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import null, select

from pileup.storage import models
from pileup.storage.database import Unit, clean

Kind = Literal["artifact", "series", "hypothesis", "experiment", "pin", "annotation", "view"]

_EACH = 6
"""Results per kind; the screens have longer lists with filters."""


@dataclass(frozen=True, slots=True)
class Found:
    """One item whose name contains the words."""

    kind: Kind
    id: str
    title: str
    hint: str | None
    """The host of a series, the state of a hypothesis, the address of a view."""


def find(unit: Unit, incident_id: str, words: str) -> list[Found]:
    """Find items whose name contains every word, at most six of each kind.

    Deleted items and other incidents are excluded. Words match anywhere and in any case.
    """
    needles = [_pattern(word) for word in clean(words).split()]
    if not needles:
        return []
    founds: list[Found] = []
    for kind, table, name, hint in _SOURCES:
        there = [table.incident_id == incident_id]
        if hasattr(table, "deleted_at"):
            there.append(table.deleted_at.is_(None))
        rows = unit.session.execute(
            select(table.id, name, hint)
            .where(*there, *(name.ilike(needle, escape="\\") for needle in needles))
            .order_by(name, table.id)
            .limit(_EACH)
        )
        founds += [Found(kind, row[0], row[1], row[2]) for row in rows]
    return founds


_SOURCES: tuple[tuple[Kind, Any, Any, Any], ...] = (
    ("artifact", models.Artifact, models.Artifact.path, models.Artifact.format),
    ("hypothesis", models.Hypothesis, models.Hypothesis.statement, models.Hypothesis.status),
    ("experiment", models.Experiment, models.Experiment.title, models.Experiment.state),
    ("pin", models.Pin, models.Pin.title, models.Pin.view),
    ("annotation", models.Annotation, models.Annotation.text, null()),
    ("view", models.ViewLink, models.ViewLink.name, models.ViewLink.view),
    ("series", models.Series, models.Series.name, models.Series.host),
)
"""The table, the name that is searched, and the hint. Tables differ too much for one type."""


def _pattern(word: str) -> str:
    """Return the ILIKE pattern of the word, with its wildcards escaped."""
    literal = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{literal}%"
