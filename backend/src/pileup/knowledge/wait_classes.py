"""Find the class of time of a state, a stack, an event or a queue: what an active session does.

The classes are engine-neutral and the mapping is data: ``data/wait_classes.yaml``, over the
categories of states.yaml and stacks.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import msgspec

from pileup.knowledge import function_key, knowledge
from pileup.paths import packaged

WORKING, UNKNOWN, IDLE = "working", "unknown", "idle"
VAGUE = (WORKING, UNKNOWN)
"""Classes of a State below which a thread may wait for anything."""
LATCH, DATA_WRITE, ROW_LOCK = "latch", "data_write", "row_lock"
_READ = 40
"""Frames of a stack that are read."""
_QUERY_READ = 4000
_IDLE_COMMANDS = ("sleep", "daemon", "binlog dump", "binlog dump gtid")
_BASE = 12
"""Outermost frames, which name a background thread."""


@dataclass(frozen=True, slots=True)
class TimeClass:
    """One class of time."""

    id: str
    title: str
    waits: bool
    """Whether such a session waits for another session or for a resource that others use."""


@dataclass(frozen=True, slots=True)
class _Rule:
    match: re.Pattern[str]
    below: re.Pattern[str] | None
    operation: re.Pattern[str] | None
    name: str


@dataclass(frozen=True, slots=True)
class _Mapping:
    classes: tuple[TimeClass, ...]
    state_categories: dict[str, str]
    stack_categories: dict[str, str]
    states: tuple[_Rule, ...]
    operations: tuple[_Rule, ...]
    events: tuple[_Rule, ...]
    functions: tuple[_Rule, ...]
    queues: dict[str, str]
    resources: dict[str, str]
    background: re.Pattern[str]
    background_titles: tuple[tuple[re.Pattern[str], str], ...]
    collector: re.Pattern[str]


def time_classes() -> tuple[TimeClass, ...]:
    """Return every class, in the order in which charts stack them."""
    return _mapping().classes


@lru_cache(maxsize=8192)
def of_state(command: str | None, state: str | None) -> str:
    """Return the class of a processlist row; IDLE for one that works on nothing."""
    mapping = _mapping()
    text = (state or "").strip().lower()
    known = knowledge().state_for(command, state)
    if (command or "").lower() in _IDLE_COMMANDS:
        return IDLE
    if text and known is not None and known.category == "idle" and known.state:
        return IDLE
    if text and (found := _first(mapping.states, text)):
        return found
    if known is None:
        return WORKING if command in (None, "Query", "Execute") and not text else UNKNOWN
    if known.category == "idle":
        return IDLE
    return mapping.state_categories.get(known.category, UNKNOWN)


@lru_cache(maxsize=8192)
def of_operation(operation: str | None) -> str:
    """Return the class of a transaction's operation: 'inserting', 'sleeping before ...'."""
    return _first(_mapping().operations, (operation or "").lower()) or WORKING


@lru_cache(maxsize=4096)
def of_event(event: str, operation: str | None) -> str:
    """Return the class of a wait of performance_schema."""
    text, how = event.lower(), (operation or "").lower()
    for rule in _mapping().events:
        if rule.match.search(text) and (rule.operation is None or rule.operation.search(how)):
            return rule.name
    return UNKNOWN


@lru_cache(maxsize=16384)
def of_stack(functions: tuple[str, ...]) -> str:
    """Return the class of a stack (innermost first); IDLE for a thread that waits for work.

    The innermost frame that names a wait decides; without one, the knowledge base does.
    """
    mapping = _mapping()
    known = knowledge().stack_for(functions)
    if known is not None and known.set_aside:
        return IDLE
    names = [function_key(name).lower() for name in functions[:_READ]]
    for at, name in enumerate(names):
        for rule in mapping.functions:
            if not rule.match.fullmatch(name):
                continue
            if rule.below is None or any(rule.below.fullmatch(outer) for outer in names[at + 1 :]):
                return rule.name
    if known is not None:
        return mapping.stack_categories.get(known.category, UNKNOWN)
    top = " ".join(names[:3])
    return UNKNOWN if re.search(r"futex|pthread_cond|nanosleep|\?\?", top) else WORKING


def of_queue(queue: str) -> str:
    """Return the class of a wait in one of the queues of ``analysis.stacks.queues``."""
    return _mapping().queues.get(queue, UNKNOWN)


def of_resource(kind: str) -> str:
    """Return the class of a wait for a resource of the wait graph."""
    return _mapping().resources.get(kind, UNKNOWN)


@lru_cache(maxsize=4096)
def is_background(functions: tuple[str, ...]) -> bool:
    """Return whether a stack belongs to a thread of the server's own, which serves no session."""
    found = _mapping().background
    return any(found.fullmatch(function_key(name).lower()) for name in functions[-_BASE:])


@lru_cache(maxsize=4096)
def background_title(functions: tuple[str, ...]) -> str | None:
    """Return the name of a background thread, such as "page cleaner"; None: it has none here."""
    names = [function_key(name).lower() for name in functions[-_BASE:]]
    titles = _mapping().background_titles
    return next((title for m, title in titles if any(m.fullmatch(name) for name in names)), None)


@lru_cache(maxsize=4096)
def is_collector(query: str | None) -> bool:
    """Return whether a statement is one by which a collector looks at the server."""
    return bool(query and _mapping().collector.match(query[:_QUERY_READ]))


def _first(rules: Sequence[_Rule], text: str) -> str | None:
    return next((rule.name for rule in rules if rule.match.search(text)), None)


@cache
def _mapping() -> _Mapping:
    text = packaged("knowledge/data/wait_classes.yaml").read_text("utf-8")
    raw = msgspec.yaml.decode(text)
    return _Mapping(
        classes=tuple(TimeClass(row["id"], row["title"], row["waits"]) for row in raw["classes"]),
        state_categories=raw["state_categories"],
        stack_categories=raw["stack_categories"],
        states=_rules(raw["states"]),
        operations=_rules(raw["operations"]),
        events=_rules(raw["events"]),
        functions=_rules(raw["functions"]),
        queues=raw["queues"],
        resources=raw["resources"],
        background=re.compile(raw["background"]),
        background_titles=tuple(
            (re.compile(row["match"]), row["title"]) for row in raw["background_titles"]
        ),
        collector=re.compile(raw["collector"]["statements"], re.IGNORECASE | re.DOTALL),
    )


def _rules(rows: Sequence[dict[str, Any]]) -> tuple[_Rule, ...]:
    def pattern(row: dict[str, Any], key: str) -> re.Pattern[str] | None:
        return re.compile(row[key]) if row.get(key) else None

    return tuple(
        _Rule(
            re.compile(row["match"]), pattern(row, "below"), pattern(row, "operation"), row["class"]
        )
        for row in rows
    )


__all__ = [
    "DATA_WRITE",
    "IDLE",
    "LATCH",
    "UNKNOWN",
    "WORKING",
    "TimeClass",
    "background_title",
    "is_background",
    "is_collector",
    "of_event",
    "of_operation",
    "of_queue",
    "of_resource",
    "of_stack",
    "of_state",
    "time_classes",
]
