"""The job table: one runs at a time, results of lost attempts count for nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import text

from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.audit import MACHINE
from pileup.storage.database import Database
from pileup.storage.files.blobs import Blob
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.lifecycle.bin import Bin
from pileup.storage.queue.jobs import MAX_ATTEMPTS, MAX_LOSSES, Job, Jobs
from pileup.storage.queue.places import places
from pileup.storage.queue.turns import Quota
from pileup.storage.queue.workers import Workers

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


def take(database: Database, owner: str = "a", quota: Quota = Quota()) -> Job | None:  # noqa: B008
    with database.unit() as unit:
        return Jobs(unit).take(owner, LEASE, quota)


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
    """Then the sweeper frees it, and the next worker takes it; nobody counts it as a crash."""
    job_id = queue(database, incident)
    claim(database, job_id)
    with database.unit() as unit:
        assert Jobs(unit).abandoned(lambda _: False) == []
        unit.session.execute(text("update jobs set lease_until = now() - interval '1 second'"))
    with database.unit() as unit:
        (freed,) = Jobs(unit).abandoned(lambda _: False)
        assert freed.state == "queued"
        assert freed.crashes == 0
        assert Jobs(unit).due(5) == 1
    again = take(database)
    assert again is not None
    assert (again.id, again.attempt) == (job_id, 2)
    assert take(database) is None


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


def test_a_job_that_takes_too_long_is_tried_as_often_as_one_that_dies(
    database: Database, incident: str
) -> None:
    job_id = queue(database, incident)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        claimed = claim(database, job_id)
        assert claimed is not None
        with database.unit() as unit:
            assert Jobs(unit).retry(claimed) == (attempt < MAX_ATTEMPTS)
            assert not Jobs(unit).retry(claimed)  # it is no longer ours, or was given up


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


def test_who_adds_files_keeps_nobody_who_ends_one_waiting(
    database: Database, incident: str
) -> None:
    """While an archive is expanded, files of the same incident are parsed to their end."""
    with database.unit() as adding:
        Artifacts(adding).add(incident, "a.txt", Blob("a" * 64, 1), MACHINE)
        with database.unit() as ending:
            ending.session.execute(text("set local lock_timeout = '2s'"))
            assert Jobs(ending).request_analysis(incident, 0)


def test_a_process_knows_who_is_gone() -> None:
    """Our own child: alive, then gone; somebody of another machine: nobody can tell."""
    from pileup.worker.identity import crashed, gone, owner

    code = "from pileup.worker.identity import owner; print(owner(), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        name = child.stdout.readline().strip()
        assert gone(name) is False
        child.communicate("\n")
    assert gone(name) is True
    assert crashed(name) is True  # we, its parent, live
    place, pid, started, _, _ = name.split("|")
    assert crashed(f"{place}|{pid}|{started}|{pid}|{started}") is False  # its parent went with it
    assert gone(owner()) is False
    assert gone(f"elsewhere|{os.getpid()}|0.0") is False


def incidents(database: Database, count: int) -> list[str]:
    with database.unit() as unit:
        return [Incidents(unit).create(MACHINE, f"stall {number}").id for number in range(count)]


def fill(database: Database, incident: str, count: int, requester: str = "", kb: int = 1) -> None:
    """Queue files of one incident in one statement."""
    with database.unit() as unit:
        unit.session.execute(
            text("""
                insert into jobs (id, kind, target, incident_id, state, attempt, requester, turn_at)
                select :incident || :requester || n, 'artifact', :incident || :requester || n,
                :incident, 'queued', 0, :requester, now() + n * :kb * interval '1 ms'
                from generate_series(1, :count) n
            """),
            {"incident": incident, "requester": requester, "count": count, "kb": kb},
        )


def run_one(database: Database, quota: Quota = Quota()) -> Job | None:  # noqa: B008
    job = take(database, quota=quota)
    if job is not None:
        with database.unit() as unit:
            Jobs(unit).finish(job)
    return job


@pytest.mark.seeds(6, 60)
def test_everybody_gets_a_turn(database: Database, seed: int) -> None:
    """A new person waits for one turn of each line at most, however long the lines are.

    A new incident of somebody who has lines waits for as many turns of everybody.
    """
    dice = Random(seed)
    lines = [(incident, f"u{number % 3}") for number, incident in enumerate(incidents(database, 5))]
    for incident, requester in lines:
        fill(database, incident, dice.randint(1, 12), requester)
    for _ in range(dice.randint(0, 10)):
        run_one(database)
    incident, requester = dice.choice(lines)
    new_incident, new_requester = [(False, True), (True, False), (True, True)][seed % 3]
    if new_incident:
        (incident,) = incidents(database, 1)
    if new_requester:
        requester = "newcomer"
    fill(database, incident, 1, requester)
    waited = 0
    newcomer = (incident, requester)
    while (job := run_one(database)) is not None and (
        job.incident_id,
        job.requester,
    ) != newcomer:
        waited += 1
    assert job is not None
    theirs = 1 + sum(who == requester for _, who in lines)
    assert waited <= (len(lines) if new_requester else 3 * theirs - 1)


@pytest.mark.seeds(4, 40)
def test_teams_take_turns(database: Database, seed: int) -> None:
    """A team with many incidents and people gets no more turns than one with a single file line."""
    dice = Random(seed)
    large, small = team(database, "large"), team(database, "small")
    for number, each in enumerate(incidents(database, dice.randint(3, 8))):
        join(database, each, large)
        fill(database, each, 12, f"u{number}")
    for _ in range(dice.randint(1, 5)):
        run_one(database)
    (other,) = incidents(database, 1)
    join(database, other, small)
    fill(database, other, 6, "x")
    turns = [job.incident_id == other for job in (run_one(database) for _ in range(12)) if job]
    assert turns[0]
    assert sum(turns) == 6


def test_within_a_team_incidents_and_people_take_turns(database: Database) -> None:
    """A new incident of a busy team is the team's next, and people of no team get theirs."""
    busy = team(database, "busy")
    old, new, alone = incidents(database, 3)
    for each in (old, new):
        join(database, each, busy)
    fill(database, old, 9, "a")
    fill(database, alone, 9, "c")
    for _ in range(4):
        run_one(database)
    fill(database, new, 1, "b")
    following = [job.incident_id for job in (run_one(database), run_one(database)) if job]
    assert sorted(following) == sorted([new, alone])


