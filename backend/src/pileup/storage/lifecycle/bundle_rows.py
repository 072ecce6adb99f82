"""Rows of one incident: read from the database and written under new ids.

Foreign keys decide which tables belong to an incident, so that a new table is exported without a
change here; the tables left out are in ``STAYS`` with the reason.
"""

from __future__ import annotations

import base64
import re
import secrets
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any

from sqlalchemy import Column, Select, Table, insert, or_, select
from sqlalchemy import types as sql

from pileup.numerals import grouped
from pileup.storage import models
from pileup.storage.artifacts.artifacts import OF_RUN, folder_of
from pileup.storage.audit import IMPORTED_BY
from pileup.storage.database import Unit, clean, clean_json
from pileup.storage.errors import Refused
from pileup.storage.ids import new_id
from pileup.storage.lifecycle.bundle_checks import place
from pileup.storage.numbering import NUMBERED
from pileup.storage.texts import crdt

STAYS: dict[str, str] = {
    "analyses": "made again from the artifacts",
    "run_analyses": "made again from the artifacts",
    "snapshots": "made again from the artifacts",
    "series": "made again from the artifacts",
    "problems": "made again from the artifacts",
    "search_entries": "made again from the artifacts",
    "guest_links": "lets people into one installation",
    "sessions": "lets people into one installation",
    "tokens": "lets programs into one installation",
    "jobs": "work of one installation",
    "uploads": "unfinished, of one installation",
    "incident_members": "people and teams of one installation",
    "incident_features": "made again from the artifacts",
    "incident_versions": "counts the changes in one installation",
    "live_text_updates": "the text itself travels",
    "webhook_deliveries": "what one installation sent to its receivers",
}
"""Tables of an incident that a bundle leaves out, and why."""

UNREPORTED = frozenset(
    {
        "audit",
        "comments",
        "live_text_versions",
        "mentions",
        "release_approvals",
        "releases",
        "view_links",
    }
)
"""Exported tables that no report shows."""

_CARRIED: dict[str, tuple[str, ...]] = {
    "artifacts": (
        "id",
        "incident_id",
        "parent_id",
        "depth",
        "path",
        "folder",
        "also_at",
        "sha256",
        "bytes",
        "excluded",
        "format_given",
        "zone",
        "offset_s",
        "given_at",
        "given_within_s",
        "given_host",
        "uploaded_by_id",
        "uploaded_at",
    )
}
"""Settings of people for an artifact; everything else about it is read from its bytes again."""

_LEFT: dict[str, tuple[str, ...]] = {
    "incidents": ("digest", "sample_id", "held_at", "held_for", "archived_at"),
    "live_texts": ("state", "base_seq"),
    "report_choices": ("redaction_key",),
}
"""Columns that are derived again at the import, or that are local to an installation: an import
sets no legal hold, and with the key of redaction everybody could test what a token replaced."""

_CLAIMED = {"release_approvals": "by_name", "audit": "user_name"}
"""Tables of acts that nobody here has witnessed, and their column with the actor's name."""

VERBATIM = {"releases.document"}
"""Text under a hash: unchanged, or it would not be the approved text."""

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_SHORT = re.compile(r'(\[\^pin-|::pin\{id=\\?"(?:pin-)?)([0-9a-f-]{8,36})')
"""Ids of pins as texts name them (see source_notes and live_blocks in report/text): the beginning
suffices."""
_MOST_ROWS = 500_000

Row = dict[str, Any]


def tables() -> list[Table]:
    """List the exported tables, referenced ones before those that refer to them."""
    everything = models.Base.metadata.sorted_tables
    belonging = {"incidents"}
    while True:
        more = {
            table.name
            for table in everything
            if table.name not in belonging
            and ("incident_id" in table.c or _owners(table, belonging))
        }
        if not more:
            break
        belonging |= more
    return [table for table in everything if table.name in belonging and table.name not in STAYS]


def export_rows(unit: Unit, incident_id: str) -> Iterator[tuple[str, list[Row]]]:
    """Yield each table's rows as JSON values, by primary key, without deleted ones.

    A reference to a deleted row becomes null, or drops its row where it may not be null.
    """
    exported: dict[str, set[Any]] = {}
    names = {table.name for table in tables()}
    for table in tables():
        columns = exported_columns(table)
        result = unit.session.execute(
            _of_incident(table, incident_id, names).order_by(*table.primary_key.columns)
        )
        rows: list[Row] = []
        for values in result.mappings():
            row = {column.name: values[column] for column in columns}
            if all(_resolved(row, column, exported) for column in columns):
                rows.append(row)
        if "id" in table.c:
            exported[table.name] = {row["id"] for row in rows}
        yield table.name, [{name: _plain(value) for name, value in row.items()} for row in rows]


