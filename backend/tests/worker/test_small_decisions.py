"""What a worker decides without a database: leases, pauses, rounds of the sweeper, names of owners,
requests of webhooks, sentences. Times and services are made up, so that each number is known."""

from __future__ import annotations

import hashlib
import hmac
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import psutil
import psycopg
import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from sqlalchemy.exc import OperationalError

from pileup import __version__, process_limits
from pileup.storage.errors import Conflict, Damaged, NoSpace, NotFound
from pileup.worker import app as app_module
from pileup.worker import identity, lease, purge, sweeper, trial, webhooks, work
from pileup.worker.lease import LeaseKeeper
from pileup.worker.sweeper import Sweeper
from pileup.worker.trial import TrialRequest
from pileup.worker.webhooks import Unreachable
from tests.support.pauses import Clock


class Units:
    """A database whose units the fakes of repositories get."""

    def __init__(self) -> None:
        self.unit_number = 0
        self.notices: list[tuple[str, str]] = []

    @contextmanager
    def unit(self) -> Any:
        self.unit_number += 1
        yield self

    def notify(self, incident: str, what: str) -> None:
        self.notices.append((incident, what))

    def close(self) -> None:
        self.notices.append(("database", "closed"))


def job(**more: Any) -> Any:
    values = {
        "id": "j",
        "kind": "artifact",
        "target": "t",
        "incident_id": "i",
        "attempt": 1,
        "crashes": 0,
        "state": "queued",
        "error": None,
        "trace": None,
    }
    return SimpleNamespace(**(values | more))


# ---- leases ----------------------------------------------------------------------------------


class Ticks:
    """A stop that comes after so many ticks."""

    def __init__(self, count: int) -> None:
        self.left, self.waits = count, set[float]()

    def wait(self, seconds: float) -> bool:
        self.waits.add(seconds)
        self.left -= 1
        return self.left < 0

    def set(self) -> None:
        self.left = 0

    def is_set(self) -> bool:
        return self.left <= 0


@pytest.mark.parametrize(
    ("seconds", "ticks", "renewed"),
    [(60, 29, 0), (60, 30, 1), (60, 90, 3), (2, 3, 3), (0.1, 2, 2), (5, 4, 2), (7, 9, 2)],
)
def test_a_lease_is_renewed_four_times_while_it_lasts(
    monkeypatch: pytest.MonkeyPatch, seconds: float, ticks: int, renewed: int
) -> None:
    calls: list[Any] = []
    repository = SimpleNamespace(renew=lambda *call: calls.append(call))
    monkeypatch.setattr(lease, "Jobs", lambda _: repository)
    database: Any = Units()
    whole, given = timedelta(seconds=seconds), job(kind="analyse")
    keeper = LeaseKeeper(database, given, whole)
    stop: Any = Ticks(ticks)
    keeper._stop = stop
    keeper._run()
    assert stop.waits == {0.5}
    assert calls == [(given, whole)] * renewed


def test_a_lease_that_is_not_renewed_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def renew(*call: Any) -> None:
        calls.append(call)
        raise OperationalError("", None, Exception("away"))

    monkeypatch.setattr(lease, "Jobs", lambda _: SimpleNamespace(renew=renew))
    database: Any = Units()
    keeper = LeaseKeeper(database, job(kind="analyse"), timedelta(seconds=2))
    stop: Any = Ticks(3)
    keeper._stop = stop
    keeper._run()
    assert len(calls) == 3


