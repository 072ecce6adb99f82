"""Which stack a thread has: frames.yaml by what the thread waits for or does, and by series."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from benchmarks.incidents.servers import Server
from benchmarks.incidents.simulation import Session

_DESCENT = {
    "my84": "my80",
    "my80": "my57",
    "my57": "my56",
    "ma114": "ma106",
    "ma106": "ma102",
    "ma102": "any",
    "my56": "any",
}
"""The series that an entry is taken from if it has none of its own."""
_DDL = frozenset(("alter", "truncate", "drop", "rename", "optimize"))
_NAMED = frozenset(("truncate", "drop", "rename", "lock_tables"))
_WAITS = {
    "table_flush": "table_flush",
    "table": "table_lock",
    "row": "row",
    "autoinc": "autoinc",
    "redo": "redo",
    "free_page": "free_page_wait",
    "table_cache": "table_cache",
    "slot": "slot",
    "query_cache": "query_cache",
    "disk": "disk_read",
    "commit_order": "commit_order",
}
_WORKS = {
    "building hash": "building_hash",
    "splitting": "splitting",
    "freeing page": "freeing_page",
    "sending": "sending",
    "reading disk": "disk_read",
    "opening table": "opening_table",
    "invalidating": "invalidating",
    "dropping": "dropping",
    "scanning": "scanning",
    "reading": "scanning",
    "latched": "scanning",
}
_LEADS = {
    "awaiting ack": "leader_semi_sync",
    "syncing full text": "leader_full_text",
    "disk full": "leader_disk_full",
}
_LATCHES = {"adaptive hash": "hash", "index tree": "tree", "dictionary": "dictionary"}


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "frames.yaml").read_text())
    return table


def _entry(name: str, generation: str) -> str:
    return str(_of(_table()[name], generation))


def _of(entries: dict[str, Any], generation: str) -> Any:
    while generation not in entries:
        generation = _DESCENT[generation]
    return entries[generation]


def frames(session: Session, server: Server) -> list[str]:
    """Return the functions of a session's thread, innermost first."""
    generation = server.generation
    if session.statement is None and session.wait is None:
        text = (
            _entry("between", generation) + _entry("connection", generation).split("do_command")[1]
        )
        return text.split(",")
    inner, path = _inner(session, server)
    middle = _path(session, generation) if path is None else path
    text = ",".join(part for part in (inner, middle, _entry("connection", generation)) if part)
    while wanted := re.search(r"\{(\w+)\}", text):
        text = text.replace(wanted[0], _named(wanted[1], session, generation))
    return text.split(",")


def _named(name: str, session: Session, generation: str) -> str:
    if name == "change":
        name = "insert" if session.verb.startswith("insert") else "update"
    return _entry(name, generation)


def _path(session: Session, generation: str) -> str:
    verb = "alter" if session.verb in _DDL else session.verb
    return _verb(verb, generation) if verb in _table()["path"] else ""


def _verb(verb: str, generation: str) -> str:
    return str(_of(_table()["path"][verb], generation))


def _inner(session: Session, server: Server) -> tuple[str, str | None]:
    """Return the inner frames, and the path where it is not the usual one of the statement."""
    generation = server.generation
    if session.wait is None:
        return _working(session)
    kind = session.wait.resource.kind
    if kind == "metadata":
        return _metadata(session, generation)
    if kind == "global":
        opens = "{mdl},open_table,open_and_process_table,open_tables"
        return opens, _path(session, generation).split(",")[-1]
    if kind == "commit_lock":
        return "{mdl},ha_commit_trans", _commit_path(session)
    if kind == "user":
        return "{get_lock}", _verb("select", generation)
    if kind == "commit":
        return "{follower}", _commit_path(session)
    if kind == "latch":
        side = "shared" if session.wait.mode == "S" else "exclusive"
        return "{latch},{" + f"{_LATCHES[session.wait.resource.name]}_{side}" + "}", None
    return "{" + _WAITS[kind] + "}", None


def _metadata(session: Session, generation: str) -> tuple[str, str | None]:
    if session.verb in ("alter", "optimize"):
        return "{mdl},{mdl_upgrade}", None
    if session.verb in _NAMED:
        caller = {"drop": "mysql_rm_table", "rename": "mysql_rename_tables"}
        return "{mdl},{mdl_names}," + caller.get(session.verb, "open_tables"), ""
    return "{mdl},{open}", _path(session, generation).split(",")[-1]


def _commit_path(session: Session) -> str:
    return "trans_commit" if session.verb == "commit" else "trans_commit_stmt"


def _working(session: Session) -> tuple[str, str | None]:
    if session.doing == "flushing":
        return "{leader_redo}" if session.id % 2 else "{leader_binlog}", _commit_path(session)
    if session.doing in _LEADS:
        return "{" + _LEADS[session.doing] + "}", _commit_path(session)
    if session.doing == "committing":
        return "ha_commit_trans", _commit_path(session)
    if session.verb == "insert_select" and session.doing == "scanning":
        return "{read}", None
    if session.doing in ("updating", "inserting"):
        return "{inserting}" if session.verb.startswith("insert") else "{updating}", None
    name = _WORKS.get(session.doing)
    return ("{" + name + "}" if name else ""), None


def background(server: Server) -> list[tuple[int, list[str]]]:
    """Return the stacks of the server's own threads with their number."""
    generation = server.generation
    entries = _of(_table()["background"], generation)
    return [
        (
            count,
            text.replace("{cond}", _entry("cond", server.generation))
            .replace("{timed}", _entry("timed", server.generation))
            .split(","),
        )
        for count, text in entries
    ]


def missing_frames() -> list[str]:
    """List entries that a series without a parent lacks: 'open of ma102'."""
    table = {name: entries for name, entries in _table().items() if name != "path"}
    table |= {f"path {verb}": entries for verb, entries in _table()["path"].items()}
    return [
        f"{name} of {generation}"
        for name, entries in table.items()
        for generation in ("my56", "ma102")
        if generation not in entries and "any" not in entries
    ]
