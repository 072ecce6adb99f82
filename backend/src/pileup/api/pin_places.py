"""What the server adds to a pointer before it is a pin: raw lines, bytes, parser, and the value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pileup.analysis.reasoning.pin_value import PinnedValue
from pileup.api.deps import Services
from pileup.api.excerpts import Excerpts
from pileup.storage.database import Unit
from pileup.storage.reasoning.pin_values import PinValues


@dataclass(frozen=True, slots=True)
class Placed:
    locator: dict[str, Any]
    excerpt: str | None
    value: PinnedValue | None


class Placer:
    """Completes the pointers of one incident."""

    def __init__(self, services: Services, unit: Unit, incident_id: str) -> None:
        self._excerpts = Excerpts(services, unit, incident_id)
        self._values = PinValues(unit, services.placed, services.frames, incident_id)

    def place(self, kind: str, evidence_kind: str, locator: dict[str, Any], view: str) -> Placed:
        """The locator with its bytes and parser, the raw lines that it names, and its value."""
        full = dict(locator)
        excerpt = None
        artifact, first = locator.get("artifact"), locator.get("line_first")
        if artifact and (parser := self._values.parser_of(artifact)):
            full["parser"], full["parser_version"] = parser
        if artifact and first:
            last = max(first, locator.get("line_last") or first)
            excerpt = self._excerpts.read(artifact, first, last)
            if (span := self._excerpts.span(artifact, first, last)) is not None:
                full["byte_start"], full["byte_end"] = span
        return Placed(full, excerpt, self._values.of(kind, evidence_kind, full, view))