def team(database: Database, name: str) -> str:
    with database.unit() as unit:
        unit.session.execute(text("insert into teams (id, name) values (:id, :id)"), {"id": name})
    return name


def join(database: Database, incident: str, team_id: str) -> None:
    with database.unit() as unit:
        unit.session.execute(
            text("""
                insert into incident_members (id, incident_id, team_id, role)
                values (:incident || :team, :incident, :team, 'viewer')
            """),
            {"incident": incident, "team": team_id},
        )


def test_a_long_job_delays_its_line_by_seconds_only(database: Database) -> None:
    """Its incident gets the next turn after a pause, not when the others have none left."""
    busy, other = incidents(database, 2)
    fill(database, busy, 3, "a")
    assert take(database) is not None
    fill(database, other, 9, "b")
    for _ in range(3):
        job = run_one(database)
        assert job is not None
        assert job.incident_id == other
    with database.unit() as unit:
        unit.session.execute(
            text("update jobs set started_at = started_at - interval '6 s' where state = 'running'")
        )
    job = run_one(database)
    assert job is not None
    assert job.incident_id == busy


def test_a_long_line_keeps_nobody_waiting(database: Database) -> None:
    """With 20,000 waiting files of one incident, a file of another is next, and soon found."""
    many, few = incidents(database, 2)
    fill(database, many, 20_000, "a")
    started = take(database)
    fill(database, few, 1, "a")
    assert started is not None
    begun = time.monotonic()
    job = take(database)
    assert time.monotonic() - begun < 1
    assert job is not None
    assert job.incident_id == few


def test_the_analysis_goes_first_then_small_files(database: Database, incident: str) -> None:
    fill(database, incident, 3, kb=50)
    queue(database, incident)
    kinds = [job.kind for job in iter(lambda: run_one(database), None) if job]
    assert kinds == ["analyse", "artifact", "artifact", "artifact"]


