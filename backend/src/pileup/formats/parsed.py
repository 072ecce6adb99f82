"""Define what parsing an artifact gives: records, problems, sections and a receipt."""

from __future__ import annotations

from dataclasses import dataclass, field

from pileup.formats.detect import Detection
from pileup.formats.reading.frame_buffer import Frames
from pileup.records import Problem, Section, Skipped


@dataclass(frozen=True, slots=True)
class Receipt:
    """Account of every byte of an artifact: understood or skipped."""

    bytes_read: int
    lines: int
    bytes_understood: int
    bytes_skipped: int
    skipped: list[Skipped]
    """The first ranges; ``bytes_skipped`` counts all."""
    problems: int
    records: dict[str, int]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result of parsing one artifact."""

    format: str | None
    detection: Detection
    version: int
    frames: Frames
    problems: list[Problem]
    sections: list[Section]
    receipt: Receipt
    failed: str | None = None
    crashed: bool = False
    """The failure is a defect of ours, not of the artifact."""
    line_index: list[int] = field(default_factory=list)
    encoding: str = "utf-8"
