"""Work that a full disk or a lost database interrupts is done later, and does not fail."""

from __future__ import annotations

import errno
import time
from typing import Any
from unittest import mock

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from pileup.storage.errors import Contended, NoSpace, StoreUnreachable, disk_is_full
from pileup.storage.files.blobs import BlobStore
from pileup.storage.queue.broker import CeleryBell, make_celery
from pileup.worker import work
from tests.worker.conftest import Bench


def _states(bench: Bench, incident: str) -> list[str]:
    items = bench.site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    return [item["state"] for item in items]


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("select 1", {}, Exception("the connection was lost")),
        Contended("others change the same"),
        NoSpace("the disk is full"),
        RuntimeError("parquet: No space left on device (os error 28)"),
    ],
)
def test_it_is_tried_again(bench: Bench, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    incident = bench.site.incident()
    bench.site.upload(incident, "a.txt", b"something")
    reads = work.read_artifact
    fails = [error]

    def read(*arguments: Any) -> None:
        if fails:
            time.sleep(0.01)  # so that the slice ends with this try
            raise fails.pop()
        reads(*arguments)

    monkeypatch.setattr(work, "read_artifact", read)
    assert work.run_due(bench.runtime, 0.01)
    assert _states(bench, incident) == ["queued"]
    bench.work()
    assert _states(bench, incident) == ["unknown_format"]


def test_a_disk_that_stays_full_fails_no_file(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pauses grow between the tries, so that quick ones do not use them up."""
    incident = bench.site.incident()
    bench.site.upload(incident, "a.txt", b"something")
    pauses = []
    with monkeypatch.context() as patch:

        def full(*_: Any) -> None:
            raise RuntimeError("parquet: No space left on device (os error 28)")

        patch.setattr(work, "read_artifact", full)
        for _ in range(8):
            bench.work_once()
            assert _states(bench, incident) == ["queued"]
            with bench.site.database.unit() as unit:
                pauses.append(unit.session.scalar(text("select not_before - now() from jobs")))
    seconds = [pause.total_seconds() for pause in pauses if pause is not None]
    assert seconds == pytest.approx([2, 4, 8, 16, 30, 30, 30, 30], abs=1)
    bench.work()
    assert _states(bench, incident) == ["unknown_format"]


def test_workers_wait_for_space(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    incident = bench.site.incident()
    bench.site.upload(incident, "a.txt", b"something")

    def full(self: BlobStore, wanted: int = 0) -> None:
        raise NoSpace("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(BlobStore, "check_space", full)
        assert not work.run_due(bench.runtime, 5)
        assert _states(bench, incident) == ["queued"]
    assert not work.run_due(bench.runtime, 5)
    assert _states(bench, incident) == ["unknown_format"]


def test_a_full_disk_is_seen_behind_other_errors() -> None:
    behind = RuntimeError("could not write")
    behind.__cause__ = OSError(errno.ENOSPC, "no space")
    assert disk_is_full(behind)
    assert not disk_is_full(RuntimeError("another"))


def test_a_bell_that_failed_takes_a_new_connection() -> None:
    bell = CeleryBell(make_celery("memory://"))
    bell.ring(2)
    broken = bell._connection

    def fail(_: Any) -> None:
        raise ConnectionError("reset")

    assert bell._try(fail) is None
    assert bell.waiting() == 2
    assert bell._connection is not broken


@pytest.mark.parametrize(("attempt", "pause"), [(1, 2.0), (4, 16.0), (5, 30.0), (9, 30.0)])
def test_a_job_waits_longer_for_an_unreachable_store_each_time_up_to_half_a_minute(
    attempt: int, pause: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back: list[float] = []
    monkeypatch.setattr(work, "LeaseKeeper", mock.MagicMock())
    monkeypatch.setattr(work, "bound_process", lambda *_: None)
    monkeypatch.setattr(work, "read_artifact", mock.Mock(side_effect=StoreUnreachable("away")))
    monkeypatch.setattr(work, "_give_back", lambda _, __, seconds: given_back.append(seconds))
    runtime = mock.MagicMock()
    runtime.settings.job_lease_s = 60
    monkeypatch.setattr(work, "memory_bound", lambda _: None)
    work._do(runtime, mock.Mock(kind="artifact", attempt=attempt))
    assert given_back == [pause]
