"""Hand-made frames: what a parser would yield, in a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import polars as pl

from pileup.analysis import Evidence, EvidenceArtifact, gather
from pileup.records import Event, Record, Samples, Setting, Snapshot, records_frame, samples_frame

S = 1_000_000
T0 = int(datetime(2026, 11, 20, 22, 0, tzinfo=UTC).timestamp()) * S
"""22:00 UTC, which is 14:00 in Vancouver."""


def artifact(name: str, **more: object) -> EvidenceArtifact:
    return EvidenceArtifact(
        sha256=name.ljust(64, "0"),
        path=name,
        bytes=1,
        format=None,
        **more,  # type: ignore[arg-type]
    )


def gauge(
    series: str,
    values: Sequence[float | None],
    *,
    start: int = T0,
    clock: str = "utc",
    kind: str = "gauge",
    step: int = S,
    labels: tuple[tuple[str, str], ...] = (),
    host: str | None = None,
) -> Samples:
    return Samples(
        series=series,
        kind=kind,  # type: ignore[arg-type]
        unit=None,
        clock=clock,  # type: ignore[arg-type]
        wall_us=[start + i * step for i in range(len(values))],
        values=list(values),
        lines=list(range(1, len(values) + 1)),
        labels=labels,
        host=host,
    )


def frames(*items: Record | Samples) -> dict[str, pl.DataFrame]:
    found: dict[str, pl.DataFrame] = {}
    if samples := [item for item in items if isinstance(item, Samples)]:
        found["sample"] = samples_frame(samples)
    kinds: dict[str, list[Record]] = {}
    for item in items:
        if isinstance(item, Record):
            kinds.setdefault(item.KIND, []).append(item)
    return found | {kind: records_frame(kind, some) for kind, some in kinds.items()}


def evidence(files: Mapping[str, Sequence[Record | Samples]], **more: object) -> Evidence:
    parsed = [(artifact(name), frames(*items)) for name, items in files.items()]
    return gather(parsed, **more)  # type: ignore[arg-type]


def ts(utc: int, local: str) -> Event:
    """A TS line: an absolute and a local time side by side."""
    return Event(
        line_first=1, line_last=1, kind="clock", message="", wall_us=utc, clock="utc",
        original=local,
    )  # fmt: skip


def setting(name: str, value: str) -> Setting:
    return Setting(line_first=1, line_last=1, name=name, value=value, source="SHOW VARIABLES")


def moment(kind: str = "stacks", wall: int | None = None, clock: str | None = None) -> Snapshot:
    return Snapshot(
        line_first=1,
        line_last=1,
        kind=kind,
        snapshot=0,
        wall_us=wall,
        clock=clock,  # type: ignore[arg-type]
    )


def sha(name: str) -> str:
    return name.ljust(64, "0")
