"""Row-level security: which rows the requests of the API see and change.

PostgreSQL decides, so that no query can forget it. A unit of work with an ``Access`` takes the role
``pileup_people``, whose policies read the access from settings of the transaction. A unit without
an access keeps the role of the connection, which owns the tables and sees everything: workers, the
command line and migrations.

    with database.unit(Access(user_id, ...)) as unit: ...
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

PEOPLE = "pileup_people"
"""The role that requests take; it can neither change the schema nor sign in."""

NONE, READ, WRITE, LEAD = range(4)
"""Ranks in an incident, as ``pileup_rank`` returns them."""


@dataclass(frozen=True, slots=True)
class Access:
    """What one request may see and change."""

    user_id: str = ""
    everything: bool = False
    """Sees every incident, as admins do."""
    most: int = NONE
    """No rank in any incident is higher: READ for viewers and for tokens that only read."""
    incident_id: str = ""
    """Empty, or the only incident of a token or guest link."""
    guest: bool = False
    """Reads that incident, whoever else may see it; there is no user."""


NOBODY = Access()
"""Sees no incident: a request before it is known who sends it."""

_BEGIN = text(
    f"select set_config('role', '{PEOPLE}', true), set_config('pileup.user_id', :user_id, true),"
    " set_config('pileup.everything', :everything, true), set_config('pileup.most', :most, true),"
    " set_config('pileup.incident_id', :incident_id, true),"
    " set_config('pileup.guest', :guest, true)"
)


_VISIBLE = text("select caller, incident from pileup_visible(cast(:callers as jsonb))")


def restrict(connection: Any, access: Access) -> None:
    """Restrict the running transaction of a connection or session to ``access``."""
    connection.execute(_BEGIN, _settings(access))


def visible(
    connection: Any, wanted: Sequence[tuple[Access, Collection[str]]]
) -> list[frozenset[str]]:
    """Return, for each access, those of its incidents that are there and that it may see.

    Incidents in the bin are not there. Afterwards the transaction sees nothing, as ``NOBODY``.
    """
    if not wanted:
        return []
    callers = [{**_settings(access), "wanted": list(ids)} for access, ids in wanted]
    found: list[set[str]] = [set() for _ in wanted]
    rows = connection.execute(_VISIBLE, {"callers": json.dumps(callers)})
    for caller, incident in rows:
        found[caller].add(incident)
    return [frozenset(each) for each in found]


def _settings(access: Access) -> dict[str, str]:
    return {
        "user_id": access.user_id,
        "everything": "on" if access.everything else "",
        "most": str(access.most),
        "incident_id": access.incident_id,
        "guest": "on" if access.guest else "",
    }


OF_ALL = frozenset(
    {
        "users",
        "sign_in_links",
        "sessions",
        "devices",
        "tokens",
        "identities",
        "oidc_attempts",
        "second_factors",
        "recovery_codes",
        "guesses",
        "teams",
        "team_members",
        "list_views",
        "incident_versions",
        "table_mappings",
        "redaction_profiles",
        "webhooks",
        "workers",
    }
)
"""Tables without content of an incident: routes alone decide who reads and changes them."""


def secure(table: str) -> list[str]:
    """Return the statements that protect a table with a column ``incident_id``."""
    seen = f"exists (select from incidents i where i.id = {table}.incident_id)"
    return [
        *_enable(table),
        _policy(table, "read", "select", seen),
        *_writes(table, "pileup_may_write(incident_id)"),
    ]


def secure_part(table: str, column: str, owner: str) -> list[str]:
    """Return the statements for a table whose ``column`` names a row of ``owner``.

    owner: a table with a column ``incident_id``.
    """
    its_owner = f"from {owner} o where o.id = {table}.{column}"
    return [
        *_enable(table),
        _policy(table, "read", "select", f"exists (select {its_owner})"),
        *_writes(table, f"pileup_may_write((select o.incident_id {its_owner}))"),
    ]


def _enable(table: str) -> list[str]:
    return [
        f"grant select, insert, update, delete on {table} to {PEOPLE}",
        f"alter table {table} enable row level security",
    ]


def _writes(table: str, check: str) -> list[str]:
    return [
        f"create policy {table}_insert on {table} for insert to {PEOPLE} with check ({check})",
        f"create policy {table}_update on {table} for update to {PEOPLE} using ({check})",
        _policy(table, "delete", "delete", check),
    ]


def _policy(table: str, name: str, verb: str, using: str) -> str:
    return f"create policy {table}_{name} on {table} for {verb} to {PEOPLE} using ({using})"
