"""Collectors that get no answer show a stall only where the server is there, or has crashed."""

from __future__ import annotations

import pytest

from pileup.analysis import analyse
from pileup.records import CLIENT, Event
from tests.analysis.frames import T0, S, evidence, gauge


def _event(second: int, message: str, **more: str) -> Event:
    return Event(
        line_first=1, line_last=1, wall_us=T0 + second * S, clock="utc", message=message,
        **({"kind": "log"} | more),
    )  # type: ignore[arg-type]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "kind", "stalls"),
    [("1040", "log", 1), ("2002", "crash", 1), ("2002", "restart", 0)],
    ids=["refused", "crashed", "restarted by a person"],
)
def test_errors_of_collectors(code: str, kind: str, stalls: int) -> None:
    failed = [
        _event(at, f"ERROR {code}", code=code, subsystem=CLIENT) for at in (62, 65, 68, 71, 74)
    ]
    running = [
        gauge("mysql.Threads_running", [2.0] * 60, start=T0),
        gauge("mysql.Threads_running", [2.0] * 60, start=T0 + 80 * S),
    ]
    document = analyse(
        evidence({"list": failed, "log": [_event(61, "x", kind=kind)], "status": running})
    )
    assert [stall.shape for stall in document.stalls] == ["refused"] * stalls
