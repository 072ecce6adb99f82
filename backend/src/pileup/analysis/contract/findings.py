"""Triage checks, findings, and known problems checked without a match."""

from __future__ import annotations

from typing import Literal

from pileup.analysis.contract.base import Doc, Locator, Window


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
    verdict: Literal["ok", "suspect", "seen", "no_data"]
    """seen: signs of it, but too little to be sure."""
    why: str
    evidence: list[Locator]
    collect: str = ""
    """Command that collects the missing data next time; empty if nothing was missing."""


class LimitDoc(Doc, frozen=True, kw_only=True):
    """A gauge compared with its ceiling: connections with max_connections, the redo log, a disk."""

    id: str
    title: str
    used: float
    """Highest value in the stall, or in the capture without one."""
    ceiling: float
    share: float
    """used / ceiling."""
    before: float | None
    """Median before the stall; None without a baseline."""
    unit: str
    verdict: Literal["reached", "near", "far"]
    """near: close, or as full before the stall too. far: checked, and no reason."""
    means: str
    """What happens at the ceiling, as a clause."""
    text: str
    evidence: list[Locator]


class MitigationDoc(Doc, frozen=True, kw_only=True):
    action: str
    """With the ids of this incident filled in: 'KILL 197'."""
    command: str | None = None
    """The statement of ``action`` that can be run as it is; None: it is not one statement."""
    side_effects: str | None = None
    precondition: str | None = None
    """What has to be true first."""


class ExperimentDoc(Doc, frozen=True, kw_only=True):
    change: str
    expect: str
    refuted_if: str | None = None


class SignDoc(Doc, frozen=True, kw_only=True):
    """One sign of a finding's signature, and whether it was seen."""

    text: str
    seen: Literal["yes", "no", "no_data"]
    weight: float
    """Contribution to the score if seen."""


class KnownAsDoc(Doc, frozen=True, kw_only=True):
    """A published problem with the same mechanism: it names a finding, and never judges it."""

    id: str
    title: str
    applies: Literal["yes", "no", "unknown"]
    """To this server's flavour and version."""
    affected: list[str]
    fixed: list[str]
    sentence: str
    """'Fixed in mysql 5.7.12, yet this 5.7.22 shows the same mechanism.'"""
    score: float = 0.0
    """How well its own signs match, 0..1."""


class ChainDoc(Doc, frozen=True, kw_only=True):
    """Who did what to whom; empty texts where nothing is known."""

    trigger: str = ""
    holder: str = ""
    victims: str = ""
    end: str = ""
    statement: str = ""
    """What takes the time where nobody waits: 'SELECT on shop.orders'."""


class FindingDoc(Doc, frozen=True, kw_only=True):
    id: str
    category: str
    title: str
    score: float
    """Confidence, 0..1: how certain the evidence makes us; versions never change it."""
    verdict: Literal["found", "seen"] = "found"
    """seen: signs of it, but too little to be sure."""
    role: Literal["problem", "symptom", "information"] = "problem"
    """symptom: what it names waits for something else."""
    explained_by: str | None = None
    """The finding that explains this symptom."""
    impact: float | None = None
    """Share of what waits that waits for what it names, 0..1; None: it names no waits."""
    impact_range: list[float] = []
    """Lowest and highest impact that the evidence allows."""
    known_as: list[KnownAsDoc] = []
    """Published problems of this mechanism; the first is the finding's own entry."""
    chain: ChainDoc = ChainDoc()
    next_step: str = ""
    """The command that would make it surer; empty if it is sure."""
    why: str
    evidence: list[Locator]
    against: list[str]
    """Evidence against it, and missing evidence."""
    applies_to_version: Literal["yes", "no", "unknown"]
    fixed_in: list[str]
    mitigations: list[MitigationDoc]
    experiment: ExperimentDoc | None
    references: list[str]
    explanation: str = ""
    signs: list[SignDoc] = []
    """Signs of a signature that is data; empty if code decides."""
    verified: bool = True
    """Whether the problem's source was read for the knowledge base; see ``verified_by``."""
    verified_by: str = ""
    episodes: list[str] = []
    """The stalls that it matches, in time order."""


class AbsenceDoc(Doc, frozen=True, kw_only=True):
    """A known problem that was checked without a match, or could not be checked."""

    id: str
    title: str
    verdict: Literal["seen", "not_found", "no_data"]
    """seen: signs of it, but too little to be a finding."""
    looked_for: str


class LookedAtDoc(Doc, frozen=True, kw_only=True):
    """Window and number of records that the checks covered."""

    window: Window | None
    """The stall; None: the whole capture."""
    records: dict[str, int]
    """'status dumps': 81, 'stack samples': 4, ..."""


class SlowQueryDoc(Doc, frozen=True, kw_only=True):
    """One statement shape of the slow log, over the queries that ran in the stall."""

    shape: str
    """Statement with literals and lists as ?."""
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