def test_progress_is_published_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of files alone, while the lease is ours; a step below a hundredth is no news."""
    published: list[Any] = []
    is_ours = [True]
    jobs = SimpleNamespace(renew=lambda *_: is_ours[0])
    artifacts = SimpleNamespace(progress=lambda *call: published.append(call))
    monkeypatch.setattr(lease, "Jobs", lambda _: jobs)
    monkeypatch.setattr(lease, "Artifacts", lambda _: artifacts)
    database: Any = Units()
    other = LeaseKeeper(database, job(kind="webhook"), timedelta(1))
    other.follow(lambda: 0.5)
    other._publish()
    assert (published, database.unit_number) == ([], 0)
    keeper = LeaseKeeper(database, job(), timedelta(1))
    keeper._publish()
    keeper._publish()
    assert published == [("t", "identifying", None)]
    for share in (0.0, 0.005, 0.0099, 0.01, 0.015, 0.25, 1.5, 2.0):
        keeper.follow(lambda share=share: share)
        keeper._publish()
    expected = [0.0, 0.01, 0.25, 1.0]
    assert published[1:] == [("t", "parsing", share) for share in expected]
    is_ours[0] = False
    keeper.follow(lambda: None)
    keeper._publish()
    assert len(published) == 5


def test_a_keeper_ends_with_its_block() -> None:
    database: Any = Units()
    with LeaseKeeper(database, job(kind="run"), timedelta(60)) as keeper:
        assert keeper._thread.is_alive()
        assert (keeper._thread.name, keeper._thread.daemon) == ("lease", True)
    assert not keeper._thread.is_alive()


# ---- jobs ------------------------------------------------------------------------------------


def runtime(**settings: Any) -> Any:
    values = {
        "incident_jobs": 3,
        "user_jobs": 5,
        "job_lease_s": 30,
        "task_time_limit_s": 600,
        "analysis_debounce_s": 1.5,
    }
    return SimpleNamespace(
        settings=SimpleNamespace(**(values | settings)),
        database=Units(),
        blobs=SimpleNamespace(check_space=lambda: None),
    )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(work, "time", clock)
    return clock


def test_jobs_run_for_a_slice(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """True when another may wait; an analysis is announced as it starts."""
    given = [job(id="a"), job(id="b", kind="analyse"), job(id="c", kind="run"), job(id="d")]
    taken: list[Any] = []
    done: list[str] = []

    def take(*call: Any) -> Any:
        taken.append(call)
        return given.pop(0) if given else None

    def execute(_: Any, each: Any) -> None:
        done.append(each.id)
        clock.now += 1.0

    monkeypatch.setattr(work, "Jobs", lambda _: SimpleNamespace(take=take))
    monkeypatch.setattr(work, "owner", lambda: "me")
    monkeypatch.setattr(work, "_execute", execute)
    services = runtime()
    assert work.run_due(services, 3.0) is True
    assert done == ["a", "b", "c"]
    assert services.database.notices == [("i", "analysis")]
    assert set(taken) == {("me", timedelta(seconds=30), work.Quota(3, 5))}
    assert work.run_due(services, 3.0) is False
    assert done == ["a", "b", "c", "d"]
    assert work.run_due(services, 0.0) is True  # its time is over before it begins


@pytest.mark.parametrize("error", [NoSpace("full"), OSError("no"), None])
def test_without_space_no_job_is_taken(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, error: Exception | None
) -> None:
    services = runtime()
    taken: list[None] = []
    monkeypatch.setattr(work, "Jobs", lambda _: SimpleNamespace(take=lambda *_: taken.append(None)))

    def check() -> None:
        if error is not None:
            raise error

    services.blobs.check_space = check
    assert work.run_due(services, 1.0) is False
    assert len(taken) == (0 if error else 1)


def test_a_job_that_is_not_free_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[Any] = []
    claimed = [None, job(kind="analyse")]
    calls: list[Any] = []

    def claim(*call: Any) -> Any:
        calls.append(call)
        return claimed.pop(0)

    monkeypatch.setattr(work, "Jobs", lambda _: SimpleNamespace(claim=claim))
    monkeypatch.setattr(work, "owner", lambda: "me")
    monkeypatch.setattr(work, "_execute", lambda _, each: done.append(each.kind))
    services = runtime()
    work.run(services, "j")
    assert done == []
    work.run(services, "j")
    assert done == ["analyse"]
    assert calls == [("j", "me", timedelta(seconds=30), identity.gone)] * 2


def test_a_job_is_given_back_as_soon_as_the_database_answers(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    results: list[Any] = [OperationalError("", None, Exception()), Conflict("x"), None]
    calls: list[Any] = []

    def postpone(*call: Any) -> None:
        calls.append(call)
        if (error := results.pop(0)) is not None:
            raise error

    monkeypatch.setattr(work, "Jobs", lambda _: SimpleNamespace(postpone=postpone))
    given = job()
    work._give_back(runtime(), given, 4.0)
    assert calls == [(given, 4.0)] * 3
    assert clock.pauses == [0.5, 0.5]
    results += [Conflict("x")] * 9
    began = clock.now
    work._give_back(runtime(job_lease_s=2), given, 4.0)
    assert clock.now - began == 2.0  # then the lease ends, and others do it


@pytest.mark.parametrize(
    ("attempt", "pause"), [(1, 2), (2, 4), (3, 8), (4, 16), (5, 30.0), (9, 30.0)]
)
def test_pauses_grow_up_to_half_a_minute(
    monkeypatch: pytest.MonkeyPatch, attempt: int, pause: float
) -> None:
    given: list[float] = []
    monkeypatch.setattr(work, "_give_back", lambda _, __, delay: given.append(delay))
    work._postpone(runtime(), job(attempt=attempt), OSError("full"))
    assert given == [pause]


TOO_LONG = (
    "it took longer than 600 s (PILEUP_TASK_TIME_LIMIT_S) and was stopped; the file itself is "
    "kept. Split it, or raise the limit and re-parse"
)
DEFECT = (
    f"a defect in Pileup: ValueError: {'x' * 300}. The file itself is kept; re-parse it after an "
    "update, and please report this"
)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            SoftTimeLimitExceeded(),
            TOO_LONG,
        ),
        (Damaged("cut"), "cut"),
        (NotFound("gone"), "gone"),
        (NoSpace("full"), "full"),
        (
            ValueError("x" * 301),
            DEFECT,
        ),
    ],
)
def test_why_a_job_failed(error: Exception, sentence: str) -> None:
    assert work._sentence(runtime(), error) == sentence


@pytest.mark.parametrize("is_ours", [True, False])
@pytest.mark.parametrize("kind", ["artifact", "analyse", "run", "webhook"])
def test_what_a_failure_sets_off(monkeypatch: pytest.MonkeyPatch, kind: str, is_ours: bool) -> None:
    steps: list[Any] = []

    def finish(each: Any, sentence: str) -> bool:
        steps.append(("finish", each.id, sentence))
        return is_ours

    jobs = SimpleNamespace(
        finish=finish, request_analysis=lambda *call: steps.append(("analysis", *call))
    )
    monkeypatch.setattr(work, "Jobs", lambda _: jobs)
    artifacts = SimpleNamespace(fail=lambda *call: steps.append(("fail", *call)))
    monkeypatch.setattr(work, "Artifacts", lambda _: artifacts)
    monkeypatch.setattr(work, "announce", lambda _, *call, **more: steps.append((*call, more)))
    services = runtime()
    work._fail(services, job(kind=kind), Damaged("cut"))
    assert steps[0] == ("finish", "j", "cut")
    more: dict[str, list[Any]] = {
        "artifact": [("fail", "t", "cut"), ("analysis", "i", 1.5)],
        "analyse": [("analysis.finished", "i", {"state": "failed", "error": "cut"})],
    }
    assert steps[1:] == (more.get(kind, []) if is_ours else [])
    notified = kind == "analyse" and is_ours
    assert services.database.notices == ([("i", "analysis")] if notified else [])


# ---- owners ----------------------------------------------------------------------------------


def test_owners_live_end_or_are_unknown() -> None:
    me = identity.owner()
    place, pid, started, worker, worker_started = me.split("|")
    assert (place, pid, worker) == (identity.machine(), str(os.getpid()), str(os.getppid()))
    assert place.count("/") >= 2
    assert (identity.gone(me), identity.crashed(me)) == (False, True)
    assert identity.gone(f"{place}|{pid}|other|{worker}|{worker_started}") is True
    assert identity.crashed(f"{place}|{pid}|{started}|{worker}|other") is False
    for name in (f"elsewhere|{pid}|other|{worker}|other", f"{place}|x|y|z|w", f"{place}", ""):
        assert (identity.gone(name), identity.crashed(name)) == (False, False)
    assert identity.gone(f"{place}|{pid}|{started}") is False
    child = subprocess.Popen([sys.executable, "-c", ""])
    psutil.wait_procs([psutil.Process(child.pid)], 0)
    while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE:
        pass
    assert identity._started(child.pid) == "dead"  # not waited for yet
    child.wait()
    assert identity._started(child.pid) == "dead"
    assert identity._started(os.getpid()) == started != "dead"


# ---- trials ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "output", "why"),
    [
        (0, b"ignored", None),
        (3, b" too much \n", "too much"),
        (3, b"\xff", "\ufffd"),
        (-9, b"", "the analysis with it cannot finish: {death}"),
        (1, b"", "the analysis with it cannot finish: {death}"),
    ],
)
def test_how_a_trial_ended(
    monkeypatch: pytest.MonkeyPatch, code: int, output: bytes, why: str | None
) -> None:
    request = TrialRequest([], {}, [], memory_bytes=1 << 30, cpu_s=7, time_s=12.4)
    calls: list[Any] = []

    def run(command: list[str], **options: Any) -> Any:
        calls.append((command, options))
        return SimpleNamespace(returncode=code, stdout=output)

    monkeypatch.setattr(trial.subprocess, "run", run)
    death = process_limits.death_words(code, 1 << 30, 7) if code else ""
    assert trial.why_it_fails(request) == (why and why.format(death=death))
    assert calls == [
        (
            [sys.executable, "-m", "pileup.worker.trial"],
            {
                "input": msgspec.json.encode(request),
                "capture_output": True,
                "timeout": 12.4,
                "check": False,
            },
        )
    ]


def test_a_trial_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any, **__: Any) -> Any:
        raise subprocess.TimeoutExpired("x", 1)

    monkeypatch.setattr(trial.subprocess, "run", run)
    request = TrialRequest([], {}, [], memory_bytes=1, cpu_s=7, time_s=12.4)
    assert trial.why_it_fails(request) == "the analysis with it took longer than 12 s"


# ---- the sweeper -----------------------------------------------------------------------------


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Sweeper, list[Any]]:
    """A sweeper without a database, and what it does."""
    steps: list[Any] = []
    monkeypatch.setattr(sweeper, "Database", lambda *_, **__: Units())
    settings: Any = SimpleNamespace(
        database_url="postgresql://x",
        listen_url=None,
        home=tmp_path,
        worker_heartbeat_s=5,
        analysis_debounce_s=1.5,
        s3_bucket=None,
    )
    bell: Any = SimpleNamespace(ring=lambda count: steps.append(f"ring {count}"))
    monkeypatch.setattr(Units, "url", "postgresql://y", raising=False)
    return Sweeper(settings, bell, "w", 3), steps


def test_what_a_sweeper_does_and_how_often(
    swept: tuple[Sweeper, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It rings in every round; an error of one part does not end the others for ever."""
    made, _ = swept
    done: dict[str, list[float]] = {name: [] for name in ("beat", "free", "ring", "purge")}
    clock = Clock()
    monkeypatch.setattr(sweeper, "time", clock)
    errors: dict[float, Exception] = {
        2.0: OperationalError("", None, Exception("a\nb")),
        5.0: Conflict("x"),
        8.0: ValueError("y"),
    }

    def act(name: str) -> Any:
        def note() -> None:
            done[name].append(clock.now)
            if name == "free" and clock.now in errors:
                raise errors[clock.now]

        return note

    for name, method in (("beat", "_beat"), ("free", "free"), ("ring", "ring"), ("purge", "purge")):
        monkeypatch.setattr(made, method, act(name))

    def wait() -> None:
        clock.now += 1.0
        if clock.now > 10:
            made._stop.set()

    monkeypatch.setattr(made, "_wait", wait)
    closed: list[bool] = []
    listening: Any = SimpleNamespace(close=lambda: closed.append(True))
    made._listening = listening
    made._run()
    assert done["beat"] == [0, 5, 10]
    assert done["free"] == [0, 2, 3, 5, 6, 8, 9]  # at once again after an error
    assert done["ring"] == [0, 1, 3, 4, 6, 7, 9, 10]
    assert done["purge"] == [0]
    assert closed == [True]
    clock.now, made._stop = 3_599.0, threading.Event()
    for times in done.values():
        times.clear()
    monkeypatch.setattr(made, "_wait", made._stop.set)
    made._run()
    assert done["purge"] == [3_599.0]


