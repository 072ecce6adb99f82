"""Placed evidence: the frames of one incident on one clock, as the last analysis placed them.

Screens read windows and moments from here instead of placing everything again per request.

An incident is a set of files (``file_sets.py``): ``<kind>.parquet``, ``evidence.json`` and
``<ready>.json``. Samples are sorted by series and continue in ``sample.1.parquet`` and so on; long
series are summarized in ``lanes.parquet`` next to them (``analysis.evidence.downsample``).

A reader sees one run of the analysis or the other; the previous run stays for readers that still
use it. All content can be derived again.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import polars as pl

from pileup.analysis.clock.documents import COLUMNS
from pileup.analysis.contract import ClockDoc
from pileup.analysis.evidence.compact_samples import TEXT, by_series, compact
from pileup.analysis.evidence.downsample import BUCKETS, LONG, sum_up, values_of
from pileup.analysis.evidence.evidence import Evidence, EvidenceArtifact
from pileup.analysis.stacks import same_samples
from pileup.analysis.waits.by_commits import PENDING
from pileup.analysis.waits.by_free_pages import COUNTERS
from pileup.json_values import resolve_types
from pileup.records import frame_schema, with_all_columns
from pileup.storage.files.file_sets import FileSet, FileSets, FolderSets
from pileup.storage.files.objects import FolderObjects, disk_words
from pileup.storage.ids import new_id

SAMPLE = "sample"

WAIT_KINDS = (
    "snapshot",
    "semaphore_wait",
    "transaction",
    "trx_lock",
    "metadata_lock",
    "latch_hold",
    "event_wait",
    "lock_wait",
    "session",
    "thread",
    "stack",
    "setting",
)
"""What a wait graph is made of; of the settings the version, which decides what a latch is."""

LANES = "lanes"
_INDEX = "evidence.json"
Ready = TypeVar("Ready", bound=msgspec.Struct)

_PART_ROWS = 5_000_000
"""Samples of one file: a lane opens the one that its series is in, and not the day of a fleet."""

_ROW_GROUP = 50_000


class _Index(msgspec.Struct, frozen=True):
    artifacts: tuple[EvidenceArtifact, ...]
    clocks: dict[str, ClockDoc]
    parts: tuple[str, ...] = ()
    """The first series of each file of samples, in order."""


resolve_types(_Index)


class PlacedStore:
    """Placed evidence in a folder or a bucket."""

    def __init__(self, root: Path | FileSets) -> None:
        self._sets = FolderSets(FolderObjects(root)) if isinstance(root, Path) else root

    def replace(self, incident_id: str, evidence: Evidence, *ready: msgspec.Struct) -> None:
        """Store this evidence as the incident's current run.

        ready: precomputed answers; the method ``ready`` returns each by its type.
        """
        draft = self._sets.drafts / new_id()
        draft.mkdir()
        try:
            with disk_words(draft.parent):
                parts: tuple[str, ...] = ()
                for kind, frame in evidence.frames.items():
                    if kind == SAMPLE and not frame.is_empty():
                        pieces = (item.sort("id", "time") for item in by_series(compact(frame)))
                        parts = write_samples(draft, pieces)
                    else:
                        _write(frame, draft / f"{kind}.parquet")
                index = _Index(evidence.artifacts, dict(evidence.clocks), parts)
                (draft / _INDEX).write_bytes(msgspec.json.encode(index))
                for answer in ready:
                    (draft / _ready_name(type(answer))).write_bytes(msgspec.json.encode(answer))
            self._sets.publish(incident_id, draft)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def forget(self, incident_id: str) -> None:
        """Delete the incident's evidence."""
        self._sets.remove(incident_id)

    def incidents(self) -> Iterator[tuple[str, float]]:
        """Yield the id of each incident with evidence, and when it changed last."""
        for key, modified in self._sets.stored():
            yield key.partition("/")[0], modified

    def sweep_drafts(self, older_than_s: float = 86_400.0) -> None:
        """Remove drafts that a killed process left; recent ones may be in use."""
        self._sets.sweep_drafts(older_than_s)

    def sweep(self) -> int:
        """Remove runs that were never published; return how many."""
        return self._sets.sweep()

    def ready(self, incident_id: str, kind: type[Ready]) -> Ready | None:
        """Return the answer of this type that was stored with the evidence, or None."""
        files = self._sets.open(incident_id)
        path = files.path(_ready_name(kind)) if files else None
        return msgspec.json.decode(path.read_bytes(), type=kind) if path else None

    def waits(self, incident_id: str, run: str | None = None) -> Evidence | None:
        """Load the evidence for wait graphs, with only the samples that they read.

        A stack sample that gdb and pt-pmp both wrote is one.

        run: which analysis, of those still stored; the last one by default.
        """
        files = self._sets.open(incident_id, run)
        if files is None:
            return None
        loaded = same_samples.without_repeated(_loaded(files, _index(files), WAIT_KINDS))
        paths = files.parts(SAMPLE)
        if not paths:
            return loaded
        name = pl.col("series")
        read = (*PENDING, *COUNTERS)
        wanted = name.is_between(pl.lit(min(read)), pl.lit(max(read))) & name.is_in(read)
        pending = pl.scan_parquet(paths).filter(wanted).collect()
        return dataclasses.replace(loaded, frames=loaded.frames | {SAMPLE: pending})

    def load(
        self, incident_id: str, kinds: Collection[str], run: str | None = None
    ) -> Evidence | None:
        """Load the evidence with only these kinds of frames; None before the first analysis.

        run: which analysis, of those still stored; the last one by default.
        """
        files = self._sets.open(incident_id, run)
        return None if files is None else _loaded(files, _index(files), kinds)

    def index(self, incident_id: str) -> Evidence | None:
        """Load artifacts and their placement, without frames; None before the first analysis."""
        return self.load(incident_id, ())

    def scan(self, incident_id: str, kind: str) -> pl.LazyFrame:
        """Scan the records of one kind lazily; empty before the first analysis."""
        files = self._sets.open(incident_id)
        path = files.path(f"{kind}.parquet") if files else None
        if path is None:
            return no_records(kind)
        scan = pl.scan_parquet(path)
        known = scan.collect_schema().names()
        missing = {name: item for name, item in frame_schema(kind).items() if name not in known}
        return scan.with_columns(pl.lit(None, dtype=item).alias(n) for n, item in missing.items())

    def run(self, incident_id: str) -> str | None:
        """Return the id of the last analysis; the stored evidence changes only with it."""
        return self._sets.current(incident_id)

    def times(self, incident_id: str) -> Evidence | None:
        """Load every frame with only its time columns: artifact, time, wall_us, clock."""
        files = self._sets.open(incident_id)
        if files is None:
            return None
        index = _index(files)
        frames = {
            kind: frame.select(COLUMNS).collect()
            for kind in files.kinds()
            if kind != LANES
            and set(COLUMNS)
            <= set((frame := pl.scan_parquet(files.parts(kind))).collect_schema().names())
        }
        return Evidence(artifacts=index.artifacts, frames=frames, clocks=index.clocks)

    def samples(
        self,
        incident_id: str,
        series: Collection[str],
        start_us: int | None = None,
        end_us: int | None = None,
        run: str | None = None,
    ) -> pl.DataFrame:
        """Load the samples of some series: columns id, artifact, time (UTC µs), value.

        With a window, only those inside (both ends). run: which analysis, of those still stored;
        the last one by default.
        """
        files = self._sets.open(incident_id, run) if series else None
        if files is None:
            return pl.DataFrame(schema=_SAMPLES)
        parts = _index(files).parts
        wanted: dict[int, list[str]] = {}
        for name in series:
            wanted.setdefault(max(0, bisect_right(parts, name) - 1), []).append(name)
        scans = [
            pl.scan_parquet(path).filter(_is_one_of(ids), *_within(start_us, end_us))
            for at, ids in wanted.items()
            if (path := files.path(_part(SAMPLE, at)))
        ]
        if not scans:
            return pl.DataFrame(schema=_SAMPLES)
        return pl.concat([scan.select(list(_SAMPLES)) for scan in scans]).collect()

    def long_series(self, incident_id: str, series: Collection[str]) -> pl.DataFrame:
        """Load the buckets of summarized series: columns id and those of ``downsample.BUCKETS``."""
        files = self._sets.open(incident_id)
        path = files.path(f"{LANES}.parquet") if files else None
        if path is None:
            return pl.DataFrame(schema={"id": pl.String, **BUCKETS})
        return pl.scan_parquet(path).filter(_is_one_of(list(series))).collect()


