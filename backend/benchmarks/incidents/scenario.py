"""What a mechanism needs: the world, the application, the size of the case, and the truth."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.incidents.load import Application
from benchmarks.incidents.servers import Server
from benchmarks.incidents.simulation import Program, Session, World


@dataclass
class Truth:
    """What really happened."""

    mechanism: str
    onset: float | None = None
    """Seconds since the start of the world; None: nothing is wrong."""
    root_session: int | None = None
    """The session that holds up the others."""
    root: str = ""
    """Expression that a name of the root must match, where it is no session."""

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong."""
        return self.onset is None


@dataclass
class Scenario:
    """A server with its application, and what a mechanism puts into it."""

    server: Server
    world: World
    app: Application
    rng: random.Random
    size: int
    """Sessions of the application."""
    onset: float
    truth: Truth
    end: float = math.inf
    """When the trouble is over."""
    culprits: list[Session] = field(default_factory=list)
    """Sessions that are killed at the end."""
    settings: dict[str, str] = field(default_factory=dict)
    log: list[tuple[float, str, str]] = field(default_factory=list)
    """Lines of the error log: time, level, text."""
    machine: dict[str, float] = field(default_factory=dict)
    """From the onset on: cpu_user, cpu_system, iowait, io_util, io_await_ms, swap_kb, free_mb."""
    deadlocks: list[tuple[float, Session, Session]] = field(default_factory=list)
    refused: bool = False

    def culprit(self, user: str = "", **about: object) -> Session:
        """Connect the session that causes the trouble; it is the root unless set otherwise."""
        session = self.app.client(user or None)
        for name, value in about.items():
            setattr(session, name, value)
        self.truth.root_session = session.id
        self.culprits.append(session)
        return session

    def heat(self, share: float) -> None:
        """Send a share of the operations to the hot row, as many as it bears in good times."""
        rate, held_s = self.size / self.app.think_s, 0.007
        self.app.hot_share = min(share, 0.35 / (rate * held_s))

    @property
    def on(self) -> bool:
        """Whether the trouble lasts."""
        return self.onset < self.world.now < self.end

    def after(
        self, seconds: float, program: Callable[[Session], Program], session: Session
    ) -> None:
        """Start a program so many seconds after the onset."""
        self.world.start(session, program(session), self.onset + seconds)
