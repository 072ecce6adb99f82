"""Comments on hypotheses, pins, cells, experiments and report sections, and their mentions.

A name after @ is looked up among the users when the comment is saved: the longest matching name
wins, a part of an e-mail address before its @ matches too, and of two people of one name both are
notified.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert

from pileup.storage import models
from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean
from pileup.storage.errors import NotFound, Refused, StaleRevision
from pileup.storage.incidents.incidents import Person
from pileup.storage.visibility import find_visible

KINDS = ("hypothesis", "pin", "cell", "experiment", "report")


@dataclass(frozen=True, slots=True)
class Colleague:
    id: str
    name: str
    admin: bool


@dataclass(frozen=True, slots=True)
class Comment:
    id: str
    incident_id: str
    subject: str
    body: str
    by_id: str | None
    by: str
    at: datetime
    edited_at: datetime | None
    revision: int
    mentions: tuple[Person, ...]


@dataclass(frozen=True, slots=True)
class CommentMention:
    """One notification: who mentioned you, where, in which words."""

    id: str
    incident_id: str
    incident: str
    subject: str
    by: str
    body: str
    at: datetime
    seen: bool


class Comments:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def of_subject(self, incident_id: str, subject: str) -> list[Comment]:
        """List a subject's comments, oldest first."""
        table = models.Comment
        rows = self._session.scalars(
            select(table)
            .where(
                table.incident_id == incident_id,
                table.subject == subject,
                table.deleted_at.is_(None),
            )
            .order_by(table.id)
        )
        return self._records(list(rows))

    def counts(self, incident_id: str) -> dict[str, int]:
        """Count comments per subject."""
        table = models.Comment
        rows = self._session.execute(
            select(table.subject, func.count().label("many"))
            .where(table.incident_id == incident_id, table.deleted_at.is_(None))
            .group_by(table.subject)
        )
        return {row.subject: row.many for row in rows}

    def create(self, incident_id: str, subject: str, body: str, *, by: Actor) -> Comment:
        self._check(incident_id, subject)
        row = models.Comment(
            incident_id=incident_id,
            subject=subject,
            body=_clean_body(body),
            by_id=by.id,
            by_name=by.name,
        )
        self._session.add(row)
        self._session.flush()
        self._mention(row, by)
        return self._publish(row, by, "comment.created")

    def edit(self, comment_id: str, body: str, *, revision: int, by: Actor) -> Comment:
        """Change one's own comment; people newly mentioned are notified."""
        row = self._own(comment_id, by)
        if row.revision != revision:
            raise StaleRevision("This comment was changed elsewhere.", self._records([row])[0])
        row.body = _clean_body(body)
        row.revision += 1
        row.edited_at = datetime.now(UTC)
        self._session.flush()
        self._mention(row, by)
        return self._publish(row, by, "comment.edited")

    def delete(self, comment_id: str, *, by: Actor) -> None:
        """Delete one's own comment; the audit trail keeps that it existed."""
        row = self._own(comment_id, by)
        row.deleted_at = datetime.now(UTC)
        self._session.flush()
        self._publish(row, by, "comment.deleted")

    def people(self) -> list[Colleague]:
        """List the active users, who can be mentioned and chosen as owners."""
        rows = self._session.execute(
            select(models.User.id, models.User.name, models.User.role)
            .where(models.User.disabled.is_(False))
            .order_by(models.User.name, models.User.id)
        )
        return [Colleague(user, name, role == "admin") for user, name, role in rows]

    # ---- mentions

    def mentions(self, user_id: str, limit: int = 50) -> list[CommentMention]:
        """List a user's mentions, newest first."""
        rows = self._session.execute(
            select(models.Mention, models.Comment, models.Incident.title)
            .join(models.Comment, models.Comment.id == models.Mention.comment_id)
            .join(models.Incident, models.Incident.id == models.Comment.incident_id)
            .where(
                models.Mention.user_id == user_id,
                models.Comment.deleted_at.is_(None),
                models.Incident.deleted_at.is_(None),
            )
            .order_by(models.Mention.id.desc())
            .limit(limit)
        )
        return [
            CommentMention(
                mention.id,
                comment.incident_id,
                title,
                comment.subject,
                comment.by_name,
                comment.body,
                mention.at,
                mention.seen_at is not None,
            )
            for mention, comment, title in rows
        ]

    def seen(self, user_id: str, ids: Iterable[str] | None) -> None:
        """Mark these mentions as seen, or all when None."""
        table = models.Mention
        change = update(table).where(table.user_id == user_id, table.seen_at.is_(None))
        if ids is not None:
            change = change.where(table.id.in_(list(ids)))
        self._session.execute(change.values(seen_at=datetime.now(UTC)))

    def _mention(self, row: models.Comment, by: Actor) -> None:
        for person in named_in(row.body, self._known()):
            if person == by.id:
                continue
            done = self._session.scalar(
                insert(models.Mention)
                .values(comment_id=row.id, user_id=person)
                .on_conflict_do_nothing(index_elements=["comment_id", "user_id"])
                .returning(models.Mention.id)
            )
            if done is not None:
                self._unit.notify(row.incident_id, "mentions", person)

    def _known(self) -> list[tuple[str, str]]:
        """Return (name, id) of everybody, also by the first part of their address."""
        rows = self._session.execute(
            select(models.User.id, models.User.name, models.User.email).where(
                models.User.disabled.is_(False)
            )
        )
        return [
            (word, user)
            for user, name, email in rows
            for word in {name, (email or "").partition("@")[0]}
            if word
        ]

    def _check(self, incident_id: str, subject: str) -> None:
        kind, _, rest = subject.partition(":")
        if kind not in KINDS or not rest:
            raise Refused(
                f"{subject[:80]!r} cannot have comments: write KIND:ID with one of "
                f"{', '.join(KINDS)}",
                "subject",
            )
        if kind == "report":
            return
        wanted: list[tuple[type[models.Base], str]]
        if kind == "cell":
            pin, _, hypothesis = rest.partition("/")
            wanted = [(models.Pin, pin), (models.Hypothesis, hypothesis)]
        else:
            tables: dict[str, type[models.Base]] = {
                "hypothesis": models.Hypothesis,
                "pin": models.Pin,
                "experiment": models.Experiment,
            }
            wanted = [(tables[kind], rest)]
        for table, name in wanted:
            row = find_visible(self._session, table, name)
            if row is None or getattr(row, "incident_id", None) != incident_id:
                raise NotFound(f"There is no {subject[:120]} in this incident.")

    def _own(self, comment_id: str, by: Actor) -> models.Comment:
        row = find_visible(self._session, models.Comment, comment_id)
        if row is None:
            raise NotFound("There is no such comment; it may have been deleted.")
        if row.by_id is None or row.by_id != by.id:
            raise Refused(f"Only {row.by_name} can change this comment: answer it instead.")
        return row

    def _publish(self, row: models.Comment, by: Actor, action: str) -> Comment:
        record(
            self._unit, by, action, incident_id=row.incident_id, target=row.id, subject=row.subject
        )
        self._unit.notify(row.incident_id, "comments", row.subject)
        return self._records([row])[0]

    def _records(self, rows: list[models.Comment]) -> list[Comment]:
        named = self._session.execute(
            select(models.Mention.comment_id, models.User.id, models.User.name)
            .join(models.User, models.User.id == models.Mention.user_id)
            .where(models.Mention.comment_id.in_([row.id for row in rows]))
            .order_by(models.User.name, models.User.id)
        ).all()
        return [
            Comment(
                id=row.id,
                incident_id=row.incident_id,
                subject=row.subject,
                body=row.body,
                by_id=row.by_id,
                by=row.by_name,
                at=row.at,
                edited_at=row.edited_at,
                revision=row.revision,
                mentions=tuple(Person(user, name) for at, user, name in named if at == row.id),
            )
            for row in rows
        ]


def named_in(body: str, known: Iterable[tuple[str, str]]) -> list[str]:
    """Return the ids of the people named after an @, in order. known: (name, id).

    '@Ada Lovelace, look' names Ada Lovelace and not Ada; 'ada@example.org' names nobody.
    """
    by_name: dict[str, list[str]] = {}
    for name, user in known:
        by_name.setdefault(name.casefold(), []).append(user)
    lengths = sorted(Counter(len(name) for name in by_name), reverse=True)
    low = body.casefold()
    named: dict[str, None] = {}
    for at in re.finditer(r"(?<![\w.@])@", low):
        start = at.end()
        for length in lengths:
            name = low[start : start + length]
            after = low[start + length : start + length + 1]
            if name in by_name and not (after.isalnum() or after == "_"):
                named.update(dict.fromkeys(by_name[name]))
                break
    return list(named)


def _clean_body(body: str) -> str:
    text = clean(body).strip()
    if not text:
        raise Refused("A comment needs text.", "body")
    return text
