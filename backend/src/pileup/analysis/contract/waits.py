"""The wait graph, who blocks whom, and which waits last."""

from __future__ import annotations

from typing import Any, Literal

from pileup.analysis.contract.base import CERTAIN, Doc, Locator


class HotWaitDoc(Doc, frozen=True, kw_only=True):
    file: str
    line: int
    mode: str
    waits: int
    """Over all snapshots of the window."""
    max_at_once: int
    max_at: str | None
    share: float
    latch: str | None
    """Latch id of the knowledge base."""
    latch_label: str
    """'created btr0sea.cc:202' or '&kernel_mutex': as the dump names it."""
    subsystem: str | None
    meaning: str
    max_waited_s: float | None = None
    example: Locator | None = None
    function: str | None = None
    """The function of the server's source at this place; None where no version of it was read."""
    source: str = ""
    """'row_search_mvcc (mysql-5.7.32, the nearest version that was read)'."""


class HotLatchDoc(Doc, frozen=True, kw_only=True):
    """The same waits grouped by the latch they wait for, across positions."""

    latch: str | None
    label: str
    addresses: int
    top_address: str | None
    waits: int
    max_at_once: int
    max_at: str | None
    share: float
    positions: list[str]
    meaning: str


class BlockerDoc(Doc, frozen=True, kw_only=True):
    kind: str
    """transaction, thread, latch, session, commit_leader."""
    id: str
    """The node id in the wait graph at ``time``."""
    holder: str
    time: str | None
    blocks_direct: int
    blocks_total: int
    seen: int
    """In how many moments it is the root blocker; ``of`` were looked at."""
    of: int
    why: str
    evidence: list[Locator]
    blocking: int = 0
    """In how many of them threads wait behind it, root or not."""
    among: str = ""
    """'24 status dumps of the stall': what was looked at."""
    waiters: int = 0
    """Threads that wait at ``time``, behind it or not."""
    nodes: int = 1
    """Nodes of the graphs that it stands for: latches of one origin are one blocker."""
    inferred: bool = False
    blocked_thread_s: float = 0.0
    """Threads behind it, summed over the time between the moments that were looked at."""
    first: str | None = None
    last: str | None = None
    """The first and last of the moments in which it is the root blocker."""
    confidence: float = CERTAIN
    """0..1, of its surest hold on something that others wait for; ``why`` says how it is known."""
    persistence: str = ""
    """'The root in 11 of 24 status dumps of the stall, others behind it in 23'."""
    amplification: str = ""
    """'One latch: 222 behind it directly, 948 in all'; empty where all stand directly behind."""


class DeadlockDoc(Doc, frozen=True, kw_only=True):
    time: str | None
    transactions: list[dict[str, Any]]
    victim: int | None
    relation: str
    """'27 s before the onset, on other tables: not part of this stall'."""
    artifact: str
    line_first: int


class JoinDoc(Doc, frozen=True, kw_only=True):
    """How one more layer (stack, session, latch wait) came to be a thread's."""

    why: str
    confidence: float
    """0..1; 1 where one record prints both ids."""


Mark = Literal["", "added", "gone", "kept"]
"""What became of a node or an edge between two moments; empty where one moment is shown."""


WaitKind = Literal[
    "thread", "latch", "row_lock", "table_lock", "metadata_lock", "commit", "fsync", "queue"
]


class WaitNode(Doc, frozen=True, kw_only=True, omit_defaults=True):
    """A thread, what it waits for, or a folded group. What has its default is left out of JSON."""

    id: str
    kind: WaitKind | Literal["group"]
    label: str
    """Mono text for the row: 'trx 8812431 · session 390', 'RW-latch btr0sea.cc:202'."""
    lasting: str = ""
    """What stays the same between moments: the key of WaitPersistence; empty: the id itself."""
    mark: Mark = ""
    detail: str = ""
    members: int = 1
    """> 1 for a folded group."""
    of: WaitKind | None = None
    """For a folded group: the kind of its members."""
    blocks_direct: int = 0
    blocks_total: int = 0
    depth: int = 0
    """0 at a root, growing towards the waiters."""
    root: bool = False
    inferred: bool = False
    waiting: bool = False
    waited_s: float | None = None
    mode: str | None = None
    thread_id: str | None = None
    """pthread_t as decimal text: it does not fit a JavaScript number."""
    session_id: int | None = None
    trx_id: str | None = None
    user: str | None = None
    state: str | None = None
    command: str | None = None
    query: str | None = None
    trx_active_s: float | None = None
    undo_entries: int | None = None
    row_locks: int | None = None
    address: str | None = None
    latch: str | None = None
    meaning: str | None = None
    stack: list[str] = []
    join: str = ""
    """How the layers were joined, and how sure: 'pthread 0x7f.. in dump and gdb (exact)'."""
    joins: list[JoinDoc] = []
    join_confidence: float | None = None
    """The least of ``joins``; None for what one layer alone tells."""
    locators: list[Locator] = []


