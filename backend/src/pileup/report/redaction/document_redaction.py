"""Redact every text of a document that a reader of any export would see."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from pileup.report.document import Document, RedactedKind
from pileup.report.redaction.redactor import KINDS, Redactor

_STRUCTURE = frozenset(
    [
        "type",
        "schema",
        "incident",
        "template",
        "version",
        "made_at",
        "engine",
        "zone",
        "key",
        "align",
        "number",
        "artifact",
        "kind",
        "id",
        "ratings",
        "at",
        "start",
        "end",
    ]
)
"""Fields that hold no text of people or machines."""
_RAW = frozenset({"excerpt", "detail"})
"""Fields that hold raw lines of a file."""


def redact(document: Document, redactor: Redactor) -> Document:
    """Return the redacted document, with the counts of replaced values at its end.

    The address of a link is removed when redaction would change it.
    """
    plain = msgspec.to_builtins(document)
    done = msgspec.convert(_walk(plain, redactor, None), Document)
    counts: Counter[str] = Counter()
    values: Counter[str] = Counter()
    for replaced in redactor.replaced():
        counts[replaced.kind] += replaced.occurrences
        values[replaced.kind] += 1
    return msgspec.structs.replace(
        done,
        redacted=[
            RedactedKind(kind, values[kind], counts[kind])
            for kind in KINDS
            if kind in redactor.kinds
        ],
    )


def _walk(node: Any, redactor: Redactor, field: str | None) -> Any:
    if isinstance(node, str):
        if field in _STRUCTURE:
            return node
        if field == "markdown":
            return ""  # the source of the blocks: no export shows it
        if field in ("href", "link"):
            return node if redactor.text(node, count=False) == node else None
        return redactor.text(node, raw=field in _RAW)
    if isinstance(node, list):
        if field in ("runs", "caption", "head", "rows") and _is_runs(node):
            return _runs(node, redactor)
        if field == "edges":
            return node
        if field == "detail" and len(node) == 2 and node[0] == "user":
            return ["user", redactor.name("users", node[1])]
        return [_walk(item, redactor, field) for item in node]
    if isinstance(node, dict):
        if node.get("type") == "code":
            return {**node, "text": redactor.text(node["text"], raw=True)}
        return {name: _walk(value, redactor, name) for name, value in node.items()}
    return node


def _is_runs(node: list[Any]) -> bool:
    return all(isinstance(item, dict) and "type" not in item for item in node)


def _runs(runs: list[dict[str, Any]], redactor: Redactor) -> list[dict[str, Any]]:
    """Redact the runs of one paragraph together: a statement may change style in the middle."""
    whole = "".join(run.get("text", "") for run in runs)
    done = redactor.text(whole)
    alone = [_run(run, redactor) for run in runs]
    if "".join(row.get("text", "") for row in alone) == done:
        return alone
    # A value spans several styles: redact the plain text and drop the styles.
    notes = [run for run in runs if "note" in run]
    return [{"text": done}, *notes]


def _run(run: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    made = {name: _walk(value, redactor, name) for name, value in run.items() if name != "text"}
    if "text" in run:
        made["text"] = redactor.text(run["text"], count=False)
    return made
