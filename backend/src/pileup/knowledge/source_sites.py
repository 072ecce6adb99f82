"""Lookup of the function and latch at a place of the server's source, 'btr0sea.ic line 98'.

Source: a text scan of 82 server versions, 5.0.96 to 8.4.4, MySQL, Percona Server and MariaDB (not a
compiler: code under preprocessor conditions is all included). A dump prints the first or the last
line of a call, by compiler, so a line is compared with line..end_line. For a version that was not
scanned the nearest version of its series is used, and the result names it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Literal

import polars as pl

from pileup.paths import packaged

_FAMILY = {"mysql": "mysql", "percona": "percona", "mariadb": "mariadb"}
_FORK_OF = {"goldendb": "mysql", "huaweirds": "mysql"}
"""Forks that are treated as the MySQL release that they are made from."""
_FORK_RANK = 3
_MOVED = 12
_MOVED_RELEASES = 3
"""Lines and releases by which a call may move and still be taken for the same."""

Numbers = tuple[int, ...]
Row = dict[str, Any]
_INNODB_OF_MARIADB: dict[Numbers, tuple[str, ...]] = {
    (10, 0): ("mysql-5.6", "percona-5.6"),
    (10, 1): ("mysql-5.6", "percona-5.6"),
    (10, 2): ("mysql-5.7",),
    (10, 3): ("mysql-5.7",),
    (10, 4): ("mysql-5.7",),
}
"""The versions whose InnoDB a series of MariaDB contains."""


@dataclass(frozen=True, slots=True)
class Site:
    """A call in the server's source that takes or creates a latch."""

    function: str
    latch: str
    """Id of latches.yaml where it was recognised, else the last name of the expression."""
    via: str
    """The call or macro: mtr_s_lock, btr_search_x_lock."""
    read_in: str
    """The version whose source has the call: 'mysql-5.7.32'."""
    line: int
    certainty: Literal[
        "exact", "nearest version", "moved line", "nearest series", "unknown version"
    ]

    @property
    def says(self) -> str:
        """Describe the site: 'row_search_mvcc (mysql-5.7.32, the nearest version read)'."""
        how = {
            "exact": "",
            "nearest version": ", the nearest version that was read",
            "moved line": f" line {self.line}, the nearest line of the nearest version read",
            "nearest series": ", the nearest series that was read: lines may have moved",
            "unknown version": ", as the server's version is not known",
        }[self.certainty]
        return f"{self.function} ({self.read_in}{how})"


def site(
    file: str,
    line: int,
    *,
    family: str | None,
    numbers: Numbers,
    mode: str = "",
    kind: Literal["acquired", "created"] = "acquired",
) -> Site | None:
    """Find the call at a place of the source in a server of this family and version, or None.

    file: as a dump prints it, 'btr0sea.ic' or 'handler/ha_innodb.cc'. mode: S, X, SX, mutex.
    """
    return _site(file, line, family, numbers, _plain_mode(mode), kind)


@functools.lru_cache(maxsize=4096)
def _site(
    file: str,
    line: int,
    family: str | None,
    numbers: Numbers,
    mode: str,
    kind: Literal["acquired", "created"],
) -> Site | None:
    rows = places(file, kind)
    hits = [row for row in rows if row["line"] <= line <= row["end_line"]]
    if not numbers:
        best = max(hits, key=lambda hit: (_fits(hit, mode), _release(hit)), default=None)
        return _make_site(best, "unknown version") if best else None
    if all(_release(row)[:2] != numbers[:2] for row in rows):
        best = _nearest_in_other_series(hits, family, numbers, mode)
        return _make_site(best, "nearest series") if best else None
    hits = [hit for hit in hits if _release(hit)[:2] == numbers[:2]]
    if hits:
        best = min(hits, key=lambda hit: (*_distance(hit, family, numbers), not _fits(hit, mode)))
        rank, far = _distance(best, family, numbers)
        return _make_site(best, "exact" if (rank, far) == (0, 0) else "nearest version")
    near = [
        row
        for row in rows
        if _release(row)[:2] == numbers[:2]
        and abs(row["line"] - line) <= _MOVED
        and _distance(row, family, numbers)[1] <= _MOVED_RELEASES
        and _fits(row, mode)
    ]
    best = min(
        near,
        key=lambda row: (*_distance(row, family, numbers), abs(row["line"] - line)),
        default=None,
    )
    return _make_site(best, "moved line") if best else None


def places(file: str, kind: Literal["acquired", "created"]) -> list[Row]:
    """Return the sites of a kind in all versions of a file; file: as a dump prints it."""
    rows = _rows(file.rpartition("/")[2])
    return [row for row in rows if row["kind"] == kind and _is_path(row["file"], file)]


def near_versions(rows: list[Row], family: str | None, numbers: Numbers) -> list[Row]:
    """Keep the rows of the versions that are nearest to a server's: its own, or its neighbours.

    Neighbours are the next older and newer releases of the series that were read; without one, the
    whole next older and newer series. All rows if the version is unknown.
    """
    wanted = _near_versions(frozenset(row["version"] for row in rows), family, numbers)
    return [row for row in rows if row["version"] in wanted]


