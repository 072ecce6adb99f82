"""The evidence of one incident: every artifact's frames on one clock."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from pileup.analysis.contract import ClockDoc
from pileup.records import Problem


@dataclass(frozen=True)
class EvidenceArtifact:
    sha256: str
    path: str
    bytes: int
    format: str | None
    bundle: str | None = None
    problems: tuple[Problem, ...] = ()
    records: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    artifacts: tuple[EvidenceArtifact, ...]
    frames: dict[str, pl.DataFrame]
    clocks: dict[str, ClockDoc]
