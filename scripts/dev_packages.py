"""Refuse where the environment lacks a package that the backend or its tests need.

Without it, test files fail while they are imported, and what counts failing tests counts nonsense.

Usage: dev_packages.py
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "backend" / "pyproject.toml"


def missing() -> list[str]:
    """Return the packages that pyproject.toml names and that are not installed."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    names = [found[0] for each in wanted if (found := re.match(r"[\w.-]+", each))]
    return [name for name in names if not _is_installed(name)]


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def main() -> int:
    """Return 2 where something is missing."""
    if not (names := missing()):
        return 0
    sys.stderr.write(
        f"make: {sys.prefix} lacks {', '.join(names)}, so many tests cannot run\n"
        f"make: install it: rm -f {sys.prefix}/.installed-dev && make install-dev\n"
    )
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
