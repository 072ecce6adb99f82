"""Search one incident, or all: what the analyses saw, and what people wrote.

An analysis stores one ``Entry`` per thing that can be found (``views/search_entries.py``). Within
an incident the words match anywhere in an entry. Across incidents an index over all entries of an
analysis finds the incidents first, by beginnings of words; then the best entries of each follow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import (
    ARRAY,
    Row,
    Text,
    cast,
    delete,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import TSQUERY

from pileup.storage import models
from pileup.storage.database import Unit, clean
from pileup.storage.like import contains, escaped

Kind = Literal[
    "incident", "finding", "node", "wait", "session", "statement", "setting", "log", "stack",
    "deadlock", "artifact", "series", "hypothesis", "experiment", "action", "pin", "annotation",
    "comment", "view",
]  # fmt: skip

_EACH = 6
"""Results per kind; the screens have longer lists with filters."""
_CANDIDATES = 300
"""Matches of a kind that are ranked."""
_INCIDENTS = 12
"""Other incidents whose analyses contribute results."""
_EACH_INCIDENT = 3
_SHORTEST = 2
"""Shorter words are searched within an incident only."""
_TITLE = 300
_MOST_WORDS = 30_000
"""Words of an analysis in the index; PostgreSQL takes at most 1 MB."""

_EXACT, _WORD, _BEGINNING, _INSIDE = 4.0, 3.0, 2.0, 1.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing of an analysis that can be found."""

    kind: str
    key: str
    """What the screen of this kind opens; unique within the kind."""
    title: str
    hint: str | None
    at: datetime | None
    """The moment to show it at."""
    words: str
    """The searched text, title included."""
    weight: float
    """0 to 1: of two matches that are equally good the greater is first."""


@dataclass(frozen=True, slots=True)
class Found:
    """One result, the best first."""

    kind: Kind
    id: str
    title: str
    hint: str | None
    """The host of a series, the state of a hypothesis, the address of a view, a statement."""
    at: datetime | None
    incident_id: str
    incident: str
    """The incident's title."""
    score: float


def replace_entries(unit: Unit, incident_id: str, entries: Sequence[Entry]) -> None:
    """Store the entries of a new analysis, in place of those of the last."""
    table = models.SearchEntry
    unit.session.execute(delete(table).where(table.incident_id == incident_id))
    if entries:
        unit.session.execute(
            insert(table),
            [
                {
                    "incident_id": incident_id,
                    "kind": entry.kind,
                    "key": clean(entry.key),
                    "title": clean(entry.title),
                    "hint": None if entry.hint is None else clean(entry.hint),
                    "at": entry.at,
                    "words": clean(entry.words),
                    "weight": entry.weight,
                }
                for entry in entries
            ],
        )
    unit.session.execute(
        update(models.Analysis)
        .where(models.Analysis.incident_id == incident_id)
        .values(words=func.array_to_tsvector(cast(_index_words(entries), ARRAY(Text))))
    )


def search_incident(unit: Unit, incident_id: str, words: str) -> list[Found]:
    """Find what contains every word, at most six of each kind, the best first.

    Deleted items and other incidents are excluded. Words match anywhere and in any case.
    """
    needles = clean(words).split()
    if not needles:
        return []
    title = unit.session.scalar(
        select(models.Incident.title).where(models.Incident.id == incident_id)
    )
    rows = [*_entries(unit, [incident_id], needles), *_written(unit, needles, incident_id)]
    return _best((_found(kind, row, title or "", needles) for kind, row in rows), _EACH)


