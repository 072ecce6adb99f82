"""Checks of an installation: what each prints of a part that is well, and of one that is not."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from pileup.runtime import doctor
from pileup.runtime.doctor import Check
from pileup.settings import Settings
from pileup.storage.errors import StoreUnreachable, WrongSchema
from tests.support.site import settings_for

START = "start it with `make run` (or `pileup run`), or name a served one in the environment"
NOWHERE = "postgresql+psycopg://x@127.0.0.1:1/x"
WORKER = "start `pileup run` or `pileup worker`; its log is logs/worker.log in the data folder"


def check(name: str, settings: Settings) -> Check:
    (found,) = doctor.examine(settings, [name])
    return found


def test_parts_are_examined_as_asked(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, NOWHERE, broker_url=None)
    settings = settings.model_copy(update={"database_url": None})
    names = ("worker", "database", "schema", "broker")
    found = list(doctor.examine(settings, names))
    assert found == [
        Check("worker", False, "no database is configured", START),
        Check("database", False, "no database is configured", START),
        Check("schema", False, "no database is configured", START),
        Check("broker", False, "no broker is configured", START),
    ]
    assert found[3].as_dict() == {
        "name": "broker",
        "ok": False,
        "seen": "no broker is configured",
        "remedy": START,
    }
    assert list(doctor.examine(settings, [])) == []


def test_a_database_that_is_well(
    tmp_path: Path, postgres_url: str, empty_postgres_url: str
) -> None:
    settings = settings_for(tmp_path, postgres_url)
    database = check("database", settings)
    assert (database.ok, database.remedy) == (True, None)
    assert re.fullmatch(r"PostgreSQL \d+\.\d+\S* answers", database.seen)
    assert check("schema", settings) == Check("schema", True, "up to date")
    empty = check("schema", settings_for(tmp_path, empty_postgres_url))
    assert (empty.ok, empty.remedy) == (False, "run `pileup migrate`, or the newer Pileup")
    with pytest.raises(WrongSchema, match=re.escape(empty.seen)):
        doctor.check_schema(empty_postgres_url)


@pytest.mark.parametrize("own", [True, False])
def test_a_database_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    """One of ours is started; one that was named is corrected."""
    monkeypatch.delenv("PILEUP_DATABASE_URL", raising=False)
    if not own:
        monkeypatch.setenv("PILEUP_DATABASE_URL", NOWHERE)
    settings = settings_for(tmp_path, NOWHERE, broker_url="redis://127.0.0.1:1/0")
    database, broker, schema, worker = doctor.examine(
        settings, ("database", "broker", "schema", "worker")
    )
    for found, name in ((database, "DATABASE"), (broker, "BROKER")):
        assert found.ok is False
        assert found.remedy == (START if own else f"start it, or correct PILEUP_{name}_URL")
        assert "\n" not in found.seen
    assert "refused" in database.seen
    for found in (schema, worker):
        assert (found.ok, found.remedy) == (False, "repair the database first")
        assert "refused" in found.seen


def test_a_broker_that_is_well(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, NOWHERE)
    assert check("broker", settings) == Check("broker", True, "accepts connections")


def heard(url: str, **ages: float) -> None:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("DELETE FROM workers")
        for name, age in ages.items():
            connection.execute(
                "INSERT INTO workers (name, version, concurrency, started_at, last_seen)"
                " VALUES (%s, '1', 1, now(), now() - %s * interval '1 s')",
                (name, age),
            )


def test_workers_report_within_four_heartbeats(tmp_path: Path, postgres_url: str) -> None:
    settings = settings_for(tmp_path, postgres_url, worker_heartbeat_s=100)
    heard(postgres_url)
    assert check("worker", settings) == Check(
        "worker", False, "no worker has ever reported", WORKER
    )
    heard(postgres_url, old=500, newer=420, oldest=9000)
    assert check("worker", settings) == Check(
        "worker", False, "newer last reported 420 s ago", WORKER
    )
    heard(postgres_url, old=500, first=380, second=1, third=250)
    found = check("worker", settings)
    assert found == Check("worker", True, "second, third, first reported within 400 s")


def test_a_folder_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_for(tmp_path, NOWHERE)
    folder = settings.blobs_dir
    missing = Check("blob store", False, f"{folder} is not there", START)
    assert check("blob store", settings) == missing
    folder.mkdir()
    well = Check("blob store", True, f"{folder} can be written and read")
    assert check("blob store", settings) == well
    assert os.listdir(folder) == []
    synced: list[int] = []
    monkeypatch.setattr(doctor.os, "fsync", synced.append)
    real = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: real(path)[:-1])
    assert check("blob store", settings).ok is False  # other bytes
    assert len(synced) == 1
    monkeypatch.undo()
    (folder / f".doctor-{os.getpid()}").mkdir()
    assert check("blob store", settings) == Check(
        "blob store",
        False,
        f"{folder}: Is a directory",
        "correct the permissions of the folder, free some space, or set PILEUP_HOME",
    )


class Objects:
    """A bucket; it may give other bytes back, or be away."""

    def __init__(self, back: bytes | None) -> None:
        self.back = back
        self.calls: list[Any] = []

    def write(self, name: str, content: bytes) -> None:
        if self.back is None:
            raise StoreUnreachable("the bucket is away")
        self.calls.append(("write", name, content))

    def read(self, name: str) -> bytes | None:
        self.calls.append(("read", name))
        return self.back

    def remove(self, names: list[str]) -> None:
        self.calls.append(("remove", names))


def test_a_bucket_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_for(tmp_path, NOWHERE, s3_bucket="b")
    opened: list[Settings] = []
    objects = Objects(b"well")

    def stores(settings: Settings) -> Any:
        opened.append(settings)
        return SimpleNamespace(blobs=SimpleNamespace(objects=objects, place="bucket b"))

    monkeypatch.setattr(doctor, "_stores", stores)
    seen = "bucket b can be written and read"
    assert check("blob store", settings) == Check("blob store", True, seen)
    assert (opened[0].s3_retry_s, opened[0].s3_timeout_s) == (2.0, 5.0)
    probe = f"doctor-{os.getpid()}"
    assert objects.calls == [("write", probe, b"well"), ("read", probe), ("remove", [probe])]
    objects = Objects(b"wel")
    assert check("blob store", settings) == Check("blob store", False, seen)
    objects = Objects(None)
    remedy = "start the server, or correct PILEUP_S3_* (see settings.md)"
    away = Check("blob store", False, "the bucket is away", remedy)
    assert check("blob store", settings) == away


@pytest.mark.parametrize(("free", "ok"), [(3 * 1024**3, True), (3 * 1024**3 - 1, False)])
def test_a_disk_has_what_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, ok: bool
) -> None:
    """Of the nearest folder that exists, before the first start."""
    asked: list[Path] = []

    def usage(place: Path) -> Any:
        asked.append(place)
        return SimpleNamespace(free=free)

    monkeypatch.setattr(doctor.shutil, "disk_usage", usage)
    settings = settings_for(tmp_path, NOWHERE, min_free_bytes=3 * 1024**3)
    settings = settings.model_copy(update={"home": tmp_path / "not" / "yet"})
    seen = f"3.0 GiB free for {tmp_path}/not/yet"
    remedy = None if ok else "free some space: 3072 MiB are wanted at least"
    assert check("disk", settings) == Check("disk", ok, seen, remedy)
    assert asked == [tmp_path]


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("postgresql+psycopg://a@b/c", "postgresql://a@b/c"),
        ("postgresql://a+b@c/d", "postgresql://a+b@c/d"),
    ],
)
def test_an_address_for_libpq(url: str, plain: str) -> None:
    assert doctor._plain(url) == plain


def test_the_first_line_of_an_error() -> None:
    assert doctor._first_line(ValueError("\n one\ntwo")) == "one"
    assert doctor._first_line(ValueError()) == "ValueError"
    assert doctor._first_line(TimeoutError()) == "TimeoutError"


def test_the_time_of_an_examination() -> None:
    text = doctor.examined_at()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text)
    assert abs((datetime.now(UTC) - datetime.fromisoformat(text)).total_seconds()) < 60