_SAMPLES = {
    "id": pl.String,
    "artifact": pl.String,
    "time": pl.Int64,
    "value": pl.Float64,
}


def no_records(kind: str) -> pl.LazyFrame:
    """Return an empty frame with the columns of placed records of this kind."""
    return pl.LazyFrame(schema={**frame_schema(kind), "artifact": pl.String(), "time": pl.Int64()})


def write_samples(folder: Path, pieces: Iterable[pl.DataFrame]) -> tuple[str, ...]:
    """Write samples and the buckets of long series; return the first series of each file.

    pieces: placed samples in the order of their ids, whole series each, sorted by id and time.
    """
    firsts: list[str] = []
    sums: list[pl.DataFrame] = []
    for at, frames in enumerate(_split_parts(pieces)):
        firsts.append(str(frames[0]["id"][0]))
        for piece in frames:
            sums += _sums(piece)
        text = [name for name in TEXT if name in frames[0].columns]
        # as text: row groups are skipped by the ids that they hold
        whole = pl.concat([frame.with_columns(pl.col(text).cast(pl.String)) for frame in frames])
        _write(whole, folder / _part(SAMPLE, at))
    if sums:
        _write(pl.concat(sums), folder / f"{LANES}.parquet")
    return tuple(firsts)


def _split_parts(pieces: Iterable[pl.DataFrame]) -> Iterator[list[pl.DataFrame]]:
    frames: list[pl.DataFrame] = []
    for piece in pieces:
        if frames and sum(frame.height for frame in frames) + piece.height > _PART_ROWS:
            yield frames
            frames = []
        frames.append(piece)
    if frames:
        yield frames