def search_everywhere(unit: Unit, words: str) -> list[Found]:
    """Find incidents, and what they contain, by all of these words; the best first.

    Archived and deleted incidents are excluded.
    """
    needles = [word for word in clean(words).split() if len(word) >= _SHORTEST]
    if not needles:
        return []
    ranks = _incidents_with(unit, needles)
    rows = [*_entries(unit, list(ranks), needles), *_written(unit, needles, None)]
    titles = _titles(unit, {row.incident_id for _, row in rows})
    founds = [
        _found(kind, row, titles[row.incident_id], needles)
        for kind, row in rows
        if row.incident_id in titles
    ]
    founds += _incidents_by_name(unit, needles)
    ranked = [replace(each, score=each.score + ranks.get(each.incident_id, 0.0)) for each in founds]
    shown: Counter[tuple[str, bool]] = Counter()
    results = []
    for found in _best(ranked, _EACH):
        place = (found.incident_id, found.kind == "incident")
        shown[place] += 1
        if shown[place] <= _EACH_INCIDENT:
            results.append(found)
    return results


def _index_words(entries: Iterable[Entry]) -> list[str]:
    """Return each distinct word of the entries, the weightiest entries first, within the bound."""
    words: dict[str, None] = {}
    for entry in sorted(entries, key=lambda each: -each.weight):
        words |= dict.fromkeys(_tokens(clean(entry.words)))
        if len(words) > _MOST_WORDS:
            break
    return list(words)


def _tokens(text: str) -> list[str]:
    """Split into words: letters and digits, lower case, at most 60 characters."""
    return [word[:60] for word in re.findall(r"[^\W_]+", text.lower())]


def _incidents_with(unit: Unit, needles: Sequence[str]) -> dict[str, float]:
    """Return the incidents whose analyses have all words, with a rank from 0 to 1."""
    beginnings = [token for needle in needles for token in _tokens(needle)]
    if not beginnings:
        return {}
    query = cast(" & ".join(f"'{token}':*" for token in beginnings), TSQUERY)
    # A function, as row-level security would not let this use the index over the words.
    with_words = func.pileup_analyses_with(query, type_=Text).column_valued("found")
    rows = unit.session.execute(
        select(models.Analysis.incident_id, models.Incident.updated_at)
        .join(models.Incident, models.Incident.id == models.Analysis.incident_id)
        .where(models.Analysis.incident_id.in_(select(with_words)), *_open())
        .order_by(models.Incident.updated_at.desc())
        .limit(_INCIDENTS)
    ).all()
    return {row[0]: 1 - place / _INCIDENTS for place, row in enumerate(rows)}


def _open() -> tuple[Any, ...]:
    return (models.Incident.deleted_at.is_(None), models.Incident.archived_at.is_(None))


def _entries(
    unit: Unit, incidents: Sequence[str], needles: Sequence[str]
) -> Iterator[tuple[Any, Any]]:
    if not incidents:
        return
    table = models.SearchEntry
    rows = unit.session.execute(
        select(
            table.kind, table.incident_id, table.key.label("id"), table.title, table.hint,
            table.at, table.weight,
        )
        .where(
            table.incident_id.in_(incidents),
            *(contains(table.words, needle) for needle in needles),
        )
        .order_by(table.weight.desc(), table.kind, table.key)
        .limit(_CANDIDATES * 3)
    )  # fmt: skip
    for row in rows:
        yield row.kind, row


def _written(
    unit: Unit, needles: Sequence[str], incident_id: str | None
) -> Iterator[tuple[Kind, Row[Any]]]:
    """Find what people wrote or uploaded, and, within an incident, the series."""
    for kind, table, name, hint in _SOURCES:
        if incident_id is None and kind == "series":
            continue
        there = [table.incident_id == incident_id]
        if incident_id is None:
            there = [table.id.in_(select(_found_ids(table, name, needles)))]
        if hasattr(table, "deleted_at"):
            there.append(table.deleted_at.is_(None))
        rows = unit.session.execute(
            select(
                table.incident_id,
                table.id.label("id"),
                name.label("title"),
                hint.label("hint"),
                null().label("at"),
                literal(_WEIGHTS.get(kind, 0.0)).label("weight"),
            )
            .where(*there, *(contains(name, needle) for needle in needles))
            .order_by(func.length(name), name, table.id)
            .limit(_CANDIDATES)
        )
        for row in rows:
            yield kind, row


