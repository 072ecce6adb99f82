"""Arguments for direct calls of the engine: only what a call reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

from pileup.analysis import Evidence
from pileup.analysis.evidence.levels import Level
from pileup.analysis.stalls.indicators import Signal
from tests.analysis.frames import T0, S, evidence
from tests.api.test_table_tabs import session

Scenes = dict[str, Callable[[], object]]


def given(**fields: Any) -> Any:
    """Return an argument with these fields."""
    return SimpleNamespace(**fields)


def always(answer: object) -> Callable[..., Any]:
    """Return a function that answers this, whatever it is given."""
    return lambda *_, **__: answer


@contextmanager
def instead(owner: ModuleType | type, **functions: Any) -> Iterator[None]:
    """Put other functions in place of those that a call uses."""
    with ExitStack() as patches:
        for name, function in functions.items():
            patches.enter_context(mock.patch.object(owner, name, function))
        yield


def signal(*values: float, step_s: float = 1, start: int = T0, role: Any = "concurrency") -> Signal:
    times = [start + round(n * step_s * S) for n in range(len(values))]
    return Signal("x", "metric.x", None, role, times, list(values))


def level(
    series: str,
    inside: float,
    *,
    before: float | None = None,
    collector: str = "",
    labels: str = "",
) -> Level:
    name = f"{collector}.{series}" if collector else series
    return Level(name, name, labels, "a", before, inside, inside, 9)


def listed(lists: dict[int, dict[int, str]]) -> Evidence:
    """Return processlists: by second, the statement of each session."""
    rows = [
        session(number, query, wall_us=T0 + at * S, snapshot=snapshot)
        for snapshot, (at, sessions) in enumerate(lists.items())
        for number, query in sessions.items()
    ]
    return evidence({"list": rows})
