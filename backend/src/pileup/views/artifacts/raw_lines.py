"""Return raw lines of an artifact for the viewer: pages, parts of long lines, and a search."""

from __future__ import annotations

from dataclasses import dataclass

from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict, NotFound
from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.raw_lines import LineReader
from pileup.views.records import with_fields_of


class NotRead(Conflict):
    """Raised when an artifact has no lines: it is not parsed yet, or it is an archive."""


@dataclass(frozen=True, slots=True)
class CutLine:
    line: int
    shown: int
    """Bytes; the next piece begins here."""
    bytes: int


@dataclass(frozen=True, slots=True)
class RawLines:
    line_first: int
    lines: list[str]
    total_lines: int
    cut: list[CutLine]
    """The lines that are longer than what is shown of them."""


@dataclass(frozen=True, slots=True)
class RawPiece:
    """A range of bytes of one line."""

    line: int
    text: str
    first: int
    end: int
    bytes: int
    """Of the whole line."""


@dataclass(frozen=True, slots=True)
class RawHit:
    line: int
    text: str
    """The line around the hit."""


@dataclass(frozen=True, slots=True)
class RawHits:
    hits: list[RawHit]
    resume: int | None
    """The line at which to go on: a search reads so much and no more. None: all was read."""


def reader_of(unit: Unit, blobs: BlobStore, artifact_id: str) -> LineReader:
    """Open the lines of an artifact; raises NotFound without its bytes, NotRead without lines."""
    artifacts = Artifacts(unit)
    artifact = artifacts.get(artifact_id)
    if artifact.lines is None:
        raise NotRead(
            f"{artifact.path} has no lines to show: it is {artifact.state.replace('_', ' ')}"
            + ("; open its members instead" if artifact.state == "expanded" else "")
        )
    path = blobs.path(artifact.sha256)
    return LineReader(path, artifacts.line_index(artifact_id), artifact.lines)


def raw_page(reader: LineReader, line: int, count: int) -> RawLines:
    """Return a page of lines; long lines are cut."""
    page = reader.page(line, count)
    return RawLines(
        line_first=line,
        lines=list(page.lines),
        total_lines=reader.total_lines,
        cut=[with_fields_of(CutLine, cut) for cut in page.cut],
    )


def raw_piece(reader: LineReader, line: int, first: int, most: int) -> RawPiece:
    """Return a range of bytes of one line; raises NotFound without such a line."""
    piece = reader.piece(line, first, most)
    if piece is None:
        raise NotFound(f"the file has no line {line}")
    return RawPiece(line=line, text=piece.text, first=piece.first, end=piece.end, bytes=piece.bytes)


def raw_hits(reader: LineReader, text: str, line: int, limit: int, back: bool) -> RawHits:
    """Search lines for a text, ignoring case; ``back``: return the last one above ``line``."""
    search = reader.search_back(text, line) if back else reader.search(text, line, limit)
    return RawHits(
        hits=[RawHit(line=hit.line, text=hit.text) for hit in search.hits], resume=search.resume
    )
