"""A small discrete-event simulation of a database server: sessions, resources, group commit.

A session runs a program: a generator that yields steps. ``Work`` takes time, ``Take`` waits for a
resource in the order of arrival, ``Commit`` joins the queue of the group commit. A program changes
its session (statement, transaction) directly between steps. ``World.look`` copies what everybody
does at a moment; what a copy lacks, no file can show.
"""

from __future__ import annotations

import heapq
import random
from collections import defaultdict, deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

IDLE = "idle"
"""Activity of a session that waits for its client."""


@dataclass(eq=False)
class Resource:
    """Something that sessions wait for: shared holders together, an exclusive holder alone."""

    kind: str
    """row, metadata, global, commit_lock, user, table, autoinc, latch, slot, redo, page, ..."""
    name: str
    """The table of a lock, the name of a latch."""
    slots: int = 0
    """Holders at once whatever their mode; 0: by mode."""
    holders: dict[Session, str] = field(default_factory=dict)
    queue: deque[Request] = field(default_factory=deque)

    def admits(self, mode: str) -> bool:
        """Whether the next in the queue may hold it now."""
        if self.slots:
            return len(self.holders) < self.slots
        return not self.holders or (mode == "S" and "X" not in self.holders.values())


@dataclass(eq=False)
class Request:
    """A session's wait for a resource, or for the group commit."""

    session: Session
    resource: Resource
    mode: str
    since: float


@dataclass
class Transaction:
    """An open transaction."""

    id: int
    since: float
    undo: int = 0
    row_locks: int = 0
    tables: list[str] = field(default_factory=list)
    snapshot: bool = False
    phase: str = ""
    """The operation that a status dump prints: 'updating or deleting'."""


@dataclass(eq=False)
class Session:
    """A connection, or a background thread (``background``)."""

    id: int
    user: str = "app"
    host: str = "localhost"
    database: str = "shop"
    background: str = ""
    statement: str | None = None
    verb: str = "select"
    """What the statement is: select, update, insert, delete, commit, alter, ..."""
    table: str = ""
    since: float = 0.0
    """When the statement began, or when the session went idle."""
    doing: str = IDLE
    wait: Request | None = None
    transaction: Transaction | None = None
    connected: bool = True
    connected_at: float = 0.0
    command: str = ""
    """'Connect', 'Binlog Dump', ...: overrides Query and Sleep."""
    state: str = ""
    """Overrides the state of a processlist."""
    held: list[Resource] = field(default_factory=list)


@dataclass(frozen=True)
class Work:
    """Spend time with an activity."""

    seconds: float
    doing: str


@dataclass(frozen=True)
class Take:
    """Wait for a resource and hold it."""

    resource: Resource
    mode: str = "X"


@dataclass(frozen=True)
class Free:
    """Let go of a resource."""

    resource: Resource


@dataclass(frozen=True)
class Commit:
    """Flush the logs together with all that wait for it: the head of the queue leads."""


Step = Work | Take | Free | Commit
Program = Generator[Step, None, None]


@dataclass
class Moment:
    """What every session does at one time."""

    time: float
    sessions: list[Session]
    counters: dict[str, float]
    gauges: dict[str, float]
    holders: dict[Resource, list[tuple[int, str]]]
    """Session ids and modes, of resources that are waited for."""