class WaitEdge(Doc, frozen=True, kw_only=True, omit_defaults=True):
    source: str
    target: str
    kind: Literal["waits_for", "held_by"]
    mark: Mark = ""
    mode: str | None = None
    count: int = 1
    waited_s: float | None = None
    """Longest."""
    inferred: bool = False
    confidence: float = CERTAIN
    """0..1: 1 where a dump or a lock table prints it; ``note`` says why it is less."""
    note: str = ""
    source_site: str = ""
    """For a wait at a place of the server's source: the function, and in which version it was
    read."""
    locators: list[Locator] = []


class WaitRoot(Doc, frozen=True, kw_only=True):
    node: str
    label: str
    blocks_direct: int
    blocks_total: int
    why: str
    inferred: bool = False
    confidence: float = CERTAIN
    """Of its surest hold on something that others wait for."""
    amplification: str = ""
    """'One latch: 222 behind it directly, 948 in all'; empty where all stand directly behind."""
    longest_s: float | None = None
    """For so long at least somebody directly behind it has waited."""


class WaitGraph(Doc, frozen=True, kw_only=True):
    at: str | None
    """Time of the chosen snapshot."""
    snapshots: list[Locator]
    """The dump, stack sample, processlist ... that were joined."""
    headline: str
    waiters: int
    """Distinct waiting threads."""
    folded: bool
    nodes: list[WaitNode]
    edges: list[WaitEdge]
    roots: list[WaitRoot]
    cycles: list[list[str]]
    notes: list[str]
    slim: bool = False
    """Many nodes: stacks, statements and raw lines are told per node (WaitNodeDoc)."""
    found: list[str] = []
    """Ids of the nodes that were asked for by ``find``; they are not folded away."""
    against: str | None = None
    """The other moment, of a difference."""
    difference: str = ""
    """What changed since then, in one sentence."""


class WaitMember(Doc, frozen=True, kw_only=True):
    """One node of a folded group."""

    id: str
    label: str
    waited_s: float | None = None
    blocks_total: int = 0


class LatchKnowledge(Doc, frozen=True, kw_only=True):
    """What the knowledge base says of a latch."""

    id: str
    kind: str
    subsystem: str
    shared_by: str
    exclusive_by: str
    contention_means: str
    check: list[str]
    knobs: list[str]


class WaitNodeDoc(Doc, frozen=True, kw_only=True):
    """Everything about one node of a wait graph."""

    node: WaitNode
    latch: LatchKnowledge | None
    """Of the node itself, or of what it waits for."""
    frames: list[str]
    """Its stack, innermost first: 'function at file:line'."""
    stack_artifact: str | None
    stack_snapshot: int | None
    """The sample that the stack is from."""
    stack_key: str | None
    members: list[WaitMember]
    """Of a group: the longest waits first, at most 200."""


class LastingWait(Doc, frozen=True, kw_only=True):
    """How one node lasted over the moments."""

    key: str
    seen: int
    """Moments in which it waited or was waited for."""
    waiting: int
    """Of them, those in which it waited itself."""
    blocking: int
    """Of them, those in which threads waited behind it."""
    root: int
    """Of them, those in which it was a root blocker."""
    most: int
    """Threads behind it at its worst."""
    blocked_thread_s: float
    """Seconds that threads spent behind it: how many, times how long each moment lasted."""
    first: str | None
    last: str | None


class WaitPersistence(Doc, frozen=True, kw_only=True):
    """Who and what stays stuck from moment to moment."""

    unit: str
    """What a moment is: 'status dump', 'stack sample', 'processlist', 'lock table'."""
    of: int
    """Moments looked at."""
    moments: int
    """Moments there are to look at; more than ``of`` when they were spread."""
    among: str
    """'24 status dumps of the stall', '24 status dumps looked at (83 of the stall)'."""
    nodes: list[LastingWait]
    """The most thread-seconds first."""
