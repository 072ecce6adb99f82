"""Complete a pointer before it becomes a pin: add raw lines, bytes, parser and the value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pileup.analysis.reasoning.pin_value import PinnedValue
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.reasoning.pin_values import PinValues
from pileup.views.artifacts.excerpts import Excerpts


@dataclass(frozen=True, slots=True)
class Placed:
    locator: dict[str, Any]
    excerpt: str | None
    value: PinnedValue | None


class Placer:
    """Complete the pointers of one incident."""

    def __init__(
        self,
        unit: Unit,
        placed: PlacedStore,
        frames: FrameStore,
        blobs: BlobStore,
        incident_id: str,
    ) -> None:
        self._excerpts = Excerpts(unit, blobs, Artifacts(unit).of_incident(incident_id))
        self._values = PinValues(unit, placed, frames, incident_id)

    def place(self, kind: str, evidence_kind: str, locator: dict[str, Any], view: str) -> Placed:
        """Return the locator with its bytes and parser, the raw lines it names, and its value."""
        full = dict(locator)
        excerpt = None
        artifact, first = locator.get("artifact"), locator.get("line_first")
        if artifact and (parser := self._values.parser_version(artifact)):
            full["parser"], full["parser_version"] = parser
        if artifact and first:
            last = max(first, locator.get("line_last") or first)
            parts = [(part["first"], part["last"]) for part in locator.get("ranges") or ()]
            excerpt = self._excerpts.read_ranges(artifact, parts or [(first, last)])
            if (span := self._excerpts.span(artifact, first, last)) is not None:
                full["byte_start"], full["byte_end"] = span
        return Placed(full, excerpt, self._values.of(kind, evidence_kind, full, view))
