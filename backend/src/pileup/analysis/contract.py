"""The analysis document: printed by ``pileup analyze --json``, stored and served as it is.

The JSON Schema in docs/analysis.schema.json is generated from these structs; a change that is not
purely additive raises SCHEMA. All times are ISO 8601 UTC with ``Z`` (text), durations are seconds.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

SCHEMA = "pileup.analysis/1"
CERTAIN = 1.0
"""A confidence; one object, so that it is seen to be the default and left out of a graph's JSON."""


class Doc(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """Base of every part of the document."""


class Locator(Doc, frozen=True, kw_only=True):
    """Where a claim comes from: raw lines, or a series over a window, or a moment and a node."""

    kind: Literal["lines", "series", "snapshot"]
    artifact: str | None = None
    """SHA-256."""
    path: str | None = None
    line_first: int | None = None
    line_last: int | None = None
    series: str | None = None
    """Series id: 'name{labels}@host'."""
    start: str | None = None
    end: str | None = None
    at: str | None = None
    node: str | None = None
    text: str = ""
    """The claim in one line, with its number: '257 of 257 waiters want the latch ...'."""


class ProblemDoc(Doc, frozen=True, kw_only=True):
    artifact: str
    path: str
    line: int | None
    message: str
    expected: str | None = None
    found: str | None = None
    severity: str = "warning"


class ClockDoc(Doc, frozen=True, kw_only=True):
    """How an artifact's times were placed on UTC."""

    source: str
    """host/collector, such as 'db-ledger-01/pt-stalk'."""
    zone: str | None
    """IANA zone or fixed offset '-08:00'; None when the file is absolute or has no time."""
    offset_s: float
    """Added after the zone."""
    how: str
    """One sentence: 'TS lines of this bundle give UTC-08:00 (30 of 30 agree)'."""
    quality: Literal["exact", "derived", "assumed", "given", "unknown"]
    dispersion_s: float | None = None
    anchors: int = 0
    suggested_offset_s: float | None = None
    """What counters or events that another source saw too say should be added; not applied."""
    suggested_how: str = ""
    """'Its clock is 41.2 s ahead of that of ...: questions at 58 moments, ± 0.4 s'."""
    moves: int = 0
    """Dry run of the suggestion: records whose time would change."""
    outside: int = 0
    """Of them, how many would then lie outside the time that the other artifacts cover."""
    jumps: list[str] = []
    """Where its own clock was set while it ran, one sentence each."""


class ArtifactDoc(Doc, frozen=True, kw_only=True):
    path: str
    sha256: str
    bytes: int
    format: str | None
    host: str | None
    first: str | None
    last: str | None
    records: dict[str, int]
    problems: list[ProblemDoc]
    bundle: str | None = None
    clock: ClockDoc | None = None


class SnapshotDoc(Doc, frozen=True, kw_only=True):
    time: str | None
    time_quality: str
    kind: str
    artifact: str
    path: str
    index: int
    host: str | None
    line_first: int
    waiters: int | None = None
    """Semaphore waits in the dump, or threads that wait in a stack sample."""
    lock_waits: int | None = None
    sessions: int | None = None
    server_version: str | None = None


class SeriesDoc(Doc, frozen=True, kw_only=True):
    id: str
    """'name{labels}@host'."""
    name: str
    labels: str
    host: str | None
    kind: str
    unit: str | None
    points: int
    first: str | None
    last: str | None
    min: float | None = None
    max: float | None = None
    artifact: str | None = None


class Window(Doc, frozen=True, kw_only=True):
    start: str
    end: str


class StallEvidence(Doc, frozen=True, kw_only=True):
    series: str
    baseline: float | None
    stall: float | None
    """Median inside the stall."""
    peak: float | None
    direction: Literal["up", "down"]
    onset: str | None
    text: str


class ComputedStall(Doc, frozen=True, kw_only=True):
    """What the analysis found where a person says otherwise."""

    onset: str
    end: str | None
    baseline: Window | None


class StallDoc(Doc, frozen=True, kw_only=True):
    kind: Literal["stall", "false_positive", "recovery_burst"]
    baseline: Window | None
    """None when the capture starts inside the stall; ``note`` says so."""
    onset: str
    end: str | None
    """None when the capture ends inside the stall."""
    duration_s: float | None
    peak_at: str | None
    peak_waiters: int | None
    """At ``peak_at``, what ``peak_counts`` says: the most at once that any moment shows."""
    evidence: list[StallEvidence]
    peak_counts: Literal["waiting", "running"] = "waiting"
    """waiting: threads that wait in the wait graph of that moment, all layers joined. running:
    sessions in a series, where no snapshot shows most of them as waiters; ``note`` says which."""
    note: str = ""
    host: str | None = None
    corrected_by: str | None = None
    """The person whose onset, end and baseline these are; None: as computed."""
    computed: ComputedStall | None = None
    """What a person corrected; None as well where nothing computed lies near."""


class ShiftDoc(Doc, frozen=True, kw_only=True):
    series: str
    name: str
    baseline: float | None
    stall: float | None
    ratio: float | None
    score: float
    """Robust: (stall median - baseline median) / (1.4826 MAD + floor), absolute value."""
    first_moved_s: float | None
    """Seconds relative to the onset; negative: it led."""
    uncertainty_s: float | None
    direction: Literal["up", "down"]
    unit: str | None = None
    host: str | None = None
    text: str = ""


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


class HotStackDoc(Doc, frozen=True, kw_only=True):
    stack: list[str]
    """Innermost first, cleaned."""
    threads: int
    max_at_once: int
    share: float
    signature: str | None
    """Stack id of the knowledge base."""
    category: str | None
    set_aside: bool
    meaning: str
    example: Locator | None = None


class SettingDoc(Doc, frozen=True, kw_only=True):
    name: str
    value: str | None
    source: str
    host: str | None
    artifact: str
    line_first: int


class EventDoc(Doc, frozen=True, kw_only=True):
    time: str | None
    kind: str
    severity: str | None
    message: str
    host: str | None
    artifact: str | None
    line_first: int | None


class DeadlockDoc(Doc, frozen=True, kw_only=True):
    time: str | None
    transactions: list[dict[str, Any]]
    victim: int | None
    relation: str
    """'27 s before the onset, on other tables: not part of this stall'."""
    artifact: str
    line_first: int


class TriageDoc(Doc, frozen=True, kw_only=True):
    check: Literal[
        "configuration",
        "saturated_resources",
        "collateral_query",
        "other_process",
        "hardware",
        "shared_storage",
        "locking",
    ]
    verdict: Literal["ok", "suspect", "no_data"]
    why: str
    evidence: list[Locator]
    collect: str = ""
    """The command that would have told, for the next time; empty when all was there."""


class MitigationDoc(Doc, frozen=True, kw_only=True):
    action: str
    side_effects: str | None = None


class ExperimentDoc(Doc, frozen=True, kw_only=True):
    change: str
    expect: str
    refuted_if: str | None = None


class SignDoc(Doc, frozen=True, kw_only=True):
    """One sign of a finding's signature, seen or not."""

    text: str
    seen: Literal["yes", "no", "no_data"]
    weight: float
    """What it adds to the score when it is seen."""


class FindingDoc(Doc, frozen=True, kw_only=True):
    id: str
    category: str
    title: str
    score: float
    """0..1; a ranking aid, not a probability."""
    why: str
    evidence: list[Locator]
    against: list[str]
    """What speaks against it or is missing."""
    applies_to_version: Literal["yes", "no", "unknown"]
    fixed_in: list[str]
    mitigations: list[MitigationDoc]
    experiment: ExperimentDoc | None
    references: list[str]
    explanation: str = ""
    signs: list[SignDoc] = []
    """What was looked for, where the signature is data; empty where code decides."""
    verified: bool = True
    """Whether the knowledge base read the source of this problem; ``verified_by`` tells."""
    verified_by: str = ""


class AbsenceDoc(Doc, frozen=True, kw_only=True):
    """A known problem that was looked for and not found, or could not be looked for."""

    id: str
    title: str
    verdict: Literal["not_found", "no_data"]
    looked_for: str


class LookedAtDoc(Doc, frozen=True, kw_only=True):
    """Over which range and in how much of each kind was looked."""

    window: Window | None
    """The stall; None: the whole capture."""
    records: dict[str, int]
    """'status dumps': 81, 'stack samples': 4, ..."""


class Headline(Doc, frozen=True, kw_only=True):
    """What a DBA would say in three sentences."""

    verdict: Literal["stall", "no_stall", "not_enough_data"]
    text: str
    arrival: str = ""
    """Did arrival rate rise, work per query rise, or the server go idle: in words."""


class SlowQueryDoc(Doc, frozen=True, kw_only=True):
    """One shape of statement in the slow log, over the queries that ran in the stall."""

    shape: str
    """Literals as ?, lists as one."""
    calls: int
    total_s: float
    max_s: float | None
    lock_s: float
    row_lock_wait_s: float | None
    """InnoDB_rec_lock_wait, where the server prints it."""
    rows_examined: int
    sessions: int
    share: float
    """Of all slow query time, 0..1."""
    per_second: float | None
    baseline_per_second: float | None
    """None without a baseline."""
    example: Locator
    """The longest one."""


class TableDoc(Doc, frozen=True, kw_only=True):
    """A result set that was uploaded; its rows are at the locator."""

    name: str
    columns: list[str]
    rows: int
    time: str | None
    host: str | None
    locator: Locator


class TableCellDoc(Doc, frozen=True, kw_only=True):
    key: list[str | None]
    column: str
    before: str | None
    after: str | None
    change: str | None
    """after - before, exact; None unless both are numbers."""
    ratio: float | None


class TableChangeDoc(Doc, frozen=True, kw_only=True):
    """The first and the last of two or more tables of the same name, columns and host."""

    name: str
    keys: list[str]
    before: Locator
    after: Locator
    added: int
    gone: int
    changed: int
    largest: list[TableCellDoc]
    """The cells that changed most, by how many times."""


class Analysis(Doc, frozen=True, kw_only=True):
    schema: str
    engine: str
    """Version of the engine."""
    headline: Headline
    server: dict[str, str | None]
    """version, family (mysql, percona, mariadb), comment."""
    artifacts: list[ArtifactDoc]
    snapshots: list[SnapshotDoc]
    series: list[SeriesDoc]
    stalls: list[StallDoc]
    shifts: list[ShiftDoc]
    hot_waits: list[HotWaitDoc]
    hot_latches: list[HotLatchDoc]
    blockers: list[BlockerDoc]
    hot_stacks: list[HotStackDoc]
    settings: list[SettingDoc]
    events: list[EventDoc]
    deadlocks: list[DeadlockDoc]
    triage: list[TriageDoc]
    findings: list[FindingDoc]
    problems: list[ProblemDoc]
    absences: list[AbsenceDoc] = []
    """Known problems that were looked for and not found. Empty where nothing stalled."""
    looked_at: LookedAtDoc | None = None
    slow_queries: list[SlowQueryDoc] = []
    tables: list[TableDoc] = []
    table_changes: list[TableChangeDoc] = []
    persistence: WaitPersistence | None = None
    """Who and what stays stuck; by far the biggest part where thousands wait."""


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


class ComparedSide(Doc, frozen=True, kw_only=True):
    """What one side of a comparison holds."""

    label: str
    start: str | None
    end: str | None
    hosts: list[str]
    version: str | None
    dumps: int
    """Status dumps in it."""
    samples: int
    """Stack samples in it."""


class ComparedSeries(Doc, frozen=True, kw_only=True):
    """One series on both sides: medians; None where a side has no sample."""

    series: str
    labels: str
    unit: str | None
    """Of the shown values: counters are per second."""
    a: float | None
    b: float | None
    a_p95: float | None
    """Nearest rank."""
    b_p95: float | None
    a_points: int
    b_points: int
    ratio: float | None
    """b over a."""
    score: float
    """Difference of the medians in robust spreads (1.4826 MAD + 5 %); 0 when a side is missing."""
    clear: bool


class ComparedSetting(Doc, frozen=True, kw_only=True):
    name: str
    a: str | None
    b: str | None


class ComparedTableRow(Doc, frozen=True, kw_only=True):
    """One cell that changed, or a whole row that one side alone has."""

    state: Literal["appeared", "gone", "changed"]
    key: list[str | None]
    """What tells the row apart, in the order of the table's keys."""
    column: str | None
    """None for a whole row; a and b are None then too."""
    a: str | None
    """As printed; of a number of several runs the median."""
    b: str | None
    change: str | None
    """b - a, exact; None unless both are numbers."""
    ratio: float | None
    a_runs: SpreadDoc | None = None
    """Over the runs of the side; None of a single run, or where a cell is no number."""
    b_runs: SpreadDoc | None = None


class ComparedTable(Doc, frozen=True, kw_only=True):
    """The last table of a name and columns on each side."""

    name: str
    host: str | None
    """The host that both sides have it of; None when they are of different hosts."""
    keys: list[str]
    a: Locator
    b: Locator
    appeared: int | None
    gone: int | None
    changed: int | None
    """Counts of rows; None when several rows have one key."""
    note: str | None
    rows: list[ComparedTableRow]
    """The cells that changed most, by how many times; then rows that appeared and went."""


class TrialDoc(Doc, frozen=True, kw_only=True):
    """Whether the second of two runs did better, by the time a statement spends in the server."""

    verdict: Literal["better", "same", "worse", "unknown"]
    text: str
    before_s: float | None
    """Seconds inside the server per statement; None when none was done or nothing tells."""
    after_s: float | None


class SpreadDoc(Doc, frozen=True, kw_only=True):
    """How high something stands on one side, and how far that varies."""

    median: float
    """Of the samples; of the runs' medians where the side is several runs."""
    low: float
    """Lower quartile of the samples; least of the runs."""
    high: float
    points: int
    """Samples, of all runs."""
    runs: int
    """1: the spread is of samples, else of runs."""


class RatioDoc(Doc, frozen=True, kw_only=True):
    """A side over the first one."""

    ratio: float
    """Of the medians."""
    low: float | None
    """The side's low over the first one's high; None where that is not positive."""
    high: float | None


class SidesSeries(Doc, frozen=True, kw_only=True):
    series: str
    labels: str
    unit: str | None
    """Of the shown values: counters are per second."""
    levels: list[SpreadDoc | None]
    """One per side; None where it has no sample."""
    ratios: list[RatioDoc | None]
    """Over the reference; its own is None."""
    clear: bool
    """Differs clearly from the reference in every run of some side."""


class SidesWait(Doc, frozen=True, kw_only=True):
    file: str
    line: int
    mode: str
    counts: list[float | None]
    """Threads per dump, the mean over a side's runs; None without dumps."""


class SidesStack(Doc, frozen=True, kw_only=True):
    stack: list[str]
    """Innermost first, cleaned."""
    counts: list[float | None]
    """Threads per sample, the mean over a side's runs; None without samples."""
    signature: str | None
    category: str | None
    set_aside: bool


class SidesSetting(Doc, frozen=True, kw_only=True):
    name: str
    values: list[str | None]
    """None: not printed there. Runs of one side that differ are all named."""


class SidesTable(Doc, frozen=True, kw_only=True):
    side: int
    """Held against the reference: b of the table, which is a."""
    table: ComparedTable


class SidesTrial(Doc, frozen=True, kw_only=True):
    side: int
    trial: TrialDoc


class SidesDoc(Doc, frozen=True, kw_only=True):
    """Two or more sides beside each other, one being what the others are held against."""

    sides: list[ComparedSide]
    reference: int
    """Which of them that is, from 0."""
    align: Literal["onset", "start", "clock"]
    """What a window's seconds count from."""
    trials: list[SidesTrial]
    warnings: list[str]
    series: list[SidesSeries]
    """What differs most first."""
    waits: list[SidesWait]
    stacks: list[SidesStack]
    settings: list[SidesSetting]
    """Those that at least two sides print and that differ."""
    tables: list[SidesTable]


class OverlayLine(Doc, frozen=True, kw_only=True):
    """One series on one side (or in one run of it)."""

    side: int
    label: str
    host: str | None
    zero: str
    """Instant that second 0 stands for."""
    points: list[tuple[float, float, float, float]]
    """Seconds since zero, median, least and most of the samples of that stretch."""


class OverlayDoc(Doc, frozen=True, kw_only=True):
    """A series on all sides over one axis of seconds."""

    series: str
    unit: str | None
    align: Literal["onset", "start", "clock"]
    lines: list[OverlayLine]
    samples: int
    """How many samples the points stand for."""


class FleetSeries(Doc, frozen=True, kw_only=True):
    series: str
    labels: str
    host_level: float
    fleet_level: float
    """Median over the hosts."""
    score: float
    text: str


class FleetSetting(Doc, frozen=True, kw_only=True):
    name: str
    host_value: str
    fleet_value: str


class FleetHost(Doc, frozen=True, kw_only=True):
    host: str
    series: list[FleetSeries]
    moved: int
    """How many series stand out; ``series`` holds the clearest."""
    settings: list[FleetSetting]


class FleetDoc(Doc, frozen=True, kw_only=True):
    hosts: list[str]
    differing: list[FleetHost]
    text: str


class FlameNode(Doc, frozen=True, kw_only=True, rename={"self_": "self"}):
    """One function under one caller. Counts are threads, summed over the samples."""

    name: str
    parent: int
    """Index of the caller in ``nodes``; -1 at the root. Callers come before callees."""
    total: int
    self_: int
    """Threads whose innermost frame it is."""
    total_b: int = 0
    self_b: int = 0


class FlameDoc(Doc, frozen=True, kw_only=True):
    """Stacks merged by caller; two sets of samples at once for a differential picture."""

    samples: int
    samples_b: int | None
    nodes: list[FlameNode]
    pruned: int
    """Thin nodes (with all below them) that were left out."""
    activity: dict[str, int]
    """Threads by what they do: latch, lock, commit, io, net, queue, waiting, cpu, idle."""
    activity_b: dict[str, int] | None


class HeatMoment(Doc, frozen=True, kw_only=True):
    time: str | None
    artifact: str
    snapshot: int


class StackHeatDoc(Doc, frozen=True, kw_only=True):
    """On how many threads each function was in each sample."""

    moments: list[HeatMoment]
    functions: list[str]
    counts: list[list[int]]
    """One row per function, one column per moment."""


def encode(document: Doc) -> bytes:
    """The document as UTF-8 JSON."""
    return msgspec.json.encode(document)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of the analysis document."""
    schema = msgspec.json.schema(Analysis)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Pileup analysis document ({SCHEMA})",
        **schema,
    }
