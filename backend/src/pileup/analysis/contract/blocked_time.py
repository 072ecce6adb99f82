"""Active sessions by class over time, and the roots that blocked time flows to."""

from __future__ import annotations

from typing import Literal

from pileup.analysis.contract.base import CERTAIN, Doc, Locator

MOST_TIME = 0.6
"""Share of session time (or of sessions) that is most; a root with less is one of several."""


class TimeClassDoc(Doc, frozen=True, kw_only=True):
    """Active-session seconds of one class, and its values at the times of the parent."""

    id: str
    """working, row_lock, metadata_lock, table_lock, global_lock, user_lock, latch, commit_queue,
    log_flush, data_read, data_write, redo_space, throttled, replication, client, unknown."""
    title: str
    waits: bool
    """Whether such a session waits for another session or a shared resource."""
    seconds: float | None
    share: float
    values: list[float]


class ThroughputDoc(Doc, frozen=True, kw_only=True):
    """Completed work per second at the times of the parent."""

    series: str
    title: str
    """What is counted: 'statements', 'transactions', 'rows read'."""
    values: list[float | None]
    """None: no sample between this time and the next."""


class ActiveSessionsDoc(Doc, frozen=True, kw_only=True):
    """Active sessions by class over time: sessions that work or wait inside the server."""

    times: list[str]
    level: list[float]
    """Active sessions at ``times``; the classes add up to it."""
    classes: list[TimeClassDoc]
    """Classes with any time, in the order in which a chart stacks them."""
    seconds: float | None
    """Active-session seconds: the area below ``level``, measured before any thinning. None: a
    single moment has no duration."""
    low: float | None
    high: float | None
    """Interval of ``seconds`` that the sampling error allows (95 %)."""
    covered_s: float | None = None
    """Seconds that the samples cover, without gaps: ``seconds`` over it is the average."""
    level_from: str
    """Series or kind of moment that gives the level."""
    mix_from: str
    """Moments that give the classes: '24 sampled status dumps'; '' if none shows them."""
    peak: float
    peak_at: str | None
    notes: list[str] = []
    """Where sources of one moment disagree, as sentences."""
    throughput: ThroughputDoc | None = None
    """For captures; None: no series shows completed work."""


class PathStepDoc(Doc, frozen=True, kw_only=True):
    """One step of ``RootDoc.path``, with what is known of it."""

    kind: Literal["sessions", "session", "resource"]
    label: str
    latch: str | None = None
    """Id of the latch in the knowledge base; ``label`` is its name in words then."""
    sessions: int = 1
    """How many wait at this step; of ``sessions`` only."""
    session_id: int | None = None
    statement: str | None = None
    """Of ``sessions``: of one of them."""
    idle: bool = False
    """A session that is idle inside a transaction."""
    since: str | None = None
    """When its statement, or its transaction if it is idle, began; None: not printed."""


class RootDoc(Doc, frozen=True, kw_only=True):
    """Where blocked time ends: the holder, or the resource whose holder is unknown or rotates."""

    key: str
    """The same in all moments: 'session:197', 'latch:RW-latch btr0sea.cc:202'."""
    kind: str
    """transaction, session, thread, cycle, or a resource: latch, row_lock, table_lock,
    metadata_lock, commit, fsync, queue; or a class of waits whose resource is unknown."""
    label: str
    """Its name with what identifies it: addresses, ids, and what its changing holders do."""
    seconds: float | None
    """Active-session seconds that flow to it; None: a single moment has no duration."""
    share: float
    """Of all active-session seconds."""
    low: float
    high: float
    """Interval of ``share`` that the sampling error allows."""
    path: list[str]
    """From the waiters to the root, as most of its seconds flow."""
    why: str
    """How it is known."""
    steps: list[PathStepDoc] = []
    """``path`` in detail; empty if no moment shows what the sessions wait for."""
    behind: int = 0
    """Sessions that wait behind it at ``time``, on all paths."""
    known: bool = True
    """False: the time ends at a resource whose holder no source shows."""
    rotates: bool = False
    """Its holders change from moment to moment, so that the resource itself is the root."""
    doing: str = ""
    """Class of what the holder does: working, data_read, idle, unknown, ..."""
    name: str = ""
    """Its name alone: 'page latch (buf0buf.cc:1433)', 'commit queue'."""
    holders_do: str = ""
    """What its changing holders do by most of their stacks, as a clause: 'whose leader ...'."""
    inferred: bool = False
    confidence: float = CERTAIN
    """Confidence of its surest hold that others wait for, 0..1."""
    session_id: int | None = None
    user: str | None = None
    statement: str | None = None
    table: str | None = None
    members: list[str] = []
    """For a cycle: labels of what it consists of."""
    moments: int = 0
    """Chosen moments in which time ends here."""
    of: int = 0
    among: str = ""
    """Description of the chosen moments: '24 sampled status dumps'."""
    node: str = ""
    """The node id in the wait graph at ``time``."""
    time: str | None = None
    """The moment with most sessions behind it."""
    evidence: list[Locator] = []
