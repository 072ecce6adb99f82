"""Search one incident, or all: what the analyses saw, and what people wrote.

An analysis stores one ``Entry`` per thing that can be found (``views/search_entries.py``). Within
an incident the words match anywhere in an entry. Across incidents an index over all entries of an
analysis finds the incidents first, by beginnings of words; then the best entries of each follow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import Any, Literal

from sqlalchemy import (
    ARRAY,
    CTE,
    ColumnElement,
    DateTime,
    Select,
    Text,
    all_,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    null,
    select,
    type_coerce,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, TSQUERY

from pileup.storage import models
from pileup.storage.database import Unit, clean
from pileup.storage.like import escaped

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
_IDEOGRAPHS = (
    r"\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Chinese characters, kana and Hangul, of which one or two are a word."""
_SEARCHABLE = re.compile(rf"[^\W_]{{3}}|[{_IDEOGRAPHS}]")
"""What a word across all incidents needs; an index of trigrams does not know shorter ones."""
_SEARCHABLE_HERE = re.compile(rf"..|[{_IDEOGRAPHS}]")
"""What a word inside one incident needs."""
_INDEXED = re.compile(rf"[^\W_]{{2}}|[{_IDEOGRAPHS}]")
"""A token that is looked up in the index over words; single letters begin too many of them."""
_TITLE = 300
_MOST_WORDS = 30_000
"""Words of an analysis in the index; PostgreSQL takes at most 1 MB."""

