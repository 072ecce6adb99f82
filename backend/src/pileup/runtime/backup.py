"""Back up an installation into one file, and restore it into another: embedded or served.

The file is a tar: ``backup.json`` (what it is), ``database.dump`` (pg_dump's own format), then
``blobs/<sha256>``. The database is dumped first: a blob never changes, so those that its rows name
are there afterwards. Frames and placed evidence are left out, as workers make them again. The key
of the secrets is left out too, so that whoever finds a backup cannot use them: it is kept apart.
"""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from pileup import __version__
from pileup.runtime import home as home_folder
from pileup.runtime.errors import StartError
from pileup.runtime.instance import resolve
from pileup.runtime.postgres import EmbeddedPostgres, client_binary
from pileup.runtime.schema import migrate
from pileup.runtime.secret_keys import forget_secrets, protect_secrets
from pileup.settings import Settings
from pileup.storage.database import Database, listen_address
from pileup.storage.encryption import Keys, fits, read_check, read_keys
from pileup.storage.errors import NotFound, WrongKey
from pileup.storage.files.blobs import BlobStore
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.queue.jobs import Jobs
from pileup.storage.row_security import PEOPLE
from pileup.views.stores import open_stores

_FORM = 1
_MOST_BYTES = 1 << 50
_LINGER_S = 1.0


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup holds, or an installation that was checked."""

    blobs: int
    bytes: int
    missing: list[str]
    """SHA-256 of blobs that rows name and that are not there."""
    damaged: list[str]
    """SHA-256 of blobs whose bytes have another one."""


@contextmanager
def database_of(settings: Settings) -> Iterator[str]:
    """Yield the address of the installation's database; start an embedded one that is stopped."""
    known = resolve(settings).database_url
    if known is not None:
        yield known
        return
    home = settings.home
    with home_folder.lock(home):
        sockets = home_folder.socket_folder(home)
        postgres = EmbeddedPostgres(home / "postgres", sockets, home / "logs/postgres.log")
        postgres.start()
        try:
            yield postgres.url()
        finally:
            postgres.stop()


def back_up(settings: Settings, target: Path) -> Contents:
    """Write the backup; the installation may go on running."""
    draft = target.with_name(target.name + ".part")
    with ExitStack() as stack:
        url = stack.enter_context(database_of(settings))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pileup-backup-")))
        dump = folder / "database.dump"
        _run("pg_dump", "--format=custom", "--no-owner", f"--file={dump}", url=url)
        facts = {
            "form": _FORM,
            "version": __version__,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "key_check": _key_check(url),
        }
        about = folder / "backup.json"
        about.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        try:
            with tarfile.open(draft, "w") as tar:
                tar.add(about, about.name)
                tar.add(dump, dump.name)
                found = _check(url, open_stores(settings).blobs, lambda path: _add(tar, path))
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    return found


def restore(settings: Settings, source: Path, *, forget: bool = False) -> int:
    """Restore a backup into an empty installation; return the number of its incidents.

    forget: the key of its secrets is lost.

    Blobs come first, so that no row ever names one that is not there. Every incident is analysed
    again, by the workers, once they run.
    """
    home_folder.prepare(settings.home, min_free_bytes=settings.min_free_bytes)
    with ExitStack() as stack:
        try:
            tar = stack.enter_context(tarfile.open(source))
            facts = json.load(_member(tar, "backup.json"))
        except (tarfile.TarError, ValueError, KeyError, EOFError) as error:
            raise StartError(f"{source} is no backup of Pileup, or only its beginning.") from error
        if facts.get("form") != _FORM:
            raise StartError(
                f"{source} was written by another version ({facts.get('version')}): restore it "
                "with that one."
            )
        url = stack.enter_context(database_of(settings))
        _refuse_used(url)
        if not forget:
            _need_key(settings, facts.get("key_check"))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pileup-restore-")))
        blobs = open_stores(settings).blobs
        dump = folder / "database.dump"
        for member in tar:
            name = member.name
            if name == dump.name:
                dump.write_bytes(_member(tar, name).read())
            elif name.startswith("blobs/"):
                stored = blobs.store(_member(tar, name), _MOST_BYTES)
                if f"blobs/{stored.sha256}" != name:
                    raise StartError(f"{source} is damaged: {name} has other bytes")
        _empty(url)
        _run(
            *("pg_restore", "--no-owner", "--exit-on-error"),
            *("--single-transaction", str(dump)),
            url=url,
        )
        migrate(url)
        settings = settings.model_copy(update={"database_url": url})
        if forget:
            forget_secrets(settings)
        protect_secrets(settings)
        return _analyse_again(url)


def check_blobs(settings: Settings) -> Contents:
    """Read every blob that the installation names, and compare its SHA-256."""
    with database_of(settings) as url:
        return _check(url, open_stores(settings).blobs)


