"""Names of the targets of audit entries: 'H2 Page splits ...', 'E7 under H2'.

Names are looked up on read: a renamed target has its current name, a deleted one in the bin keeps
its name, and a purged one has only what its entry stored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from pileup.analysis.reasoning import predicates
from pileup.storage import models
from pileup.storage.audit import Entry
from pileup.storage.database import Unit

_MOST = 120
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_NAMED: tuple[tuple[str, Any, Any], ...] = (
    ("E{}", models.Pin.number, models.Pin.title),
    ("H{}", models.Hypothesis.number, models.Hypothesis.statement),
    ("{}.", models.Experiment.number, models.Experiment.title),
    ("", models.Artifact.id, models.Artifact.path),
    ("", models.ActionItem.id, models.ActionItem.text),
    ("", models.Annotation.id, models.Annotation.text),
    ("", models.Symptom.id, models.Symptom.predicate),
    ("", models.User.id, models.User.name),
    ("", models.Team.id, models.Team.name),
    ("", models.Webhook.id, models.Webhook.url),
)
"""By table: the label, what is filled into it, and the words behind it."""


def names(unit: Unit, entries: Sequence[Entry]) -> dict[str, str]:
    """Return names by entry id, with one query per table; entries without a name are left out."""
    about = {entry.id: _subject(entry) for entry in entries}
    ids = {item for subject in about.values() for item in _ID.findall(subject)}
    known: dict[str, tuple[str, str]] = {}
    for label, number, words in _NAMED:
        if not ids:
            break
        table = number.class_
        rows = unit.session.execute(select(table.id, number, words).where(table.id.in_(ids)))
        for item, filled, words in rows:
            text = words if isinstance(words, str) else predicates.read(words).words
            known[item] = (label.format(filled), text)
        ids -= known.keys()
    return {item: name for item, subject in about.items() if (name := _words(subject, known))}


def _subject(entry: Entry) -> str:
    """Return the ids of an entry's target; for a comment, those of the subject it comments on.

    A target that is a name itself begins with "=".
    """
    if entry.action == "report.template":
        return f"={(entry.target or '').replace('-', ' ')}"
    if entry.action.startswith("finding."):
        return f"={entry.target}"
    return str(entry.detail.get("subject") or entry.target or "")


def _words(subject: str, known: dict[str, tuple[str, str]]) -> str:
    """Return the subject's label and title; '' when unknown, both labels alone for a cell."""
    if subject.startswith("="):
        return subject[1:]
    kind, _, rest = subject.partition(":") if ":" in subject else ("", "", subject)
    if kind == "report":
        return f"the report, {rest.replace('_', ' ')}"
    ids = _ID.findall(rest)
    if not all(item in known for item in ids):
        return ""
    if len(ids) == 2:
        return " under ".join(known[item][0] for item in ids)
    if len(ids) == 1:
        words = " ".join(" ".join(known[ids[0]]).split())
        return words if len(words) <= _MOST else f"{words[: _MOST - 1]}…"
    return ""