_RANK = "rank"

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
    """The searched text in any case, title included."""
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
                    "words": clean(entry.words).lower(),
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

    A word needs two characters, or one that is Chinese, Japanese or Korean. Words match anywhere
    and in any case. Deleted items and other incidents are excluded.
    """
    needles = clean(words).split()
    if not any(map(_SEARCHABLE_HERE.search, needles)):
        return []
    given = {"incident": incident_id, "patterns": _patterns(needles)}
    return _best(unit, _IN_INCIDENT, given, needles)


def search_everywhere(unit: Unit, words: str) -> list[Found]:
    """Find incidents, and what they contain, by all of these words; the best first.

    Archived and deleted incidents are excluded. Nothing is found unless a word has three letters
    or digits in a row, or a Chinese, Japanese or Korean character; shorter words only filter.
    """
    needles = clean(words).split()
    if not any(map(_SEARCHABLE.search, needles)):
        return []
    tokens = (token for needle in needles for token in _tokens(needle))
    beginnings = list(filter(_INDEXED.match, tokens))
    given = {
        "patterns": _patterns(needles),
        "beginnings": " & ".join(f"'{token}':*" for token in beginnings) or None,
    }
    shown: Counter[tuple[str, bool]] = Counter()
    results = []
    for found in _best(unit, _EVERYWHERE, given, needles):
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


def _patterns(needles: Iterable[str]) -> list[str]:
    """Build the patterns in lower case, as the words of entries are."""
    return [f"%{escaped(needle.lower())}%" for needle in needles]


def _best(
    unit: Unit, statement: Select[Any], given: dict[str, Any], needles: Sequence[str]
) -> list[Found]:
    """Sort what a statement finds by score, and keep the first of each kind."""
    words = [needle.lower() for needle in needles]
    score_of = cache(lambda title: _score(title, words))
    rows = unit.session.execute(statement, given).all()
    boosts = {row.incident_id: row.weight for row in rows if row.kind == _RANK}
    scored = []
    for kind, incident_id, id_, whole, hint, at, weight in rows:
        if kind != _RANK:
            title = whole[:_TITLE]
            score = score_of(title) + weight + boosts.get(incident_id, 0.0)
            scored.append((-score, len(title), title, id_, kind, hint, at, incident_id))
    counts: Counter[str] = Counter()
    best = []
    for each in sorted(scored, key=itemgetter(0, 1, 2, 3)):
        kind = each[4]
        counts[kind] += 1
        if counts[kind] <= _EACH:
            best.append(each)
    titles = _titles(unit, {each[7] for each in best})
    return [
        Found(kind, id_, title, hint, at, incident_id, titles[incident_id], -negative)
        for negative, _, title, id_, kind, hint, at, incident_id in best
        if incident_id in titles
    ]


def _titles(unit: Unit, incidents: set[str]) -> dict[str, str]:
    table = models.Incident
    rows = unit.session.execute(select(table.id, table.title).where(table.id.in_(incidents)))
    return {row[0]: row[1] for row in rows}


def _score(title: str, words: Sequence[str]) -> float:
    """Rate how well a title matches: the mean over the words, whole titles and words first."""
    lower = title.lower()
    if lower == " ".join(words):
        return _EXACT
    return sum(_match(lower, word) for word in words) / len(words)


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


Source = tuple[Kind, Any, Any, Any]
"""A table, the name that is searched, and the hint. Tables differ too much for one type."""

_SOURCES: tuple[Source, ...] = (
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
_WEIGHTS: dict[Kind, float] = {"hypothesis": 0.9, "experiment": 0.7, "action": 0.6, "comment": 0.3}

_PATTERNS: Any = all_(bindparam("patterns", type_=ARRAY(Text)))


def _within_incident() -> Select[Any]:
    """Build the search of one incident: parameters ``incident`` and ``patterns``."""
    here = select(models.Incident.id).where(models.Incident.id == bindparam("incident"))
    written = [_written(each, each[1].incident_id.in_(here)) for each in _SOURCES]
    return select(union_all(_entries(here), *written).subquery("found"))


def _over_all() -> Select[Any]:
    """Build the search of all incidents: parameters ``patterns`` and ``beginnings``.

    One statement, so that the incidents that the caller sees are listed once; ``_titles`` asks
    again for those of the best. Its rows of the kind
    ``rank`` are the incidents whose analyses have all words, with what that adds to a score.
    """
    table = models.Incident
    seen = (
        select(table.id, table.title, table.service, table.summary, table.status, table.updated_at)
        .where(table.deleted_at.is_(None), table.archived_at.is_(None))
        .cte("seen")
    )
    ranked = _with_words(seen).cte("ranked")
    no_text = cast(null(), Text)
    ranks = select(
        literal(_RANK).label("kind"),
        ranked.c.id.label("incident_id"),
        ranked.c.id.label("id"),
        no_text.label("title"),
        no_text.label("hint"),
        cast(null(), DateTime(timezone=True)).label("at"),
        (1 - (ranked.c.place - 1) / float(_INCIDENTS)).label("weight"),
    )
    branches = (_entries(select(ranked.c.id)), ranks, _by_name(seen), _written_in(seen))
    return select(union_all(*branches).subquery("found"))


def _with_words(seen: CTE) -> Select[Any]:
    """List the latest incidents whose analyses have all words."""
    query = cast(bindparam("beginnings", type_=Text), TSQUERY)
    # A function, as row-level security would not let this use the index over the words.
    with_words = func.pileup_analyses_with(query, type_=Text).column_valued("found")
    latest = (seen.c.updated_at.desc(), seen.c.id)
    return (
        select(seen.c.id, func.row_number().over(order_by=latest).label("place"))
        .where(seen.c.id.in_(select(with_words)))
        .order_by(*latest)
        .limit(_INCIDENTS)
    )


def _entries(incidents: Select[Any]) -> Select[Any]:
    """Find what the analyses of these incidents saw, which the caller sees.

    By a function, as row-level security would ask for each entry whether the caller sees it.
    """
    found = func.pileup_find_entries(
        bindparam("patterns", type_=ARRAY(Text)),
        func.array(incidents.scalar_subquery()),
        _CANDIDATES * 3,
    ).table_valued("kind", "incident_id", "key", "title", "hint", "at", "weight")
    columns = [found.c.kind, found.c.incident_id, found.c.key.label("id"), found.c.title]
    at = type_coerce(found.c.at, DateTime(timezone=True))
    return select(*columns, found.c.hint, at.label("at"), found.c.weight)


def _written(source: Source, there: ColumnElement[bool]) -> Select[Any]:
    """Find what people wrote or uploaded, or the series, among the rows that are ``there``."""
    kind, table, name, hint = source
    conditions = [there, name.ilike(_PATTERNS)]
    if hasattr(table, "deleted_at"):
        conditions.append(table.deleted_at.is_(None))
    return (
        select(
            literal(kind).label("kind"),
            table.incident_id,
            table.id.label("id"),
            name.label("title"),
            hint.label("hint"),
            cast(null(), DateTime(timezone=True)).label("at"),
            literal(_WEIGHTS.get(kind, 0.0)).label("weight"),
        )
        .where(*conditions)
        .order_by(func.length(name), name, table.id)
        .limit(_CANDIDATES)
    )


def _written_in(seen: CTE) -> Select[Any]:
    """Find what people wrote or uploaded in the incidents that the caller sees.

    By a function, as row-level security would not let ILIKE use the index of trigrams.
    """
    sources = [
        {
            "kind": kind,
            "of": table.__tablename__,
            "name": name.key,
            "hint": getattr(hint, "key", None),
            "deletable": hasattr(table, "deleted_at"),
        }
        for kind, table, name, hint in _SOURCES
        if kind != "series"
    ]
    found = func.pileup_find_written(
        literal(sources, JSONB),
        bindparam("patterns", type_=ARRAY(Text)),
        func.array(select(seen.c.id).scalar_subquery()),
        _CANDIDATES,
    ).table_valued("kind", "incident_id", "id", "title", "hint")
    weight = case(_WEIGHTS, value=found.c.kind, else_=0.0)
    at = cast(null(), DateTime(timezone=True))
    columns = [found.c.kind, found.c.incident_id, found.c.id, found.c.title, found.c.hint]
    return select(*columns, at.label("at"), weight.label("weight"))


def _by_name(seen: CTE) -> Select[Any]:
    """Find incidents by title, service and summary; no word spans two of them."""
    of_incident = func.concat_ws("\n", seen.c.title, seen.c.service, seen.c.summary)
    return (
        select(
            literal("incident").label("kind"),
            seen.c.id.label("incident_id"),
            seen.c.id.label("id"),
            seen.c.title,
            func.concat_ws(" · ", seen.c.status, func.nullif(seen.c.service, "")).label("hint"),
            cast(null(), DateTime(timezone=True)).label("at"),
            literal(1.0).label("weight"),
        )
        .where(of_incident.ilike(_PATTERNS))
        .order_by(seen.c.updated_at.desc(), seen.c.id)
        .limit(_CANDIDATES)
    )


_IN_INCIDENT = _within_incident()
_EVERYWHERE = _over_all()