def test_a_sweeper_rings_for_what_is_due(
    swept: tuple[Sweeper, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, steps = swept
    due = [0, 2]
    asked: list[int] = []

    def count(most: int) -> int:
        asked.append(most)
        return due.pop(0)

    monkeypatch.setattr(sweeper, "Jobs", lambda _: SimpleNamespace(due=count))
    made.ring()
    made.ring()
    assert (steps, asked) == (["ring 2"], [3, 3])
    monkeypatch.setattr(made, "free", lambda: steps.append("free"))
    monkeypatch.setattr(made, "ring", lambda: steps.append("ring"))
    made.sweep()
    assert steps[1:] == ["free", "ring"]


def test_what_becomes_of_abandoned_jobs(
    swept: tuple[Sweeper, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, steps = swept
    freed = [
        job(id="a"),
        job(id="b", state="failed", target="x", error="died twice"),
        job(id="c", state="failed", target="y", incident_id="i2"),
        job(id="d", state="failed", kind="analyse", incident_id="i3"),
    ]

    def abandoned(*call: Any) -> list[Any]:
        assert call == (identity.gone, identity.crashed)
        return freed

    jobs = SimpleNamespace(
        abandoned=abandoned, request_analysis=lambda *call: steps.append(("analysis", *call))
    )
    monkeypatch.setattr(sweeper, "Jobs", lambda _: jobs)
    artifacts = SimpleNamespace(fail=lambda *call: steps.append(("fail", *call)))
    monkeypatch.setattr(sweeper, "Artifacts", lambda _: artifacts)
    made.free()
    assert steps == [
        ("fail", "x", "died twice"),
        ("analysis", "i", 1.5),
        ("fail", "y", "the worker died"),
        ("analysis", "i2", 1.5),
    ]
    database: Any = made._database
    assert database.notices == [(name, "analysis") for name in ("i", "i2", "i3")]


def test_a_sweeper_starts_and_stops(
    swept: tuple[Sweeper, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, steps = swept
    swept_folders: list[Any] = []
    monkeypatch.setattr(sweeper, "sweep_drafts", lambda *call: swept_folders.append(call))
    monkeypatch.setattr(made, "_run", lambda: None)
    made._thread = threading.Thread(target=made._run)
    made.start()
    home = made._settings.home
    assert swept_folders == [
        (home / place, 86_400.0)
        for part in ("blobs", "frames", "placed")
        for place in (Path(part, "drafts"), Path("drafts", part))
    ]
    workers = SimpleNamespace(
        leave=lambda name: steps.append(f"leave {name}"),
        beat=lambda *call: steps.append(("beat", *call)),
    )
    monkeypatch.setattr(sweeper, "Workers", lambda _: workers)
    made._beat()
    made.stop()
    assert made._stop.is_set()
    assert steps == [("beat", "w", __version__, 3), "leave w"]
    database: Any = made._database
    assert database.notices == [("database", "closed")]


def test_a_purge_of_a_bucket_runs_elsewhere(
    swept: tuple[Sweeper, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, steps = swept
    monkeypatch.setattr(sweeper, "purge", lambda *call: steps.append(call))
    monkeypatch.setattr(sweeper, "open_stores", lambda _: "stores")
    monkeypatch.setattr(sweeper.subprocess, "run", lambda *call, **more: steps.append((call, more)))
    made.purge()
    assert steps == [(made._settings, made._database, "stores")]
    monkeypatch.setattr(made._settings, "s3_bucket", "b")
    made.purge()
    assert steps[1:] == [(([sys.executable, "-m", "pileup.worker.purge"],), {"check": False})]


def test_a_sweeper_waits_for_a_notice(
    swept: tuple[Sweeper, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most half a second; when the connection fails it takes another."""
    made, steps = swept
    opened: list[Any] = []

    class Listening:
        def __init__(self, *, fails: bool) -> None:
            self.fails = fails

        def notifies(self, **options: Any) -> list[Any]:
            steps.append(options)
            if self.fails:
                raise psycopg.OperationalError("gone\nmore")
            return [1]

        def close(self) -> None:
            steps.append("close")

    connections = [Listening(fails=False), Listening(fails=True)]

    def listen(*call: Any) -> Any:
        opened.append(call)
        if not connections:
            raise psycopg.OperationalError("away")
        return connections.pop()

    monkeypatch.setattr(sweeper, "listen", listen)
    stop: Any = Ticks(99)
    made._stop = stop
    look = {"timeout": 0.5, "stop_after": 1}
    made._wait()
    assert (steps, made._listening) == ([look, "close"], None)
    assert stop.waits == {0.05, 0.5}
    made._wait()
    made._wait()
    assert steps[2:] == [look, look]
    made._listening = None
    made._wait()
    assert made._listening is None
    assert opened == [("postgresql://y", sweeper.JOBS_CHANNEL)] * 3


def test_a_purge_does_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[Any] = []
    gone = SimpleNamespace(incidents=["a", "b"], shas=["s"])

    def made(name: str, **answers: Any) -> Any:
        def method(which: str, answer: Any) -> Any:
            return lambda *call: steps.append((name, which, *call)) or answer

        return lambda *_: SimpleNamespace(
            **{which: method(which, answer) for which, answer in answers.items()}
        )

    monkeypatch.setattr(purge, "Retention", made("retention", expire=["x"]))
    monkeypatch.setattr(purge, "Bin", made("bin", purge=gone))
    monkeypatch.setattr(purge, "Uploads", made("uploads", expire=["u", "v"]))
    monkeypatch.setattr(purge, "Garbage", made("garbage", remove_blobs=1, collect=2))
    stores: Any = SimpleNamespace(
        blobs=None,
        frames=None,
        placed=SimpleNamespace(forget=lambda key: steps.append(("forget", key))),
        uploads=SimpleNamespace(remove=lambda key: steps.append(("remove", key))),
    )
    settings: Any = SimpleNamespace(bin_days=30, upload_days=7)
    database: Any = Units()
    logged: list[Any] = []
    monkeypatch.setattr(
        purge, "log", SimpleNamespace(info=lambda name, **facts: logged.append((name, facts)))
    )
    purge.purge(settings, database, stores)
    assert steps == [
        ("retention", "expire"),
        ("bin", "purge", timedelta(days=30)),
        ("uploads", "expire", timedelta(days=7)),
        ("remove", "u"),
        ("remove", "v"),
        ("forget", "a"),
        ("forget", "b"),
        ("garbage", "remove_blobs", ["s"]),
        ("garbage", "collect"),
    ]
    assert database.unit_number == 2
    assert logged == [
        ("retention.expired", {"incidents": 1}),
        ("garbage.collected", {"files": 2}),
        ("bin.purged", {"incidents": 2, "blobs": 1, "uploads": 2}),
    ]


# ---- webhooks --------------------------------------------------------------------------------


def parcel(url: str) -> Any:
    delivery = SimpleNamespace(payload={"a": 1}, event="report.approved", id="d7")
    return SimpleNamespace(url=url, secret="s", delivery=delivery)


@pytest.mark.parametrize(
    ("url", "address", "port", "target", "host"),
    [
        ("https://a.b/c?d=e#f", "9.9.9.9", 443, "https://9.9.9.9:443/c?d=e", "a.b"),
        ("http://a.b", "9.9.9.9", 80, "http://9.9.9.9:80", "a.b"),
        ("https://u:p@a.b:8443/c", "2606::1", 8443, "https://[2606::1]:8443/c", "a.b:8443"),
    ],
)
def test_a_delivery_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch, url: str, address: str, port: int, target: str, host: str
) -> None:
    asked: list[Any] = []
    sent: list[Any] = []

    def resolve(*call: Any, private: bool) -> str:
        asked.append((*call, private))
        return address

    async def exchange(*call: Any) -> tuple[int, str]:
        sent.append(call)
        return 204, "fine"

    monkeypatch.setattr(webhooks, "public_address", resolve)
    monkeypatch.setattr(webhooks, "_exchange", exchange)
    monkeypatch.setattr(webhooks, "_trust", lambda ca: ("trust", ca))
    monkeypatch.setattr(webhooks.time, "time", lambda: 1_700_000_000.9)
    assert webhooks.send(parcel(url), private=True, ca=Path("ca")) == (204, "fine")
    assert asked == [("a.b", port, True)]
    signed = hmac.new(b"s", b'1700000000.{"a":1}', hashlib.sha256).hexdigest()
    headers = {
        "Host": host,
        "Content-Type": "application/json",
        "User-Agent": f"Pileup/{__version__}",
        "Pileup-Event": "report.approved",
        "Pileup-Delivery": "d7",
        "Pileup-Signature": f"t=1700000000,v1={signed}",
    }
    assert sent == [(target, b'{"a":1}', headers, "a.b", ("trust", Path("ca")))]


@pytest.mark.parametrize("is_ours", [True, False])
@pytest.mark.parametrize(
    ("result", "stored"),
    [
        ((200, "ok"), (200, "ok")),
        (Unreachable("no"), (None, "Unreachable: no")),
        (Unreachable("x" * 3000), (None, f"Unreachable: {'x' * 1987}")),
    ],
)
def test_the_answer_of_a_delivery_is_stored(
    monkeypatch: pytest.MonkeyPatch, result: Any, stored: Any, is_ours: bool
) -> None:
    answers: list[Any] = []
    repository = SimpleNamespace(
        parcel=lambda _: "parcel", record_answer=lambda *call: answers.append(call)
    )
    monkeypatch.setattr(webhooks, "Webhooks", lambda _: repository)
    monkeypatch.setattr(webhooks, "Jobs", lambda _: SimpleNamespace(finish=lambda _: is_ours))

    def send(given: Any, *, private: bool, ca: Path | None) -> Any:
        assert (given, private, ca) == ("parcel", False, Path("ca"))
        if isinstance(result, Exception):
            raise result
        return result

    monkeypatch.setattr(webhooks, "send", send)
    webhooks.deliver(runtime(webhook_private=False, webhook_ca=Path("ca")), job())
    assert answers == ([("t", *stored)] if is_ours else [])


def test_a_delivery_that_is_gone_ends_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[Any] = []
    monkeypatch.setattr(webhooks, "Webhooks", lambda _: SimpleNamespace(parcel=lambda _: None))
    monkeypatch.setattr(webhooks, "Jobs", lambda _: SimpleNamespace(finish=finished.append))
    given = job()
    webhooks.deliver(runtime(), given)
    assert finished == [given]


# ---- the application -------------------------------------------------------------------------


def test_a_process_of_a_worker_is_polite(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[Any] = []
    monkeypatch.setattr(app_module.os, "nice", steps.append)
    monkeypatch.setattr(
        app_module.os, "sched_setscheduler", lambda *call: steps.append(call[:2]), raising=False
    )
    monkeypatch.setattr(app_module.tracing, "configure", lambda _, name: steps.append(name))
    monkeypatch.setattr(app_module.tracing, "stop", lambda: steps.append("stop"))
    app_module._start_process()
    app_module._end_process()
    scheduled = [] if app_module._SCHEDULER is None else [(0, app_module._SCHEDULER)]
    assert steps == [5, *scheduled, "pileup-worker", "stop"]


@pytest.mark.parametrize("more", [True, False])
def test_a_message_runs_jobs_and_wakes_the_next(
    monkeypatch: pytest.MonkeyPatch, more: bool
) -> None:
    steps: list[Any] = []
    monkeypatch.setattr(app_module, "process_runtime", lambda: "services")
    monkeypatch.setattr(work, "run_due", lambda *call: steps.append(call) or more)
    bell: Any = SimpleNamespace(pass_on=lambda: steps.append("pass on"))
    monkeypatch.setattr(app_module, "bell", bell)
    app_module.work()
    assert steps == [("services", 2), *(["pass on"] if more else [])]
    limit = app_module._settings.task_time_limit_s + 2
    task: Any = app_module.work
    assert (task.time_limit, task.soft_time_limit) == (limit, limit - 15)


def test_every_worker_has_a_sweeper(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[Any] = []

    class Made:
        def __init__(self, settings: Any, _bell: Any, name: str, concurrency: int) -> None:
            steps.append((settings is app_module._settings, name, concurrency))

        def start(self) -> None:
            steps.append("start")

        def stop(self) -> None:
            steps.append("stop")

    monkeypatch.setattr(app_module, "Sweeper", Made)
    app_module._ready(sender=SimpleNamespace(hostname="w@h"))
    app_module._stopping()
    app_module._stopping()
    assert steps == [
        (True, "w@h", app_module._settings.worker_concurrency),
        "start",
        "stop",
    ]
