"""What the supervisor does, step by step, with processes that the test makes up: every line that it
prints, every command, pause, signal and record."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pileup import __version__
from pileup.runtime import commands, home, supervisor
from pileup.runtime.errors import StartError
from pileup.runtime.supervisor import Supervisor, _Service, _Stop
from pileup.settings import Settings
from tests.support.pauses import Clock
from tests.support.site import settings_for


class Made:
    """A process that was started: how, and the signals that it got."""

    def __init__(self, name: str, command: Any = None, **options: Any) -> None:
        self.name, self.command, self.options = name, command, options
        self.log = options.get("log") or Path(f"{name}.log")
        self.stop_signal = options.get("stop_signal", signal.SIGTERM)
        self.pid, self.created, self.started = 40 + len(name), 1.5, 1000.0
        self.code: int | None = None
        self.tail = ""
        self.calls: list[str] = []

    def poll(self) -> int | None:
        return self.code

    def log_tail(self) -> str:
        return self.tail

    def begin_stop(self) -> None:
        self.calls.append("begin")

    def stop(self, timeout_s: float) -> None:
        self.calls.append(f"stop {timeout_s}")

    def kill_group(self) -> None:
        self.calls.append("kill")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(1000.0)
    monkeypatch.setattr(supervisor, "time", clock)
    return clock


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_for(tmp_path, "postgresql://x@/x", host="127.0.0.1", port=0)


def lines_of(settings: Settings, **options: Any) -> tuple[Supervisor, list[str]]:
    said: list[str] = []
    return Supervisor(settings, said.append, **options), said


# ---- start -----------------------------------------------------------------------------------


class Embedded:
    """A database or queue of our own."""

    def __init__(self, folder: Path, sockets: Path, log: Path, **options: Any) -> None:
        self.data = folder / "data"
        self.places, self.options = (folder, sockets, log), options
        self.child: Any = None

    def start(self) -> None:
        self.child = Made(self.places[0].name)

    url: Any = "redis://queue"


class Database(Embedded):
    def url(self) -> str:
        return "postgresql://own"


@pytest.mark.parametrize("is_new", [True, False])
def test_everything_starts_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock, is_new: bool
) -> None:
    settings = settings_for(tmp_path, "postgresql://x@/x", broker_url=None, port=0)
    settings = settings.model_copy(update={"database_url": None})
    home.write_instance(tmp_path, {"children": [{"name": "worker"}]})
    if not is_new:
        (tmp_path / "postgres" / "data").mkdir(parents=True)
    steps: list[Any] = []
    monkeypatch.setattr(supervisor, "EmbeddedPostgres", Database)
    monkeypatch.setattr(supervisor, "EmbeddedValkey", Embedded)
    monkeypatch.setattr(supervisor, "migrate", lambda url: steps.append(f"migrate {url}"))
    monkeypatch.setattr(
        supervisor, "protect_secrets", lambda made: steps.append(f"protect {made.database_url}")
    )
    monkeypatch.setattr(supervisor, "stop_leftovers", lambda left: [row["name"] for row in left])
    monkeypatch.setattr(supervisor, "Child", Made)
    monkeypatch.setattr(supervisor, "examine", lambda *_: [SimpleNamespace(ok=True)])
    whole, said = lines_of(settings)
    monkeypatch.setattr(whole, "_api_answers", lambda: True)
    monkeypatch.setattr(whole, "_sign_in_link", lambda: "http://link")
    whole._start_all()
    assert whole._listener is not None
    port = whole._listener.getsockname()[1]
    assert said == [
        f"Pileup {__version__}, data in {tmp_path}",
        "  stopped what an earlier run left: worker",
        *(["  database   making an empty one"] if is_new else []),
        "  database   ready (0.0 s)",
        "  schema     up to date",
        "  queue      ready (0.0 s)",
        "  worker     started (0.0 s)",
        "  api        ready (0.0 s)",
        "  worker     reports (0.0 s)",
        "Ready in 0.0 s. Ctrl-C stops everything.",
        "",
        "Open this link once to sign in:",
        "  http://link",
    ]
    assert steps == ["migrate postgresql://own", "protect postgresql://own"]
    found = json.loads((tmp_path / "instance.json").read_text())
    names = {"database": 48, "queue": 46, "worker": 46, "api": 43}
    assert found == {
        "pid": os.getpid(),
        "url": f"http://127.0.0.1:{port}",
        "database_url": "postgresql://own",
        "broker_url": "redis://queue",
        "children": [
            {"name": name, "pid": pid, "created": 1.5, "signal": 15} for name, pid in names.items()
        ],
    }
    whole._listener.close()


def test_what_is_served_is_not_started(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    for name in ("EmbeddedPostgres", "EmbeddedValkey"):
        monkeypatch.setattr(supervisor, name, None)
    for name in ("migrate", "protect_secrets"):
        monkeypatch.setattr(supervisor, name, lambda _: None)
    monkeypatch.setattr(supervisor, "Child", Made)
    monkeypatch.setattr(supervisor, "examine", lambda *_: [SimpleNamespace(ok=True)])
    whole, said = lines_of(settings)
    monkeypatch.setattr(whole, "_api_answers", lambda: True)
    monkeypatch.setattr(whole, "_sign_in_link", lambda: "http://link")
    whole._start_all()
    assert [service.name for service in whole._services] == ["worker", "api"]
    assert said[1] == "  schema     up to date"
    assert whole._listener is not None
    whole._listener.close()


@pytest.mark.parametrize("reload", [False, True])
def test_the_processes_of_ours(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, reload: bool
) -> None:
    """While somebody develops they stop by SIGINT and the API has its own socket."""
    monkeypatch.setattr(supervisor, "Child", Made)
    monkeypatch.setattr(commands.secrets, "token_hex", lambda n: "a" * n)
    whole, _ = lines_of(settings, reload=reload)
    whole._take_port()
    worker: Any = whole._start_worker()
    environment = commands.child_environment(whole.settings)
    assert (worker.name, worker.command) == (
        "worker",
        commands.worker_command(whole.settings, watch=reload),
    )
    assert worker.options == {
        "log": settings.home / "logs/worker.log",
        "env": environment,
        "stop_signal": signal.SIGINT if reload else signal.SIGTERM,
        "orphan_signal": signal.SIGINT if reload else signal.SIGQUIT,
    }
    api: Any = whole._start_api()
    assert (whole._listener is None) == reload
    descriptor = None if whole._listener is None else whole._listener.fileno()
    assert (api.name, api.command) == ("api", commands.api_command(whole.settings, descriptor))
    assert api.options == {
        "log": settings.home / "logs/api.log",
        "env": environment,
        "pass_fds": () if descriptor is None else (descriptor,),
    }
    if whole._listener is not None:
        whole._listener.close()


def test_a_port_is_bound_before_anything_starts(settings: Settings) -> None:
    whole, _ = lines_of(settings)
    whole._take_port()
    port = whole.settings.port
    assert port > 0
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        pass  # it listens already
    for taken, other in ((port, port + 1), (65535, 8400)):
        second, _ = lines_of(settings.model_copy(update={"port": taken}))
        with contextlib.ExitStack() as stack:
            if taken == 65535:
                blocker = stack.enter_context(socket.socket())
                blocker.bind(("127.0.0.1", taken))
                blocker.listen()
            with pytest.raises(StartError, match=rf"`make run PORT={other}`"):
                second._take_port()
    assert whole._listener is not None
    whole._listener.close()
    six, _ = lines_of(settings.model_copy(update={"host": "::1"}))
    with contextlib.suppress(StartError):  # a machine without IPv6
        six._take_port()
        assert six._listener is not None
        assert six._listener.family == socket.AF_INET6
        six._listener.close()


class Answer(BaseHTTPRequestHandler):
    status = 200

    def do_GET(self) -> None:
        code = self.status if self.path == "/api/health" else 500
        self.send_response(code)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def answering(status: int) -> Iterator[int]:
    handler = type("Handler", (Answer,), {"status": status})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(("status", "well"), [(200, True), (499, True), (500, False), (503, False)])
def test_an_api_answers_when_it_does_not_fail(settings: Settings, status: int, well: bool) -> None:
    with answering(status) as port:
        whole, _ = lines_of(settings.model_copy(update={"port": port}))
        assert whole._api_answers() is well
    assert whole._api_answers() is False


def test_an_api_is_waited_for(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    whole, _ = lines_of(settings)
    answers = iter([False, False, True])
    monkeypatch.setattr(whole, "_api_answers", lambda: next(answers))
    child: Any = Made("api")
    whole._await_api(child)
    assert clock.pauses == [0.1, 0.1]
    monkeypatch.setattr(whole, "_api_answers", lambda: False)
    monkeypatch.setattr(clock, "sleep", lambda _: setattr(clock, "now", clock.now + 120))
    began = clock.now
    with pytest.raises(StartError) as caught:
        whole._await_api(child)
    sentence = "the API does not start: it wrote no log (the whole log: api.log)"
    assert str(caught.value) == sentence
    assert clock.now - began == 360  # one look after its 240 seconds
    child.code, child.tail = 3, "\nfirst\nlast\n\n"
    with pytest.raises(StartError, match=r"the API does not start: last \(the whole log"):
        whole._await_api(child)


def test_a_worker_is_waited_for_and_not_needed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    looks = iter([(True, False), (True, True)])
    asked: list[Any] = []

    def examine(_: Settings, names: Any) -> list[Any]:
        asked.append(names)
        return [SimpleNamespace(ok=ok) for ok in next(looks, (False,))]

    monkeypatch.setattr(supervisor, "examine", examine)
    whole, said = lines_of(settings)
    watched: list[None] = []
    monkeypatch.setattr(whole, "_watch", lambda: watched.append(None))
    whole._await_heartbeat()
    assert said == ["  worker     reports (0.2 s)"]
    assert (asked, len(watched)) == ([("worker",)] * 2, 1)
    began = clock.now
    whole._await_heartbeat()
    log = settings.home / "logs/worker.log"
    assert said[1:] == [f"  worker     does not report yet; its log: {log}"]
    assert clock.now - began == pytest.approx(20, abs=0.21)


# ---- watch -----------------------------------------------------------------------------------


def test_pauses_grow_while_a_service_keeps_dying(settings: Settings, clock: Clock) -> None:
    """At once, 1 s, 2 s ... at most half a minute; a steady one starts over."""
    whole, said = lines_of(settings)
    made: list[Any] = []

    def start() -> Any:
        made.append(Made("worker"))
        made[-1].started = clock.now
        return made[-1]

    service = _Service("worker", start, child=start())
    whole._services = [service]
    pauses = []
    for _ in range(9):
        made[-1].code = 1
        whole._watch()
        pauses.append(service.again_at - clock.now)
        clock.now = service.again_at - 0.001
        if pauses[-1]:
            whole._watch()
            assert service.child is None  # not before its time
        clock.now = service.again_at
        whole._watch()
        assert service.child is made[-1]
    assert pauses == [0, 1, 2, 4, 8, 16, 30, 30, 30]
    assert said[0] == "The worker ended (exit code 1); starting it again."
    assert said[2] == "The worker ended (exit code 1); starting it again. Its log: worker.log"
    for ran, pause in ((60, 30), (60.5, 0)):
        clock.now += ran
        made[-1].code = -9
        whole._watch()
        assert service.again_at - clock.now == pause
        clock.now = service.again_at
        whole._watch()
    assert said[-2] == "The worker ended (signal 9); starting it again."


def test_logs_are_looked_at_every_ten_seconds(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    looked: list[tuple[float, Path]] = []
    monkeypatch.setattr(
        supervisor, "rotate_open_log", lambda log: looked.append((clock.now - 1000, log))
    )
    whole, _ = lines_of(settings)
    whole._services = [
        _Service("worker", lambda: None, child=Made("worker")),  # type: ignore[arg-type, return-value]
        _Service("queue", lambda: None, again_at=9e9),  # type: ignore[arg-type, return-value]
    ]
    for at in (0, 9.9, 10, 15, 19.9, 20):
        clock.now = 1000.0 + at
        whole._watch()
    assert looked == [(10, Path("worker.log")), (20, Path("worker.log"))]


def test_a_full_disk_is_named_once_each_time(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    whole, said = lines_of(settings)
    answers: list[Any] = [errno.ENOSPC, errno.EDQUOT, None, errno.ENOSPC]

    def watch() -> None:
        if (number := answers.pop(0)) is not None:
            raise OSError(number, "full")

    monkeypatch.setattr(whole, "_watch", watch)
    sentence = (
        f"The disk that holds {settings.home} is full: free some space, and everything goes on by "
        "itself. Nothing that was stored is lost."
    )
    for known in (1, 1, 1, 2):
        whole._watch_patiently()
        assert said == [sentence] * known
    assert clock.pauses == [2.0] * 3
    answers.append(errno.EIO)
    with pytest.raises(OSError, match="full"):
        whole._watch_patiently()


def test_a_service_that_does_not_fit_on_the_disk_is_planned_again(
    settings: Settings, clock: Clock
) -> None:
    def start() -> Any:
        raise OSError(errno.ENOSPC, "full")

    whole, said = lines_of(settings)
    service = _Service("queue", start)
    with pytest.raises(OSError, match="full"):
        whole._again(service)
    assert (service.deaths, said) == (1, [])


def test_a_sentence_is_printed_again_after_a_success(settings: Settings, clock: Clock) -> None:
    results: list[Any] = ["no room", "no room", Made("queue"), "no room", "another"]

    def start() -> Any:
        result = results.pop(0)
        if isinstance(result, str):
            raise StartError(result)
        return result

    whole, said = lines_of(settings)
    service = _Service("queue", start)
    while results:
        whole._again(service)
    assert said == [
        "The queue cannot go on: no room",
        "The queue is back.",
        "The queue cannot go on: no room",
        "The queue cannot go on: another",
    ]


# ---- the whole run ---------------------------------------------------------------------------


@pytest.mark.parametrize("ignored", [False, True])
def test_a_run_ends_by_a_signal(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, clock: Clock, ignored: bool
) -> None:
    """SIGHUP stays ignored under nohup."""
    handlers: list[Any] = []
    before = signal.SIG_IGN if ignored else signal.SIG_DFL
    monkeypatch.setattr(supervisor.signal, "signal", lambda number, _: handlers.append(number))
    monkeypatch.setattr(supervisor.signal, "getsignal", lambda _: before)
    whole, said = lines_of(settings)
    steps: list[str] = []

    def watch() -> None:
        steps.append("watch")
        if len(steps) == 4:
            whole._on_signal(signal.SIGTERM, None)

    monkeypatch.setattr(whole, "_start_all", lambda: steps.append("start"))
    monkeypatch.setattr(whole, "_watch_patiently", watch)
    monkeypatch.setattr(whole, "_stop_all", lambda: steps.append("stop"))
    whole.run()
    assert said == ["Stopping.", "Stopped; the data is clean."]
    assert steps == ["start", "watch", "watch", "watch", "stop"]
    assert clock.pauses == [0.2] * 3
    always = [signal.SIGINT, signal.SIGTERM]
    assert handlers == (always if ignored else [*always, signal.SIGHUP])


@pytest.mark.parametrize(
    ("number", "kind"),
    [(errno.ENOSPC, StartError), (errno.EDQUOT, StartError), (errno.EACCES, PermissionError)],
)
def test_a_run_that_cannot_start_stops_what_it_started(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[Exception]
) -> None:
    monkeypatch.setattr(supervisor.signal, "signal", lambda *_: None)
    whole, said = lines_of(settings)
    stopped: list[None] = []

    def start() -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(whole, "_start_all", start)
    monkeypatch.setattr(whole, "_stop_all", lambda: stopped.append(None))
    with pytest.raises(kind):
        whole.run()
    assert (len(stopped), said) == (1, [])


def test_services_stop_in_their_order_and_within_their_times(settings: Settings) -> None:
    whole, _ = lines_of(settings)
    order: list[str] = []

    class Stopping(Made):
        def begin_stop(self) -> None:
            order.append(f"begin {self.name}")

        def stop(self, timeout_s: float) -> None:
            order.append(f"stop {self.name} {timeout_s}")

    whole._take_port()
    listener = whole._listener
    assert listener is not None
    for name in ("database", "queue", "worker", "api"):
        child: Any = Stopping(name)
        whole._services.append(_Service(name, lambda child=child: child, child=child))
    whole._services.append(_Service("gone", lambda: None))  # type: ignore[arg-type, return-value]
    whole._record()
    whole._stop_all()
    assert listener.fileno() == -1
    assert order == [
        "begin api",
        "begin worker",
        "stop api 5.0",
        "stop worker 8.0",
        "stop queue 10.0",
        "stop database 30.0",
    ]
    assert not (settings.home / "instance.json").exists()


def test_a_second_signal_kills_what_may_take_long(settings: Settings) -> None:
    whole, _ = lines_of(settings)
    children = {name: Made(name) for name in ("database", "queue", "worker", "api")}
    whole._services = [
        _Service(name, lambda: None, child=child)  # type: ignore[arg-type, return-value]
        for name, child in children.items()
    ]
    with pytest.raises(_Stop):
        whole._on_signal(2, None)
    assert all(child.calls == [] for child in children.values())
    whole._on_signal(2, None)
    assert {name: child.calls for name, child in children.items()} == {
        "database": [],
        "queue": [],
        "worker": ["kill"],
        "api": ["kill"],
    }


def test_the_link_leads_to_the_public_address(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pileup.storage.accounts import sign_in_links

    monkeypatch.setattr(
        sign_in_links, "create_sign_in_link", lambda url, home: f"{url[:10]}-{home.name}"
    )
    whole, _ = lines_of(settings.model_copy(update={"port": 8401}))
    assert whole._sign_in_link() == (
        f"http://127.0.0.1:8401/sign-in?link=postgresql-{settings.home.name}"
    )
