"""Schema of the files of knowledge: the required keys and their types.

Keys that only people read may be added freely in all files but signatures.yaml, where an unknown
key would be a sign that is never evaluated.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pileup.knowledge.signature import Signature
from pileup.knowledge.version_ranges import read_fix, read_range

Texts = list[str] | None


class Mitigation(msgspec.Struct):
    action: str
    side_effects: str | None = None
    precondition: str | None = None
    """What has to be true first."""
    only: Texts = None
    """Versions for which it is a remedy, as in ``affected``; left out elsewhere."""
    not_when: Texts = None
    """Ids of findings with which it does harm; left out then."""


class Experiment(msgspec.Struct):
    change: str
    expect: str
    refuted_if: str | None = None


class Issue(msgspec.Struct):
    id: str
    category: str
    title: str
    affected: list[str]
    explanation: str
    fixed: list[str] | None = None
    mitigations: list[Mitigation] | None = None
    experiment: Experiment | None = None
    references: Texts = None
    verified: str | bool = False
    verified_by: str | None = None

    def __post_init__(self) -> None:
        """Raise RangeError for a range or a fix that cannot be evaluated."""
        if not self.affected:
            raise ValueError("'affected' is empty; write 'all' for every server.")
        for entry in self.affected:
            read_range(entry)
        for entry in self.fixed or ():
            read_fix(entry)


class Latch(msgspec.Struct):
    id: str
    names: list[str]
    kind: str
    subsystem: str
    taken_shared_by: str | None = None
    taken_exclusive_by: str | None = None
    contention_means: str | None = None
    check: list[Any] | None = None
    knobs: list[Any] | None = None
    issues: Texts = None


class Stack(msgspec.Struct):
    id: str
    functions: list[str]
    category: str
    subsystem: str
    meaning: str
    set_aside: bool | None = None
    waits_on: Texts = None
    issues: Texts = None


class State(msgspec.Struct):
    category: str
    meaning: str
    state: str | None = None
    command: str | None = None
    match_regex: str | None = None
    look_at: str | None = None


class Counter(msgspec.Struct):
    name: str
    kind: str
    bad_direction: str
    meaning: str
    unit: str | None = None
    subsystem: str | None = None


OF: dict[str, type[msgspec.Struct]] = {
    "issues": Issue,
    "latches": Latch,
    "stacks": Stack,
    "states": State,
    "counters": Counter,
    "signatures": Signature,
}
"""File stem to the type of its entries."""
