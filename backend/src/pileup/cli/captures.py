"""Files, folders and archives as artifacts: what `pileup analyze` reads.

A folder whose name begins with ``experiment`` below a given path is a run of its own and is left
out: mixed with the incident it would give two answers to every question.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from pileup.analysis import EvidenceArtifact, bundle_of
from pileup.formats import archive, driver
from pileup.formats.errors import ArchiveError
from pileup.records import Problem

_CHUNK = 1 << 20


@dataclass
class Captures:
    """What was read, and what was left out and why."""

    artifacts: list[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    def read(self, paths: Sequence[Path]) -> None:
        """Read everything below these paths, each in name order."""
        for path in paths:
            base = path if path.is_dir() else path.parent
            for file in self._files(path):
                shown = file.relative_to(base).as_posix() if file != base else file.name
                self._take(file, shown, 0)

    def _files(self, path: Path) -> Iterator[Path]:
        if not path.is_dir():
            yield path
            return
        for child in sorted(path.iterdir()):
            if child.is_symlink() and not child.is_file():
                continue
            if child.is_dir():
                if child.name.startswith("experiment"):
                    self.left_out.append(f"{child}: a run of its own; analyse it by its own path")
                    continue
                yield from self._files(child)
            elif child.is_file() and not child.name.startswith("."):
                yield child

    def _take(self, file: Path, shown: str, depth: int) -> None:
        try:
            kind = archive.kind_of(file)
            if kind in ("zip", "tar"):
                self._expand(file, shown, depth)
                return
            sha, size = _digest(file)
        except OSError as error:
            self.left_out.append(f"{shown}: cannot be read: {error.strerror or error}")
            return
        if sha in self._seen:
            return
        self._seen.add(sha)
        parsed = driver.parse_path(file, name=shown)
        problems = tuple(parsed.problems)
        if parsed.failed and not any(one.severity == "error" for one in problems):
            problems = (*problems, Problem(None, parsed.failed, severity="error"))
        artifact = EvidenceArtifact(
            sha256=sha,
            path=shown,
            bytes=size,
            format=parsed.format,
            bundle=bundle_of(shown),
            problems=problems,
            records=dict(parsed.receipt.records),
        )
        self.artifacts.append((artifact, parsed.frames))

    def _expand(self, file: Path, shown: str, depth: int) -> None:
        limits = archive.Limits()
        if depth >= limits.depth:
            self.left_out.append(f"{shown}: archives within archives beyond {limits.depth} levels")
            return
        refusals: list[archive.Refusal] = []
        with tempfile.TemporaryDirectory(prefix="pileup-") as folder:
            copy = Path(folder) / "member"
            try:
                for member in archive.members(file, limits, refusals):
                    inside = f"{shown}/{member.path}"
                    try:
                        with member.open() as source, copy.open("wb") as target:
                            while chunk := source.read(_CHUNK):
                                target.write(chunk)
                    except (OSError, EOFError, ArchiveError) as error:
                        self.left_out.append(f"{inside}: {error}")
                        continue
                    self._take(copy, inside, depth + 1)
            except (OSError, EOFError, ArchiveError) as error:
                self.left_out.append(f"{shown}: the rest cannot be read: {error}")
        self.left_out += [f"{shown}/{one.path}: {one.why}" for one in refusals]


def _digest(file: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with file.open("rb") as source:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return digest.hexdigest(), size
