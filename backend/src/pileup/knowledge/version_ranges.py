"""Ranges of releases, and whether a known problem applies to a server: yes, no or unknown.

An entry of ``affected`` is a flavour, a range and, after a colon, a remark for people::

    mysql 5.7              every release of 5.7         mysql 8.0.0-8.0.29   both ends included
    mysql <5.6.30          all before                   mariadb 10.6+        from 10.6 on
    mysql 5.7.0-5.7.11?    the end was not read         mariadb              every release
    all: with InnoDB       every server

An entry of ``fixed`` is a flavour and one release (``mariadb 10.6.18?`` where the exact release was
not read), or ``mysql never`` when there is no fix. Percona Server shares the numbers and the code
of MySQL, so what holds for MySQL holds for it. A number means all releases that begin with it.
A bound that was not read excludes nothing: the answer behind it is "unknown".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Applies = Literal["yes", "no", "unknown"]
Numbers = tuple[int, ...]

FLAVOURS = ("mysql", "percona", "mariadb")
_V = r"\d+(?:\.\d+)*"
_ENTRY = re.compile(
    rf"(?P<flavour>all|{'|'.join(FLAVOURS)})"
    rf"(?:\s+(?:(?P<never>never)|<(?P<before>{_V})|(?P<low>{_V})(?P<low_unread>\?)?"
    rf"(?:(?P<open>\+)|\s*-\s*(?P<high>{_V})(?P<high_unread>\?)?)?))?"
    r"\s*(?::\s*(?P<note>.*))?",
    re.DOTALL,
)


_TITLES = {"mysql": "MySQL", "percona": "Percona Server", "mariadb": "MariaDB"}


def fix_text(entry: str) -> str:
    """Write an entry of ``fixed`` for people: 'MariaDB 10.5.0 (off by default)'."""
    release, _, note = (part.strip() for part in entry.partition(":"))
    flavour, _, version = release.partition(" ")
    title = _TITLES.get(flavour, flavour)
    remark = f" ({note})" if note else ""
    if version == "never":
        return f"none in {title}{remark}"
    unread = "probably " if version.endswith("?") else ""
    return f"{unread}{title} {version.rstrip('?')}".rstrip() + remark


def fix_texts(fixed: Iterable[str], family: str | None) -> list[str]:
    """Write the entries of ``fixed`` for the reader of one server.

    That another flavour has no fix is left out: it says nothing about this server.
    """
    return [
        fix_text(entry)
        for entry in fixed
        if entry.strip(" -")
        and (family is None or (fix := read_fix(entry)).release or _is_about(fix.flavour, family))
    ]


def affected_text(entry: str) -> str:
    """Write an entry of ``affected`` for people: 'MySQL 5.7.0 to at least 5.7.11 (a remark)'."""
    releases, _, note = (part.strip() for part in entry.partition(":"))
    flavour, _, version = releases.partition(" ")
    first, to, last = version.partition("-")
    if version.startswith("<"):
        version = f"before {version[1:]}"
    elif version.endswith("+"):
        version = f"{version[:-1]} and later"
    elif to:
        since = f"about {first.rstrip('?')}" if first.endswith("?") else first
        until = f"at least {last.rstrip('?')}" if last.endswith("?") else last
        in_series = first.startswith(f"{last}.")
        version = f"{last} from {since} on" if in_series else f"{since} to {until}"
    title = "all servers" if flavour == "all" else _TITLES.get(flavour, flavour)
    remark = f" ({note})" if note else ""
    return f"{title} {version}".rstrip() + remark


class RangeError(ValueError):
    """An entry is no range of releases; the message says what one looks like."""


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Releases of one flavour from ``low`` up to, not including, ``high``; None: without end."""

    flavour: str
    """mysql, percona, mariadb or all."""
    low: Numbers | None = None
    high: Numbers | None = None
    low_is_exact: bool = True
    high_is_exact: bool = True
    note: str | None = None

    def answer(self, numbers: Numbers) -> Applies:
        """Return whether a release is in the range; numbers may be a beginning, such as (8, 0)."""
        if self.low is None and self.high is None:
            return "yes"
        if not numbers:
            return "unknown"
        after = _next(numbers)
        if self.low is not None and after <= self.low:
            return "no" if self.low_is_exact or not _same_series(numbers, self.low) else "unknown"
        if self.high is not None and numbers >= self.high:
            last = _last_series(self.high)
            return "no" if self.high_is_exact or not _same_series(numbers, last) else "unknown"
        inside = (self.low is None or numbers >= self.low) and (
            self.high is None or after <= self.high
        )
        return "yes" if inside else "unknown"


@dataclass(frozen=True, slots=True)
class Fix:
    """The release of one flavour that contains a fix; ``release`` None: never fixed."""

    flavour: str
    release: Numbers | None
    is_exact: bool = True
    note: str | None = None

    @property
    def version(self) -> str:
        """The release as text, '8.0.30'; empty if never fixed."""
        return ".".join(map(str, self.release or ()))


@lru_cache(maxsize=4096)
def read_range(entry: str) -> VersionRange:
    """Read an entry of ``affected``. Raises RangeError."""
    match = _match(entry)
    if match["never"]:
        raise RangeError(f"{entry!r}: 'never' belongs in 'fixed'.")
    if match["flavour"] == "all" and (match["low"] or match["before"]):
        raise RangeError(
            f"{entry!r}: flavours number their releases differently; name the flavour."
        )
    low, high = _numbers(match["low"]), _numbers(match["high"])
    if match["before"]:
        end = _numbers(match["before"])
    elif match["open"] or low is None:
        end = None
    else:
        end = _next(high or low)
    return VersionRange(
        match["flavour"],
        low,
        end,
        match["low_unread"] is None,
        match["high_unread"] is None,
        match["note"],
    )


