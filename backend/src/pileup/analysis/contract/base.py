"""Types that all parts of the analysis document share."""

from __future__ import annotations

from typing import Literal

import msgspec

SCHEMA = "pileup.analysis/1"


CERTAIN = 1.0
"""Confidence of printed facts; one object, so that msgspec omits the default from JSON."""


MOST_RANGES = 12
"""Ranges that one locator lists."""


class Doc(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """Base of every part of the document."""


class LineRange(Doc, frozen=True, kw_only=True):
    """Lines of a file, both ends included."""

    first: int
    last: int


class Locator(Doc, frozen=True, kw_only=True):
    """Source of a claim: raw lines, a series over a window, or a node at a moment."""

    kind: Literal["lines", "series", "snapshot"]
    artifact: str | None = None
    """SHA-256."""
    path: str | None = None
    line_first: int | None = None
    line_last: int | None = None
    ranges: list[LineRange] = []
    """The parts, where what is claimed lies scattered between line_first and
    line_last: at most ``MOST_RANGES``. Empty: all lines between them."""
    series: str | None = None
    """Series id: 'name{labels}@host'."""
    start: str | None = None
    end: str | None = None
    at: str | None = None
    node: str | None = None
    setting: str | None = None
    """Name of the server variable whose value the lines print."""
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


class UnansweredDoc(Doc, frozen=True, kw_only=True):
    """A question of the analysis that has no answer; its part of the document is not "nothing"."""

    part: str
    """Field of the document: 'slow_queries'; or 'findings/<id>', 'triage/<check>'."""
    why: str


class Window(Doc, frozen=True, kw_only=True):
    start: str
    end: str


class Headline(Doc, frozen=True, kw_only=True):
    """Verdict and summary in up to three sentences."""

    verdict: Literal["stall", "waits", "no_stall", "not_enough_data"]
    """waits: no series shows a stall, and a dump, list or stack sample shows sessions that wait."""
    text: str
    cause: str = ""
    """The last sentence of ``text``, where it names the likely cause or the best guess."""
    next_step: str = ""
    """Sentence after ``text``: what makes the cause surer; '' where it is sure or unknown."""
    arrival: str = ""
    """Sentence: did the arrival rate rise, work per query rise, or the server go idle."""
    story: str = ""
    """Who held what, who waited and how long, in at most 25 words; '' if nothing shows it."""
