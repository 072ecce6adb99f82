"""Fill in what a remedy leaves open: present values, the table, the statement, the user, the file.

Only what the evidence shows is filled in; a remedy without it stays as general as it is written.
Which session to end does not belong here: see ``remedies``.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import PurePosixPath

import polars as pl

from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.statements import short_shape, tables_of
from pileup.analysis.findings.words import clip, count
from pileup.analysis.findings.worst_moment import Queue
from pileup.knowledge.renamed import name_in
from pileup.numerals import number
from pileup.sql_tokens import shapes

_VARIABLE = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b(?!\s*=|\.)")
_MOST_VALUES = 2
_LONGEST = 40
"""Characters of a value that is named."""
_STATEMENT = 120
_TABLE = "TABLE … "
_OLDEST = "kill the oldest of these statements"
_CONDITION = "an index for their condition"
_BY_USER = "by user and host"
_MOUNT = "free space on the mount that is full"
_RUNNING = ("Query", "Execute")
_WRITING = re.compile(
    r"(?i)(?:writing|write to|extend|create)[^'\"`\n]{0,40}['\"`]([^'\"`\n]{1,200})"
)
_FULL = r"(?i)no space left|disk is full|errno:? ?28\b|error 28\b"


def fill(action: str, context: Context, queue: Queue | None) -> str:
    """Return a remedy with the particulars of this incident."""
    lower = action.lower()
    if ends_statements(action):
        return _oldest(action, context)
    if lower.startswith(_CONDITION):
        return _after(action, _CONDITION, _shape(context))
    if _BY_USER in lower:
        return _after(action, _BY_USER, _most_connected(context))
    if lower.startswith(_MOUNT):
        return _after(action, _MOUNT, _file(context))
    if _TABLE in action:
        return action.replace(_TABLE, _table(queue))
    return _with_values(action, context)


def ends_statements(action: str) -> bool:
    """Return whether a remedy ends a statement that waits for nobody: no holder is meant."""
    return action.lower() == _OLDEST


def _after(action: str, part: str, what: str | None) -> str:
    """Put a remark behind the part of a remedy that it is about."""
    at = action.lower().index(part) + len(part)
    return action if what is None else f"{action[:at]} ({what}){action[at:]}"


def _with_values(action: str, context: Context) -> str:
    """Name the present values of the variables that a remedy changes to no value of its own."""
    values: dict[str, str] = {}
    for variable in _VARIABLE.findall(action):
        name = name_in(context.settings, variable)  # as this server calls it
        value = context.settings[name].value if name is not None else None
        if name is not None and value and len(value) <= _LONGEST:
            values[name] = f"{name} is {value}{_size(name, value)}"
    known = " and ".join([*values.values()][:_MOST_VALUES])
    return f"{action} ({known})" if known else action


def _size(name: str, value: str) -> str:
    """Write a value in bytes in a unit that people read: ', 6 MiB'; '' for other values."""
    if not name.endswith("_size") or not value.isdigit() or not int(value) >> 20:
        return ""
    gibibytes = int(value) >> 30
    unit, shift = ("GiB", 30) if gibibytes else ("MiB", 20)
    return f", {number(int(value) / (1 << shift))} {unit}"


def _table(queue: Queue | None) -> str:
    tables = {table for text in (queue.statements if queue else ()) for table in tables_of(text)}
    return f"TABLE {next(iter(tables))} " if len(tables) == 1 else _TABLE


def _statements(context: Context) -> pl.DataFrame | None:
    """Return the sessions of the stall that run the most frequent shape of statements."""
    frame = context.evidence.frame("session")
    if frame is None:
        return None
    if context.stall is not None:
        frame = frame.filter(context.stall.holds())
    running = frame.filter(
        pl.col("query").is_not_null() & pl.col("command").fill_null("Query").is_in(_RUNNING)
    )
    if running.is_empty():
        return None
    shaped = running.with_columns(shapes(pl.col("query")).alias("shape"))
    usual = shaped["shape"].value_counts(sort=True).row(0)[0]
    return shaped.filter(pl.col("shape") == usual)


def _oldest(action: str, context: Context) -> str:
    same = _statements(context)
    if same is None:
        return action
    row = same.sort("time_s", descending=True, nulls_last=True, maintain_order=True).row(
        0, named=True
    )
    if row["time_s"] is None or row["session_id"] is None:
        return action
    running = f"the oldest of these statements, running for {number(row['time_s'])} s"
    return f"KILL {row['session_id']} ({running})"


def _shape(context: Context) -> str | None:
    same = _statements(context)
    return None if same is None else clip(short_shape(same["query"][0]), _STATEMENT)


def _most_connected(context: Context) -> str | None:
    """Name the user with most sessions in the fullest list."""
    frame = context.evidence.frame("session")
    if frame is None:
        return None
    lists = frame.group_by("artifact", "snapshot", "time", maintain_order=True).len()
    full = lists.sort("len", "time", "artifact", "snapshot", descending=True).row(0)
    listed = frame.filter(
        (pl.col("artifact") == full[0])
        & pl.col("snapshot").eq_missing(full[1])
        & pl.col("time").eq_missing(full[2])
    )
    users = Counter(user for user in listed["user"] if user)
    if not users:
        return None
    ((user, sessions),) = users.most_common(1)
    return f"{user} has {count(sessions, 'session', 'sessions')} of {listed.height}"


def _file(context: Context) -> str | None:
    """Name the file that could not be written, by a log line."""
    frame = context.evidence.frame("event")
    if frame is None:
        return None
    lines = frame.filter(pl.col("message").str.contains(_FULL)).head(_MOST_LINES)
    found = (_WRITING.search(message) for message in lines["message"])
    match = next(filter(None, found), None)
    return f"it was writing {PurePosixPath(match[1])}" if match else None


_MOST_LINES = 50
__all__ = ["ends_statements", "fill"]
