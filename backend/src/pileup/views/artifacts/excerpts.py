"""Read the raw lines behind a locator, for pins and reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound
from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.raw_lines import LineReader

MAX_LINES = 40
MAX_CHARACTERS = 4000


class Excerpts:
    """Reader of excerpts from one incident's artifacts."""

    def __init__(self, unit: Unit, blobs: BlobStore, artifacts: Iterable[Artifact]) -> None:
        self._blobs = blobs
        self._artifacts = Artifacts(unit)
        self._readers: dict[str, LineReader] = {}
        self._by_sha = {each.sha256: each for each in artifacts}

    def read(self, sha256: str, first: int, last: int) -> str | None:
        """Return lines first to last, shortened to fit a page; None when they are not available."""
        reader = self._reader(sha256, first)
        if reader is None:
            return None
        shown = reader.excerpt(first, min(last, first + MAX_LINES - 1))
        text = "\n".join(shown)[:MAX_CHARACTERS]
        hidden = last - first + 1 - len(shown)
        return (
            f"{text}\n… {hidden} more {'line' if hidden == 1 else 'lines'}" if hidden > 0 else text
        )

    def read_ranges(self, sha256: str, ranges: Sequence[Sequence[int]]) -> str | None:
        """Return these lines, with an ellipsis between ranges; None when none is available."""
        parts = [self.read(sha256, first, last) for first, last in ranges]
        return "\n…\n".join(part for part in parts if part)[:MAX_CHARACTERS] or None

    def span(self, sha256: str, first: int, last: int) -> tuple[int, int] | None:
        """Return the half-open byte range of these lines in the artifact."""
        reader = self._reader(sha256, first)
        return None if reader is None else reader.span(first, last)

    def _reader(self, sha256: str, first: int) -> LineReader | None:
        artifact = self._by_sha.get(sha256)
        if artifact is None or artifact.lines is None or first > artifact.lines:
            return None
        if sha256 not in self._readers:
            try:
                path = self._blobs.path(sha256)
            except NotFound:
                return None
            index = self._artifacts.line_index(artifact.id)
            self._readers[sha256] = LineReader(path, index, artifact.lines)
        return self._readers[sha256]
