"""A replica of an embedded PostgreSQL, by streaming replication, and its promotion."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import psycopg

from pileup.runtime.postgres import EmbeddedPostgres, client_binary

_LIMIT_S = 60.0


def make_replica(primary: EmbeddedPostgres, folder: Path) -> EmbeddedPostgres:
    """Start a replica in a new folder; return it when each commit of the primary waits for it."""
    replica = EmbeddedPostgres(folder / "postgres", folder / "run", folder / "postgres.log")
    replica.folder.mkdir(parents=True)
    command: list[str | Path] = [
        *(client_binary("pg_basebackup"), "-D", replica.data, "-R", "-X", "stream", "-c", "fast"),
        *("-h", primary.sockets, "-U", "pileup", "--no-password"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    replica.data.chmod(0o700)
    replica.prepare()
    replica.launch()
    replica.wait_ready()
    with connect(primary) as connection:
        connection.execute("alter system set synchronous_standby_names = '*'")
        connection.execute("select pg_reload_conf()")
        _wait(connection, "select 1 from pg_stat_replication where sync_state = 'sync'")
    return replica


def promote(replica: EmbeddedPostgres) -> None:
    """Make the replica a primary that waits for nobody."""
    with connect(replica) as connection:
        connection.execute("select pg_promote(true, 30)")
        _wait(connection, "select 1 where not pg_is_in_recovery()")
        connection.execute("alter system reset synchronous_standby_names")
        connection.execute("select pg_reload_conf()")


def remove(server: EmbeddedPostgres) -> None:
    """Delete the folder of a server that does not run."""
    shutil.rmtree(server.folder, ignore_errors=True)


def connect(server: EmbeddedPostgres) -> psycopg.Connection[tuple[object, ...]]:
    """Connect as the owner."""
    return psycopg.connect(
        host=str(server.sockets), user="pileup", dbname="postgres", autocommit=True
    )


def _wait(connection: psycopg.Connection[tuple[object, ...]], query: str) -> None:
    until = time.monotonic() + _LIMIT_S
    while connection.execute(query.encode()).fetchone() is None:
        if time.monotonic() > until:
            raise TimeoutError(f"after {_LIMIT_S:.0f} s: {query}")
        time.sleep(0.05)
