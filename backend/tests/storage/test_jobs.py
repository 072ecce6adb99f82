"""The job table: one runs at a time, results of lost attempts count for nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import text

from pileup.storage.audit import MACHINE
from pileup.storage.database import Database
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.queue.jobs import MAX_ATTEMPTS, Job, Jobs

LEASE = timedelta(seconds=60)


@pytest.fixture
def database(postgres_url: str) -> Iterator[Database]:
    opened = Database(postgres_url)
    yield opened
    opened.close()


@pytest.fixture
def incident(database: Database) -> str:
    with database.unit() as unit:
        return Incidents(unit).create(MACHINE, "stall").id


def queue(database: Database, incident: str, kind: str = "analyse") -> str:
    with database.unit() as unit:
        return Jobs(unit).enqueue(kind, incident, incident)  # type: ignore[arg-type]


def claim(database: Database, job_id: str, owner: str = "a", dead: str = "") -> Job | None:
    with database.unit() as unit:
        return Jobs(unit).claim(job_id, owner, LEASE, lambda name: name == dead)


def test_one_of_many_gets_it(database: Database, incident: str) -> None:
    """Eight deliveries of one message: one claim."""
    job_id = queue(database, incident)
    with ThreadPoolExecutor(8) as pool:
        won = [job for job in pool.map(lambda n: claim(database, job_id, str(n)), range(8)) if job]
    assert [job.attempt for job in won] == [1]


def test_a_dead_owner_loses_it_at_once(database: Database, incident: str) -> None:
    """And whatever the dead one would still store is refused."""
    job_id = queue(database, incident)
    first = claim(database, job_id, "first")
    assert claim(database, job_id, "second") is None
    second = claim(database, job_id, "second", dead="first")
    assert first is not None
    assert second is not None
    assert second.attempt == 2
    with database.unit() as unit:
        assert Jobs(unit).finish(first) is False
        assert Jobs(unit).renew(first, LEASE) is False
        assert Jobs(unit).finish(second) is True


def test_a_lease_runs_out(database: Database, incident: str) -> None:
    """Then the sweeper frees it, and its message is sent again."""
    job_id = queue(database, incident)
    claim(database, job_id)
    with database.unit() as unit:
        assert Jobs(unit).abandoned(lambda _: False) == []
        unit.session.execute(text("update jobs set lease_until = now() - interval '1 second'"))
    with database.unit() as unit:
        (freed,) = Jobs(unit).abandoned(lambda _: False)
        assert freed.state == "queued"
        assert Jobs(unit).due() == [job_id]
        assert Jobs(unit).due() == []


def test_what_kills_workers_is_given_up(database: Database, incident: str) -> None:
    """After a few deaths the job fails with a sentence instead of going round for ever."""
    job_id = queue(database, incident)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        claimed = claim(database, job_id)
        assert claimed is not None
        assert claimed.attempt == attempt
        with database.unit() as unit:
            (freed,) = Jobs(unit).abandoned(lambda _: True)
    assert freed.state == "failed"
    assert "died 3 times" in (freed.error or "")


def test_requests_while_it_runs_wait_and_do_not_pile_up(database: Database, incident: str) -> None:
    """Any number of requests become one more run, after this one."""
    running = claim(database, queue(database, incident))
    assert running is not None
    again = {queue(database, incident) for _ in range(5)}
    assert len(again) == 1
    assert claim(database, *again) is None
    with database.unit() as unit:
        Jobs(unit).finish(running)
    assert claim(database, *again) is not None


def test_the_last_artifact_asks_for_the_analysis(database: Database, incident: str) -> None:
    """Artifacts that end at the same instant do not leave it to each other."""
    ids = []
    for number in range(6):
        with database.unit() as unit:
            ids.append(Jobs(unit).enqueue("artifact", str(number), incident))
    jobs = [claim(database, job_id) for job_id in ids]

    def finish(job: Job | None) -> bool:
        assert job is not None
        with database.unit() as unit:
            Jobs(unit).finish(job)
            return Jobs(unit).request_analysis(incident, 0)

    with ThreadPoolExecutor(6) as pool:
        asked = list(pool.map(finish, jobs))
    assert asked.count(True) == 1
    with database.unit() as unit:
        assert Jobs(unit).analysis_state(incident).state == "queued"


def test_a_process_knows_who_is_gone() -> None:
    """Our own child: alive, then gone; somebody of another machine: nobody can tell."""
    from pileup.worker.identity import gone, owner

    code = "from pileup.worker.identity import owner; print(owner(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        name = child.stdout.readline().strip()
        assert gone(name) is False
        child.communicate("\n")
    assert gone(name) is True
    assert gone(owner()) is False
    assert gone(f"elsewhere|{os.getpid()}|0.0") is False
