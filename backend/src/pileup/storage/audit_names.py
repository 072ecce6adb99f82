"""What the lines of the audit trail speak of, by name: 'H2 Page splits ...', 'E7 under H2'.

Looked up when the trail is read: what was renamed has its name of now, what lies in the bin still
has one, and what was purged has only what its line kept.
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
_BY_NAME = ("finding.", "report.template")
"""Their target is a name already."""
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
    ("", models.Webhook.id, models.Webhook.url),
)
"""By table: the label, what is filled into it, and the words behind it."""


def names(unit: Unit, entries: Sequence[Entry]) -> dict[str, str]:
    """By id of the entry; those whose target has no name are left out. One query per table."""
    about = {entry.id: _subject(entry) for entry in entries}
    ids = {found for subject in about.values() for found in _ID.findall(subject)}
    known: dict[str, tuple[str, str]] = {}
    for label, number, words in _NAMED:
        if not ids:
            break
        table = number.class_
        rows = unit.session.execute(select(table.id, number, words).where(table.id.in_(ids)))
        for item, filled, told in rows:
            text = told if isinstance(told, str) else predicates.read(told).words
            known[item] = (label.format(filled), text)
        ids -= known.keys()
    return {item: name for item, subject in about.items() if (name := _words(subject, known))}


def _subject(entry: Entry) -> str:
    """The ids that it is about; of a comment what it stands beside."""
    if entry.action.startswith(_BY_NAME):
        return f"={entry.target}"
    return str(entry.detail.get("subject") or entry.target or "")


def _words(subject: str, known: dict[str, tuple[str, str]]) -> str:
    """'' where nothing of it is known. A cell is named by its labels alone: it has two of them."""
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
