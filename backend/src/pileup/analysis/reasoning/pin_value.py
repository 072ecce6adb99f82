"""Compute the value behind a pin's locator, in words and as a hash.

Each analysis compares a pin with its current value. The words are for people, bounded and sorted;
the hash covers everything. Only the fields that existed when the pin was made are compared
(``fields``): a newer parser that reads one more field does not change the pin.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import polars as pl

from pileup.analysis.contract import WaitEdge, WaitGraph, WaitNode
from pileup.analysis.evidence.times import iso
from pileup.records import SAMPLE

MAX_ROWS = 20_000
"""A pin compares at most this many records; a pin on more is a pin on the file."""
_SHOWN = 8
_CUT = 300
_HIDDEN = frozenset({"artifact", "clock", "time", "wall_us", "snapshot", "host"})
"""Left out of the words, as the pin itself shows place and time. The hash has wall_us and host."""
_PLACED = frozenset({"artifact", "time"})
"""Left out of the hash too: fields that the analysis sets, not the parser."""


@dataclass(frozen=True, slots=True)
class PinnedValue:
    text: str
    hash: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    """Record kind to its known fields."""


GONE = "gone"
"""Hash of a value that no longer exists."""


def value_of_lines(
    frames: Mapping[str, pl.DataFrame], fields: Mapping[str, Sequence[str]] | None = None
) -> PinnedValue | None:
    """Return the value of some lines. frames: kind to the records that touch those lines.

    None when no record was or is there: then only the raw lines, which never change, are pinned.
    """
    rows: list[tuple[str, dict[str, Any]]] = []
    for kind, frame in frames.items():
        if kind != "snapshot":  # it spans its whole dump
            rows += [(kind, _known(row)) for row in frame.head(MAX_ROWS).iter_rows(named=True)]
    if fields is None and not rows:
        return None
    names = fields if fields is not None else _names(rows)
    known_rows = [
        (kind, {name: row[name] for name in names[kind] if name in row})
        for kind, row in rows
        if kind in names
    ]
    known_rows.sort(key=lambda row: (row[1].get("line_first", 0), row[0], _json(row[1])))
    if not known_rows:
        return PinnedValue("these lines have no records", GONE, _listed(names))
    shown = [_line(kind, row) for kind, row in known_rows[:_SHOWN]]
    if len(known_rows) > _SHOWN:
        shown.append(f"and {len(known_rows) - _SHOWN} more records")
    return PinnedValue("\n".join(shown), _hash(known_rows), _listed(names))


def value_of_series(samples: pl.DataFrame, series: Sequence[str]) -> PinnedValue:
    """Return the value of series in a window.

    samples: id, time (UTC µs), value, unit; in any order.
    """
    names: list[str] = []
    hashed: list[Any] = []
    for name in series:
        frame = samples.filter(pl.col("id") == name, pl.col("value").is_not_null()).sort(
            "time", "value", maintain_order=True
        )
        hashed.append(
            [name, frame.get_column("time").to_list(), frame.get_column("value").to_list()]
        )
        if frame.is_empty():
            names.append(f"{name}: no samples")
            continue
        row = frame.select(
            low=pl.col("value").min(), mid=pl.col("value").median(), high=pl.col("value").max()
        ).row(0, named=True)
        first, last = (iso(frame.get_column("time")[at]) for at in (0, -1))
        names.append(
            f"{name}: {frame.height} samples, {_number(row['low'])} to {_number(row['high'])}, "
            f"median {_number(row['mid'])}, {first} to {last}"
        )
    return PinnedValue("\n".join(names), _hash(hashed))


def value_of_node(graph: WaitGraph, node_id: str) -> PinnedValue:
    """Return the value of a wait graph's node at its moment."""
    node = next((node for node in graph.nodes if node.id == node_id), None)
    if node is None:
        return PinnedValue(f"no such node at {graph.at or 'that moment'}", GONE)
    return PinnedValue(_node_words(node, graph), _hash([graph.at, _plain(node)]))


