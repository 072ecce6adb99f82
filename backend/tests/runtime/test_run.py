"""`pileup run` for real: start, refuse, recover, stop."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from pileup.runtime.postgres import EmbeddedPostgres
from pileup.runtime.schema import migrate
from tests.support.running import Running, pileup
from tests.support.typist import Typist

# One instance serves most of these tests, so one test process should run them all. Some start and
# kill for half a minute, so they are spread over six days.
pytestmark = [pytest.mark.xdist_group("run"), pytest.mark.on_turn(0, 6)]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    started = Running(tmp_path_factory.mktemp("home"))
    yield started
    started.stop()


def _dsn(run: Running) -> str:
    url: str = run.facts()["database_url"]
    return url.replace("postgresql+psycopg://", "postgresql://")


def _remember(run: Running, word: str) -> None:
    with psycopg.connect(_dsn(run), autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS keepsake (word text)")
        connection.execute("INSERT INTO keepsake VALUES (%s)", (word,))


def _remembered(run: Running) -> list[str]:
    with psycopg.connect(_dsn(run)) as connection:
        return [row[0] for row in connection.execute("SELECT word FROM keepsake").fetchall()]


def _until(condition: object, timeout_s: float = 90) -> None:
    assert callable(condition)
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.1)


def test_it_answers_and_is_well(running: Running) -> None:
    assert running.answers()

    def well() -> bool:
        return pileup("doctor", home=running.home).returncode == 0

    _until(well)
    report = json.loads(pileup("doctor", "--json", home=running.home).stdout)
    assert report["ok"] is True
    assert {check["name"] for check in report["checks"]} == {
        *("database", "schema", "broker", "worker", "blob store", "disk")
    }


@pytest.mark.skipif(
    not hasattr(psutil.Process, "memory_maps"), reason="this machine lists no libraries"
)
def test_the_supervisor_does_without_the_analysis(running: Running) -> None:
    """It starts faster and stays smaller: only its children load polars."""
    assert "polars" in _libraries(running.pid_of("worker"))
    assert "polars" not in _libraries(running.process.pid)


def _libraries(pid: int) -> str:
    return "\n".join(loaded.path for loaded in psutil.Process(pid).memory_maps())


def test_a_second_instance_says_so(running: Running) -> None:
    done = pileup("run", "--port", "0", home=running.home)
    assert done.returncode == 1
    assert "already runs" in done.stderr
    assert running.url in done.stderr
    assert "Traceback" not in done.stderr


def test_a_taken_port_is_named(running: Running, tmp_path: Path) -> None:
    port = running.url.rpartition(":")[2]
    done = pileup("run", "--port", port, home=tmp_path)
    assert done.returncode == 1
    assert f"port {port} on 127.0.0.1 is taken" in done.stderr
    assert "make run PORT=" in done.stderr
    assert not (tmp_path / "postgres").exists(), "it must be reported before anything is made"


@pytest.mark.parametrize("name", ["api", "worker", "queue", "database"])
def test_a_killed_child_comes_back_and_nothing_is_lost(running: Running, name: str) -> None:
    _remember(running, name)
    before = running.pid_of(name)
    os.kill(before, signal.SIGKILL)
    running.wait_for(re.compile(f"The {name} is back"), 90)
    _until(running.answers)
    assert running.pid_of(name) != before
    assert name in _remembered(running)


@pytest.mark.on_turn(2, 6)
def test_two_people_type_while_the_api_is_killed_and_no_letter_is_lost(running: Running) -> None:
    """Killed in the middle of their typing, it comes back by itself with every letter of both."""
    ada = _signed_in(running)
    incident = ada.post("/api/v1/incidents", json={"title": "Typed through a crash"}).json()["id"]
    letters = "abcdefghijklmnopqrstuvwxyz" * 3
    typists = [
        Typist(client, incident, "summary", typed)
        for client, typed in ((ada, letters), (_colleague(running, ada), letters.upper()))
    ]
    for typist in typists:
        typist.start()
    _until(lambda: all(typist.taken > 10 for typist in typists))
    before = running.pid_of("api")
    os.kill(before, signal.SIGKILL)
    for typist in typists:
        typist.join(60)
        assert typist.taken == len(letters), f"{typist.refusals} times without an answer"
    assert running.pid_of("api") != before
    assert any(typist.refusals for typist in typists), "the kill came after the last letter"
    said = ada.get(f"/api/v1/incidents/{incident}/texts/summary").json()["text"]
    assert "".join(filter(str.islower, said)) == letters
    assert "".join(filter(str.isupper, said)) == letters.upper()


def _signed_in(running: Running) -> httpx.Client:
    client = httpx.Client(base_url=running.url, timeout=30)
    words = {"link": running.link, "name": "Ada", "email": None, "password": None}
    client.post("/api/v1/session/link", json=words).raise_for_status()
    client.headers["X-CSRF-Token"] = client.cookies["pileup_csrf"]
    return client


def _colleague(running: Running, admin: httpx.Client) -> httpx.Client:
    login = {"email": "bob@example.org", "password": "correct horse battery"}
    body = {"name": "Bob", "role": "contributor", **login}
    admin.post("/api/v1/users", json=body).raise_for_status()
    client = httpx.Client(base_url=running.url, timeout=30)
    client.post("/api/v1/session", json=login).raise_for_status()
    client.headers["X-CSRF-Token"] = client.cookies["pileup_csrf"]
    return client


@pytest.mark.on_turn(2, 6)
def test_after_a_kill_of_everything_at_once_it_is_well_again(running: Running) -> None:
    for name in ("api", "worker", "queue", "database"):
        os.kill(running.pid_of(name), signal.SIGKILL)
    _until(running.answers)
    _until(lambda: pileup("doctor", home=running.home).returncode == 0)


@pytest.mark.on_turn(5, 6)
def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o711)
    server = EmbeddedPostgres(tmp_path / "postgres", tmp_path / "run", tmp_path / "test.log")
    server.start()
    try:
        migrate(server.url())
        url = server.url().replace("postgresql+psycopg://", "postgresql://")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
    finally:
        server.stop()
    done = pileup("run", "--port", "0", home=tmp_path)
    assert done.returncode == 1
    assert "newer" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.on_turn(5, 6)
def test_a_newer_data_folder_is_refused_untouched(tmp_path: Path) -> None:
    data = tmp_path / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("99\n")
    done = pileup("run", "--port", "0", home=tmp_path)
    assert done.returncode == 1
    assert "made by PostgreSQL 99" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.on_turn(5, 6)
def test_a_wrong_setting_is_named(tmp_path: Path) -> None:
    done = pileup("run", home=tmp_path, PILEUP_PORT="many")
    assert done.returncode == 1
    assert "PILEUP_PORT" in done.stderr


@pytest.mark.on_turn(5, 6)
def test_a_very_long_folder_still_has_room_for_sockets(tmp_path: Path) -> None:
    from pileup.runtime.home import socket_folder

    folder = socket_folder(tmp_path / ("x" * 120))
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / "postgres.s.PGSQL.5432.lock"))
    finally:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


@pytest.fixture(scope="module")
def restarted(running: Running) -> Iterator[tuple[Running, list[psutil.Process]]]:
    """Start again in the folder of a killed supervisor; the instance, and the first's processes.

    The tests of the first instance are above.
    """
    _remember(running, "before the kill")
    processes = running.processes()
    running.stop(signal.SIGKILL)
    second = Running(running.home)
    yield second, processes
    second.stop()


@pytest.mark.on_turn(3, 6)
def test_a_killed_supervisor_leaves_nothing_running_and_loses_nothing(
    restarted: tuple[Running, list[psutil.Process]],
) -> None:
    second, processes = restarted
    assert "before the kill" in _remembered(second)
    _until(lambda: not any(_lives(process) for process in processes))


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


@pytest.mark.on_turn(3, 6)
def test_ctrl_c_stops_every_process(restarted: tuple[Running, list[psutil.Process]]) -> None:
    running, _ = restarted
    processes = running.processes()
    assert len(processes) > 8  # PostgreSQL and Celery have children of their own
    assert running.stop(signal.SIGINT) == 0
    _, alive = psutil.wait_procs(processes, timeout=3)
    assert alive == []
    assert not (running.home / "instance.json").exists()
    assert not (running.home / "postgres" / "data" / "postmaster.pid").exists()
    doctor = pileup("doctor", home=running.home)
    assert doctor.returncode == 1
    assert "remedy: " in doctor.stdout
