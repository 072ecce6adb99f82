"""A real worker on a real broker: it works, it is killed, nothing is lost or doubled."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import text

from pileup.runtime.valkey import EmbeddedValkey
from pileup.settings import Settings
from pileup.storage.queue.broker import CeleryBell, make_celery
from tests.support.site import Site, open_site, settings_for
from tests.support.worker import RealWorker, until, valkey
from tests.worker.test_intake import tar

END_STATES = {"done", "done_with_problems", "unknown_format", "failed", "expanded"}


class Floor:
    """An installation with a broker, and workers to start."""

    def __init__(self, site: Site, broker: EmbeddedValkey, folder: Path, stack: ExitStack) -> None:
        self.site = site
        self.broker = broker
        self._folder = folder
        self._stack = stack

    @property
    def settings(self) -> Settings:
        return self.site.settings

    def worker(self) -> RealWorker:
        worker = RealWorker(self.settings, self._folder / "worker.log")
        self._stack.callback(worker.kill)
        return worker

    def states(self, incident: str) -> list[str]:
        items = self.site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
        return [item["state"] for item in items]

    def alive(self) -> bool:
        return bool(self.site.admin.get("/api/v1/status").json()["worker"]["alive"])

    def idle(self) -> bool:
        queue = self.site.admin.get("/api/v1/status").json()["queue"]
        return bool(queue["queued"] == 0 and queue["running"] == 0)


@pytest.fixture
def floor(postgres_url: str, tmp_path: Path) -> Iterator[Floor]:
    with ExitStack() as stack:
        broker = stack.enter_context(valkey())
        settings = settings_for(
            tmp_path / "home",
            postgres_url,
            broker_url=broker.url,
            job_lease_s=30,
            analysis_debounce_s=0.2,
            worker_concurrency=2,
        )
        site = stack.enter_context(open_site(settings))
        yield Floor(site, broker, tmp_path, stack)


def bundle(members: int) -> bytes:
    return tar({f"pt-stalk/{n}.txt": b"file %d\n" % n + os.urandom(64) for n in range(members)})


def settled(floor: Floor, incident: str, count: int) -> Callable[[], bool]:
    def holds() -> bool:
        states = floor.states(incident)
        return len(states) == count and set(states) <= END_STATES and floor.idle()

    return holds


def test_a_worker_works_and_leaves(floor: Floor) -> None:
    """Files uploaded before it started are read; when it stops it is no longer there."""
    incident = floor.site.incident()
    floor.site.upload(incident, "x.tar.gz", bundle(10))
    assert not floor.alive()
    worker = floor.worker()
    until("everything is read", settled(floor, incident, 11))
    assert floor.alive()
    assert worker.stop() == 0, worker.log()
    assert not floor.alive()


@pytest.mark.on_turn(0, 3)
def test_a_backlog_keeps_nobody_waiting(floor: Floor) -> None:
    """Small file, long line of another incident: it is read first, and the broker stays quiet."""
    backlog, small = floor.site.incident("a big archive"), floor.site.incident("a small file")
    with floor.site.database.unit() as unit:
        unit.session.execute(
            text("""
                insert into jobs (id, kind, target, incident_id, state, attempt)
                select :incident || n, 'artifact', 'missing' || n, :incident, 'queued', 0
                from generate_series(1, 600) n
            """),
            {"incident": backlog},
        )
    floor.site.upload(small, "small.txt", b"x" * 160)
    bell = CeleryBell(make_celery(floor.settings.broker_url or ""))
    most = 0

    def small_is_read() -> bool:
        nonlocal most
        most = max(most, bell.waiting())
        return set(floor.states(small)) <= END_STATES

    worker = floor.worker()
    until("the small file is read", small_is_read)
    left = floor.site.admin.get("/api/v1/status").json()["queue"]["queued"]
    assert left > 0, worker.log()
    until("the backlog is over", floor.idle)
    assert most <= 2 * floor.settings.worker_concurrency


@pytest.mark.slow
@pytest.mark.on_turn(1, 3)
def test_kill_9_in_the_middle_of_an_archive(floor: Floor) -> None:
    """The next worker takes over at once, and every member is there exactly once."""
    incident = floor.site.incident()
    first = floor.worker()
    until("the worker is there", floor.alive)
    floor.site.upload(incident, "x.tar.gz", bundle(150))
    until("it is in the middle", lambda: len(floor.states(incident)) > 20)
    first.kill()
    assert not settled(floor, incident, 151)()
    second = floor.worker()
    until("everything is read", settled(floor, incident, 151), 100)
    states = floor.states(incident)
    assert states.count("expanded") == 1, second.log()[-3000:]
    assert states.count("unknown_format") == 150, {s: states.count(s) for s in set(states)}


@pytest.mark.slow
@pytest.mark.on_turn(2, 3)
def test_a_broker_that_forgets_everything(floor: Floor) -> None:
    """Messages that were lost are sent again from the job table."""
    incident = floor.site.incident()
    floor.broker.child.kill_group() if floor.broker.child else None
    floor.site.upload(incident, "a.txt", b"sent while the broker was away\n")
    for path in (floor.settings.home, floor.broker.folder):
        assert path.exists()
    broker = floor.broker.launch()
    try:
        floor.broker.wait_ready()
        floor.worker()
        until("it is read all the same", settled(floor, incident, 1))
    finally:
        broker.kill_group()
