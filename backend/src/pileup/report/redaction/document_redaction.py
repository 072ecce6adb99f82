"""Redact every text of a document that a reader of any export would see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from pileup.report.document import Document, RedactedKind, as_plain
from pileup.report.redaction.passwords import KIND as PASSWORDS
from pileup.report.redaction.redactor import ALL_KINDS, Redactor

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
_ENUMERATED = frozenset(
    [
        "type",
        "schema",
        "align",
        "kind",
        "ratings",
        "version",
        "engine",
        "template",
        "made_at",
        "key",
    ]
)
"""Fields whose values this code names."""
_RAW = frozenset({"excerpt", "detail"})
"""Fields that hold raw lines of a file."""


class Leak(ValueError):  # noqa: N818  (named after the event)
    """A value of the table of known values is left in an export; the message names no value."""


def redact(document: Document, redactor: Redactor) -> Document:
    """Return the redacted document, with the counts of replaced values at its end.

    The document is read twice: what is found in one place is replaced in every other. Where more
    than passwords is redacted, sources lose their addresses, which name this installation.
    """
    plain = as_plain(document)
    for _, text, raw in _texts(plain, ""):
        redactor.learn(text, raw=raw)
    done = msgspec.convert(_walk(plain, redactor, None), Document)
    counts: Counter[str] = Counter()
    values: Counter[str] = Counter()
    for replaced in redactor.replaced():
        counts[replaced.kind] += replaced.occurrences
        values[replaced.kind] += 1
    shown = [kind for kind in ALL_KINDS if kind in redactor.kinds]
    if redactor.only_passwords and not counts:
        return done
    if not redactor.only_passwords:
        sources = [msgspec.structs.replace(source, link=None) for source in done.sources]
        done = msgspec.structs.replace(done, sources=sources)
    return msgspec.structs.replace(
        done,
        redacted=[
            RedactedKind(kind, values[kind], counts[kind])
            for kind in shown
            if counts[kind] or kind != PASSWORDS
        ],
    )


def check_leaks(document: Document, redactor: Redactor) -> None:
    """Raise Leak when the document holds a known value anywhere, structure included."""
    texts = _texts(as_plain(document), "", structure=True)
    raise_leaks(((place, text) for place, text, _ in texts), redactor)


def raise_leaks(texts: Iterable[tuple[str, str]], redactor: Redactor) -> None:
    """Raise Leak when one of these texts, each with its place, holds a known value."""
    found: Counter[tuple[str, str]] = Counter()
    clean: set[str] = set()
    for place, text in texts:
        if text in clean:
            continue
        kinds = [span.kind for span in redactor.leaks(text)]
        if not kinds:
            clean.add(text)
        found.update((kind, place) for kind in kinds)
    if found:
        named = "; ".join(f"{count} of {kind} in {place}" for (kind, place), count in found.items())
        raise Leak(f"Redaction left values in the export, so it was not made: {named}.")


def _texts(node: Any, place: str, *, structure: bool = False) -> Iterator[tuple[str, str, bool]]:
    """Yield every text of a document: its place, itself, and whether it holds raw lines."""
    field = place.rpartition(".")[2].partition("[")[0]
    if isinstance(node, str):
        if field not in (_ENUMERATED if structure else _STRUCTURE | {"markdown"}):
            yield place, node, field in _RAW
    elif isinstance(node, list):
        if _is_runs(node) and node:
            yield place, "".join(run.get("text", "") for run in node), False
            node = [{k: v for k, v in run.items() if k != "text"} for run in node]
        for number, item in enumerate(node):
            yield from _texts(item, f"{place}[{number}]", structure=structure)
    elif isinstance(node, dict):
        for name, value in node.items():
            if name == "text" and node.get("type") == "code":
                yield f"{place}.text", value, True
            else:
                yield from _texts(value, f"{place}.{name}" if place else name, structure=structure)


def _walk(node: Any, redactor: Redactor, field: str | None) -> Any:
    if isinstance(node, str):
        if field in _STRUCTURE:
            return node
        if field == "markdown":
            return ""  # the source of the blocks: no export shows it
        if field in ("href", "link"):
            return node if redactor.text(node, count=False) == node else None  # an address
        return redactor.text(node, raw=field in _RAW)
    if isinstance(node, list):
        if field in ("runs", "caption", "head", "rows") and _is_runs(node):
            return _runs(node, redactor)
        if field == "edges":
            return node
        if field == "detail" and len(node) == 2 and str(node[0]).lower() in _NAMED:
            return [node[0], redactor.name(_NAMED[str(node[0]).lower()], node[1])]
        return [_walk(item, redactor, field) for item in node]
    if isinstance(node, dict):
        if node.get("type") == "code":
            return {**node, "text": redactor.text(node["text"], raw=True)}
        return {name: _walk(value, redactor, name) for name, value in node.items()}
    return node


_NAMED = {"user": "users", "host": "hosts", "client": "hosts"}
"""Details of a node that are a name."""


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
