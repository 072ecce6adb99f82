"""Complete a pasted part of SHOW ENGINE INNODB STATUS with the lines that begin a dump.

Source: the sections of a dump one by one (LATEST DETECTED DEADLOCK above all, TRANSACTIONS,
        SEMAPHORES), or the body of one without its title: ``---TRANSACTION``, ``--Thread ... has
        waited at``, ``*** (1) TRANSACTION:``.
Gives:  the same with a banner that has no time, and the title, in front of the first line.
"""

from __future__ import annotations

import re

from pileup.formats.unwrapping.wrapped_logs import Unwrap

_TITLES = (
    "SEMAPHORES|LATEST DETECTED DEADLOCK|LATEST FOREIGN KEY ERROR|TRANSACTIONS|FILE I/O|"
    "INSERT BUFFER AND ADAPTIVE HASH INDEX|BUFFER POOL AND MEMORY|INDIVIDUAL BUFFER POOL INFO|"
    "ROW OPERATIONS|BACKGROUND THREAD"
)
_TITLE = re.compile(rf"(?:## )?(?:{_TITLES})\s*$")
_RULE = re.compile(r"-{3,}\s*$")
_BODIES = (
    (re.compile(r"---TRANSACTION [0-9A-Fa-f]+(?: \d+)?, (?:ACTIVE|not started)"), "TRANSACTIONS"),
    (re.compile(r"Trx id counter [0-9A-F]"), "TRANSACTIONS"),
    (re.compile(r"--Thread \d{1,20} has waited at "), "SEMAPHORES"),
    (re.compile(r"\*\*\* \(1\) TRANSACTION:\s*$"), "LATEST DETECTED DEADLOCK"),
)
# A whole dump; an error log that was cut inside InnoDB's output.
_OF_OTHERS = ("INNODB MONITOR OUTPUT", "InnoDB:", "[Note]", "[Warning]", "[ERROR]", "[System]")
_BANNER = "=====================================\nINNODB MONITOR OUTPUT\n" + "=" * 37


def choose_reader(lines: list[str]) -> Unwrap | None:
    """Return what puts a dump's beginning before these lines; None for other text."""
    if any(sign in line for line in lines for sign in _OF_OTHERS):
        return None
    filled = [line for line in lines if line.strip()][:2]
    if not filled:
        return None
    if _TITLE.match(filled[0]) or (
        len(filled) > 1 and _RULE.match(filled[0]) and _TITLE.match(filled[1])
    ):
        return _Begun(filled[0], _BANNER)
    for pattern, title in _BODIES:
        if pattern.match(filled[0]):
            rule = "-" * len(title)
            return _Begun(filled[0], f"{_BANNER}\n{rule}\n{title}\n{rule}")
    return None


class _Begun:
    """Puts lines in front of the first line that is not empty."""

    def __init__(self, first: str, before: str) -> None:
        self._first = first
        self._before = before

    def __call__(self, line: str) -> str:
        if not self._before or line != self._first:
            return line
        before, self._before = self._before, ""
        return f"{before}\n{line}"
