"""Health checks of an installation, one per part, each with its remedy.

Each check tests the part itself (queries the database, pings the broker, writes to the blob
store) and never the result of another check, so that one fault does not hide another.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import psycopg
from kombu.connection import Connection
from kombu.exceptions import OperationalError

from pileup.runtime.instance import need_database
from pileup.settings import Settings
from pileup.storage.database import Database
from pileup.storage.errors import StoreUnreachable, WrongSchema
from pileup.storage.migrate import check as check_schema

if TYPE_CHECKING:
    from pileup.storage.lifecycle.garbage import Orphan
    from pileup.views.stores import Stores

_QUIET_BEATS = 4  # a worker that missed this many heartbeats is not well


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check: the part, whether it is healthy, the observation, and the remedy."""

    name: str
    ok: bool
    seen: str
    remedy: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the check as plain values, for JSON."""
        return asdict(self)


def examine(settings: Settings, names: Sequence[str]) -> Iterator[Check]:
    """Check these parts (of NAMES) in turn."""
    for name in names:
        yield _CHECKS[name](name, settings)


def _database(name: str, settings: Settings) -> Check:
    if settings.database_url is None:
        return Check(name, False, "no database is configured", _START)
    try:
        with psycopg.connect(_plain(settings.database_url), connect_timeout=5) as connection:
            version = connection.info.parameter_status("server_version")
            connection.execute("SELECT 1")
    except psycopg.Error as error:
        remedy = _START if _embedded() else "start it, or correct PILEUP_DATABASE_URL"
        return Check(name, False, _first_line(error), remedy)
    return Check(name, True, f"PostgreSQL {version} answers")


def _schema(name: str, settings: Settings) -> Check:
    if settings.database_url is None:
        return Check(name, False, "no database is configured", _START)
    try:
        check_schema(settings.database_url)
    except WrongSchema as error:
        return Check(name, False, str(error), "run `pileup migrate`, or the newer Pileup")
    except Exception as error:  # noqa: BLE001 - the edge: any error means that it is not healthy
        return Check(name, False, _first_line(error), "repair the database first")
    return Check(name, True, "up to date")


def _broker(name: str, settings: Settings) -> Check:
    if settings.broker_url is None:
        return Check(name, False, "no broker is configured", _START)
    try:
        with Connection(  # type: ignore[no-untyped-call]  # kombu has no types here
            settings.broker_url, connect_timeout=5
        ) as connection:
            connection.ensure_connection(max_retries=1, timeout=5)
    except (OperationalError, OSError) as error:
        remedy = _START if _embedded() else "start it, or correct PILEUP_BROKER_URL"
        return Check(name, False, _first_line(error), remedy)
    return Check(name, True, "accepts connections")


def _worker(name: str, settings: Settings) -> Check:
    remedy = "start `pileup run` or `pileup worker`; its log is logs/worker.log in the data folder"
    if settings.database_url is None:
        return Check(name, False, "no database is configured", _START)
    try:
        with psycopg.connect(_plain(settings.database_url), connect_timeout=5) as connection:
            rows = connection.execute(
                "SELECT name, extract(epoch FROM now() - last_seen)::float8 FROM workers"
                " ORDER BY last_seen DESC"
            ).fetchall()
    except psycopg.Error as error:
        return Check(name, False, _first_line(error), "repair the database first")
    if not rows:
        return Check(name, False, "no worker has ever reported", remedy)
    limit_s = _QUIET_BEATS * settings.worker_heartbeat_s
    fresh = [worker for worker, age_s in rows if age_s <= limit_s]
    if not fresh:
        worker, age_s = rows[0]
        return Check(name, False, f"{worker} last reported {age_s:.0f} s ago", remedy)
    return Check(name, True, f"{', '.join(fresh)} reported within {limit_s} s")


def _blob_store(name: str, settings: Settings) -> Check:
    if settings.s3_bucket is not None:
        return _bucket(name, settings)
    probe = settings.blobs_dir / f".doctor-{os.getpid()}"
    if not settings.blobs_dir.is_dir():
        return Check(name, False, f"{settings.blobs_dir} is not there", _START)
    try:
        with probe.open("wb") as out:
            out.write(b"well")
            out.flush()
            os.fsync(out.fileno())
        read_back = probe.read_bytes()
        probe.unlink()
    except OSError as error:
        return Check(
            name,
            False,
            f"{settings.blobs_dir}: {error.strerror}",
            "correct the permissions of the folder, free some space, or set PILEUP_HOME",
        )
    ok = read_back == b"well"
    return Check(name, ok, f"{settings.blobs_dir} can be written and read")


def _bucket(name: str, settings: Settings) -> Check:
    blobs = _stores(settings.model_copy(update={"s3_retry_s": 2.0, "s3_timeout_s": 5.0})).blobs
    probe = f"doctor-{os.getpid()}"
    try:
        blobs.objects.write(probe, b"well")
        read_back = blobs.objects.read(probe)
        blobs.objects.remove([probe])
    except StoreUnreachable as error:
        return Check(
            name, False, str(error), "start the server, or correct PILEUP_S3_* (see settings.md)"
        )
    return Check(name, read_back == b"well", f"{blobs.place} can be written and read")


def find_orphans(settings: Settings) -> list[Orphan]:
    """List the stored files that no row names and that did not change for an hour."""
    from pileup.storage.lifecycle.garbage import Garbage

    stores = _stores(settings)
    database = Database(need_database(settings), pool_size=1)
    try:
        garbage = Garbage(database, stores.blobs, stores.frames, stores.placed, stores.uploads)
        return list(garbage.find())
    finally:
        database.close()


def _stores(settings: Settings) -> Stores:
    """Open the stores; they need the analysis, which the usual checks and `pileup run` do not."""
    from pileup.views.stores import open_stores

    return open_stores(settings)


def _disk(name: str, settings: Settings) -> Check:
    place = settings.home
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    seen = f"{free / 1024**3:.1f} GiB free for {settings.home}"
    if free < settings.min_free_bytes:
        wanted = settings.min_free_bytes // 1024**2
        return Check(name, False, seen, f"free some space: {wanted} MiB are wanted at least")
    return Check(name, True, seen)


_START = "start it with `make run` (or `pileup run`), or name a served one in the environment"

_CHECKS: dict[str, Callable[[str, Settings], Check]] = {
    "database": _database,
    "schema": _schema,
    "broker": _broker,
    "worker": _worker,
    "blob store": _blob_store,
    "disk": _disk,
}

NAMES = tuple(_CHECKS)


def _plain(database_url: str) -> str:
    """Return the address without SQLAlchemy's driver name, as libpq expects it."""
    scheme, _, rest = database_url.partition("://")
    return f"{scheme.partition('+')[0]}://{rest}"


def _embedded() -> bool:
    return "PILEUP_DATABASE_URL" not in os.environ


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def examined_at() -> str:
    """Return the current time for the JSON of `pileup doctor`."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
