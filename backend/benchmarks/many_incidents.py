"""Copy every incident of a running `pileup run` until there are a thousand, for the search.

Copies have what the search reads: the analysis, its entries and words, files, hypotheses, pins and
notes. Written by SQL: to load a thousand captures would take hours. Only for a throw-away folder.
Usage: python -m benchmarks.many_incidents --home FOLDER [--incidents 1000]
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.orm import Session

from pileup.runtime.instance import need_database, resolve
from pileup.settings import Settings
from pileup.storage.database import Database

_TABLES = {
    "incidents": "id",
    "analyses": "incident_id",
    "search_entries": "incident_id",
    "artifacts": "incident_id",
    "hypotheses": "incident_id",
    "pins": "incident_id",
    "annotations": "incident_id",
}
"""What a search reads, and the column with the id of the incident."""


def main() -> None:
    """Make the copies and print what there is to be searched."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", required=True)
    parser.add_argument("--incidents", type=int, default=1000)
    given = parser.parse_args()
    settings = resolve(Settings(home=Path(given.home)))
    started = time.monotonic()
    database = Database(need_database(settings))
    with database.unit() as unit:
        there = list(unit.session.execute(text("select id from incidents")).scalars())
        statements = [_copy(unit.session, table, incident) for table, incident in _TABLES.items()]
    for number in range(1, math.ceil(given.incidents / len(there))):
        with database.unit() as unit:
            # No trigger and no check of a foreign key: the copies are whole.
            unit.session.execute(text("set local session_replication_role = replica"))
            for statement in statements:
                unit.session.execute(text(statement), {"number": number, "there": there})
    with database.unit() as unit:
        for table in _TABLES:
            unit.session.execute(text(f"analyze {table}"))
        counts = {table: _count(unit.session, table) for table in _TABLES}
    counted = ", ".join(f"{count:,} {table}" for table, count in counts.items())
    print(f"{counted}, {time.monotonic() - started:.0f} s")


def _count(session: Session, table: str) -> int:
    return int(session.execute(text(f"select count(*) from {table}")).scalar_one())


def _copy(session: Session, table: str, incident: str) -> str:
    """Write the statement that copies the rows of the first incidents, with ids of their own."""
    of_table = text(
        "select column_name, data_type from information_schema.columns"
        " where table_schema = 'public' and table_name = :table and is_generated = 'NEVER'"
        " order by ordinal_position"
    )
    number = "cast(:number as int)"
    copied_id = f"cast(cast(md5({{0}} || {number}) as uuid) as text)"
    names, values = [], []
    for name, kind in session.execute(of_table, {"table": table}):
        names.append(f'"{name}"')
        if name == incident or (name == "id" and kind == "text"):
            values.append(copied_id.format(name))
        elif name == "id":
            values.append(f"id + {number} * 1000000")
        elif name == "title" and table == "incidents":
            values.append(f"title || ' ' || {number}")
        elif name == "document":
            values.append(f"cast('{{}}' as {kind})")  # the search does not read it
        elif name == "sample_id":
            values.append("null")
        else:
            values.append(f'"{name}"')
    return (
        f"insert into {table} ({', '.join(names)}) select {', '.join(values)} from {table} "
        f"where {incident} = any(:there)"
    )


if __name__ == "__main__":
    main()