@lru_cache(maxsize=4096)
def read_fix(entry: str) -> Fix:
    """Read an entry of ``fixed``. Raises RangeError."""
    match = _match(entry)
    if match["flavour"] == "all" or match["before"] or match["open"] or match["high"]:
        raise RangeError(f"{entry!r} is no single release, such as 'mysql 8.0.30'.")
    if not match["never"] and not match["low"]:
        raise RangeError(f"{entry!r} names no release; write 'never' if there is no fix.")
    low = _numbers(match["low"])
    return Fix(match["flavour"], low, match["low_unread"] is None, match["note"])


def within(entries: Iterable[str], family: str | None, numbers: Numbers) -> Applies:
    """Return whether a server is in any of the ranges, whatever is fixed.

    family: mysql, percona, mariadb; None: unknown. numbers: of the version; empty: unknown.
    """
    ranges = [read_range(entry) for entry in entries]
    if any(each.flavour == "all" for each in ranges):
        return "yes"
    if family is None:
        return "unknown"
    answers = {each.answer(numbers) for each in ranges if _is_about(each.flavour, family)}
    if "yes" in answers:
        return "yes"
    return "unknown" if "unknown" in answers else "no"


def applies(
    affected: Iterable[str], fixed: Iterable[str], family: str | None, numbers: Numbers
) -> Applies:
    """Return whether a server of this family and version has the problem.

    A release at or above a fixed one of the same series (8.0.30 in 8.0) does not; of several fixes
    of a series the last counts. A release inside a range without end, of a later series than a fix,
    may contain that fix: unknown.
    """
    entries = tuple(affected)
    answer = within(entries, family, numbers)
    fixes = [fix for fix in map(read_fix, fixed) if fix.release is not None]
    if family is None:
        return "unknown" if fixes else answer
    fixes = [fix for fix in fixes if _is_about(fix.flavour, family)]
    if answer == "no" or not fixes:
        return answer
    if not numbers:
        return "unknown"
    if (fix := _of_series(fixes, numbers)) is not None:
        release = fix.release or ()
        if numbers >= release:
            return "no" if fix.is_exact else "unknown"
        return answer if _next(numbers) <= release else "unknown"
    earlier = any((fix.release or ())[:2] < numbers[:2] for fix in fixes)
    return "unknown" if earlier and not _is_listed(entries, family, numbers) else answer


def fix_for(fixed: Iterable[str], family: str | None, numbers: Numbers) -> Fix | None:
    """Return the fix that concerns a server: of its series, else of the next later one.

    None: no release of this family is known to have it. The answer for 5.7.3 and 5.7.22 is 5.7.12.
    """
    fixes = [
        fix
        for fix in map(read_fix, fixed)
        if fix.release is not None and family is not None and _is_about(fix.flavour, family)
    ]
    if (own := _of_series(fixes, numbers)) is not None:
        return own
    later = [fix for fix in fixes if (fix.release or ()) > numbers]
    return min(later, key=lambda fix: fix.release or (), default=None)


def _match(entry: str) -> re.Match[str]:
    match = _ENTRY.fullmatch(entry.strip())
    if match is None:
        raise RangeError(
            f"{entry!r} is no range of releases. Write 'mysql 8.0.0-8.0.29', 'mysql <5.6.30', "
            f"'mariadb 10.6+', 'percona 5.7' or 'all'; a remark follows a colon."
        )
    return match


def _is_about(flavour: str, family: str) -> bool:
    return flavour in (family, "all") or (flavour == "mysql" and family == "percona")


def _is_listed(entries: Iterable[str], family: str, numbers: Numbers) -> bool:
    """Return whether a range with an end that was read contains the release."""
    ranges = [read_range(entry) for entry in entries]
    return any(
        each.high is not None and each.answer(numbers) == "yes"
        for each in ranges
        if _is_about(each.flavour, family)
    )


def _of_series(fixes: Iterable[Fix], numbers: Numbers) -> Fix | None:
    """Return the last fix in the release series of a version."""
    own = [fix for fix in fixes if _same_series(fix.release or (), numbers)]
    return max(own, key=lambda fix: fix.release or (), default=None)


def _same_series(first: Numbers, second: Numbers) -> bool:
    return first[:2] == second[:2] and len(first) >= 2


def _last_series(high: Numbers) -> Numbers:
    """Return a number of the series that ends before this excluded bound."""
    *head, last = high
    return (*head, last - 1) if last else tuple(head)


def _next(numbers: Numbers) -> Numbers:
    """Return the first number behind all that begin with these: (8, 0) gives (8, 1)."""
    return (*numbers[:-1], numbers[-1] + 1)


def _numbers(text: str | None) -> Numbers | None:
    return tuple(int(part) for part in text.split(".")) if text else None


__all__ = [
    "FLAVOURS",
    "Applies",
    "Fix",
    "Numbers",
    "RangeError",
    "VersionRange",
    "affected_text",
    "applies",
    "fix_for",
    "read_fix",
    "read_range",
    "within",
]
