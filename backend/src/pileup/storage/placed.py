"""Placed evidence: the frames of one incident on one clock, as the last analysis saw them.

Screens read windows and moments from here instead of placing everything again per request.

Layout: ``<root>/<incident>/<run>/{<kind>.parquet, evidence.json}``, and a file ``current`` that
names the run. A run is written aside and ``current`` replaced atomically, so a reader sees one run
or the other. The run before stays for readers that are still in it. All of it is derived.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import msgspec
import polars as pl

from pileup.analysis.clock_docs import COLUMNS
from pileup.analysis.compact import TEXT, by_series, compact
from pileup.analysis.contract import ClockDoc
from pileup.analysis.evidence import Evidence, EvidenceArtifact
from pileup.records import with_all_columns
from pileup.storage.blobs import disk_words
from pileup.storage.ids import new_id

SAMPLE = "sample"

WAIT_KINDS = (
    "snapshot",
    "semaphore_wait",
    "transaction",
    "trx_lock",
    "metadata_lock",
    "lock_wait",
    "session",
    "thread",
    "stack",
)
"""What a wait graph is made of."""


class _Index(msgspec.Struct, frozen=True):
    artifacts: tuple[EvidenceArtifact, ...]
    clocks: dict[str, ClockDoc]


@dataclass(frozen=True, slots=True)
class PlacedStore:
    """A folder of placed evidence."""

    root: Path

    def replace(self, incident_id: str, evidence: Evidence) -> None:
        """Make this the incident's evidence."""
        home = self.root / incident_id
        run = new_id()
        draft = home / run
        before = self._run(incident_id)
        draft.mkdir(parents=True)
        try:
            with disk_words(self.root):
                for kind, frame in evidence.frames.items():
                    _for_reading(kind, frame).sink_parquet(
                        draft / f"{kind}.parquet", compression="zstd", row_group_size=50_000
                    )
                index = _Index(evidence.artifacts, dict(evidence.clocks))
                (draft / "evidence.json").write_bytes(msgspec.json.encode(index))
                pointer = home / f"current.{run}"
                pointer.write_text(run)
                os.replace(pointer, home / "current")
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        for old in home.iterdir():
            if old.is_dir() and old.name not in (run, before.name if before else run):
                shutil.rmtree(old, ignore_errors=True)

    def forget(self, incident_id: str) -> None:
        """There is nothing left to show."""
        shutil.rmtree(self.root / incident_id, ignore_errors=True)

    def load(self, incident_id: str, kinds: Collection[str]) -> Evidence | None:
        """The evidence with only these kinds of frames; None before the first analysis."""
        run = self._run(incident_id)
        if run is None:
            return None
        index = msgspec.json.decode((run / "evidence.json").read_bytes(), type=_Index)
        paths = {kind: run / f"{kind}.parquet" for kind in kinds}
        return Evidence(
            artifacts=index.artifacts,
            frames={
                kind: with_all_columns(kind, _read(kind, path))
                for kind, path in paths.items()
                if path.is_file()
            },
            clocks=index.clocks,
        )

    def times(self, incident_id: str) -> Evidence | None:
        """Every frame, with only what tells times: artifact, time, wall_us, clock."""
        run = self._run(incident_id)
        if run is None:
            return None
        index = msgspec.json.decode((run / "evidence.json").read_bytes(), type=_Index)
        frames = {
            path.stem: frame.select(COLUMNS).collect()
            for path in sorted(run.glob("*.parquet"))
            if set(COLUMNS) <= set((frame := pl.scan_parquet(path)).collect_schema().names())
        }
        return Evidence(artifacts=index.artifacts, frames=frames, clocks=index.clocks)

    def samples(self, incident_id: str, series: Collection[str]) -> pl.DataFrame:
        """The samples of some series: id, artifact, kind, unit, time, value, line_first."""
        run = self._run(incident_id)
        path = run / f"{SAMPLE}.parquet" if run else None
        if path is None or not path.is_file():
            return pl.DataFrame(schema=_SAMPLES)
        return (
            pl.scan_parquet(path)
            .filter(pl.col("id").is_in(list(series)))
            .select(list(_SAMPLES))
            .collect()
        )

    def _run(self, incident_id: str) -> Path | None:
        home = self.root / incident_id
        try:
            run = home / (home / "current").read_text().strip()
        except FileNotFoundError:
            return None
        return run if run.is_dir() else None


_SAMPLES = {
    "id": pl.String,
    "artifact": pl.String,
    "kind": pl.String,
    "unit": pl.String,
    "time": pl.Int64,
    "value": pl.Float64,
    "line_first": pl.Int64,
}


def _for_reading(kind: str, frame: pl.DataFrame) -> pl.LazyFrame:
    """Samples sorted by series, so that a lane reads a few row groups and not the day.

    Their text is written as text: row groups are skipped by the ids that they hold.
    """
    if kind != SAMPLE or frame.is_empty():
        return frame.lazy()
    pieces = [piece.sort("id", "time").lazy() for piece in by_series(compact(frame))]
    text = [name for name in TEXT if name in frame.columns]
    return pl.concat(pieces).with_columns(pl.col(text).cast(pl.String))


def _read(kind: str, path: Path) -> pl.DataFrame:
    if kind != SAMPLE:
        return pl.read_parquet(path)
    scan = pl.scan_parquet(path)
    text = [name for name in TEXT if name in scan.collect_schema().names()]
    return scan.with_columns(pl.col(text).cast(pl.Categorical)).collect()