def _sums(piece: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the buckets of each long series of a piece, in order."""
    sizes = piece.group_by("id", maintain_order=True).len()
    for series in sizes.filter(pl.col("len") > LONG)["id"]:
        rows = piece.filter(pl.col("id") == series)
        values = values_of(rows.select("artifact", "time", "value"), str(rows["kind"][0]))
        yield sum_up(values).select(pl.lit(str(series)).alias("id"), *BUCKETS)


def _write(frame: pl.DataFrame, path: Path) -> None:
    frame.lazy().sink_parquet(path, compression="zstd", row_group_size=_ROW_GROUP)


def _part(kind: str, at: int) -> str:
    return f"{kind}.{at}.parquet" if at else f"{kind}.parquet"


def _loaded(files: FileSet, index: _Index, kinds: Collection[str]) -> Evidence:
    """Load the evidence of a run with only these kinds of frames."""
    paths = {kind: files.parts(kind) for kind in kinds}
    return Evidence(
        artifacts=index.artifacts,
        frames={
            kind: with_all_columns(kind, _read(kind, parts))
            for kind, parts in paths.items()
            if parts
        },
        clocks=index.clocks,
    )


def _ready_name(kind: type[msgspec.Struct]) -> str:
    """Return the file name of an answer type: FirstWaits is 'first_waits.json'."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower() + ".json"


def _index(files: FileSet) -> _Index:
    path = files.path(_INDEX)
    assert path is not None  # every run has it
    return msgspec.json.decode(path.read_bytes(), type=_Index)


def _is_one_of(ids: list[str]) -> pl.Expr:
    """Match these ids, with a range condition that lets Parquet skip row groups."""
    within = pl.col("id").is_between(pl.lit(min(ids)), pl.lit(max(ids)))
    return within & pl.col("id").is_in(ids)


def _within(start_us: int | None, end_us: int | None) -> list[pl.Expr]:
    bounds = []
    if start_us is not None:
        bounds.append(pl.col("time") >= start_us)
    if end_us is not None:
        bounds.append(pl.col("time") <= end_us)
    return bounds


def _read(kind: str, paths: list[Path]) -> pl.DataFrame:
    if kind != SAMPLE:
        return pl.read_parquet(paths)
    scan = pl.scan_parquet(paths)
    text = [name for name in TEXT if name in scan.collect_schema().names()]
    return scan.with_columns(pl.col(text).cast(pl.Categorical)).collect()
