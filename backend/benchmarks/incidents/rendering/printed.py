"""What a server knows when it prints: the moment, threads of sessions, the clock, states."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from benchmarks.incidents.scenario import Scenario
from benchmarks.incidents.servers import Server
from benchmarks.incidents.simulation import IDLE, Moment, Resource, Session


@dataclass
class Printed:
    """A scenario as its server prints it."""

    scenario: Scenario
    rng: random.Random
    skew_s: float = 0.0
    """By how much the clock of the metrics is ahead of the server's."""
    start: datetime = field(init=False)
    _threads: dict[int, int] = field(default_factory=dict)
    _base: int = field(init=False)
    _lwp: int = field(init=False)

    def __post_init__(self) -> None:
        self.start = datetime(2019, 1, 1, tzinfo=UTC) + timedelta(
            seconds=self.rng.randrange(6 * 365 * 86400)
        )
        self._base = 0x7F0000000000 + self.rng.randrange(1 << 32) * 256
        self._lwp = self.rng.randrange(900, 30_000)

    @property
    def server(self) -> Server:
        """The server that prints."""
        return self.scenario.server

    def at(self, moment: Moment | float) -> datetime:
        """Return the time of a moment by the server's clock."""
        seconds = moment if isinstance(moment, float | int) else moment.time
        return self.start + timedelta(seconds=seconds)

    def local(self, seconds: float) -> datetime:
        """Return a time by the server's clock; all clocks are in UTC so far."""
        return self.at(seconds)

    def thread(self, session: Session) -> int:
        """Return the pthread of a session."""
        if session.id not in self._threads:
            self._threads[session.id] = self._base - 0x4B000 * (len(self._threads) + 1)
        return self._threads[session.id]

    def lwp(self, session: Session) -> int:
        """Return the kernel's id of a session's thread."""
        return self._lwp + (self._base - self.thread(session)) // 0x4B000


def waits_for(session: Session, *kinds: str) -> Resource | None:
    """Return the resource of one of these kinds that a session waits for."""
    resource = session.wait.resource if session.wait else None
    return resource if resource is not None and resource.kind in kinds else None


def is_idle(session: Session) -> bool:
    """Whether a session waits for its client."""
    return session.doing == IDLE and session.wait is None and session.statement is None


def state(session: Session, server: Server) -> str:
    """Return the State of a processlist."""
    if session.state:
        return session.state
    if is_idle(session):
        return ""
    if session.wait is not None:
        return _waiting_state(session, server)
    return _working_state(session, server)


def _waiting_state(session: Session, server: Server) -> str:
    assert session.wait is not None
    kind, backup = session.wait.resource.kind, server.key in ("ma106", "ma114")
    if kind == "latch" and session.wait.resource.name == "dictionary":
        return "Opening tables"
    if kind == "commit":
        return _commit_state(session, server)
    prior = "prior" if server.maria else "preceding"
    simple = {
        "commit_order": f"Waiting for {prior} transaction to commit",
        "metadata": "Waiting for table metadata lock",
        "global": "Waiting for backup lock" if backup else "Waiting for global read lock",
        "commit_lock": "Waiting for backup lock" if backup else "Waiting for commit lock",
        "table_flush": "Waiting for table flush",
        "user": "User lock",
        "table": "Waiting for table level lock",
        "table_cache": "Opening tables",
        "query_cache": "Waiting for query cache lock",
    }
    return simple.get(kind) or _engine_state(session, server)


def _commit_state(session: Session, server: Server) -> str:
    if server.key in ("ma106", "ma114"):
        return "Commit"
    if server.generation in ("my80", "my84"):
        return "waiting for handler commit"
    if session.verb == "commit":
        return {"my56": "init", "ma102": "init"}.get(server.generation, "starting")
    return "query end"


def _engine_state(session: Session, server: Server) -> str:
    """Return the state of a statement inside the storage engine, working or waiting."""
    maria = server.key in ("ma106", "ma114")
    modern = server.generation in ("my80", "my84")
    states = {
        "select": "executing" if modern else "Sending data",
        "update": "Updating" if maria else "updating",
        "delete": "Updating" if maria else "updating",
        "insert": "Update" if maria else "update",
        "insert_select": "executing" if modern else "Sending data",
        "commit": _commit_state(session, server),
        "get_lock": "User lock",
    }
    if session.verb == "delete" and server.generation == "my56":
        return "updating"
    return states.get(session.verb, "executing" if modern else "Sending data")


def _working_state(session: Session, server: Server) -> str:
    maria = server.key in ("ma106", "ma114")
    if session.doing == "opening":
        return "Opening tables"
    if session.doing == "opening table":
        return "Opening tables"
    if session.doing == "dropping":
        return "checking permissions"
    if session.doing == "awaiting ack":
        newer = server.generation == "my84" or server.release >= "8.0.26" > server.release[:2]
        return f"Waiting for semi-sync ACK from {'replica' if newer else 'slave'}"
    if session.doing in ("flushing", "committing", "syncing full text", "disk full"):
        return _commit_state(session, server)
    if session.doing == "altering":
        return "altering table"
    if session.doing == "sending":
        return {"my80": "Sending to client", "my84": "Sending to client"}.get(
            server.generation, "Writing to net" if maria else "Sending to client"
        )
    if session.doing == "starting":
        return "init" if server.generation == "my56" else "starting"
    return _engine_state(session, server)