def _check(url: str, blobs: BlobStore, use: Callable[[Path], None] | None = None) -> Contents:
    count, size = 0, 0
    missing: list[str] = []
    damaged: list[str] = []
    for sha256 in _named(url):
        try:
            digest = blobs.digest(sha256)
        except NotFound:
            missing.append(sha256)
            continue
        if digest.sha256 != sha256:
            damaged.append(sha256)
            continue
        if use is not None:
            use(blobs.path(sha256))
        count, size = count + 1, size + digest.bytes
    return Contents(count, size, missing, damaged)


def _named(url: str) -> list[str]:
    with _connect(url) as connection:
        rows = connection.execute("select distinct sha256 from artifacts order by 1").fetchall()
    return [str(row[0]) for row in rows]


def _add(tar: tarfile.TarFile, path: Path) -> None:
    tar.add(path, f"blobs/{path.name}", recursive=False)


def _member(tar: tarfile.TarFile, name: str) -> Any:
    stream = tar.extractfile(name)
    if stream is None:
        raise StartError(f"the backup is damaged: {name} is no file")
    return stream


def _refuse_used(url: str) -> None:
    with _connect(url) as connection:
        connected = _connected(connection)
        if connected:
            raise StartError(
                f"{connected} connections of Pileup use this database: stop `pileup run`, `pileup "
                "serve` and `pileup worker` first."
            )
        there = connection.execute("select to_regclass('public.incidents')").fetchone()
        if there and there[0] is not None:
            used = connection.execute(
                "select exists (select from incidents) or exists (select from users)"
            ).fetchone()
            if used and used[0]:
                raise StartError(
                    "this installation has users or incidents, which a restore would delete: "
                    "restore into an empty one (another PILEUP_HOME or PILEUP_DATABASE_URL)."
                )


def _connected(connection: psycopg.Connection[tuple[Any, ...]]) -> int:
    """Count Pileup's connections; PostgreSQL has a second to notice those that just ended."""
    connection.autocommit = True  # a transaction sees the first answer again
    ends = time.monotonic() + _LINGER_S
    while True:
        row = connection.execute(
            "select count(*) from pg_stat_activity where datname = current_database() "
            "and pid <> pg_backend_pid() and application_name = 'pileup'"
        ).fetchone()
        count = int(row[0]) if row else 0
        if not count or time.monotonic() > ends:
            return count
        time.sleep(0.05)


def _empty(url: str) -> None:
    with _connect(url) as connection:
        schema = sql.Identifier("public")
        connection.execute(sql.SQL("drop schema if exists {} cascade").format(schema))
        connection.execute(sql.SQL("create schema {}").format(schema))
        # The role of requests belongs to the server, not to the database that was dumped.
        role = sql.Identifier(PEOPLE)
        there = connection.execute("select from pg_roles where rolname = %s", (PEOPLE,))
        if there.fetchone() is None:
            connection.execute(sql.SQL("create role {} nologin").format(role))
            connection.execute(sql.SQL("grant {} to current_user").format(role))


def _key_check(url: str) -> str | None:
    database = Database(url, pool_size=1)
    try:
        with database.unit() as unit:
            return read_check(unit.session)
    finally:
        database.close()


def _need_key(settings: Settings, check: str | None) -> None:
    """Raise a sentence, before anything is restored, unless the key of the backup is here."""
    if check is None:
        return  # it has no secret, or is from before they were encrypted
    keys = Keys.of(settings)
    try:
        fit = fits(read_keys(keys), check)
    except WrongKey as error:
        raise StartError(f"the backup has encrypted secrets: {error}.") from error
    if not fit:
        raise StartError(
            f"the secrets of the backup are encrypted with another key than that of {keys.place}: "
            "put the key of that installation there (another line of the file will do). If it is "
            "lost, `pileup restore --forget-secrets` switches off second factors and webhooks."
        )


def _analyse_again(url: str) -> int:
    database = Database(url)
    try:
        with database.unit() as unit:
            ids = Incidents(unit).ids()
            for incident_id in ids:
                Jobs(unit).enqueue("analyse", incident_id, incident_id)
        return len(ids)
    finally:
        database.close()


def _connect(url: str) -> psycopg.Connection[tuple[Any, ...]]:
    try:
        return psycopg.connect(listen_address(url), application_name="pileup backup")
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[0]
        raise StartError(f"the database cannot be reached ({reason})") from error


def _run(program: str, *arguments: str, url: str) -> None:
    address = make_url(listen_address(url))
    where = address._replace(password=None).render_as_string()  # other users see command lines
    environment = os.environ | ({"PGPASSWORD": str(address.password)} if address.password else {})
    command = [str(client_binary(program)), *arguments, f"--dbname={where}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise StartError(f"{program} failed: {lines[-1]}")
