"""The report as one document: the input of every export, and the content of a release.

Blocks are data: text is never markup, figures hold the numbers that they draw. A release
stores ``encode(document)`` and its SHA-256; every export is a pure function of the document, so the
exports of a release do not change when the incident does.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

from pileup.json_values import resolve_types
from pileup.numerals import counted

SCHEMA = 1


class Node(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of all document structs: immutable, and compact as JSON."""


class Run(Node, frozen=True):
    """A span of text with one style; a run with ``note`` (a source's number) has no text."""

    text: str = ""
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    href: str | None = None
    note: int | None = None


Runs = list[Run]


class Paragraph(Node, frozen=True, tag="paragraph"):
    runs: Runs


class Heading(Node, frozen=True, tag="heading"):
    level: int
    """3 or more: 1 is the title and 2 a section."""
    runs: Runs


class Bullets(Node, frozen=True, tag="list"):
    items: list[list[Block]]
    ordered: bool = False
    start: int = 1


class Quote(Node, frozen=True, tag="quote"):
    blocks: list[Block]


class Code(Node, frozen=True, tag="code"):
    text: str


class Table(Node, frozen=True, tag="table"):
    head: list[Runs]
    rows: list[list[Runs]]
    align: list[Literal["left", "right", "center"]]
    caption: Runs = []
    number: int | None = None
    """Only tables with a caption are numbered."""


class Rule(Node, frozen=True, tag="rule"):
    """A horizontal rule."""


class Trouble(Node, frozen=True, tag="trouble"):
    """The message shown in place of a live block that cannot be shown."""

    text: str


class Lane(Node, frozen=True):
    """One lane of a timeline: points are (epoch ms, value or None for a gap)."""

    title: str
    unit: str
    points: list[tuple[float, float | None]]


class LanesDrawing(Node, frozen=True, tag="lanes"):
    lanes: list[Lane]
    stalls: list[tuple[float, float | None]]
    """Shaded: (start, end) in epoch ms; an end of None was not captured."""


class ClassBand(Node, frozen=True):
    """The sessions of one class of time, at the times of the drawing."""

    id: str
    title: str
    share: float
    """Of all active-session seconds, 0..1."""
    values: list[float]


class SessionsMark(Node, frozen=True):
    """A turning point of the stall: epoch ms, and what happens then."""

    at: float
    text: str


class SessionsDrawing(Node, frozen=True, tag="sessions"):
    """Active sessions by class of time, stacked, above the completed work of the same seconds."""

    times: list[float]
    """Epoch ms, in order; a value holds until the next one."""
    classes: list[ClassBand]
    """The lowest first."""
    stalls: list[tuple[float, float | None]]
    """Shaded: as of ``LanesDrawing``."""
    gaps: list[tuple[float, float]] = []
    """Without samples: nothing is drawn there."""
    marks: list[SessionsMark] = []
    work: list[float | None] = []
    """Completed per second; empty where no series shows it."""
    work_title: str = ""
    """What is counted: 'statements'."""


WHERE = "where"
"""The detail of a node that says at which place, and in which mode, it waits."""


class GraphNode(Node, frozen=True):
    id: str
    label: str
    kind: str
    depth: int
    blocks_total: int = 0
    root: bool = False
    inferred: bool = False
    members: int = 1
    detail: list[tuple[str, str]] = []
    """Field and value pairs for the details view."""


class GraphDrawing(Node, frozen=True, tag="graph"):
    """The folded wait graph of one moment."""

    at: str
    headline: str
    nodes: list[GraphNode]
    edges: list[tuple[str, str, str]]
    """(source, target, waits_for | held_by)."""


class ConfidenceLine(Node, frozen=True):
    label: str
    steps: list[tuple[float, int]]
    """(epoch ms, per cent)."""


class ConfidenceDrawing(Node, frozen=True, tag="confidence"):
    lines: list[ConfidenceLine]


class MatrixRow(Node, frozen=True):
    evidence: str
    kind: str
    ratings: list[str]
    """One per hypothesis: CC, C, N, I, II, NA, or '' when not rated."""
    diagnosticity: float | None = None


class MatrixColumn(Node, frozen=True):
    hypothesis: str
    label: str = ""
    """'H2': its number in the incident; older releases have none."""
    inconsistency: float | None = None
    coverage: float | None = None


class MatrixDrawing(Node, frozen=True, tag="matrix"):
    columns: list[MatrixColumn]
    rows: list[MatrixRow]


