"""How a stall began and how it ended, by who is listed before, during and after it.

A statement or transaction that began at the onset is the trigger; a holder that is gone when the
stall is over ended it. What no list shows is left out. Who holds what does not belong here: see
``worst_moment``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import polars as pl

from pileup.analysis.contract import StallDoc
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.evidence.context import Context, Span
from pileup.analysis.evidence.times import clock_text, iso
from pileup.analysis.findings.words import clip
from pileup.analysis.findings.worst_moment import Queue

_NEAR_US = 10_000_000
"""So close to the onset or the end something counts as its reason; lists show whole seconds."""
_GAP_US = 15_000_000
"""With a longer gap between two lists, nobody knows when somebody left."""
_STATEMENT = 60


def trigger(queue: Queue | None, context: Context) -> str:
    """Describe what began at the onset: a holder's statement or transaction; '' if not seen."""
    stall = context.stall
    if stall is None or not context.baseline:
        return ""
    for actor in _who(queue):
        began = _began(actor)
        if began is None or abs(began - stall.start) > _NEAR_US or left_early(actor, context):
            continue
        what = f"began {_statement(actor)}" if actor.query else "began its transaction"
        text = f"At about {clock_text(began)} {actor.name} {what}"
        waits = queue is not None and actor is queue.holder and actor is not queue.root
        behind = f", and waited behind {queue.root.name}" if waits and queue and queue.root else ""
        return f"{text}{behind}."
    return ""


def left_early(actor: Actor, context: Context) -> bool:
    """Return whether a list shows that an actor ended what it did while the stall went on.

    Then it is one of several that did the same in turn, and no reason for the stall.
    """
    seen = _last_seen(actor, context)
    return seen is not None and context.stall is not None and seen[1] < context.stall.end


def end(queue: Queue | None, context: Context) -> str:
    """Describe what ended the stall: a restart, or a holder that left; '' if it goes on."""
    stall = context.stall
    doc = _stall_doc(context)
    if stall is None or doc is None or doc.end is None:
        return ""
    if restart := _restart(context, stall):
        return restart
    for actor in reversed(_who(queue)):
        if text := _left(actor, context, stall):
            return text
    return f"Over at {clock_text(stall.end)}."


def _who(queue: Queue | None) -> list[Actor]:
    """Return the holder that waits itself, and whom it waits for in the end."""
    if queue is None:
        return []
    both = (queue.holder, queue.root)
    return list({actor.id: actor for actor in both if actor is not None}.values())


def _began(actor: Actor) -> int | None:
    """Return when what an actor does began; None: not printed."""
    trx, session = actor.trx or {}, actor.session or {}
    for row, column in ((session, "time_s"), (trx, "active_s")):
        if row is session and not actor.query:
            continue  # the seconds of an idle session are those since its last statement
        time, lasted = row.get("time"), row.get(column)
        if time is not None and lasted is not None and lasted >= 0:
            return int(time - lasted * 1e6)
    return None


def _left(actor: Actor, context: Context, stall: Span) -> str:
    """Describe that an actor was gone, or had ended what it did, when the stall was over."""
    seen = _last_seen(actor, context)
    if seen is None:
        return ""
    last, gone, listed = seen
    if gone - last > _GAP_US or gone < stall.end - _NEAR_US or last > stall.end + _NEAR_US:
        return ""
    what = f"{_statement(actor)}" if actor.query else "its transaction"
    text = f"{actor.name} had ended {what} by {clock_text(gone)}"
    if actor.query and not listed:
        text = f"{actor.name} ({what}) is no longer listed at {clock_text(gone)}"
    logged = _logged(actor.session_id or 0, context, stall)
    return f"{text[0].upper()}{text[1:]}{logged}; the stall was over at {clock_text(stall.end)}."


def _last_seen(actor: Actor, context: Context) -> tuple[int, int, bool] | None:
    """Return when an actor was last listed at what it does, and the next list after that.

    The third is whether that list still has its session. None: no later list shows it.
    """
    kind, column = ("session", "query") if actor.query else ("transaction", "trx_id")
    value = actor.query if actor.query else (actor.trx or {}).get("trx_id")
    frame = context.evidence.frame(kind)
    if frame is None or value is None or actor.session_id is None:
        return None
    if context.host is not None and "host" in frame.columns:
        frame = frame.filter(pl.col("host").is_null() | (pl.col("host") == context.host))
    times = frame["time"].drop_nulls().unique().sort()
    mine = frame.filter(pl.col("session_id") == actor.session_id)
    at_it = mine.filter(pl.col(column) == value)["time"].drop_nulls()
    later = times.filter(times > at_it.max()) if len(at_it) else at_it
    if not len(later):
        return None
    gone = int(later[0])
    last = int(at_it.max())  # type: ignore[arg-type]  # times are integers
    return last, gone, mine.filter(pl.col("time") == gone).height > 0


def _restart(context: Context, stall: Span) -> str:
    events = _events(context, stall)
    if events is None:
        return ""
    rows = events.filter(pl.col("kind").is_in(["restart", "crash"]))
    if rows.is_empty():
        return ""
    row: dict[str, Any] = rows.row(0, named=True)
    verb = "restarted" if row["kind"] == "restart" else "crashed"
    return f"The server {verb} at {clock_text(row['time'])}."


def _logged(session: int, context: Context, stall: Span) -> str:
    """Quote a log line that the session was killed or cut off."""
    events = _events(context, stall)
    if events is None:
        return ""
    pattern = rf"(?i)(?:aborted connection|\bkill\w*\b|\bclose of thread)\D{{0,20}}{session}\b"
    rows = events.filter(pl.col("message").str.contains(pattern))
    return "" if rows.is_empty() else f" (the log: '{clip(rows['message'][0], 80)}')"


def _events(context: Context, stall: Span) -> pl.DataFrame | None:
    frame = context.evidence.frame("event")
    if frame is None:
        return None
    near = Span(stall.end, stall.end).widened(_NEAR_US / 1e6)
    return frame.filter(near.holds())


def _stall_doc(context: Context) -> StallDoc | None:
    stalls: Sequence[StallDoc] = context.stalls
    begun = iso(context.stall.start) if context.stall else None
    return next((doc for doc in stalls if doc.onset == begun), None)


def _statement(actor: Actor) -> str:
    return f"'{clip(re.sub(r'/[*].*?[*]/', '', actor.query or ''), _STATEMENT)}'"


__all__ = ["end", "left_early", "trigger"]
