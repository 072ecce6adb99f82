"""The embedded PostgreSQL on a throw-away folder."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest

from pileup.runtime import postgres
from pileup.runtime.errors import StartError, disk_full
from pileup.runtime.identity import Identity
from pileup.runtime.postgres import EmbeddedPostgres
from tests.support.postgres import PostgresForTests


def _dsn(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://")


def _server(folder: Path) -> EmbeddedPostgres:
    folder.chmod(0o711)
    return EmbeddedPostgres(folder / "postgres", folder / "run", folder / "log")


def test_a_database_speaks_utf8_whatever_the_locale(
    postgres_server: PostgresForTests, empty_postgres_url: str
) -> None:
    with psycopg.connect(_dsn(empty_postgres_url)) as connection:
        row = connection.execute("SELECT 'Łódź', current_setting('server_encoding')").fetchone()
    assert row == ("Łódź", "UTF8")


def test_databases_of_two_tests_are_apart(postgres_server: PostgresForTests) -> None:
    first, two = postgres_server.empty_database(), postgres_server.empty_database()
    with psycopg.connect(_dsn(postgres_server.url(first))) as connection:
        connection.execute("CREATE TABLE t (x int)")
    with psycopg.connect(_dsn(postgres_server.url(two))) as connection:
        row = connection.execute("SELECT to_regclass('t')").fetchone()
    assert row == (None,)
    postgres_server.drop(first)
    postgres_server.drop(two)


def test_rows_survive_a_kill_of_the_postmaster(tmp_path: Path) -> None:
    server = _server(tmp_path)
    server.start()
    try:
        with psycopg.connect(_dsn(server.url()), autocommit=True) as connection:
            connection.execute("CREATE TABLE t (x int)")
            connection.execute("INSERT INTO t SELECT generate_series(1, 1000)")
        assert server.child is not None
        os.kill(server.child.pid, signal.SIGKILL)
        server.start()
        with psycopg.connect(_dsn(server.url())) as connection:
            row = connection.execute("SELECT count(*) FROM t").fetchone()
        assert row == (1000,)
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("major", "said"),
    [("99", "of a newer Pileup"), ("12", "PILEUP_OLD_POSTGRES"), ("x", "damaged")],
)
def test_a_folder_of_another_major_version_is_refused(
    tmp_path: Path, major: str, said: str
) -> None:
    server = _server(tmp_path)
    server.data.mkdir(parents=True)
    (server.data / "PG_VERSION").write_text(major)
    with pytest.raises(StartError, match=said):
        server.start()
    assert [path.name for path in server.data.iterdir()] == ["PG_VERSION"]


def test_a_failed_initdb_leaves_no_half_made_folder(tmp_path: Path) -> None:
    server = _server(tmp_path)
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "making").write_text("a file where the draft folder goes")
    with pytest.raises(OSError, match="making"):
        server.start()
    assert not server.data.exists()


@pytest.mark.parametrize(("free", "full"), [(16 * 2**20 - 1, True), (16 * 2**20, False)])
def test_a_disk_is_full_without_room_for_a_wal_segment(
    free: int, full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = SimpleNamespace(free=free)
    monkeypatch.setattr(postgres.shutil, "disk_usage", lambda _: usage)
    assert postgres._is_full(tmp_path) is full


@pytest.mark.parametrize(
    ("text", "is_full", "sentence"),
    [
        ("FATAL:  b\nc\n", False, "PostgreSQL does not start: FATAL:  b (the whole log: {log})"),
        ("", False, "PostgreSQL does not start: of the client (the whole log: {log})"),
        ("", True, "{full}"),
        (f"No space left on device{'x' * 2977}", False, "{full}"),
        (f"No space left on device{'x' * 2978}", False, None),
    ],
)
def test_why_a_database_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, is_full: bool, sentence: str | None
) -> None:
    monkeypatch.setattr(postgres, "_is_full", lambda _: is_full)
    server = _server(tmp_path)
    server.log.write_text(text)
    found = str(server._why("of the client"))
    full = str(disk_full(server.folder))
    if sentence is None:
        assert found != full
    else:
        assert found == sentence.format(log=server.log, full=full)


@pytest.mark.parametrize(
    ("printed", "is_full", "is_said"),
    [
        ("echo 'No space left on device' >&2", False, True),
        ("echo 'No space left on device'", False, True),
        ("echo 'PANIC: something else' >&2", True, True),
        ("echo 'PANIC: something else' >&2", False, False),
    ],
)
def test_a_disk_that_fills_up_while_the_data_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, is_full: bool, is_said: bool
) -> None:
    """Whatever PostgreSQL prints last: it may be a later failure."""
    monkeypatch.setattr(postgres, "_is_full", lambda _: is_full)
    server = _server(tmp_path)
    server.folder.mkdir()
    server._binaries = tmp_path / "bin"
    server._binaries.mkdir()
    initdb = server._binaries / "initdb"
    initdb.write_text(f"#!/bin/sh\n{printed}\nexit 1\n")
    initdb.chmod(0o755)
    server._identity = Identity("self")
    with pytest.raises(StartError) as caught:
        server._initialise()
    assert (str(caught.value) == str(disk_full(server.folder))) is is_said
    assert list(server.folder.iterdir()) == []
