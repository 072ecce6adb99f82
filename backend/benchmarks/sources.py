"""Pieces of the committed samples from which the large inputs grow."""

from __future__ import annotations

import tarfile
from functools import lru_cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_INCIDENTS = _ROOT / "samples"
_SAMPLES = _ROOT / "backend" / "tests" / "samples"


@lru_cache(maxsize=4)
def incident(pattern: str) -> str:
    """Read an artifact of samples/, such as 'hot-row/artifacts/gdb/*-gdb.txt'."""
    (path, *_) = sorted(_INCIDENTS.glob(pattern))
    return path.read_text(encoding="utf-8", errors="replace")


@lru_cache(maxsize=4)
def stalk(name: str, suffix: str) -> str:
    """Read a file of the pt-stalk bundle of an incident of samples/."""
    (bundle, *_) = sorted((_INCIDENTS / name / "artifacts").glob("pt-stalk-*.tar.gz"))
    with tarfile.open(bundle) as archive:
        for member in archive:
            if member.name.endswith(f"-{suffix}") and (stream := archive.extractfile(member)):
                return stream.read().decode("utf-8", "replace")
    raise FileNotFoundError(f"no -{suffix} in {bundle}")


def sample(name: str) -> str:
    """Read a sample of the tests, such as 'innodb-status/8.0.15-....txt'."""
    return (_SAMPLES / name).read_text(encoding="utf-8", errors="replace")
