"""Read files, folders and archives as artifacts, for `pileup analyze`.

A folder below a given path whose name begins with ``experiment`` is a separate run and is left
out: mixed with the incident it would give two answers to every question.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from pileup.analysis import EvidenceArtifact, bundle_of
from pileup.analysis.evidence.compact_samples import compact_frames
from pileup.cli.plan import Plan
from pileup.formats import driver
from pileup.formats.errors import ArchiveError
from pileup.formats.metrics import csv_table
from pileup.formats.metrics.parts import csv_mapping
from pileup.formats.metrics.parts.csv_mapping import Mapping
from pileup.formats.parsed import Parsed
from pileup.formats.reading import archive
from pileup.formats.reading.text import LineReader
from pileup.garbage import collect_rarely
from pileup.records import Problem

_CHUNK = 1 << 20
_WORTH_PROCESSES = 24 << 20
"""Bytes to read above which more processes are faster."""
_PROCESSES = 4


@dataclass(frozen=True, slots=True)
class _File:
    """One file to read: its location, and its name in the output."""

    location: Path
    shown: str
    sha256: str
    bytes: int
    copies: list[str] = field(default_factory=list)
    """Further names of the same bytes."""
    mapping: Mapping | None = None
    """The column mapping that a person set."""


@dataclass
class Captures:
    """Parsed files, and the files left out with the reason."""

    mappings: dict[str, Mapping] = field(default_factory=dict)
    """By key (``csv_mapping.mapping_key``) of the header that each mapping is for."""
    mapped: set[str] = field(default_factory=set)
    """Keys of the mappings that were used."""
    plan: Plan = field(default_factory=Plan)
    """What the guard of this process leaves out."""
    artifacts: list[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    _queued: list[_File] = field(default_factory=list)
    _seen: dict[str, _File] = field(default_factory=dict)

    def read(self, paths: Sequence[Path]) -> None:
        """Read everything below these paths; equal files count once, with all their names.

        A file is shown by its path below the folder given, or below the folder that all paths
        given share: what lies in one folder belongs together.
        """
        with tempfile.TemporaryDirectory(prefix="pileup-") as folder:
            self._queue(paths, Path(folder))
            only = self.plan.only
            if only is not None:
                self._queued = [file for file in self._queued if file.sha256 in only]
            without = self.plan.without
            wanted = [file for file in self._queued if file.sha256 not in without]
            results = _parsed(wanted, self.plan)
            parsed = dict(zip((file.sha256 for file in wanted), results, strict=True))
            for file in self._queued:
                if (why := without.get(file.sha256)) is not None:
                    self.artifacts.append((_left_out(file, why), {}))
                    continue
                result = parsed.pop(file.sha256)
                self.artifacts.append((_artifact(file, result), compact_frames(result.frames)))
        self._queued.clear()

    def names(self, paths: Sequence[Path]) -> dict[str, str]:
        """List the files below these paths without parsing them: SHA-256 to name."""
        with tempfile.TemporaryDirectory(prefix="pileup-") as folder:
            self._queue(paths, Path(folder))
        names = {file.sha256: file.shown for file in self._queued}
        self._queued.clear()
        return names

    def _queue(self, paths: Sequence[Path], folder: Path) -> None:
        folders = [path if path.is_dir() else path.parent for path in map(Path.absolute, paths)]
        shared = Path(os.path.commonpath(folders)) if folders else Path()
        for path in map(Path.absolute, paths):
            for file in self._files(path):
                self._take(file, file.relative_to(shared).as_posix(), folder, 0)

    def _files(self, path: Path) -> Iterator[Path]:
        if not path.is_dir():
            yield path
            return
        try:
            children = sorted(path.iterdir())
        except OSError as error:
            self.left_out.append(f"{path}: cannot be listed: {error.strerror or error}")
            return
        for child in children:
            if child.is_dir():
                if child.name.startswith("experiment"):
                    self.left_out.append(f"{child}: a run of its own; analyse it by its own path")
                elif not child.is_symlink():  # a link may lead back up
                    yield from self._files(child)
            elif child.is_file() and not child.name.startswith("."):
                yield child

    def _take(self, file: Path, shown: str, folder: Path, depth: int) -> None:
        try:
            if archive.detect_container(file) in ("zip", "tar"):
                self._expand(file, shown, folder, depth)
                return
            sha, size = _digest(file)
        except OSError as error:
            self.left_out.append(f"{shown}: cannot be read: {error.strerror or error}")
            return
        if sha in self._seen:
            self._seen[sha].copies.append(shown)
            return
        if depth:  # a member: keep it until it is parsed
            path = folder / sha
            shutil.move(file, path)
            file = path
        mapping = self._find_mapping(file, sha)
        self._seen[sha] = _File(file, shown, sha, size, mapping=mapping)
        self._queued.append(self._seen[sha])

    def _find_mapping(self, file: Path, sha: str) -> Mapping | None:
        if not self.mappings:
            return None
        try:
            with archive.open_plain(file) as stream:
                head = LineReader(stream).head
        except (OSError, EOFError, ArchiveError):
            return None  # reported when it is read
        key = next((name for name in csv_mapping.keys_in(head, sha) if name in self.mappings), None)
        if key is None:
            return None
        self.mapped.add(key)
        return self.mappings[key]

    def _expand(self, file: Path, shown: str, folder: Path, depth: int) -> None:
        if not depth:
            self._limits = archive.Limits(uploaded_bytes=file.stat().st_size)
        limits = self._limits
        if depth >= limits.depth:
            self.left_out.append(f"{shown}: archives within archives beyond {limits.depth} levels")
            return
        refusals: list[archive.Refusal] = []
        copy = folder / f"member-{depth}"
        try:
            for member in archive.members(file, limits, refusals):
                inside = f"{shown}/{member.path}"
                try:
                    with member.open() as source, copy.open("wb") as target:
                        shutil.copyfileobj(source, target, _CHUNK)
                        size = target.tell()
                except (OSError, EOFError, ArchiveError) as error:
                    self.left_out.append(f"{inside}: {error}")
                    continue
                self._limits = replace(
                    self._limits,
                    given_bytes=self._limits.given_bytes + size,
                    given_members=self._limits.given_members + 1,
                )
                self._take(copy, inside, folder, depth + 1)
        except (OSError, EOFError, ArchiveError) as error:
            self.left_out.append(f"{shown}: the rest cannot be read: {error}")
        self.left_out += [f"{shown}/{refusal.path}: {refusal.why}" for refusal in refusals]


def _parsed(files: Sequence[_File], plan: Plan) -> list[Parsed]:
    """Parse each file, in the order given; in several processes when there is much to read."""
    processes = min(_PROCESSES, os.cpu_count() or 1, plan.processes or _PROCESSES)
    marks = plan.marks
    if processes < 2 or len(files) < 2 or sum(file.bytes for file in files) < _WORTH_PROCESSES:
        return _parse_all(files, marks)
    # spawn: polars runs threads, and a fork of a process with threads may hang
    context = multiprocessing.get_context("spawn")
    try:
        with concurrent.futures.ProcessPoolExecutor(processes, context, collect_rarely) as pool:
            # the largest first, so that none is left for the end; few tasks, as each has a cost
            order = sorted(range(len(files)), key=lambda i: -files[i].bytes)
            large, small = order[: 4 * processes], order[4 * processes :]
            tasks = [[i] for i in large] + [small[i::processes] for i in range(processes)]
            tasks = [task for task in tasks if task]
            parts = [[files[i] for i in task] for task in tasks]
            work = pool.map(_parse_all, parts, [marks] * len(parts))
            done = {
                i: parsed
                for task, results in zip(tasks, work, strict=True)
                for i, parsed in zip(task, results, strict=True)
            }
    except BrokenProcessPool:
        if marks is not None and any(Path(marks).iterdir()):
            # the guard looks at the marks, and reads again without the file
            raise MemoryError("a process that reads files ended") from None
        return _parse_all(files, marks)
    except OSError:  # no memory for more processes: slower, not wrong
        return _parse_all(files, marks)
    return [done[i] for i in range(len(files))]


def _parse_all(files: Sequence[_File], marks: str | None) -> list[Parsed]:
    parsed = []
    for file in files:
        mark = None if marks is None else Path(marks) / file.sha256
        if mark is not None:
            mark.touch()
        parsed.append(_parse(file))
        if mark is not None:
            mark.unlink(missing_ok=True)
    return parsed


def _parse(file: _File) -> Parsed:
    chosen = csv_table.with_mapping(file.mapping) if file.mapping else None
    return driver.parse_path(file.location, name=file.shown, chosen=chosen)


def _artifact(file: _File, parsed: Parsed) -> EvidenceArtifact:
    problems = tuple(parsed.problems)
    if parsed.failed and not any(problem.severity == "error" for problem in problems):
        problems = (*problems, Problem(None, parsed.failed, severity="error"))
    return EvidenceArtifact(
        sha256=file.sha256,
        path=file.shown,
        bytes=file.bytes,
        format=parsed.format,
        bundle=bundle_of(file.shown),
        problems=problems,
        records=dict(parsed.receipt.records),
        copies=tuple(file.copies),
    )


def _left_out(file: _File, why: str) -> EvidenceArtifact:
    problem = Problem(None, why, severity="error")
    return EvidenceArtifact(
        file.sha256, file.shown, file.bytes, None, bundle_of(file.shown), (problem,)
    )


def _digest(file: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with file.open("rb") as source:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return digest.hexdigest(), size
