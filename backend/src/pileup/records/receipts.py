"""Reports of a format about the file itself: problems, sections and skipped lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of the artifact that the parser could not read. It is stored and shown."""

    line: int | None
    message: str
    """What happened and what is lost: a sentence without the line, which the reader prints."""
    expected: str | None = None
    found: str | None = None
    """Up to 200 characters of the offending text."""
    severity: Literal["warning", "error"] = "warning"


@dataclass(frozen=True, slots=True)
class Section:
    """A named part of the artifact, for the sections tree of the raw viewer."""

    title: str
    line_first: int
    line_last: int
    level: int = 0
    understood: bool = True


@dataclass(frozen=True, slots=True)
class Skipped:
    """A range of lines that was not understood. Everything else counts as understood."""

    line_first: int
    line_last: int
    why: str
