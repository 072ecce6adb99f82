"""Provide records to a view: from an incident's stored run, or from evidence in memory.

A view that reads whole kinds of records takes a ``Source``. The API passes ``StoredSource``, which
reads Parquet only where the view needs it; the command line passes ``EvidenceSource``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import polars as pl

from pileup.analysis.evidence.evidence import Evidence
from pileup.records import with_all_columns
from pileup.storage.errors import Conflict
from pileup.storage.files.placed_evidence import PlacedStore, no_records


class NotAnalysed(Conflict):
    """Raised when no analysis of the incident, or of a run, has finished yet."""

    def __init__(self, what: str = "this incident") -> None:
        super().__init__(f"{what} is not analysed yet")


class Source(Protocol):
    """Placed records of an incident or a capture."""

    def scan(self, kind: str) -> pl.LazyFrame:
        """Scan records of a kind: ``frame_schema(kind)``, ``artifact`` (SHA-256), ``time`` (µs).

        Without such records the frame is empty and has the same columns.
        """
        ...

    def paths(self) -> dict[str, str]:
        """Map the SHA-256 of each artifact to its path; empty before the first analysis."""
        ...


@dataclass(frozen=True, slots=True)
class StoredSource:
    """Records of the last analysis of an incident, from the placed store."""

    placed: PlacedStore
    incident_id: str

    def scan(self, kind: str) -> pl.LazyFrame:
        return self.placed.scan(self.incident_id, kind)

    def paths(self) -> dict[str, str]:
        index = self.placed.index(self.incident_id)
        return {artifact.sha256: artifact.path for artifact in index.artifacts} if index else {}


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """Records of evidence in memory, as `pileup analyze` gathers it."""

    evidence: Evidence

    def scan(self, kind: str) -> pl.LazyFrame:
        frame = self.evidence.frame(kind)
        return no_records(kind) if frame is None else with_all_columns(kind, frame).lazy()

    def paths(self) -> dict[str, str]:
        return {artifact.sha256: artifact.path for artifact in self.evidence.artifacts}
