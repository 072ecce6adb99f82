"""Remedies of a finding that fit this server and situation, with the ids of the incident filled in.

Left out are remedies for other versions, settings that already have the value or that this server
does not have, and those that do harm together with another finding.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import polars as pl

from pileup.analysis.contract import MitigationDoc
from pileup.analysis.evidence.context import Context, Server
from pileup.analysis.findings import next_evidence, particulars
from pileup.analysis.findings.setting_values import is_value
from pileup.analysis.findings.worst_moment import Queue
from pileup.knowledge import Issue, Remedy
from pileup.knowledge.version_ranges import fix_for, within
from pileup.numerals import number

_KILL = re.compile(r"^KILL (?:the )?(?P<whom>[^0-9].*)$")  # in SQL; kill -CONT is the shell's
_DDL = re.compile(r"(?i)^\s*(alter|drop|truncate|rename|create|optimize|repair)\b")
_SET = re.compile(r"\b(?P<name>[a-z]+(?:_[a-z0-9]+)+)\s*=\s*(?P<value>\w+)")
_COMMAND = re.compile(
    r"(?:KILL \d+|SET (?:GLOBAL|SESSION) \w+\s*=\s*(?:ON|OFF|\d+(?:\.\d+)?))(?![\w.])"
)
_UPGRADE = re.compile(r"^(?:upgrade|\d+\.\d+(?:\.\d+)?\+?(?:/|$))", re.IGNORECASE)
_RELEASE = re.compile(r"\b(\d+\.\d+(?:\.\d+)?)")
_ALL_VARIABLES = 100
"""From this many settings on, a variable that is not among them does not exist on this server."""
_LIKELY = 0.6
"""How sure a holder has to be for a command that ends it."""
_APPLIER = re.compile(r"system user|slave_worker|replica", re.IGNORECASE)


def remedies(
    issue: Issue, context: Context, queue: Queue | None, others: Collection[str], kind: str = ""
) -> list[MitigationDoc]:
    """Return the remedies that fit.

    others: ids of what is found in this stall. kind: of what the victims wait for.
    """
    docs: list[MitigationDoc] = []
    for remedy in issue.mitigations:
        if not _fits(remedy, issue, context, others):
            continue
        action = _filled_in(remedy.action, issue, context, queue, kind)
        if action is None or any(action == doc.action for doc in docs):
            continue
        docs.append(
            MitigationDoc(
                action=action,
                command=command_in(action),
                side_effects=remedy.side_effects,
                precondition=remedy.precondition,
            )
        )
    return docs


def command_in(action: str) -> str | None:
    """Return the statement at the start of a remedy that runs as it is; None without one."""
    found = _COMMAND.match(action)
    return found[0] if found else None


def _fits(remedy: Remedy, issue: Issue, context: Context, others: Collection[str]) -> bool:
    server = context.server
    if remedy.only and within(remedy.only, server.family, server.numbers) == "no":
        return False
    if any(other in others for other in remedy.not_when):
        return False
    if _UPGRADE.match(remedy.action):
        return _may_upgrade(remedy.action, issue, server)
    settings = list(_SET.finditer(remedy.action))
    known = [context.settings.get(match["name"]) for match in settings]
    if len(context.settings) >= _ALL_VARIABLES and settings and not any(known):
        return False
    has = [
        setting is not None and is_value(setting.value, [match["value"]])
        for match, setting in zip(settings, known, strict=True)
    ]
    return not has or not all(has)


def _may_upgrade(action: str, issue: Issue, server: Server) -> bool:
    """Return whether an upgrade helps: to a release above this one, of this flavour."""
    if server.family is None:
        return True
    releases = [tuple(map(int, text.split("."))) for text in _RELEASE.findall(action)]
    if not releases:
        if not server.numbers:
            return True
        fix = fix_for(issue.fixed, server.family, server.numbers)
        return fix is not None and fix.release is not None and fix.release > server.numbers
    named = "mariadb" in action.lower()
    if (server.family == "mariadb") != named:
        return False
    return not server.numbers or any(release > server.numbers for release in releases)


def _filled_in(
    action: str, issue: Issue, context: Context, queue: Queue | None, kind: str
) -> str | None:
    """Fill in session ids and releases; None: it would do harm to whom it ends."""
    if particulars.ends_statements(action):
        filled = particulars.fill(action, context, queue)
        unnamed = _KILL.match(filled)
        return (
            _find(unnamed["whom"], next_evidence.processlist(context.server)) if unnamed else filled
        )
    if (match := _KILL.match(action)) is not None:
        return _kill(match["whom"], queue, context.server, kind)
    if action.lower() == _OLDEST:
        return _end_oldest(context, action)
    if action.lower() == "upgrade":
        fix = fix_for(issue.fixed, context.server.family, context.server.numbers)
        if fix is not None and fix.release is not None:
            return f"Upgrade to {'.'.join(map(str, fix.release))} or later"
    return particulars.fill(action, context, queue)


_OLDEST = "end the oldest transaction"


def _end_oldest(context: Context, action: str) -> str:
    """Name the transaction that has been open longest and waits for no lock."""
    frame = context.evidence.frame("transaction")
    if frame is None:
        return action
    if context.stall is not None:
        frame = frame.filter(context.stall.holds())
    rows = frame.filter(
        pl.col("session_id").is_not_null()
        & pl.col("active_s").is_not_null()
        & ~pl.col("lock_wait").fill_null(False)
    )
    if rows.is_empty():
        return action
    oldest = rows.sort("active_s", descending=True, maintain_order=True).row(0, named=True)
    lasted = number(oldest["active_s"])
    return f"KILL {oldest['session_id']} (the oldest transaction, open for {lasted} s)"


def _kill(whom: str, queue: Queue | None, server: Server, kind: str) -> str | None:
    """Name the session to end: 'KILL 197 (the holder)'; None: nobody, or an applier of a replica.

    Where its id is unknown, say how to find it.

    whom: the holder, the root holder (whom everybody waits for in the end) or the DDL (a holder
    that waits itself). kind: of what its victims wait for.
    """
    holder, sure = (queue.holder, queue.sure) if queue else (None, 0.0)
    if whom == "DDL":
        if holder is None or queue is None or queue.onward is None:
            return _find(whom, next_evidence.processlist(server)) if holder is None else None
        if not _DDL.match(holder.query or ""):
            return None
    elif queue is not None and queue.root is not None:
        holder, sure = queue.root, queue.root_sure
    elif holder is not None and queue is not None and queue.onward is not None:
        holder = None  # it waits itself: ending it may end nothing
    whom = whom.removeprefix("root ")
    if holder is None or holder.session_id is None:
        return _find(whom, next_evidence.holder(kind, server) or next_evidence.processlist(server))
    known = holder.session or {}
    if _APPLIER.search(f"{known.get('user')} {known.get('state')}"):
        return None
    if sure < _LIKELY:
        return f"See what session {holder.session_id} did, which may be the {whom}, before a KILL"
    return f"KILL {holder.session_id} (the {whom})"


def _find(whom: str, command: str) -> str:
    return f"Find the id of the {whom}, then end it by KILL: {command}"


__all__ = ["command_in", "remedies"]
