"""Give each capture its rows of the evidence.

Frames are split by file once, and a file that several captures use is sorted by time once, so the
total work is linear in the rows, whatever the number of captures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import polars as pl

from pileup.analysis.captures.partition import Capture
from pileup.analysis.captures.stretches import CONTEXT_S
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence, EvidenceArtifact

_MARGIN_S = 60.0
"""Rows of a shared file this long before and after a capture are part of it, in seconds."""


def shares(evidence: Evidence, captures: Sequence[Capture]) -> Iterator[tuple[Capture, Evidence]]:
    """Yield each capture with the evidence that it uses, in order."""
    if len(captures) == 1 and _uses_all(evidence, captures[0]):
        yield captures[0], evidence
        return
    kinds = {kind: _Kind(frame, captures) for kind, frame in evidence.frames.items()}
    for capture in captures:
        mine = capture.artifacts
        yield (
            capture,
            Evidence(
                tuple(
                    _own_copy(artifact, capture)
                    for artifact in evidence.artifacts
                    if artifact.sha256 in mine
                ),
                {kind: parts.of(capture) for kind, parts in kinds.items()},
                {sha: clock for sha, clock in evidence.clocks.items() if sha in mine},
            ),
        )


def _own_copy(artifact: EvidenceArtifact, capture: Capture) -> EvidenceArtifact:
    path = dict(capture.copies).get(artifact.sha256)
    return artifact if path is None else artifact.at(path)


def _uses_all(evidence: Evidence, capture: Capture) -> bool:
    used = capture.artifacts
    if not all(
        set(frame["artifact"].unique().to_list()) <= used for frame in evidence.frames.values()
    ):
        return False
    if capture.span is None:
        return True
    wide = capture.span.widened(CONTEXT_S)
    undated = list(capture.undated)
    for frame in evidence.frames.values():
        outside = frame.lazy().filter(pl.col("artifact").is_in(undated) & ~wide.holds())
        if outside.select(pl.len()).collect().item():
            return False
    return all(
        set(frame["host"].unique().to_list()) <= capture.hosts for frame in evidence.frames.values()
    )


class _Kind:
    """The rows of one kind, by file and host."""

    def __init__(self, frame: pl.DataFrame, captures: Sequence[Capture]) -> None:
        self._empty = frame.clear()
        self._users = Counter(sha for capture in captures for sha in capture.artifacts)
        self._order: dict[str, list[tuple[str, str | None]]] = {}
        self._parts: dict[tuple[str, str | None], pl.DataFrame] = {}
        for (sha, host), rows in frame.partition_by(
            "artifact", "host", as_dict=True, maintain_order=True
        ).items():
            self._order.setdefault(str(sha), []).append((str(sha), host))
            self._parts[str(sha), host] = rows

    def of(self, capture: Capture) -> pl.DataFrame:
        lent, copies = dict(capture.lent), dict(capture.copies)
        parts: list[pl.DataFrame] = []
        for sha, keys in self._order.items():
            if sha in capture.members:
                span = capture.span.widened(_MARGIN_S) if capture.span else None
                whole = self._users[sha] == 1
            elif sha in lent:
                span, whole = lent[sha], False
            elif sha in capture.undated:
                span = capture.span.widened(CONTEXT_S) if capture.span else None
                whole = False
            else:
                continue
            mine = [
                self._parts[key] if whole or span is None else self._cut(key, span)
                for key in keys
                if capture.span is None or key[1] in capture.hosts
            ]
            if sha in copies:  # as a file of several servers it has no host
                host = pl.coalesce("host", pl.lit(capture.host, self._empty.schema["host"]))
                mine = [part.with_columns(host.alias("host")) for part in mine]
            parts += mine
        parts = [part for part in parts if part.height]
        return pl.concat(parts) if parts else self._empty

    def _cut(self, key: tuple[str, str | None], span: Span) -> pl.DataFrame:
        """Return the rows of one file and host without a time or inside a range."""
        rows = self._parts[key]
        times = rows["time"]
        unknown = times.null_count()
        if unknown == rows.height:
            return rows
        low, high = times.min(), times.max()
        assert isinstance(low, int)
        assert isinstance(high, int)
        if span.start <= low and high <= span.end:
            return rows
        if unknown or not times.is_sorted():
            rows = self._parts[key] = rows.sort("time", nulls_last=False, maintain_order=True)
        known = rows["time"].slice(unknown)
        first = int(known.search_sorted(span.start, "left"))
        last = int(known.search_sorted(span.end, "right"))
        inside = rows.slice(unknown + first, last - first)
        return pl.concat([rows.head(unknown), inside]) if unknown else inside


__all__ = ["shares"]