def test_analyses_leave_a_process_to_files(database: Database) -> None:
    """Three processes, four analyses: a file that comes later never waits for one of them."""
    with database.unit() as unit:
        Workers(unit).beat("worker", "1", 3)
    for each in (analyses := incidents(database, 4)):
        queue(database, each)
    with ThreadPoolExecutor(3) as pool:  # at the same moment
        kinds = [job and job.kind for job in pool.map(lambda _: take(database), range(3))]
    assert sorted(kinds, key=str) == [None, "analyse", "analyse"]
    fill(database, analyses[3], 1)
    assert [job and job.kind for job in (take(database), take(database))] == ["artifact", None]


def test_a_quota_holds(database: Database) -> None:
    """Of one incident, and of one person over all incidents."""
    first, two = incidents(database, 2)
    fill(database, first, 4, "a")
    fill(database, two, 4, "a")
    quota = Quota(incident=2, requester=3)
    taken = [take(database, quota=quota) for _ in range(5)]
    assert [job is not None for job in taken] == [True, True, True, False, False]
    assert {job.incident_id for job in taken if job} == {first, two}


def test_a_machine_that_dies_is_no_crash(database: Database, incident: str) -> None:
    """Ten machines die under a job: it is still tried; in the end it is given up all the same."""
    job_id = queue(database, incident)
    for attempt in range(1, MAX_LOSSES + 1):
        assert claim(database, job_id) is not None
        with database.unit() as unit:
            (freed,) = Jobs(unit).abandoned(lambda _: True, lambda _: False)
        assert (freed.attempt, freed.crashes) == (attempt, 0)
        assert freed.state == ("failed" if attempt == MAX_LOSSES else "queued")
    assert "disappeared 20 times" in (freed.error or "")


def test_the_place_in_the_queue(database: Database) -> None:
    """Its own work, the turns before its next one, and the time at the rate of the last minute."""
    many, few, none = incidents(database, 3)
    with database.unit() as unit:
        assert places(unit) == {}
    fill(database, many, 10)
    for _ in range(4):
        run_one(database)
    fill(database, few, 2)
    with database.unit() as unit:
        known = places(unit)
    assert (known[few].waiting, known[few].ahead, known[few].total) == (2, 0, 8)
    assert (known[many].waiting, known[many].ahead) == (6, 1)
    assert none not in known
    assert 0 < (known[few].estimate_s or 0) < (known[many].estimate_s or 0)


def test_deleting_an_incident_cancels_its_jobs(database: Database, incident: str) -> None:
    """A running one loses its result; restored, the incident is analysed again."""
    fill(database, incident, 3)
    running = take(database)
    queue(database, incident)
    with database.unit() as unit:
        Incidents(unit).delete(MACHINE, incident)
    assert take(database) is None
    assert running is not None
    with database.unit() as unit:
        assert Jobs(unit).finish(running) is False
        assert Jobs(unit).length().queued == 0
        Bin(unit).restore_incident(incident, by=MACHINE)
        assert Jobs(unit).analysis_state(incident).state == "queued"


def test_what_was_read_so_far_is_analysed_early(database: Database, incident: str) -> None:
    """After a while, with a pause in between, and the state is not done before the last file."""
    fill(database, incident, 3)

    def read_one() -> None:
        job = take(database)
        assert job is not None
        assert job.kind == "artifact"
        with database.unit() as unit:
            Jobs(unit).finish(job)
            Jobs(unit).request_analysis(incident, 0)

    read_one()
    with database.unit() as unit:
        unit.session.execute(text("update jobs set not_before = now() where kind = 'analyse'"))
    early = take(database)
    assert early is not None
    assert early.kind == "analyse"
    with database.unit() as unit:
        Jobs(unit).finish(early)
        assert Jobs(unit).analysis_state(incident).state == "queued"
    read_one()
    read_one()
    with database.unit() as unit:
        assert Jobs(unit).due(5) == 1  # the last file moved the waiting one to now


def test_a_job_that_another_sweeper_frees_is_left_to_it(database: Database, incident: str) -> None:
    """Two sweepers at once do not wait for each other."""
    job_id = queue(database, incident)
    claim(database, job_id)
    with database.unit() as first, database.unit() as second:
        (freed,) = Jobs(first).abandoned(lambda _: True)
        second.session.execute(text("set local lock_timeout = '5s'"))
        assert Jobs(second).abandoned(lambda _: True) == []
    assert freed.id == job_id
