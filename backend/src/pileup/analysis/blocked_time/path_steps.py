"""The steps from the waiters to a root: which sessions, with their statements and since when."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from pileup.analysis.contract import PathStepDoc
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.times import iso
from pileup.analysis.waits.draft import Graph

_STATEMENT = 200
_YEAR_S = 31_622_400.0
"""Servers print an unknown Time as 2^32; no statement runs for a year."""


def steps(
    names: Sequence[str], labels: Sequence[str], first: float, graph: Graph
) -> list[PathStepDoc]:
    """Describe a path of nodes. labels: of its nodes. first: how many wait at its first node."""
    found = [
        _step(name, label, first if at == 0 else 1, graph)
        for at, (name, label) in enumerate(zip(names, labels, strict=True))
    ]
    return [next(group) for _, group in itertools.groupby(found, key=lambda step: step.label)]


def _step(name: str, label: str, count: float, graph: Graph) -> PathStepDoc:
    actor = graph.actors.get(name)
    if actor is None:
        return PathStepDoc(kind="resource", label=label, latch=graph.resources[name].latch)
    query = " ".join(actor.query.split())[:_STATEMENT] if actor.query else None
    if count > 1:
        return PathStepDoc(
            kind="sessions", label=label, sessions=max(1, round(count)), statement=query
        )
    return PathStepDoc(
        kind="session",
        label=label,
        session_id=actor.session_id,
        statement=query,
        idle=actor.is_idle,
        since=_since(actor),
    )


def _since(actor: Actor) -> str | None:
    """Return when the statement began; of an idle session, when its transaction began."""
    of_trx = actor.is_idle or not actor.session
    row, key = (actor.trx, "active_s") if of_trx else (actor.session, "time_s")
    seconds, time = (row or {}).get(key), (row or {}).get("time")
    if seconds is None or time is None or not 0 <= seconds < _YEAR_S:
        return None
    return iso(time - round(seconds * 1e6))


__all__ = ["steps"]