def named_people(unit: Unit, everything: Iterable[tuple[str, list[Row]]]) -> list[Row]:
    """Return name and address of everybody whom these rows name."""
    by_name = {table.name: table for table in tables()}
    ids: set[str] = set()
    for name, rows in everything:
        columns = [c.name for c in exported_columns(by_name[name]) if _refers_to(c) == "users"]
        columns += [n for n in ("user_id", "by_id") if n in by_name[name].c and n not in columns]
        ids |= {row[column] for row in rows for column in columns if row.get(column)}
    users = unit.session.execute(
        select(models.User.id, models.User.name, models.User.email)
        .where(models.User.id.in_(ids))
        .order_by(models.User.id)
    )
    return [{"id": row.id, "name": row.name, "email": row.email} for row in users]


class Arrival:
    """Rows of a bundle during import: every id becomes a new one, wherever it occurs."""

    def __init__(self, unit: Unit, people: dict[str, str | None], importer: str) -> None:
        """Set the mapping of people: id in the bundle -> id here, or None when unknown.

        importer: name of whoever imports, which the approvals and audit rows of the bundle show.
        """
        self._unit = unit
        self._importer = importer
        self._ids: dict[str, str] = {}
        self._people = people
        self._artifacts: list[str] = []
        self._pins: list[tuple[str, str]] = []

    def assign_ids(self, table: str, rows: list[Row]) -> None:
        """Give each row of a table its new id. Call for all tables before the first ``insert``."""
        if len(rows) > _MOST_ROWS:
            raise Refused(f"The bundle has more than {grouped(_MOST_ROWS)} rows of {table}.")
        if "id" in _table(table).c:
            # Ids sort by age, and lists are read in their order: the new ids keep it.
            fresh = sorted(new_id() for _ in rows)
            for number, (row, new) in enumerate(zip(rows, fresh, strict=True), start=1):
                self._ids[_text(row.get("id"), table, "id")] = new
                if table == "pins":
                    self._pins.append((_bare(row["id"]), new))
                if table in NUMBERED:
                    row.setdefault("number", number)  # before 0016 numbers were counted, by age

        self._pins.sort()

    def insert(self, name: str, rows: list[Row]) -> None:
        """Write the rows of one table; tables come in the order of ``tables()``.

        Raises:
            Refused: a row has an impossible column, value or reference.
        """
        table = _table(name)
        columns = {column.name: column for column in exported_columns(table)}
        values = [self._placed(table, columns, row, at) for at, row in enumerate(rows, start=1)]
        if name == "artifacts":
            _set_archives_around(values)
        if values:
            self._unit.session.execute(insert(table), values)
        if name == "artifacts":
            self._artifacts = [value["id"] for value in values]

    @property
    def artifacts(self) -> list[str]:
        """Return the ids of the new artifacts, which wait to be read."""
        return self._artifacts

    def new_id_for(self, old: str) -> str:
        """Return the new id of a row of the bundle."""
        return self._ids[old]

    def _placed(self, table: Table, columns: dict[str, Column[Any]], row: Row, number: int) -> Row:
        try:
            return self._row(table, columns, row)
        except Refused as error:
            raise Refused(f"{place(table.name, number)}: {error}") from error

    def _row(self, table: Table, columns: dict[str, Column[Any]], row: Row) -> Row:
        row = {k: v for k, v in row.items() if k not in _LEFT.get(table.name, ())}
        unknown = row.keys() - columns.keys()
        if unknown:
            raise Refused(
                f"The bundle has {table.name}.{min(unknown)}, which this version of Pileup does "
                "not know: it was made by a newer one. Update, and import it again."
            )
        new: Row = {}
        for name, value in row.items():
            column = columns[name]
            refers = _refers_to(column)
            if refers == "users" or (refers is None and name in ("user_id", "by_id")):
                new[name] = self._person(column, value) if value else None
            elif name == "id" or (refers is not None and name != "key"):
                new[name] = self._known(value, table.name, name) if value is not None else None
            else:
                new[name] = self._value(column, value)
        if table.name in _CLAIMED:
            self._mark_claim(new, _CLAIMED[table.name])
        if table.name == "artifacts":
            new["state"] = "queued"
            new["folder"] = self._folder(new)
        if table.name == "report_choices":
            new["redaction_key"] = secrets.token_hex(32)
        if table.name == "live_texts":
            new["state"] = crdt.seeded(new["text"])
            new["base_seq"] = new["seq"]
        return new

    def _mark_claim(self, new: Row, name: str) -> None:
        """Mark a row that says what somebody did elsewhere: only the bundle claims it."""
        new[name] = f"{new.get(name) or 'somebody'} (imported by {self._importer})"
        if "detail" in new:
            new["detail"] = {**(new["detail"] or {}), IMPORTED_BY: self._importer}

    def _person(self, column: Column[Any], value: Any) -> str | None:
        """Return the id here of a person; of one whom the bundle does not list, an id of nobody.

        Never the id of the bundle: it could be that of somebody here, who did nothing of this.
        """
        old = _text(value, column.table.name, column.name)
        if old not in self._people and not column.nullable:
            self._people[old] = new_id()
        return self._people.get(old)

    def _folder(self, new: Row) -> str:
        """Return the folder of a new artifact; a run's copy has it of its run."""
        _, separator, run = (new.get("folder") or "").partition(OF_RUN)
        return folder_of(new["path"]) + separator + self._ids.get(run, run)

    def _known(self, value: Any, table: str, column: str) -> str:
        text = self._ids.get(_text(value, table, column))
        if text is None:
            raise Refused(
                f"{table}.{column} of the bundle names {value!r}, which it does not have."
            )
        return text

    def _value(self, column: Column[Any], value: Any) -> Any:
        if value is None:
            return None
        where = f"{column.table.name}.{column.name}"
        try:
            match column.type:
                case sql.DateTime():
                    return datetime.fromisoformat(_checked(value, str, where))
                case sql.Date():
                    return date.fromisoformat(_checked(value, str, where))
                case sql.LargeBinary():
                    return base64.b64decode(_checked(value, str, where), validate=True)
                case sql.JSON():
                    return self._renamed(clean_json(value))
                case sql.Boolean():
                    return _checked(value, bool, where)
                case sql.Integer():
                    return _checked(value, int, where)
                case sql.Float():
                    return float(_checked(value, int | float, where))
                case _:
                    text = clean(_checked(value, str, where))
                    return text if where in VERBATIM else self._renamed(text)
        except ValueError as error:
            raise Refused(
                f"{where} of the bundle cannot be {str(value)[:80]!r}: {error}."
            ) from None

    def _pin(self, match: re.Match[str]) -> str:
        """Return the new id of the first pin whose id begins so; the same text without one."""
        wanted = _bare(match[2])
        at = bisect_left(self._pins, (wanted,))
        if at < len(self._pins) and self._pins[at][0].startswith(wanted):
            return match[1] + _bare(self._pins[at][1])
        return match[0]

    def _renamed(self, value: Any) -> Any:
        """Replace the ids of the bundle in a value, in addresses and locators too."""
        if isinstance(value, str):
            text = _SHORT.sub(self._pin, value)
            return _UUID.sub(lambda match: self._ids.get(match[0], match[0]), text)
        if isinstance(value, list):
            return [self._renamed(item) for item in value]
        if isinstance(value, dict):
            return {self._renamed(key): self._renamed(item) for key, item in value.items()}
        return value


