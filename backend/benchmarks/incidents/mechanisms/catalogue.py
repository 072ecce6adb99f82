"""The registry of mechanisms: for which servers each exists, and which files show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.incidents.scenario import Scenario

ALL = ("my56", "my57", "my80", "my84", "ma102", "ma106", "ma114", "ps57", "ps80")
NO_QUERY_CACHE = ("my80", "my84", "ps80")
SYS = ("my57", "my80", "my84", "ps57", "ps80")
SEMAPHORES = tuple(key for key in ALL if key not in ("ma106", "ma114"))


@dataclass(frozen=True)
class Mechanism:
    """One thing that goes wrong, or a load that is fine."""

    name: str
    inject: Callable[[Scenario], None]
    servers: tuple[str, ...]
    shown: tuple[str, ...]
    """Forms of single files that show the mechanism: dump, list, stacks, log, locks."""
    rooted: tuple[str, ...]
    """Forms that show which session or latch is the root."""
    healthy: bool = False
    locks: tuple[str, ...] = ALL
    """Servers whose lock tables show it: MySQL's sys schema has metadata locks from 5.7."""
    least: int = 1
    """Sessions that must wait before a file shows the mechanism: short waits are usual."""


MECHANISMS: dict[str, Mechanism] = {}

Inject = Callable[[Scenario], None]


def mechanism(
    name: str,
    *,
    shown: str,
    rooted: str = "",
    servers: tuple[str, ...] = ALL,
    healthy: bool = False,
    locks: tuple[str, ...] = ALL,
    least: int = 1,
) -> Callable[[Inject], Inject]:
    """Register a function that injects a mechanism into a scenario."""

    def register(inject: Inject) -> Inject:
        MECHANISMS[name] = Mechanism(
            name,
            inject,
            servers,
            tuple(shown.split()),
            tuple(rooted.split()),
            healthy,
            locks,
            least,
        )
        return inject

    return register