class DeadlockStepBox(Node, frozen=True):
    """A lock in the lane of a transaction."""

    what: str
    """'holds: exclusive row lock'."""
    where: str
    inferred: bool = False
    """No source prints it: it follows from the cycle."""


class DeadlockTransaction(Node, frozen=True):
    name: str
    """'(1) · session 390 · app · victim'."""
    statement: str
    steps: list[DeadlockStepBox]
    victim: bool = False


class DeadlockWaitArrow(Node, frozen=True):
    """The last step of a lane waits for a step of another; both by index."""

    waiter: int
    holder: int
    step: int
    inferred: bool = False


class DeadlockDrawing(Node, frozen=True, tag="deadlock"):
    transactions: list[DeadlockTransaction]
    waits: list[DeadlockWaitArrow]


class SweepRunPoint(Node, frozen=True):
    """A run at its load."""

    number: int
    load: float
    value: float | None = None
    """None: the sweep has no values, only outcomes."""
    source: str = ""
    """typed, imported or computed."""
    outcome: str = ""
    """failed, did not fail, missed, matched; empty where nobody says."""


class SweepSeries(Node, frozen=True):
    """Runs that differ in the load alone, the smallest load first."""

    label: str
    """The other parameters: 'build: patched'; empty when there are none."""
    points: list[SweepRunPoint]
    threshold: tuple[float, float] | None = None
    """The runs turn somewhere between these two loads."""


class SweepDrawing(Node, frozen=True, tag="sweep"):
    """A value of each run over its load."""

    axis: str
    """The load: 'machines'."""
    measure: str
    """The value with its unit: 'queries (1/s)'; empty when the runs have outcomes alone."""
    series: list[SweepSeries]


Drawing = (
    SessionsDrawing
    | LanesDrawing
    | GraphDrawing
    | ConfidenceDrawing
    | MatrixDrawing
    | DeadlockDrawing
    | SweepDrawing
)


class Figure(Node, frozen=True, tag="figure"):
    drawing: Drawing
    caption: Runs
    """States the finding."""
    alt: str
    """Text alternative for readers who cannot see the figure."""
    number: int | None = None
    tabled: bool = False
    """A table after it has the same data, so that an export as text needs no other."""


Block = Paragraph | Heading | Bullets | Quote | Code | Table | Rule | Trouble | Figure


class Section(Node, frozen=True):
    key: str
    title: str
    markdown: str
    """The Markdown source; versions are compared by it."""
    blocks: list[Block]


class Source(Node, frozen=True):
    """The target of a numbered note."""

    number: int
    text: str
    excerpt: str | None = None
    link: str | None = None
    """A path within Pileup; an export turns it into an address (release.py)."""
    artifact: str | None = None
    """SHA-256."""


class Cover(Node, frozen=True):
    """What the first page says before everything else."""

    story: str
    """One sentence: what happened, and what ended it."""
    points: list[str]
    """What it cost, and what the team concluded; at most four."""


class RedactedKind(Node, frozen=True):
    kind: str
    values: int
    occurrences: int

    def counted(self) -> str:
        """'1 value in 3 places'."""
        return f"{counted(self.values, 'value')} in {counted(self.occurrences, 'place')}"


class Document(Node, frozen=True):
    schema: int
    incident: str
    title: str
    facts: list[tuple[str, str]]
    """Shown under the title: ('Service', 'checkout')."""
    template: str
    version: str
    """'draft', or 'release 3'."""
    made_at: str
    """ISO 8601 with zone: printed on the document, and its date."""
    engine: str
    zone: str
    sections: list[Section]
    sources: list[Source]
    cover: Cover | None = None
    """None: nothing has been analysed yet, or the release is older than covers."""
    redacted: list[RedactedKind] | None = None
    """None: nothing was redacted."""


resolve_types(Document)


def encode(document: Document) -> bytes:
    """Encode a document as JSON with sorted keys: equal documents give equal bytes."""
    return msgspec.json.encode(document, order="sorted")


def decode(data: bytes | str) -> Document:
    """Decode a document from the JSON that ``encode`` wrote."""
    return msgspec.json.decode(data, type=Document)


def as_plain(part: Document | list[Section] | Drawing) -> Any:
    """Return a document or a part of it as JSON has it: tuples too are lists, so none is missed."""
    return msgspec.json.decode(msgspec.json.encode(part))


def fingerprint(data: bytes) -> str:
    """Return the SHA-256 of an encoded document."""
    return hashlib.sha256(data).hexdigest()


def plain(runs: Runs) -> str:
    """Return the text of runs without styles and notes."""
    return "".join(run.text for run in runs)
