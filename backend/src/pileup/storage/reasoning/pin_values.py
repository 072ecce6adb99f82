"""The value behind a pin, from the parsed artifacts and the last analysis of its incident.

Used when a pin is created and, by the worker, after each analysis: the same code, so that values
differ only when the parsed data does.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import polars as pl

from pileup.analysis.contract import WaitGraph
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.times import parse
from pileup.analysis.reasoning.pin_value import (
    PinnedValue,
    value_of_absence,
    value_of_edge,
    value_of_finding,
    value_of_lines,
    value_of_node,
    value_of_series,
)
from pileup.analysis.waits.moment_graph import wait_graph
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.files.frames import FrameKey, FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.reasoning.pins import PinRecord, Pins

_BY_LINES = ("lines", "row", "stack", "span", "finding")
_MOMENTS_KEPT = 64


class PinValues:
    """Values of the pins of one incident; input that several pins need is read once."""

    def __init__(
        self, unit: Unit, placed: PlacedStore, frames: FrameStore, incident_id: str
    ) -> None:
        self._unit = unit
        self._placed = placed
        self._frames = frames
        self._incident_id = incident_id
        self._keys: dict[str, FrameKey] | None = None
        self._waits: Evidence | None = None
        self._graphs: dict[tuple[int, frozenset[str], bool | None], WaitGraph] = {}
        self._analysis: dict[str, Any] | None = None

    def of(
        self, kind: str, evidence_kind: str, locator: Mapping[str, Any], view: str
    ) -> PinnedValue | None:
        """Compute a pin's value; None for testimony and for an artifact that is missing."""
        node = locator.get("node")
        if kind in ("wait_node", "wait_edge") and node and locator.get("at"):
            return self._of_wait(locator, view)
        if kind in ("series", "span") and locator.get("series"):
            return self._of_series(locator)
        if kind == "finding" and node:
            document = self._document()
            if evidence_kind == "absence":
                return value_of_absence(document["absences"], document["findings"], node)
            return value_of_finding(document["findings"], node)
        if kind in _BY_LINES and locator.get("artifact") and locator.get("line_first"):
            return self._of_lines(locator)
        return None

    def parser_version(self, sha256: str) -> tuple[str, int] | None:
        """Return (format, version) of the parser that read an artifact of the incident."""
        key = self._key(sha256)
        return (key.format, key.version) if key else None

    def _of_lines(self, locator: Mapping[str, Any]) -> PinnedValue | None:
        key = self._key(locator["artifact"])
        if key is None or not self._frames.holds(key):
            return None
        first = locator["line_first"]
        frames = self._frames.lines(key, first, locator.get("line_last") or first)
        return value_of_lines(frames, locator.get("fields") or None)

    def _of_series(self, locator: Mapping[str, Any]) -> PinnedValue:
        names = list(locator["series"])
        samples = self._placed.samples(self._incident_id, names)
        for name, holds in (("start", "ge"), ("end", "le")):
            if (moment := _instant(locator.get(name))) is not None:
                samples = samples.filter(getattr(pl.col("time"), holds)(moment))
        return value_of_series(samples, names)

    def _of_wait(self, locator: Mapping[str, Any], view: str) -> PinnedValue | None:
        at = _instant(locator["at"])
        if self._waits is None:
            self._waits = self._placed.waits(self._incident_id)
        if self._waits is None or at is None:
            return None
        source, target = locator["node"], locator.get("target")
        opened = frozenset(parse_qs(urlsplit(view).query).get("open", [])[:200])
        graph = self._graph(self._waits, at, opened, None)
        if not {source, target or source} <= {node.id for node in graph.nodes}:
            graph = self._graph(self._waits, at, frozenset(), False)  # folded away by now
        if target:
            return value_of_edge(graph, source, target)
        return value_of_node(graph, source)

    def _graph(
        self, evidence: Evidence, at: int, opened: frozenset[str], fold: bool | None
    ) -> WaitGraph:
        key = (at, opened, fold)
        if key not in self._graphs:
            if len(self._graphs) >= _MOMENTS_KEPT:
                self._graphs.clear()
            self._graphs[key] = wait_graph(evidence, at, fold=fold, opened=opened)
        return self._graphs[key]

    def _document(self) -> dict[str, Any]:
        if self._analysis is None:
            parts = Analyses(self._unit).parts(self._incident_id, "findings", "absences") or {}
            self._analysis = {name: parts.get(name) or [] for name in ("findings", "absences")}
        return self._analysis

    def _key(self, sha256: str) -> FrameKey | None:
        if self._keys is None:
            self._keys = {
                artifact.sha256: FrameKey(artifact.sha256, artifact.format, artifact.parser_version)
                for artifact in Artifacts(self._unit).of_incident(self._incident_id)
                if artifact.format is not None and artifact.parser_version is not None
            }
        return self._keys.get(sha256)


def check_pins(unit: Unit, placed: PlacedStore, frames: FrameStore, incident_id: str) -> list[str]:
    """Compare every pin of an incident with its current value; return the ids of changed pins."""
    pins = [pin for pin in Pins(unit).of_incident(incident_id) if pin.value is not None]
    if not pins:
        return []
    values = PinValues(unit, placed, frames, incident_id)
    computed = {pin.id: now for pin in pins if (now := _value(values, pin)) is not None}
    return Pins(unit).revalue(incident_id, computed)


def _value(values: PinValues, pin: PinRecord) -> PinnedValue | None:
    return values.of(pin.kind, pin.evidence_kind, pin.locator, pin.view)


def _instant(text: str | datetime | None) -> int | None:
    """Return UTC µs of a locator's time; None when it is missing or out of the calendar's range."""
    if text is None:
        return None
    try:
        return parse(text if isinstance(text, str) else text.isoformat())
    except (ValueError, OverflowError, TypeError):
        return None
