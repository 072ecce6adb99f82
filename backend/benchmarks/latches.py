"""Print every distinct line of a semaphore wait with the latch that it is for, and why.

A table to check by hand: an identity is right or unknown, never wrong. Each argument is a file or
a folder with the files of one server.

Usage: python -m benchmarks.latches PATH...
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.insight import read
from pileup.analysis import gather
from pileup.analysis.evidence import servers
from pileup.analysis.evidence.context import Server
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.waits.by_latches import wait_of
from pileup.cli.captures import Captures
from pileup.knowledge import knowledge
from pileup.knowledge.source_sites import site

_PRINTED = ["created_file", "created_line", "latch_name", "mode", "file", "line"]


def main() -> int:
    """Print the table and how many waits are named."""
    if not sys.argv[1:]:
        print(__doc__)
        return 2
    lines: Counter[tuple[str, ...]] = Counter()
    for name in sys.argv[1:]:
        path = Path(name)
        evidence = read(path) if path.is_dir() else _file(path)
        frame = evidence.frame("semaphore_wait")
        if frame is None:
            continue
        server = servers.server(evidence, servers.effective_settings(evidence))
        counted = frame.group_by(_PRINTED).len()
        for row in counted.iter_rows(named=True):
            lines[_line(row, server)] += row["len"]
    named = sum(waits for line, waits in lines.items() if line[-2])
    for line, waits in sorted(lines.items()):
        print("\t".join((str(waits), *line)))
    print(f"{len(lines)} lines, {sum(1 for line in lines if line[-2])} named;", end=" ")
    print(f"{lines.total()} waits, {named} named")
    return 0


def _file(path: Path) -> Evidence:
    captures = Captures()
    captures.read([path])
    return gather(captures.artifacts)


def _line(row: dict[str, Any], server: Server) -> tuple[str, ...]:
    identity = knowledge().latch_identity(row["latch_name"], wait_of(row, server))
    place = site(
        row["file"],
        row["line"],
        family=server.family,
        numbers=server.numbers,
        mode=row["mode"],
    )
    return (
        f"{row['created_file']}:{row['created_line']}" if row["created_file"] else "-",
        row["latch_name"] or "-",
        row["mode"],
        f"{row['file']}:{row['line']}",
        f"{server.family} {server.version}" if server.version else "-",
        place.function if place else "-",
        identity.latch or "",
        identity.why,
    )


if __name__ == "__main__":
    sys.exit(main())