def _found_ids(table: Any, name: Any, needles: Sequence[str]) -> Any:
    """Return the ids of rows with these words in visible incidents.

    By a function, as row-level security would not let ``contains`` use the index of trigrams.
    """
    visible = select(models.Incident.id).where(*_open()).scalar_subquery()
    return func.pileup_find(
        table.__tablename__,
        name.key,
        hasattr(table, "deleted_at"),
        cast([f"%{escaped(needle)}%" for needle in needles], ARRAY(Text)),
        func.array(visible),
        _CANDIDATES,
        type_=Text,
    ).column_valued("found")


def _incidents_by_name(unit: Unit, needles: Sequence[str]) -> list[Found]:
    table = models.Incident
    rows = unit.session.execute(
        select(table.id, table.title, table.service, table.status)
        .where(
            *_open(),
            *(
                or_(
                    contains(table.title, needle),
                    contains(table.service, needle),
                    contains(table.summary, needle),
                )
                for needle in needles
            ),
        )
        .order_by(table.updated_at.desc())
        .limit(_CANDIDATES)
    )
    return [
        Found(
            kind="incident",
            id=row.id,
            title=row.title,
            hint=" · ".join(part for part in (row.status, row.service) if part),
            at=None,
            incident_id=row.id,
            incident=row.title,
            score=_score(row.title, needles) + 1,
        )
        for row in rows
    ]


def _titles(unit: Unit, incidents: set[str]) -> dict[str, str]:
    rows = unit.session.execute(
        select(models.Incident.id, models.Incident.title).where(
            models.Incident.id.in_(incidents), *_open()
        )
    )
    return {row[0]: row[1] for row in rows}


def _found(kind: Kind, row: Row[Any], incident: str, needles: Sequence[str]) -> Found:
    return Found(
        kind=kind,
        id=row.id,
        title=row.title[:_TITLE],
        hint=row.hint,
        at=row.at,
        incident_id=row.incident_id,
        incident=incident,
        score=_score(row.title, needles) + row.weight,
    )


def _score(title: str, needles: Sequence[str]) -> float:
    """Rate how well a title matches: the mean over the words, whole titles and words first."""
    lower = title.lower()
    if lower == " ".join(needles).lower():
        return _EXACT
    return sum(_match(lower, needle.lower()) for needle in needles) / len(needles)


def _match(title: str, needle: str) -> float:
    place = title.find(needle)
    if place < 0:
        return 0.0
    best = _INSIDE
    while place >= 0:
        after = place + len(needle)
        if place == 0 or not title[place - 1].isalnum():
            if after == len(title) or not title[after].isalnum():
                return _WORD
            best = _BEGINNING
        place = title.find(needle, place + 1)
    return best


def _best(founds: Iterable[Found], each: int) -> list[Found]:
    """Sort by score, and keep ``each`` of a kind."""
    counts: Counter[str] = Counter()
    best = []
    for found in sorted(founds, key=lambda item: (-item.score, len(item.title), item.title)):
        counts[found.kind] += 1
        if counts[found.kind] <= each:
            best.append(found)
    return best


_SOURCES: tuple[tuple[Kind, Any, Any, Any], ...] = (
    ("hypothesis", models.Hypothesis, models.Hypothesis.statement, models.Hypothesis.status),
    ("experiment", models.Experiment, models.Experiment.title, models.Experiment.state),
    ("action", models.ActionItem, models.ActionItem.text, null()),
    ("annotation", models.Annotation, models.Annotation.text, null()),
    ("comment", models.Comment, models.Comment.body, null()),
    ("pin", models.Pin, models.Pin.title, models.Pin.view),
    ("artifact", models.Artifact, models.Artifact.path, models.Artifact.format),
    ("view", models.ViewLink, models.ViewLink.name, models.ViewLink.view),
    ("series", models.Series, models.Series.name, models.Series.host),
)
"""The table, the name that is searched, and the hint. Tables differ too much for one type."""

_WEIGHTS: dict[Kind, float] = {"hypothesis": 0.9, "experiment": 0.7, "action": 0.6, "comment": 0.3}
