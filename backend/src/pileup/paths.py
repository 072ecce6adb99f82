"""Locate the files that Pileup itself brings: package data, the built UI and the samples.

This is the only module that knows where the package is (`tests/test_paths.py`). Package data
(knowledge, fonts, migrations, templates) is part of every installation. The built UI and the
samples are in the folder `bundled` of a wheel (`make dist`), or at their own places in a checkout.
Does not belong here: folders of data, which are settings.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
_BUNDLED = PACKAGE / "bundled"
_CHECKOUT = PACKAGE.parents[2]  # of an editable install; elsewhere nothing is there


def packaged(relative: str) -> Path:
    """Return a file or folder of the package, by its path in `pileup`."""
    return PACKAGE / relative


def built_ui() -> Path | None:
    """Return the folder of the built UI, or None when it was not built."""
    return _first_with("index.html", _BUNDLED / "ui", _CHECKOUT / "frontend" / "dist")


def samples() -> Path | None:
    """Return the folder of sample incidents, or None when there is none."""
    return _first_with("README.md", _BUNDLED / "samples", _CHECKOUT / "samples")


def _first_with(marker: str, *folders: Path) -> Path | None:
    return next((folder for folder in folders if (folder / marker).is_file()), None)
