"""After a failover the next unit of work reaches the promoted replica; nothing is lost."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from faults.replica import make_replica, promote
from sqlalchemy import text

from pileup.runtime.postgres import EmbeddedPostgres
from pileup.storage.database import Database, Unreachable, listen_address

_LIMIT_S = 30.0


def test_a_promoted_replica_is_found() -> None:
    with TemporaryDirectory(prefix="pileup-") as name:
        base = Path(name)
        base.chmod(0o711)
        primary = EmbeddedPostgres(base / "a/postgres", base / "a/run", base / "a.log")
        servers = [primary]
        try:
            primary.start()
            replica = make_replica(primary, base / "b")
            servers.append(replica)
            hosts = ",".join(str(server.sockets) for server in servers)
            database = Database(
                f"postgresql://pileup@/pileup?host={hosts}&port=5432,5432"
                "&target_session_attrs=read-write"
            )
            assert "target_session_attrs=read-write" in listen_address(database.url)
            with database.unit() as unit:
                unit.session.execute(text("create table kept as select 7 as number"))
            assert primary.child is not None
            primary.child.kill_group()
            promote(replica)
            assert _number(database) == 7
            database.close()
        finally:
            for server in servers:
                server.stop()


def _number(database: Database) -> object:
    until = time.monotonic() + _LIMIT_S
    while True:
        try:
            with database.unit() as unit:
                number = unit.session.scalar(text("select number from kept"))
                unit.session.execute(text("update kept set number = 7"))
                return number
        except Unreachable:
            assert time.monotonic() < until
            time.sleep(0.1)