def _set_archives_around(artifacts: list[Row]) -> None:
    """Set ``within`` of each artifact: the archives around it, the outermost first."""
    parents = {row["id"]: row.get("parent_id") for row in artifacts}
    for row in artifacts:
        around: list[str] = []
        above = parents[row["id"]]
        while above is not None and above not in around:
            around.insert(0, above)
            above = parents.get(above)
        row["within"] = around


def _bare(identifier: str) -> str:
    return identifier.replace("-", "")


def exported_columns(table: Table) -> list[Column[Any]]:
    """List the exported columns."""
    only = _CARRIED.get(table.name)
    left = _LEFT.get(table.name, ())
    return [
        column
        for column in table.columns
        if column.name != "deleted_at"
        and column.name not in left
        and (only is None or column.name in only)
    ]


def _of_incident(table: Table, incident_id: str, names: set[str]) -> Select[Any]:
    """Select the table's rows of this incident that nobody deleted."""
    chosen = select(*table.columns)
    if table.name == "incidents":
        return chosen.where(table.c.id == incident_id)
    if "incident_id" in table.c:
        chosen = chosen.where(table.c.incident_id == incident_id)
    else:
        through = [
            column.in_(select(_of_incident(owner, incident_id, names).subquery().c.id))
            for column, owner in _owners(table, names)
        ]
        chosen = chosen.where(or_(*through))
    return chosen.where(table.c.deleted_at.is_(None)) if "deleted_at" in table.c else chosen


def _owners(table: Table, names: set[str]) -> list[tuple[Column[Any], Table]]:
    """List the columns that name a row of one of these tables by its id, where it owns this row."""
    keys = sorted(table.foreign_keys, key=lambda key: key.parent.name)  # a set, in any order
    return [
        (key.parent, key.column.table)
        for key in keys
        if key.column.table.name in names - {"users", table.name} and key.column.name == "id"
    ]


def _refers_to(column: Column[Any]) -> str | None:
    for key in column.foreign_keys:
        return key.column.table.name
    return "incidents" if column.name == "incident_id" else None


def _resolved(row: Row, column: Column[Any], exported: dict[str, set[Any]]) -> bool:
    """Return whether the reference leads to an exported row; set it to null where it may be."""
    refers = _refers_to(column)
    value = row[column.name]
    if refers is None or refers not in exported or value is None or column.name == "key":
        return True
    if value in exported[refers]:
        return True
    row[column.name] = None
    return bool(column.nullable)


def _plain(value: Any) -> Any:
    if isinstance(value, date):  # a datetime is a date too
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


def _table(name: str) -> Table:
    return models.Base.metadata.tables[name]


def _text(value: Any, table: str, column: str) -> str:
    if not isinstance(value, str) or not value:
        raise Refused(f"{table}.{column} of the bundle is {value!r}, and not an id.")
    return value


def _checked(value: Any, kind: Any, where: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise Refused(f"{where} of the bundle cannot be {str(value)[:80]!r}.")
    return value
