"""Signatures: what to look for before a known problem is named, as data.

A signature is a few signs over records. Every entry of ``needs`` must be seen; ``adds`` raise the
score, ``against`` lower it. The schema is these structs: an unknown key, a sign of two kinds or an
expression that does not compile is an error that says where. docs/reference/knowledge.md describes
how to write one; analysis.findings.matching evaluates them.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Literal

import msgspec

from pileup.knowledge import expressions

Weight = Annotated[float, msgspec.Meta(ge=0, le=1)]
Names = str | list[str]

KINDS = (
    "latch",
    "place",
    "stack",
    "profile",
    "state",
    "transaction",
    "lock",
    "query",
    "user",
    "command",
    "wait",
    "main",
    "locked",
    "log",
    "counter",
    "setting",
    "limit",
    "deadlocks",
    "trend",
    "old_transaction",
    "lock_time",
    "any",
)
EXPRESSIONS = ("state", "transaction", "lock", "query", "user", "command", "log", "main", "holder")
_PLACE = re.compile(r"^[\w/]+(?:\.[\w*]+)?(?::\d+(?:-\d+)?)?$")


class Sign(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False, dict=True
):
    """A condition on records: exactly one of the keys in ``KINDS``, narrowed by other keys.

    Hashed by identity: each incident looks at all of them, so what follows from one is cached.
    """

    latch: Names | None = None
    """Semaphore waits for a latch of latches.yaml, at any place of the source."""
    place: Names | None = None
    """Semaphore waits at a place of the source: 'fts0fts.*', 'row0ins.cc:2953'; without a dot in a
    function, 'buf_wait_for_read', where the sources of the nearest releases agree on it."""
    stack: Names | None = None
    """Threads with one of these functions on their stack; from 5 % on, of a profile."""
    profile: Names | None = None
    """The part of a CPU profile with one of these functions; with share, which counts fully."""
    state: str | None = None
    """Sessions (or transactions) whose processlist State matches."""
    transaction: str | None = None
    """Transactions whose 'state operation' matches: 'ACTIVE rollback', 'ACTIVE inserting'."""
    lock: str | None = None
    """Transactions in LOCK WAIT whose 'kind mode table' matches: 'table AUTO-INC app.t'."""
    query: str | None = None
    """Statements of running sessions and transactions that match."""
    user: str | None = None
    """Sessions of a user that matches."""
    command: str | None = None
    """Sessions whose Command matches: 'Killed'."""
    wait: str | None = None
    """Sessions that wait for a kind of resource at the worst moment, by all layers: 'row_lock',
    'metadata_lock', 'table_lock', 'latch', 'commit', 'queue:user-lock'; with holder."""
    main: str | None = None
    """What InnoDB's main thread does, as status dumps print it."""
    locked: Names | None = None
    """Waits for latches that were last write-locked at a place of the source, or in a function."""
    log: str | None = None
    """Lines of any log that match."""
    counter: Names | None = None
    """A series by its short name ('com_drop_table'); with rises, falls, above, below, peak or
    lowest."""
    setting: str | None = None
    """A variable; with is, above or below."""
    limit: Names | None = None
    """A limit of limits.yaml that is reached; one that is near earns half of the weight."""
    deadlocks: float | None = None
    """Deadlocks per minute, at least: printed in full, or lines of any log."""
    trend: Names | None = None
    """A series that grows threefold or more without a fall; sixfold earns all of the weight."""
    old_transaction: float | None = None
    """Transactions open for so many seconds that do not wait for a lock."""
    lock_time: Literal["reads", "changes"] | None = None
    """Statements of a slow log that waited for locks most of the time: plain reads, or others."""
    any: list[Sign] | None = None
    """One of these; the one that weighs most counts."""

    least: int | None = None
    """How many at once count fully (default: 5 for waits, states, transactions; else mostly 1).

    Fewer count less, by the square root, unless they have waited for long. 1: a holder; one counts
    fully, whatever else is active.
    """
    share: float | None = None
    """The share of all of its kind (0..1) that counts fully; a smaller one counts less."""
    lasting: float | None = None
    """state, query, transaction, command: those that have lasted this many seconds or longer."""
    holder: str | None = None
    """wait: what is known of the holder (command, State, transaction, statement) matches."""
    replicates: bool | None = None
    """state: only threads that replicate by the binary log; Time is how far they are behind."""
    clustered: bool | None = None
    """Only on a server that is a node of a Galera cluster."""
    sure: float | None = None
    """wait: least confidence of the holder; 0.9: it is printed, or runs the statement."""
    rotates: bool | None = None
    """wait: one after another gets it, so that none of its holders is the root."""
    within: Names | None = None
    """stack: and one of these as well, anywhere on the same stack."""
    waiting: bool | None = None
    """stack: the thread waits for a mutex, latch or condition (true), or is at work (false)."""
    rises: float | None = None
    """counter: median in the stall over the median before, at least."""
    falls: float | None = None
    """counter: the same ratio, at most."""
    above: float | None = None
    """counter: median in the stall, at least. setting: its number, more than."""
    below: float | None = None
    """counter: median in the stall, at most. setting: its number, less than."""
    peak: float | None = None
    """counter: highest value in the stall, at least."""
    lowest: float | None = None
    """counter: lowest value in the stall, at most: a resource that was used up."""
    is_: list[str] | None = msgspec.field(default=None, name="is")
    """setting: one of these values; ON, 1 and YES are equal."""

    weight: Weight = 0.0
    says: str = ""
    """What it means, in a clause; the numbers are added."""
    factor: Weight = 0.5
    """against: the score is multiplied by this."""

    def __post_init__(self) -> None:
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            raise ValueError(
                f"a sign has one of {', '.join(KINDS)}; this one has {kinds or 'none'}"
            )
        for name in EXPRESSIONS:
            if (text := getattr(self, name)) is not None:
                expressions.check(text)
        for place in (*names(self.place), *names(self.locked)):
            if not _PLACE.match(place):
                raise ValueError(f"{place!r} is no place: write 'btr0sea.*' or 'row0ins.cc:2953'")
        changes = (self.rises, self.falls, self.above, self.below, self.peak, self.lowest)
        if self.counter is not None and all(change is None for change in changes):
            raise ValueError("a counter needs rises, falls, above, below, peak or lowest")
        if self.setting is not None and (self.is_, self.above, self.below) == (None, None, None):
            raise ValueError("a setting needs is, above or below")

    @cached_property
    def kind(self) -> str:
        """The key in ``KINDS`` that this sign has."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)


class Example(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An invented case: a server before and during a stall, in a few words."""

    says: str
    server: str = "5.7.30"
    """Version, and comment after a blank: '10.6.5-MariaDB', '5.7.29-32 Percona Server'."""
    waits: list[str] = []
    """'COUNT MODE FILE:LINE LATCH [ADDRESS]'; LATCH is a name or where it was created."""
    stacks: list[str] = []
    """'COUNT innermost,...,outermost'."""
    profile: list[str] = []
    """'PER_CENT innermost,...,outermost'."""
    states: list[str] = []
    """'COUNT State' of sessions that run a query; 'COUNT State | USER | STATEMENT' names both,
    and '@SECONDS' at the end says for how long."""
    transactions: list[str] = []
    """'COUNT STATE | operation' or 'COUNT LOCK WAIT | KIND MODE TABLE', also with @SECONDS."""
    queries: list[str] = []
    """'COUNT statement'."""
    users: list[str] = []
    """'COUNT user'."""
    digests: list[str] = []
    """'CALLS digest' of a table of digests."""
    log: list[str] = []
    settings: dict[str, str] = {}
    series: dict[str, list[float]] = {}
    """Full name, perhaps with labels ('numactl.free{node=0}'): [before, during]."""


class Signature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The signs by which a known problem is recognised."""

    issue: str
    rule: Literal["data", "code"] = "data"
    """code: analysis.findings decides, as signs do not suffice; examples are still required."""
    waits: str = ""
    """Kind of what its victims wait for, as in the sign ``wait``; the finding then names them."""
    latches: list[str] = []
    """Latches whose waiters are its victims, for a rule in code; signs name theirs themselves."""
    looks_for: str = ""
    """A clause for the record of what was checked; data signatures derive it from their signs."""
    needs: list[Sign] = []
    adds: list[Sign] = []
    against: list[Sign] = []
    fires: list[Example] = []
    near_misses: list[Example] = []

    def __post_init__(self) -> None:
        if (self.rule == "data") != bool(self.needs):
            raise ValueError(f"{self.issue}: data needs signs, code has none")
        if self.rule == "code" and not self.looks_for:
            raise ValueError(f"{self.issue}: say what the code looks for (looks_for)")


def names(value: Names | None) -> list[str]:
    """Return one or several names as a list."""
    return [] if value is None else [value] if isinstance(value, str) else value


__all__ = ["EXPRESSIONS", "Example", "Sign", "Signature", "names"]