@functools.lru_cache(maxsize=4096)
def _near_versions(
    versions: frozenset[str], family: str | None, numbers: Numbers
) -> frozenset[str]:
    if not numbers:
        maria = family == "mariadb"
        return frozenset(v for v in versions if family is None or maria or "mariadb" not in v)
    own = {family or "mysql", *(("mysql",) if family == "percona" else ())}
    relatives = [version for version in versions if _origin(version) in own]
    series = [version for version in relatives if _numbers(version)[:2] == numbers[:2]]
    same = {version for version in series if is_release(version, family, numbers)}
    if same:
        return frozenset(same)
    if series and len(numbers) == 2:  # a series
        return frozenset(series)
    if series:
        near = frozenset(_around(series, numbers))
        beyond = min(abs(_numbers(version)[2] - numbers[2]) for version in near) > _MOVED_RELEASES
        outside = len({_numbers(version) > numbers for version in near}) == 1
        return near | frozenset(_around(relatives, numbers)) if beyond and outside else near
    nearest = {_numbers(version)[:2] for version in _around(relatives, numbers)}
    also = _INNODB_OF_MARIADB.get(numbers[:2], ()) if family == "mariadb" else ()
    return frozenset(
        version
        for version in versions
        if (version in relatives and _numbers(version)[:2] in nearest)
        or (also and version.startswith(also))
    )


@functools.lru_cache(maxsize=4096)
def function_at(
    file: str, line: int, *, family: str | None, numbers: Numbers, mode: str = ""
) -> str | None:
    """Name the function that takes a latch at this place, if the nearest versions agree on one."""
    fitting = (row for row in places(file, "acquired") if _fits(row, _plain_mode(mode)))
    near = near_versions(list(fitting), family, numbers)
    hits = {row["function"] for row in near if row["line"] <= line <= row["end_line"]}
    return next(iter(hits)) if len(hits) == 1 else None


def is_release(version: str, family: str | None, numbers: Numbers) -> bool:
    """Return whether a version that was read is this very release."""
    return _numbers(version) == numbers and version.partition("-")[0] == (family or "mysql")


def _around(versions: list[str], numbers: Numbers) -> Iterator[str]:
    """Yield each family's next older and next newer version."""
    for family in {_origin(version) for version in versions}:
        ours = [version for version in versions if _origin(version) == family]
        older = [version for version in ours if _numbers(version)[:3] <= numbers]
        newer = [version for version in ours if _numbers(version)[:3] > numbers]
        if older:
            yield max(older, key=_numbers)
        if newer:
            yield min(newer, key=_numbers)


def _origin(version: str) -> str:
    """Return the family whose lines a version has: 'mysql' for a fork made from its release."""
    name = version.partition("-")[0]
    return "mysql" if name in _FORK_OF else name


def _nearest_in_other_series(
    hits: list[dict[str, Any]], family: str | None, numbers: Numbers, mode: str
) -> dict[str, Any] | None:
    """Return the same line in the nearest series of the family, if its mode fits."""
    own = [hit for hit in hits if _distance(hit, family, numbers)[0] <= 1 and _fits(hit, mode)]
    if family == "mariadb":  # its numbers are not MySQL's
        own = [row for row in own if row["version"].startswith("mariadb")]
    wanted = numbers[0] * 100 + numbers[1] if len(numbers) > 1 else numbers[0] * 100

    def away(row: dict[str, Any]) -> tuple[int, int]:
        major, minor = (*_release(row), 0, 0)[:2]
        return abs(major * 100 + minor - wanted), -major

    return min(own, key=away, default=None)


def _make_site(row: dict[str, Any], certainty: Any) -> Site:
    return Site(row["function"], row["latch"], row["via"], row["version"], row["line"], certainty)


def _distance(row: dict[str, Any], family: str | None, numbers: Numbers) -> tuple[int, int]:
    """Rank how foreign the family is, and count how many releases away the version is."""
    name = row["version"].partition("-")[0]
    own = _FAMILY.get(name)
    rank = 0 if own == (family or "mysql") else 1 if own == "mysql" or name in _FORK_OF else 2
    if own is None and name not in _FORK_OF:
        rank = _FORK_RANK
    patch = _release(row)[2:3] or (0,)
    return rank, abs(patch[0] - (numbers[2] if len(numbers) > 2 else 0))


def _release(row: dict[str, Any]) -> Numbers:
    return _numbers(row["version"])


@functools.lru_cache(maxsize=256)
def _numbers(version: str) -> Numbers:
    match = re.search(r"-(\d+(?:\.\d+)*)", version)
    return tuple(int(name) for name in match[1].split(".")) if match else ()


def _fits(row: dict[str, Any], mode: str) -> bool:
    recorded = row["mode"].partition("(")[0]
    return not mode or recorded in (mode, "arg")


def _plain_mode(mode: str) -> str:
    return mode.partition(" ")[0] if mode != "unknown" else ""


def _is_path(path: str, printed: str) -> bool:
    """Return whether the printed file is this path; old servers print its directory too."""
    ends = (printed.lstrip("./"), "/".join(printed.rsplit("/", 2)[-2:]))
    return "/" not in printed or path.endswith(ends)


@functools.cache
def _rows(name: str) -> list[dict[str, Any]]:
    """Return all sites of the files with this base name."""
    return _table().filter(pl.col("file").str.ends_with(f"/{name}")).to_dicts()


@functools.cache
def _table() -> pl.DataFrame:
    data = packaged("knowledge/data/source_sites.parquet")
    table = pl.read_parquet(BytesIO(data.read_bytes()))
    return table.with_columns(pl.col(pl.Categorical).cast(pl.String))


__all__ = ["Numbers", "Row", "Site", "function_at", "is_release", "near_versions", "places", "site"]
