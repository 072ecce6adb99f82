"""Small bundles, as files and as what `pileup verify` reads of them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pileup.cli.checking.bundle import Bundle

Row = dict[str, Any]


def written(path: Path, members: Mapping[str, str | bytes]) -> Path:
    """Write an archive with these members, in this order."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def bundle_of(
    path: Path = Path("case.zip"),
    shas: Sequence[str] = (),
    analysis: Any = None,
    **work: list[Row],
) -> Bundle:
    """Return a bundle without a report, with these rows."""
    return Bundle(path, list(shas), analysis, "", "", work)


def lines(rows: Sequence[Row]) -> str:
    """Return rows as the lines of a table's file."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)
