"""Read a bundle for `pileup verify`; its import checks everything else."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bundle:
    path: Path
    artifacts: list[str]
    """SHA-256 each."""
    analysis: Any
    report: str
    html: str
    work: dict[str, list[Row]]
    """Table to rows."""

    @classmethod
    def read(cls, path: Path) -> Bundle:
        """Read a bundle file; raise a sentence for the terminal when it is none."""
        try:
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
                manifest = json.loads(archive.read("manifest.json"))
                return cls(
                    path=path,
                    artifacts=list(manifest["artifacts"]),
                    analysis=json.loads(archive.read("analysis.json"))
                    if "analysis.json" in names
                    else None,
                    report=archive.read("report/report.md").decode(),
                    html=archive.read("report/report.html").decode(),
                    work={
                        name.removeprefix("work/").removesuffix(".jsonl"): [
                            json.loads(line) for line in archive.read(name).decode().splitlines()
                        ]
                        for name in names
                        if name.startswith("work/") and name.endswith(".jsonl")
                    },
                )
        except (zipfile.BadZipFile, KeyError, ValueError, TypeError, OSError) as error:
            raise click.ClickException(f"{path} is no bundle of Pileup: {error}.") from error

    def rows(self, table: str) -> list[Row]:
        """Return the rows of a table; none when it did not exist at the export."""
        return self.work.get(table, [])
