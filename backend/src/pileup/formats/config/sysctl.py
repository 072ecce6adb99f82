"""sysctl -a: the kernel's settings.

Source: sysctl(8) of procps prints 'vm.swappiness = 60', of FreeBSD 'vm.overcommit: 0' with further
        lines of a value below it. A key that is printed line by line (dev.cdrom.info) is repeated.
Yields: Settings with source sysctl, named as printed: vm.swappiness.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.records import Item, Problem, Setting

NAME = "sysctl"
TITLE = "sysctl -a"
GIVES = "Settings of the kernel."
PRINTED_BY = "Linux, FreeBSD: `sysctl -a`"
VERSION = 1
HINTS = ("-sysctl", "sysctl.txt")

_LINUX = re.compile(r"(?P<name>[a-z][\w-]{0,40}(?:\.[\w:@+*/%-]{1,80}){1,10}) = ?(?P<value>.*)$")
_BSD = re.compile(
    r"(?P<name>(?:kern|vm|vfs|net|hw|dev|debug|machdep|user|p1003_1b|security|compat|kstat)"
    r"(?:\.[\w%-]{1,64}){1,10}): ?(?P<value>.*)$"
)
_MESSAGES = ("sysctl: ", "error: ", "warning: ")
_LONGEST = 8_192


def sniff(head: str) -> bool | None:
    """Return whether nearly every line is a dotted name and its value."""
    lines = [line for line in head.split("\n")[:-1] or [head] if line.strip()][:80]
    lines = [line for line in lines if not line.startswith(_MESSAGES)]
    if len(lines) < 2:
        return False
    fit = sum(
        (_LINUX.match(line[:_LONGEST]) or _BSD.match(line[:_LONGEST])) is not None for line in lines
    )
    return fit >= 0.8 * len(lines)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield each setting; a value of several lines is joined with spaces."""
    pending: Setting | None = None
    more: list[str] = []
    for line_number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if text.startswith(_MESSAGES) or not text.strip():
            continue
        match = _LINUX.match(text) or _BSD.match(text)
        if match is None and pending is None:
            yield Problem(line_number, "Not a line of sysctl; it is left out.", found=raw[:200])
            continue
        if match is None or (pending is not None and match["name"] == pending.name):
            assert pending is not None  # the case above continues the loop
            if sum(map(len, more)) < _LONGEST:
                more.append((match["value"] if match else text).strip())
            continue
        if pending is not None:
            yield _joined(pending, more)
        pending = _setting(line_number, match["name"], match["value"])
        more = []
    if pending is not None:
        yield _joined(pending, more)


def _setting(line: int, name: str, value: str) -> Setting:
    return Setting(line_first=line, line_last=line, name=name, value=value.strip(), source="sysctl")


def _joined(setting: Setting, more: list[str]) -> Setting:
    if not any(more):
        return setting
    value = " ".join(part for part in (setting.value or "", *more) if part)
    return Setting(
        line_first=setting.line_first,
        line_last=setting.line_last,
        name=setting.name,
        value=value,
        source=setting.source,
    )
