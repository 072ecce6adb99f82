"""Whether a known problem applies to a server's version: yes, no or unknown.

An entry reads 'mysql 8.0.0-8.0.29', 'mariadb to 10.4 by default', 'mysql 5.5+', 'all'. Percona
Server shares MySQL's version numbers and code: an entry for MySQL applies to it as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Applies = Literal["yes", "no", "unknown"]
Numbers = tuple[int, ...]

_V = r"\d+(?:\.\d+)*"
_RANGE = re.compile(rf"({_V})\s*(?:-|to)\s*({_V})")
_UNTIL = re.compile(rf"^(?:up )?to ({_V})")
_BEFORE = re.compile(rf"^before ({_V})")
_FROM = re.compile(rf"({_V})(?:\+| and later| onwards)")
_ONE = re.compile(rf"^({_V})(?![\d.]*\s*(?:-|to|\+|and later))")
_FIXED = re.compile(rf"({_V})")


def applies(
    affected: Iterable[str], fixed: Iterable[str], family: str | None, numbers: Numbers
) -> Applies:
    """Return whether a server of this family and version has the problem.

    A release at or above a fixed one of the same series (8.0.30 in 8.0) does not.
    """
    entries = [entry.strip().lower() for entry in affected]
    if _is_fixed(fixed, family, numbers):
        return "no"
    if any(entry.startswith("all") for entry in entries):
        return "yes"
    if family is None or not numbers:
        return "unknown"
    answers = [
        answer
        for entry in entries
        for answer in (_entry(entry, family, numbers),)
        if answer is not None
    ]
    if "yes" in answers:
        return "yes"
    if "unknown" in answers or not entries:
        return "unknown"
    return "no"


def _entry(entry: str, family: str, numbers: Numbers) -> Applies | None:
    """Evaluate an entry; return None if it is about another family."""
    name, _, rest = entry.partition(" ")
    if name not in ("mysql", "percona", "mariadb"):
        return "unknown"
    if name != family and not (name == "mysql" and family == "percona"):
        return None
    if rest.startswith("all"):
        return "yes"
    bounds = _bounds(rest)
    if not bounds:
        return "unknown"
    return "yes" if any(_within(numbers, low, high) for low, high in bounds) else "no"


def _bounds(rest: str) -> list[tuple[Numbers | None, Numbers | None]]:
    """Return the ranges of an entry; both ends are inclusive prefixes: to 5.7 means all of 5.7."""
    if match := _UNTIL.match(rest):
        return [(None, _numbers(match[1]))]
    if match := _BEFORE.match(rest):
        return [(None, _before(_numbers(match[1])))]
    rows: list[tuple[Numbers | None, Numbers | None]] = [
        (_numbers(a), _numbers(b)) for a, b in _RANGE.findall(rest)
    ]
    rows += [(_numbers(a), None) for a in _FROM.findall(rest)]
    if not rows and (match := _ONE.match(rest)):
        rows.append((_numbers(match[1]), _numbers(match[1])))
    return rows


def _within(numbers: Numbers, low: Numbers | None, high: Numbers | None) -> bool:
    above = low is None or numbers >= low
    below = high is None or numbers[: len(high)] <= high
    return above and below


def _is_fixed(fixed: Iterable[str], family: str | None, numbers: Numbers) -> bool:
    """Return whether the version has the fix; the last of several fixes in a series counts."""
    last: Numbers | None = None
    for entry in fixed:
        name, _, rest = entry.strip().lower().partition(" ")
        same = name == family or (name == "mysql" and family == "percona")
        match = _FIXED.match(rest)
        if not same or not match or " adds " in rest:  # a release that adds a setting is no fix
            continue
        release = _numbers(match[1])
        if len(release) >= 3 and numbers[:2] == release[:2]:
            last = max(last or release, release)
    return last is not None and numbers >= last


def _numbers(text: str) -> Numbers:
    return tuple(int(part) for part in text.split("."))


def _before(release: Numbers) -> Numbers:
    *head, last = release
    return (*head, last - 1) if last else (*head[:-1], head[-1] - 1) if head else release