class World:
    """The server: its clock, its sessions, its counters."""

    def __init__(self, rng: random.Random, fsync_s: Callable[[], float] | None = None) -> None:
        self.rng = rng
        self.now = 0.0
        self.sessions: dict[int, Session] = {}
        self.counters: defaultdict[str, float] = defaultdict(float)
        self.gauges: dict[str, float] = {}
        self.fsync_s = fsync_s or (lambda: rng.uniform(0.0005, 0.002))
        self.leader_doing: Callable[[], str] = lambda: "flushing"
        """What the leader of a group does while it commits the group."""
        self.commit_queue = Resource("commit", "group commit")
        self.committing: list[Session] = []
        """The group whose logs are flushed now; the first leads."""
        self.next_transaction = rng.randrange(20_000, 400_000_000)
        self.next_session = rng.randrange(8, 400_000)
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = 0

    def connect(self, **about: object) -> Session:
        """Add a session."""
        self.next_session += self.rng.choice((1, 1, 1, 2, 5))
        session = Session(self.next_session, connected_at=self.now, since=self.now, **about)  # type: ignore[arg-type]
        self.sessions[session.id] = session
        self.counters["connections"] += 1
        return session

    def start(self, session: Session, program: Program, at: float = 0.0) -> None:
        """Run a program in a session from a time on."""
        self.at(max(at, self.now), lambda: self._next(session, program))

    def at(self, time: float, action: Callable[[], None]) -> None:
        """Do something at a time."""
        self._order += 1
        heapq.heappush(self._events, (time, self._order, action))

    def run(self, until: float) -> None:
        """Advance the clock."""
        while self._events and self._events[0][0] <= until:
            self.now, _, action = heapq.heappop(self._events)
            action()
        self.now = until

    def begin(self, session: Session) -> Transaction:
        """Return the session's transaction, opening one if it has none."""
        if session.transaction is None:
            self.next_transaction += self.rng.choice((1, 1, 2, 3))
            session.transaction = Transaction(self.next_transaction, self.now)
        return session.transaction

    def kill(self, session: Session) -> None:
        """Disconnect a session: its locks are free, its program goes no further."""
        session.connected, session.transaction, session.statement = False, None, None
        if session.wait is not None and session.wait in session.wait.resource.queue:
            session.wait.resource.queue.remove(session.wait)
            self._grant(session.wait.resource)
        session.wait = None
        for resource in list(session.held):
            self.release(session, resource)

    def query(self, session: Session, verb: str, statement: str, table: str = "") -> None:
        """Start a statement."""
        session.verb, session.statement, session.table = verb, statement, table
        session.since, session.doing = self.now, "starting"

    def finish(self, session: Session) -> None:
        """End a statement: the session waits for its client."""
        self.counters["questions"] += 1
        self.counters["com_" + session.verb] += 1
        self.counters["busy_s"] += self.now - session.since
        session.statement, session.since, session.doing = None, self.now, IDLE

    def look(self) -> Moment:
        """Copy what everybody does now."""
        waited = {s.wait.resource for s in self.sessions.values() if s.wait is not None}
        seen = [_copy(session) for session in self.sessions.values() if session.connected]
        return Moment(
            self.now,
            seen,
            dict(self.counters),
            dict(self.gauges),
            {r: [(s.id, mode) for s, mode in r.holders.items()] for r in waited},
        )

    # ---- steps

    def _next(self, session: Session, program: Program) -> None:
        if not session.connected and not session.background:
            return
        try:
            step = next(program)
        except StopIteration:
            return
        if isinstance(step, Work):
            session.doing = step.doing
            self.at(self.now + step.seconds, lambda: self._next(session, program))
        elif isinstance(step, Take):
            request = Request(session, step.resource, step.mode, self.now)
            request.program = program  # type: ignore[attr-defined]
            step.resource.queue.append(request)
            session.wait = request
            self._grant(step.resource)
        elif isinstance(step, Free):
            self.release(session, step.resource)
            self._next(session, program)
        else:
            request = Request(session, self.commit_queue, "X", self.now)
            request.program = program  # type: ignore[attr-defined]
            session.wait = request
            self.commit_queue.queue.append(request)
            if not self.committing:
                self._lead()

    def release(self, session: Session, resource: Resource) -> None:
        """Let go of a resource and admit those who wait for it."""
        if resource.holders.pop(session, None) is not None:
            session.held.remove(resource)
            self._grant(resource)

    def _grant(self, resource: Resource) -> None:
        while resource.queue and resource.admits(resource.queue[0].mode):
            request = resource.queue.popleft()
            session = request.session
            resource.holders[session] = request.mode
            session.held.append(resource)
            session.wait = None
            program = request.program  # type: ignore[attr-defined]
            self.at(self.now, lambda s=session, p=program: self._next(s, p))  # type: ignore[misc]

    def _lead(self) -> None:
        group = list(self.commit_queue.queue)
        self.commit_queue.queue.clear()
        self.committing = [request.session for request in group]
        leader = self.committing[0]
        leader.wait, leader.doing = None, self.leader_doing()
        self.counters["fsyncs"] += 2

        def done() -> None:
            self.committing = []
            for request in group:
                request.session.wait = None
                self.counters["commits"] += 1
                self._next(request.session, request.program)  # type: ignore[attr-defined]
            if self.commit_queue.queue and not self.committing:
                self._lead()

        self.at(self.now + self.fsync_s(), done)


def _copy(session: Session) -> Session:
    transaction = session.transaction
    copied = Session(**{name: getattr(session, name) for name in session.__dataclass_fields__})
    copied.held = list(session.held)
    if transaction is not None:
        copied.transaction = Transaction(
            **{name: getattr(transaction, name) for name in transaction.__dataclass_fields__}
        )
    return copied
