"""Folders around a file: what lies in one folder belongs together.

Evidence that a file lacks (its host, its zone) comes from the nearest folder that has it, so that
another recording in the same incident changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from pileup.analysis.evidence.evidence import EvidenceArtifact

_ARCHIVE = re.compile(r"\.(tar|tgz|zip|gz|bz2|xz|zst|7z)$|\.tar\.")


def scopes(path: str) -> Iterator[str]:
    """Yield the folders around a file, the nearest first and '' for the upload as a whole."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def directly_in(path: str) -> Iterator[str]:
    """Yield the folders that a file lies in as itself, or as a member of an archive in them."""
    for folder in scopes(path):
        first, _, deeper = path[len(folder) + 1 if folder else 0 :].partition("/")
        if not deeper or _ARCHIVE.search(first):
            yield folder


def inside(path: str, scope: str) -> bool:
    return not scope or path.startswith(f"{scope}/")


def folders_of(path: str) -> list[str]:
    """Return the folders around a file, the outermost first."""
    return path.split("/")[:-1]


def shared_folders(lists: Sequence[Sequence[str]]) -> int:
    """Count the outermost folders that all have in common; 0 of none."""
    same = takewhile(lambda names: len(set(names)) == 1, zip(*lists, strict=False))
    return sum(1 for _ in same)


def recordings(paths: Sequence[str]) -> dict[str, str]:
    """Map each path to the folder of its recording, '' for files beside all recordings.

    It is the first folder below what all paths share. An archive is no such folder: a recording
    often has several.
    """
    folders = [folders_of(path) for path in paths]
    shared = shared_folders(folders)
    found = {}
    for path, parts in zip(paths, folders, strict=True):
        own = parts[: shared + 1]
        is_folder = len(parts) > shared and not _ARCHIVE.search(own[-1])
        found[path] = "/".join(own) if is_folder else ""
    return found


def recording_of(artifacts: Sequence[EvidenceArtifact]) -> dict[str, str]:
    """Map SHA-256 to the folder of the recording, as ``recordings`` does for paths."""
    folders = recordings([artifact.path for artifact in artifacts])
    return {artifact.sha256: folders[artifact.path] for artifact in artifacts}


__all__ = [
    "directly_in",
    "folders_of",
    "inside",
    "recording_of",
    "recordings",
    "scopes",
    "shared_folders",
]
