"""What `pileup run` and the commands of an admin refuse, and the sentence that says what to do."""

from __future__ import annotations

import io
import json
import os
import re
import socket
import tarfile
from pathlib import Path
from typing import Any

import pytest
from alembic.util import CommandError
from click.testing import CliRunner
from sqlalchemy.exc import OperationalError

from pileup.cli import import_
from pileup.cli import worker as cli_worker
from pileup.runtime import backup, home, identity, postgres, schema, valkey
from pileup.runtime.errors import StartError
from pileup.runtime.instance import need_database
from pileup.runtime.postgres import EmbeddedPostgres
from pileup.runtime.supervisor import Supervisor
from pileup.settings import Settings
from pileup.storage.errors import StorageError, WrongSchema
from pileup.worker import webhooks
from pileup.worker.runtime import make_runtime
from tests.support.site import settings_for

NOBODY = "postgresql://x@127.0.0.1:1/x"


def refused(words: str) -> Any:
    return pytest.raises(StartError, match=re.escape(words))


class Child:
    """A process that ended."""

    log = Path("api.log")

    def poll(self) -> int:
        return 1

    def log_tail(self) -> str:
        return "first\nit broke\n"


# ---- the data folder -------------------------------------------------------------------------


def test_a_data_folder(tmp_path: Path) -> None:
    with refused("MiB free and Pileup wants 1099511627776 MiB to start"):
        home.prepare(tmp_path, min_free_bytes=1 << 60)
    (tmp_path / "file").write_text("")
    with refused(f"the data folder {tmp_path}/file/home cannot be used (Not a directory)"):
        home.prepare(tmp_path / "file" / "home", min_free_bytes=0)
    home.prepare(tmp_path / "home", min_free_bytes=0)
    with home.lock(tmp_path / "home"):
        with refused("already"), home.lock(tmp_path / "home"):
            pass
    with home.lock(tmp_path / "home"):  # free again
        pass
    (tmp_path / "home" / "run").symlink_to(tmp_path)
    with refused(f"the socket folder {tmp_path}/home/run belongs to somebody else"):
        home.socket_folder(tmp_path / "home")
    with refused(f"no database is configured for the data folder {tmp_path}"):
        need_database(Settings(home=tmp_path, database_url=None))
    with pytest.raises(StorageError, match="no database is configured: set PILEUP_DATABASE_URL"):
        make_runtime(Settings(home=tmp_path, database_url=None))


# ---- services --------------------------------------------------------------------------------


def test_a_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        supervisor = Supervisor(settings_for(tmp_path, NOBODY, port=port), str)
        with refused(f"port {port} on 127.0.0.1 is taken by another program"):
            supervisor._take_port()
    supervisor = Supervisor(settings_for(tmp_path, NOBODY, host="192.0.2.1"), str)
    with refused("cannot listen on 192.0.2.1 port"):
        supervisor._take_port()


def test_services_that_do_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child: Any = Child()
    supervisor = Supervisor(settings_for(tmp_path, NOBODY), str)
    monkeypatch.setattr(supervisor, "_api_answers", lambda: False)
    with refused("the API does not start: it broke (the whole log: api.log)"):
        supervisor._await_api(child)
    log = tmp_path / "postgres.log"
    log.write_text("LOG:  starting\nFATAL:  no memory\n")
    server = EmbeddedPostgres(tmp_path / "postgres", tmp_path / "run", log)
    server.folder.mkdir()
    server.child = child
    with refused("PostgreSQL does not start: "):
        server.wait_ready()
    server._binaries = tmp_path / "bin"
    server._binaries.mkdir()
    _program(server._binaries / "initdb", "echo 'initdb: no locale' >&2; exit 1")
    server.folder = tmp_path / "data"
    server.folder.mkdir()
    server.data = server.folder / "data"
    server._identity = identity.Identity("self")
    with refused(f"PostgreSQL could not make its data folder {server.data}: initdb: no locale"):
        server._initialise()
    assert not server.data.exists()


def test_binaries_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres.importlib.util, "find_spec", lambda _: None)
    with refused("the PostgreSQL binaries are not installed here"):
        postgres._binaries()
    with refused("the Valkey binary is not installed here"):
        valkey._binary()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(identity, "_works", lambda *_: False)
    with refused("PostgreSQL does not run as root and no unprivileged way was found here"):
        identity.choose_identity(tmp_path, tmp_path / "postgres")


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


# ---- the database ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (WrongSchema("it is newer"), "it is newer."),
        (CommandError("two heads"), "the database schema could not be brought up to date: two"),
        (
            OperationalError("", None, Exception("refused\nmore")),
            "the database cannot be reached or brought up to date (refused): see that it runs",
        ),
        (
            OperationalError("", None, Exception("No space left on device")),
            "full",
        ),
    ],
)
def test_a_schema(monkeypatch: pytest.MonkeyPatch, error: Exception, words: str) -> None:
    def upgrade(_: str) -> None:
        raise error

    monkeypatch.setattr(schema, "upgrade", upgrade)
    with refused(words):
        schema.migrate(NOBODY)


def test_a_database_that_does_not_answer() -> None:
    with refused("the database cannot be reached ("):
        schema.need_schema(NOBODY.replace("://", "+psycopg://"))
    with refused("the database cannot be reached ("):
        backup._connect(NOBODY)
    with refused("pg_dump failed: "):
        backup._run("pg_dump", "--schema-only", url=NOBODY)


def _backup(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for info, content in members:
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def test_a_backup(tmp_path: Path, empty_postgres_url: str) -> None:
    settings = settings_for(tmp_path / "home", empty_postgres_url)
    facts = tarfile.TarInfo("backup.json")
    future = json.dumps({"form": 99, "version": "9.9"}).encode()
    with refused("was written by another version (9.9): restore it with that one"):
        backup.restore(settings, _backup(tmp_path / "a.tar", (facts, future)))
    folder = tarfile.TarInfo("backup.json")
    folder.type = tarfile.DIRTYPE
    with refused("the backup is damaged: backup.json is no file"):
        backup.restore(settings, _backup(tmp_path / "b.tar", (folder, b"")))
    now = json.dumps({"form": backup._FORM}).encode()
    blob = tarfile.TarInfo(f"blobs/{'ab' * 32}")
    with refused(f"c.tar is damaged: blobs/{'ab' * 32} has other bytes"):
        backup.restore(settings, _backup(tmp_path / "c.tar", (facts, now), (blob, b"rotten")))


# ---- commands --------------------------------------------------------------------------------


def _says(command: Any, *arguments: str) -> str:
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 1, done.output
    return done.output


def test_commands(tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PILEUP_HOME", str(tmp_path))
    monkeypatch.setenv("PILEUP_DATABASE_URL", postgres_url)
    monkeypatch.delenv("PILEUP_BROKER_URL", raising=False)
    assert "no broker is configured: start `pileup run`" in _says(cli_worker.command)
    (tmp_path / "no.zip").write_bytes(b"no bundle")
    said = _says(import_.command, str(tmp_path / "no.zip"))
    assert "This is no bundle, or a damaged one" in said


@pytest.mark.parametrize("host", ["x" * 64 + ".example", "\udcff.example"])
def test_a_webhook_without_an_address(host: str) -> None:
    """Names that no resolver is asked for."""
    with pytest.raises(webhooks.Unreachable, match="has no address"):
        webhooks.public_address(host, 443, private=False)
