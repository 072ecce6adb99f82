"""Samples: incident folders that a newcomer can load in one click.

Layout of ``<samples>/<id>/``: sample.yaml (title, description, severity, service, experiments:
[{folder, title, change, expect}]), ``artifacts/`` with the captured files, and one folder per
experiment. Files of an experiment are loaded too, under their folder's name, and attached to a
planned experiment: a run is no part of the incident's analysis.

A finished sample has a case.yaml (``views/samples/case_file.py``): the work of the team, recorded
after the first analysis. The files of its runs are in ``runs/<name>/``, excluded until then.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from pileup.storage.errors import NotFound, Refused
from pileup.storage.incidents.incidents import Severity

_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,80}")
RUNS = "runs"
"""Folder of the runs of a finished sample."""
CASE = "case.yaml"
_NOT_CAPTURED = {"GROUND_TRUTH.md", "ground-truth.json", "README.md", "sample.yaml"}


@dataclass(frozen=True, slots=True)
class SampleFile:
    source: Path
    path: str
    """Path in the incident."""
    experiment: str | None
    """The folder of the run that it belongs to; such a file is no part of the analysis."""


@dataclass(frozen=True, slots=True)
class SampleExperiment:
    folder: str
    title: str
    change: str
    expect: str


@dataclass(frozen=True, slots=True)
class Sample:
    id: str
    folder: Path
    title: str
    description: str
    service: str | None
    severity: Severity | None
    experiments: tuple[SampleExperiment, ...]

    @property
    def finished(self) -> bool:
        """Whether it has the team's work: hypotheses, experiments, a conclusion."""
        return (self.folder / CASE).is_file()

    def files(self) -> Iterator[SampleFile]:
        """Yield the captured files, by path."""
        for path in _files(self.folder / "artifacts"):
            relative = path.relative_to(self.folder / "artifacts").as_posix()
            yield SampleFile(path, relative, None)
        for folder in (*(experiment.folder for experiment in self.experiments), RUNS):
            for path in _files(self.folder / folder):
                yield SampleFile(path, path.relative_to(self.folder).as_posix(), folder)

    @property
    def bytes(self) -> int:
        """Return the size of all files."""
        return sum(file.source.stat().st_size for file in self.files())


def samples_in(root: Path | None) -> list[Sample]:
    """List the samples of a folder, by id; none when the folder does not exist."""
    if root is None or not root.is_dir():
        return []
    folders = sorted(path for path in root.iterdir() if (path / "sample.yaml").is_file())
    return [read_sample(path) for path in folders if _ID.fullmatch(path.name)]


def sample(root: Path | None, sample_id: str) -> Sample:
    """Return one sample; raise NotFound."""
    match = next((item for item in samples_in(root) if item.id == sample_id), None)
    if match is None:
        raise NotFound(f"there is no sample {sample_id[:80]!r}")
    return match


def read_sample(folder: Path) -> Sample:
    """Read a sample folder; without a sample.yaml, the folder's name is the title."""
    described: dict[str, Any] = {}
    description = folder / "sample.yaml"
    if description.is_file():
        loaded = yaml.safe_load(description.read_text(encoding="utf-8"))
        if not isinstance(loaded, dict):
            raise Refused(f"{description} is not a mapping of title, description, ...")
        described = loaded
    if not (folder / "artifacts").is_dir():
        raise Refused(
            f"{folder} has no folder `artifacts`: put the captured files there, or send them with "
            f"`pileup push {folder} --to URL --token TOKEN`"
        )
    experiments = described.get("experiments") or []
    return Sample(
        id=folder.name,
        folder=folder,
        title=str(described.get("title") or folder.name),
        description=" ".join(str(described.get("description") or "").split()),
        service=described.get("service"),
        severity=described.get("severity"),
        experiments=tuple(
            SampleExperiment(
                folder=str(experiment["folder"]),
                title=str(experiment.get("title") or experiment["folder"]),
                change=" ".join(str(experiment.get("change") or "").split()),
                expect=" ".join(str(experiment.get("expect") or "").split()),
            )
            for experiment in experiments
            if "/" not in str(experiment["folder"])
        ),
    )


def identified(sample: Sample) -> Sample:
    """Return a folder of somebody's own with an id made of its files.

    Folders of two nights may have one name, and one folder may be filled again.
    """
    content = hashlib.sha256()
    for file in sample.files():
        with file.source.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256")
        content.update(file.path.encode() + b"\0" + digest.digest())
    return replace(sample, id=f"{sample.id}@{content.hexdigest()[:16]}")


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in _NOT_CAPTURED and not path.name.startswith("."):
            yield path
