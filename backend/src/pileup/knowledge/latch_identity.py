"""Decide which latch a wait is for, from everything that a dump prints about it.

Evidence: the printed name, the place where the latch was created, the place of the wait, the mode,
and the server's version, as the same latch is created at another line in each version. Returns
the latch only if the evidence decides it. Two cases yield none: the evidence disagrees, or the file
creates several latches of that type and the line fits more than one.

Does not belong here: the meaning of a latch (data/latches.yaml), the places (source_sites).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field

from pileup.knowledge.source_sites import Numbers, Row, is_release, near_versions, places

Place = tuple[str, int]
"""File as printed and line."""

_TOLERANCE = 150
"""Lines that a place may have moved between the versions that were read."""
_CLEARER = 4
"""How many times nearer a latch's place must be than any other latch's."""
_MOVED = 40
"""Lines that the place of a wait may have moved between neighbouring versions."""
_NOISE = 10
"""Lines below which a distance says nothing."""
_NEVER_WAITED_FOR = frozenset({"buf_block_debug_latch"})
"""Debug builds take it without waiting."""
_ANY = ("", "unknown")
"""Modes that say nothing: counts of waits by place print none."""
_MUTEX_CALLS = ("mutex_create", "mysql_mutex_init", "pthread_mutex_init", "os_fast_mutex_init")


@dataclass(frozen=True, slots=True)
class Wait:
    """What is printed about a wait; None: not printed."""

    mode: str = ""
    """'mutex' or a mode of an rw-lock: S, X, SX, 'X wait_ex'; '' or 'unknown': not known."""
    created: Place | None = None
    at: Place | None = None
    """Where the thread waits."""
    family: str | None = None
    numbers: Numbers = ()


@dataclass(frozen=True, slots=True)
class Identity:
    """The latch, if the evidence decides it, and why."""

    latch: str | None
    """Id of latches.yaml, or the name in the source of a latch that has no entry there."""
    why: str


@dataclass(slots=True)
class _Site:
    """The nearest place at which the versions create a latch."""

    away: int
    """Lines between it and the printed line."""
    exact: set[str] = field(default_factory=set)
    """Versions that create it at the printed line."""


@functools.lru_cache(maxsize=8192)
def identify(named: str | None, wait: Wait, known: frozenset[str]) -> Identity:
    """Return the latch of a wait.

    named: the latch whose name is printed, as the id; None if no name is printed or it says
    nothing about the latch. known: ids of latches.yaml; places of other latches contradict nothing.
    """
    created, near, how = _by_creation(wait)
    if named is not None:
        if created in known and created != named and named not in near:
            return Identity(None, f"named {named}, but {how} as {created}")
        return Identity(named, "its name is printed")
    here = _by_wait(wait)
    if created is not None:
        if _is_read(wait) and here <= known and here and created not in here:
            return Identity(None, f"{how}, but threads wait there for {_list(here)}")
        return Identity(created, how)
    if wait.created is None:  # another release may wait at this line for another latch
        around = _by_wait(wait, _MOVED)
        if len(here) == 1 and (_is_read(wait) or here == around):
            return Identity(next(iter(here)), "the only latch for which threads wait there")
        if not here and len(around) == 1 and not _is_read(wait):  # a release between those read
            return Identity(next(iter(around)), "the only latch for which threads wait near there")
        return Identity(None, "where it was created is not printed")
    for waited_for in (here, _by_wait(wait, _MOVED)):
        both = waited_for & near
        if len(both) == 1:
            return Identity(next(iter(both)), f"{how}; the place of the wait decides")
    return Identity(None, how)


def _is_read(wait: Wait) -> bool:
    """Return whether this very release was read, so that its lines are certain."""
    if wait.at is None:
        return False
    return _reads({row["version"] for row in places(wait.at[0], "acquired")}, wait)


def _reads(versions: set[str], wait: Wait) -> bool:
    return any(is_release(version, wait.family, wait.numbers) for version in versions)


def _by_creation(wait: Wait) -> tuple[str | None, frozenset[str], str]:
    """Return the latch by its place of creation, all that may be meant, and why."""
    if wait.created is None:  # another release may wait at this line for another latch
        return None, frozenset(), ""
    file, line = wait.created
    rows = [row for row in places(file, "created") if _is_type(row, wait.mode)]
    rows = near_versions(rows, wait.family, wait.numbers)
    sites = _sites(rows, line)
    if not sites:
        return None, frozenset(), f"no latch of that type is known to be created in {file}"
    near = frozenset(latch for latch, site in sites.items() if site.away <= _TOLERANCE)
    if not near:
        return None, near, f"no latch is known to be created near {file}:{line}"
    best, *others = sorted(sites, key=lambda latch: (sites[latch].away, latch))
    exact = [latch for latch in sites if sites[latch].exact]
    versions = {row["version"] for row in rows}
    sure = sites[best].exact == versions and (len(versions) > 1 or _reads(versions, wait))
    if exact == [best] and (sure or not others):
        return best, near, f"created at {file}:{line}"
    nearest_other = min((sites[latch].away for latch in others), default=None)
    clear = _CLEARER * max(sites[best].away, _NOISE)
    if len(near) > 1 or (nearest_other is not None and nearest_other <= clear):
        return None, near, f"{_list(near)} are created near {file}:{line}"
    return best, near, f"the only latch of its type that is created near {file}:{line}"


def _sites(rows: Iterable[Row], line: int) -> dict[str, _Site]:
    sites: dict[str, _Site] = {}
    for row in rows:
        if row["latch"] in _NEVER_WAITED_FOR:
            continue
        away = max(row["line"] - line, line - row["end_line"], 0)
        site = sites.setdefault(row["latch"], _Site(away))
        site.away = min(site.away, away)
        if away == 0:
            site.exact.add(row["version"])
    return sites


def _by_wait(wait: Wait, moved: int = 0) -> frozenset[str]:
    """Return the latches that the nearest versions take at this place, or that many lines away."""
    if wait.at is None:
        return frozenset()
    file, line = wait.at
    mode = wait.mode.partition(" ")[0]
    rows = [
        row
        for row in near_versions(places(file, "acquired"), wait.family, wait.numbers)
        if mode in _ANY or row["mode"] == mode or (row["mode"] == "arg" and mode != "mutex")
    ]
    return frozenset(
        row["latch"] for row in rows if row["line"] - moved <= line <= row["end_line"] + moved
    )


def _is_type(row: Row, mode: str) -> bool:
    """Return whether the call creates a latch of the type that this mode belongs to."""
    if mode in _ANY:
        return True
    return (row["via"] in _MUTEX_CALLS) == (mode == "mutex")


def _list(latches: Iterable[str]) -> str:
    return " and ".join(sorted(latches))


__all__ = ["Identity", "Place", "Wait", "identify"]
