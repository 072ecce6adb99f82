"""Wait graphs, hot waits, root blockers and the persistence of waits."""

from __future__ import annotations

from typing import Literal

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
    """Server function at this position; None if no version's source is known."""
    source: str = ""
    """'row_search_mvcc (mysql-5.7.32, the nearest version that was read)'."""


class HotLatchDoc(Doc, frozen=True, kw_only=True):
    """Semaphore waits grouped by latch, across positions."""

    latch: str | None
    label: str
    addresses: int
    """Different addresses; 0: the waits are printed without any."""
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
    """Number of the ``of`` chosen moments in which it is the root blocker."""
    of: int
    why: str
    evidence: list[Locator]
    blocking: int = 0
    """Number of these moments in which threads wait behind it, root or not."""
    among: str = ""
    """Description of the chosen moments: '24 sampled status dumps'."""
    waiters: int = 0
    """Threads that wait at ``time``, behind it or not."""
    nodes: int = 1
    """Number of nodes combined: latches of one origin are one blocker."""
    inferred: bool = False
    blocked_thread_s: float = 0.0
    """Thread-seconds spent behind it, over the chosen moments."""
    first: str | None = None
    last: str | None = None
    """The first and last of the moments in which it is the root blocker."""
    confidence: float = CERTAIN
    """Confidence of its surest hold that others wait for, 0..1; ``why`` gives the reason."""
    persistence: str = ""
    """'Root blocker in 11 of 24 sampled status dumps, blocks in 23'."""
    amplification: str = ""
    """'One latch: 222 behind it directly, 948 in all'; empty where all stand directly behind."""
    root: str = ""
    """Key of the root in ``roots``, from which it is taken."""
    share: float | None = None
    """Share of the active-session seconds of the stall that end there; None: not measured."""


class JoinDoc(Doc, frozen=True, kw_only=True):
    """How another layer (stack, session, latch wait) was joined to a thread."""

    why: str
    confidence: float
    """0..1; 1 where one record prints both ids."""


Mark = Literal["", "added", "gone", "kept"]
"""Change of a node or an edge between two moments; empty in a graph of one moment."""


WaitKind = Literal[
    "thread", "latch", "row_lock", "table_lock", "metadata_lock", "commit", "fsync", "queue"
]


class WaitNode(Doc, frozen=True, kw_only=True, omit_defaults=True):
    """A thread, a resource, or a folded group; JSON omits fields with default values."""

    id: str
    kind: WaitKind | Literal["group"]
    label: str
    """Text of the row: 'trx 8812431 · session 390', 'RW-latch btr0sea.cc:202'."""
    lasting: str = ""
    """Key in WaitPersistence, the same in all moments; empty: the id itself."""
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
    shape: str = ""
    """Its statement without literals, cut; of a group: the one that all members run."""
    table: str = ""
    """Table of its statement, of the lock it waits for, or that the lock is of; '' if unknown."""
    trx_active_s: float | None = None
    undo_entries: int | None = None
    row_locks: int | None = None
    address: str | None = None
    latch: str | None = None
    meaning: str | None = None
    stack: list[str] = []
    join: str = ""
    """Description of the joins: 'pthread 0x7f.. in dump and gdb (exact)'."""
    joins: list[JoinDoc] = []
    join_confidence: float | None = None
    """Lowest confidence of ``joins``; None for nodes of one layer."""
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
    """0..1; 1 if a dump or a lock table prints it, else ``note`` gives the reason."""
    note: str = ""
    source_site: str = ""
    """Function at the wait's source position, and the version it was read in."""
    locators: list[Locator] = []


class WaitRoot(Doc, frozen=True, kw_only=True):
    node: str
    label: str
    blocks_direct: int
    blocks_total: int
    why: str
    inferred: bool = False
    confidence: float = CERTAIN
    """Confidence of its surest hold that others wait for, 0..1."""
    amplification: str = ""
    """'One latch: 222 behind it directly, 948 in all'; empty where all stand directly behind."""
    longest_s: float | None = None
    """Longest wait directly behind it, in seconds."""


class WaitGraph(Doc, frozen=True, kw_only=True):
    at: str | None
    """Time of the chosen snapshot."""
    snapshots: list[Locator]
    """The joined snapshots: dump, stack sample, processlist, ..."""
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
    """True for many nodes: stacks, statements and raw lines are only in WaitNodeDoc."""
    found: list[str] = []
    """Ids of the nodes that match ``find``; they stay unfolded."""
    against: str | None = None
    """Time of the other moment of a comparison."""
    difference: str = ""
    """Sentence that summarises the changes since then."""


class WaitMember(Doc, frozen=True, kw_only=True):
    """One node of a folded group."""

    id: str
    label: str
    waited_s: float | None = None
    blocks_total: int = 0


class LatchKnowledge(Doc, frozen=True, kw_only=True):
    """Entry of the knowledge base for a latch."""

    id: str
    kind: str
    subsystem: str
    shared_by: str
    exclusive_by: str
    contention_means: str
    check: list[str]
    knobs: list[str]


class WaitNodeDoc(Doc, frozen=True, kw_only=True):
    """Details of one node of a wait graph."""

    node: WaitNode
    latch: LatchKnowledge | None
    """Latch that the node is, or that it waits for."""
    frames: list[str]
    """Its stack, innermost first: 'function at file:line'."""
    stack_artifact: str | None
    stack_snapshot: int | None
    """Index of the sample with the stack."""
    stack_key: str | None
    members: list[WaitMember]
    """Members of a group: most blocked threads first, then longest waits, at most 200."""


class LastingWait(Doc, frozen=True, kw_only=True):
    """In how many moments one node waits, blocks or is the root."""

    key: str
    seen: int
    """Moments in which it waits or is waited for."""
    waiting: int
    """Of these, moments in which it waits itself."""
    blocking: int
    """Of these, moments in which threads wait behind it."""
    root: int
    """Of these, moments in which it is a root blocker."""
    most: int
    """Peak number of threads behind it."""
    blocked_thread_s: float
    """Thread-seconds spent behind it: threads times the duration of each moment."""
    first: str | None
    last: str | None


class WaitPersistence(Doc, frozen=True, kw_only=True):
    """Persistence of waits over the chosen moments."""

    unit: str
    """Kind of moment: 'status dump', 'stack sample', 'processlist', 'lock table'."""
    of: int
    """Number of chosen moments."""
    moments: int
    """Number of moments to choose from."""
    among: str
    """'7 status dumps of the stall', or '24 sampled status dumps' chosen from more."""
    nodes: list[LastingWait]
    """The most thread-seconds first."""
