"""Tell which release of a server a file is of, and whether two files cannot be of one server.

A file's release is what the server printed of itself at that moment: its variables, its dumps, and
the paths of its build. A log may print an earlier one, a text of a person any, and a debugger the
paths of whatever process it was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import polars as pl

from pileup.formats.reading.server_versions import BANNER, BUILD_PATH, PROSE

Releases = frozenset[tuple[int, ...]]
_FORGED = "5.5.5-"
"""MariaDB prints this before its version to clients of MySQL."""
_NUMBERS = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{1,3})")


def releases(frames: Mapping[str, pl.DataFrame]) -> dict[str, Releases]:
    """Map SHA-256 to the releases, such as (8, 0, 30), of the server that a file shows."""
    printed: list[tuple[str, str]] = []
    settings = frames.get("setting")
    if settings is not None:
        stacks = frames.get("stack")
        debugged = [] if stacks is None else stacks["artifact"].unique().to_list()
        of_other = (pl.col("source") == BUILD_PATH) & pl.col("artifact").is_in(debugged)
        elsewhere = pl.col("source").str.ends_with(BANNER) | (pl.col("source") == PROSE) | of_other
        of_server = (pl.col("name") == "version") & ~elsewhere
        rows = settings.filter(of_server).select("artifact", "value").drop_nulls()
        printed += rows.unique().iter_rows()
    dumps = frames.get("snapshot")
    if dumps is not None:
        rows = dumps.select("artifact", "server_version").drop_nulls()
        printed += rows.unique().iter_rows()
    found: dict[str, set[tuple[int, ...]]] = {}
    for sha, text in printed:
        if match := _NUMBERS.search(text.removeprefix(_FORGED)):
            found.setdefault(sha, set()).add(tuple(map(int, match.groups())))
    return {sha: frozenset(numbers) for sha, numbers in found.items()}


def of_all(shas: Iterable[str], known: Mapping[str, Releases]) -> Releases:
    """Return the releases of several files of one server, which may have been upgraded."""
    return frozenset().union(*(known.get(sha, ()) for sha in shas))


def contradict(mine: Releases, theirs: Releases) -> bool:
    """Return whether both are known and have no release in common."""
    return bool(mine and theirs) and mine.isdisjoint(theirs)


__all__ = ["Releases", "contradict", "of_all", "releases"]