def value_of_edge(graph: WaitGraph, source: str, target: str) -> PinnedValue:
    """Return the value of a wait graph's edge at its moment."""
    edges = [e for e in graph.edges if e.source == source and e.target == target]
    if not edges:
        return PinnedValue(f"no such wait at {graph.at or 'that moment'}", GONE)
    labels = {node.id: node.label for node in graph.nodes}
    words = [_edge_words(edge, labels) for edge in edges]
    return PinnedValue(f"{'; '.join(words)}, at {graph.at}", _hash([graph.at, words]))


def value_of_finding(findings: Iterable[Mapping[str, Any]], finding_id: str) -> PinnedValue:
    """Return the value of a finding in the last analysis."""
    finding = next((finding for finding in findings if finding["id"] == finding_id), None)
    if finding is None:
        return PinnedValue("this finding no longer matches", GONE)
    score = round(float(finding["score"]), 2)
    return PinnedValue(f"score {score}: {finding['why']}"[:1000], _hash([score, finding["why"]]))


def value_of_absence(
    absences: Iterable[Mapping[str, Any]],
    findings: Iterable[Mapping[str, Any]],
    problem_id: str,
) -> PinnedValue:
    """Return the value of a pinned absence: whether a known problem still does not match."""
    if any(finding["id"] == problem_id for finding in findings):
        return PinnedValue("it matches now", _hash(["found"]))
    absence = next((absence for absence in absences if absence["id"] == problem_id), None)
    if absence is None:
        return PinnedValue("it is no longer checked", GONE)
    words = {
        "seen": "seen, too little to be sure",
        "not_found": "checked, no match",
        "no_data": "could not be checked",
    }
    verdict = str(absence["verdict"])
    text = f"{words.get(verdict, verdict)}: {absence['looked_for']}"[:1000]
    return PinnedValue(text, _hash([verdict, absence["looked_for"]]))


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None and name not in _PLACED}


def _names(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, list[str]]:
    fields: dict[str, set[str]] = {}
    for kind, row in rows:
        fields.setdefault(kind, set()).update(row)
    return {kind: sorted(names) for kind, names in fields.items()}


def _listed(names: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {kind: list(fields) for kind, fields in names.items()}


def _line(kind: str, row: Mapping[str, Any]) -> str:
    if kind == SAMPLE:
        labels = f"{{{row['labels']}}}" if row.get("labels") else ""
        name = f"{row.get('series')}{labels}"
        return f"{name} = {_number(row.get('value'))}"[:_CUT]
    parts = [
        f"{name} {_text(value)}"
        for name, value in row.items()
        if name not in _HIDDEN and not name.startswith("line_") and value not in ([], False)
    ]
    return f"{kind.replace('_', ' ')}: {', '.join(parts)}"[:_CUT]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return _number(value)
    return str(value) if not isinstance(value, list | dict) else _json(value)


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _node_words(node: WaitNode, graph: WaitGraph) -> str:
    facts = [
        f"blocks {node.blocks_total} ({node.blocks_direct} directly)" if node.blocks_total else "",
        f"waits {node.waited_s:.6g} s" if node.waited_s is not None else "",
        f"active {node.trx_active_s:.6g} s" if node.trx_active_s is not None else "",
        f"{node.members} members" if node.members > 1 else "",
        f"state {node.state}" if node.state else "",
    ]
    text = ", ".join(fact for fact in facts if fact) or "neither waits nor blocks"
    return f"{node.label}: {text}, at {graph.at}"


def _edge_words(edge: WaitEdge, labels: Mapping[str, str]) -> str:
    verb = "waits for" if edge.kind == "waits_for" else "is held by"
    mode = f" in mode {edge.mode}" if edge.mode else ""
    waited = f", up to {edge.waited_s:.6g} s" if edge.waited_s is not None else ""
    many = f", {edge.count} times" if edge.count > 1 else ""
    source, target = (labels.get(name, name) for name in (edge.source, edge.target))
    return f"{source} {verb} {target}{mode}{many}{waited}"


def _plain(node: WaitNode) -> dict[str, Any]:
    """Return a node without its explanatory texts: a better wording does not change the value."""
    document: dict[str, Any] = msgspec.to_builtins(node)
    for name in ("detail", "meaning", "join", "locators", "stack", "depth"):
        document.pop(name, None)
    return document


def _hash(value: Any) -> str:
    return hashlib.sha256(_json(value).encode()).hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)
