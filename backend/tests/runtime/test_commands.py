"""The commands that start processes, and what the supervisor does when one of them ends."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pileup.paths import PACKAGE
from pileup.runtime import commands, supervisor
from pileup.runtime.errors import StartError
from pileup.runtime.supervisor import Supervisor, _Service
from pileup.settings import Settings
from tests.support.site import settings_for


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_for(
        tmp_path, "postgresql://x@/x", host="127.0.0.2", port=8401, worker_concurrency=3
    )


def test_a_worker_restarts_with_the_sources_only_when_somebody_develops(settings: Settings) -> None:
    command = commands.worker_command(settings)
    assert command[:6] == [sys.executable, "-m", "celery", "-A", "pileup.worker.app:app", "worker"]
    options = dict(zip(command[6::2], command[7::2], strict=False))
    assert (options["--pool"], options["--concurrency"]) == ("prefork", "3")
    assert "watchfiles" not in command
    names = {commands.worker_command(settings)[-1] for _ in range(3)}
    assert len(names) == 3  # two workers on one host are two
    watched = commands.worker_command(settings, watch=True)
    assert watched[:3] == [sys.executable, "-m", "watchfiles"]
    assert watched[-1] == str(PACKAGE)
    assert "-m celery -A pileup.worker.app:app worker" in watched[-2]


def test_an_api_takes_the_socket_that_is_bound_or_reloads_on_its_own(settings: Settings) -> None:
    inherited = commands.api_command(settings, 7)
    assert inherited == [sys.executable, "-m", "pileup.runtime.serve_api", "7"]
    own = commands.api_command(settings, None)
    assert "--reload" in own
    served = commands.serve_command(settings, 2)
    assert "--reload" not in served
    for command in (own, served):
        text = " ".join(command)
        assert "uvicorn pileup.api.app:create_app --factory --host 127.0.0.2 --port 8401" in text
    assert " ".join(served).count("--workers 2") == 1


def test_a_child_has_the_addresses_that_were_resolved(settings: Settings) -> None:
    environment = commands.child_environment(settings)
    found = {name: environment[f"PILEUP_{name}"] for name in ("HOME", "DATABASE_URL", "PORT")}
    assert found == {
        "HOME": str(settings.home),
        "DATABASE_URL": "postgresql+psycopg://x@/x",
        "PORT": "8401",
    }
    assert environment["PATH"]


class Child:
    """A process that ends when the test wants it."""

    log = Path("worker.log")
    pid = 4242
    created = 0.0
    stop_signal = 15

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.code: int | None = None
        self.calls: list[str] = []

    def poll(self) -> int | None:
        return self.code

    def kill_group(self) -> None:
        self.calls.append("kill")

    def stop(self, *_: object) -> None:
        self.calls.append("stop")


@pytest.mark.parametrize(
    ("name", "code", "how", "calls"),
    [
        ("worker", 0, "exit code 0", ["kill"]),
        ("worker", 3, "exit code 3", ["kill"]),
        ("api", -9, "signal 9", ["kill"]),
        ("database", 1, "exit code 1", []),
    ],
)
def test_a_service_that_ends_is_started_again(
    settings: Settings, name: str, code: int, how: str, calls: list[str]
) -> None:
    """At once, and after another death later; each entry names how it ended."""
    said: list[str] = []
    whole = Supervisor(settings, said.append)
    children: list[Any] = [Child(), Child()]
    service = _Service(name, iter(children[1:]).__next__, child=children[0])
    whole._services = [service]
    whole._watch()
    assert said == []
    children[0].code = code
    whole._watch()
    assert said == [f"The {name} ended ({how}); starting it again."]
    assert children[0].calls == calls
    whole._watch()
    assert service.child is children[1]
    assert said[-1] == f"The {name} is back."
    children[1].code = code
    whole._watch()
    assert said[-1].endswith("starting it again. Its log: worker.log")
    assert service.again_at > time.monotonic() + 0.1


def test_a_service_that_cannot_go_on_says_so_once(settings: Settings) -> None:
    said: list[str] = []

    def start() -> Any:
        raise StartError("no room")

    whole = Supervisor(settings, said.append)
    service = _Service("queue", start)
    whole._services = [service]
    for _ in range(3):
        service.again_at = 0.0
        whole._watch()
    assert said == ["The queue cannot go on: no room"]


def test_nothing_is_started_again_on_the_way_out(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal that comes while services stop only ends them sooner."""
    whole = Supervisor(settings, str)
    worker: Any = Child()
    whole._services = [_Service("worker", lambda: worker, child=worker)]
    stopped: list[bool] = []
    monkeypatch.setattr(supervisor.signal, "signal", lambda *_: None)
    monkeypatch.setattr(whole, "_start_all", lambda: (_ for _ in ()).throw(StartError("no")))
    monkeypatch.setattr(whole, "_stop_all", lambda: stopped.append(whole._stopping))
    with pytest.raises(StartError, match="no"):
        whole.run()
    assert stopped == [True]
    whole._on_signal(15, None)  # does not raise: it is stopping already
    assert worker.calls == ["kill"]
