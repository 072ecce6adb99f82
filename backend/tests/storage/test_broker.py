"""The broker: a message is tried once, and whoever sends it never waits for one that is away."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from pileup.storage.queue.broker import CeleryBell, make_celery


def test_a_message_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload does not wait for the broker: a sweeper rings again."""
    app = make_celery("memory://")
    assert app.conf.task_publish_retry is False
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(app, "send_task", lambda _, **options: sent.append(options))
    CeleryBell(app).pass_on()
    (options,) = sent
    assert options["retry"] is False
    assert options["ignore_result"] is True


def test_small_tasks_never_replace_a_process_of_a_worker() -> None:
    """A fresh process costs seconds of imports: only one that has grown is replaced."""
    configuration = make_celery("memory://").conf
    assert configuration.worker_max_tasks_per_child is None
    assert 300_000 < configuration.worker_max_memory_per_child < 1_000_000  # KiB


def test_a_broker_that_is_away_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next message is tried with a new connection."""
    tried: list[str] = []

    def connect() -> None:
        tried.append("x")
        raise OSError("refused")

    app = make_celery("memory://")
    monkeypatch.setattr(app, "connection_for_write", connect)
    bell = CeleryBell(app)
    bell.pass_on()
    bell.ring(3)
    assert bell.waiting() == 0
    assert len(tried) == 3


def test_a_broker_that_is_away_costs_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that rings in vain goes on with its work at once."""
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    bell = CeleryBell(make_celery(f"redis://127.0.0.1:{port}/0"))
    bell.ring(3)
    bell.pass_on()
    assert sum(slept) < 0.1
