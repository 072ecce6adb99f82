"""Differences of settings, as diff prints them: two servers' variables, a change of an option file.

Source: ``diff -u``, ``git diff``, plain ``diff`` (``201c201``, ``<``, ``>``) and ``sdiff`` of SHOW
        VARIABLES or of my.cnf.
Yields: a Table of the names that differ, with the value on each side; a name that one side lacks
        has no value there. What both sides have, as Settings.
Note:   which side a server runs with is not printed, so what differs is no Setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pileup.formats.errors import FormatError
from pileup.formats.tables.layouts.headless import is_variable_name
from pileup.formats.tables.meanings.server_variables import shown
from pileup.records import Item, Setting, Skipped, Table

NAME = "settings-diff"
TITLE = "a diff of settings"
GIVES = "A table of the settings that differ; what both sides have, as settings."
PRINTED_BY = "`diff`, `diff -u`, `git diff`, `sdiff` of variables or of option files"
VERSION = 1
HINTS = (".diff", ".patch")

_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@")
_PLACE = re.compile(r"\d{1,9}(?:,\d{1,9})?[acd]\d{1,9}(?:,\d{1,9})?$")
_FILE = re.compile(r"(?P<side>---|\+\+\+) (?P<name>\S[^\t]{0,200}?)(?:\t.*| \d{4}-\d\d-\d\d .*)?$")
_ABOVE = re.compile(
    r"(?:diff |index [0-9a-f]|Only in |---$|\\ No newline|old mode|new mode|similarity|rename )"
)
# innodb_io_capacity\t200    innodb_io_capacity = 200    | innodb_io_capacity | 200 |
_PAIR = re.compile(
    r"\|?\s*(?P<name>[a-z][\w.-]{2,80}?)(?:\s*[=|:]\s*|\t\s*|\s{2,})(?P<value>\S.{0,2000}?)?\s*\|?\s*$"
)
_BARE = re.compile(r"\s*(?P<name>[a-z][\w-]{2,80})\s*$")
_GROUP = re.compile(r"\s*\[[\w.-]{1,40}\]\s*$")
_LONGEST = 4_000
_MOST_LINES = 20_000
_LEAST_SIDES = 2
_MOST_SNIFFED = 400
_SIGN = re.compile(r"[\t ][|<>](?:[\t ]|$)")
"""What sdiff prints between two sides that differ."""


def sniff(head: str) -> bool | None:
    """Return whether the text is a diff whose changed lines are mostly settings."""
    lines = [line[:_LONGEST] for line in head.split("\n")]
    if any(map(_HUNK.match, lines)):
        signs = ("-", "+")
    elif any(map(_PLACE.match, lines)):
        signs = ("<", ">")
    else:
        return _are_side_by_side(lines)
    changed = [
        line[1:]
        for line in lines
        if line.startswith(signs) and line[1:].strip() and not _FILE.match(line)
    ]
    named = sum(_setting_of(line) is not None for line in changed)
    return named > 0 and 2 * named >= len(changed)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the Table of differences and the Settings of both sides.

    Raises FormatError for a text without a difference of settings.
    """
    held = [line[:_LONGEST].rstrip() for line, _ in zip(lines, range(_MOST_LINES), strict=False)]
    found = _Differences()
    is_wide = _are_side_by_side(held)
    for number, text in enumerate(held, start=1):
        if is_wide:
            known = found.wide(number, text)
        else:
            known = found.line(number, text)
        if text.strip() and not known:
            yield Skipped(number, number, "not a setting of either side")
    if not found.rows and not found.both:
        raise FormatError("No setting was found: a line is a name and its value.")
    yield from found.items()


@dataclass(slots=True)
class _Differences:
    names: list[str] = field(default_factory=lambda: ["left", "right"])
    rows: dict[str, list[str | None]] = field(default_factory=dict)
    both: list[tuple[int, str, str | None]] = field(default_factory=list)
    first: int = 0
    last: int = 0

    def line(self, number: int, text: str) -> bool:
        """Read a line of a unified or plain diff; return whether it was understood."""
        if match := _FILE.match(text):
            self.names[match["side"] == "+++"] = match["name"].strip()
            return True
        if _HUNK.match(text) or _PLACE.match(text) or _ABOVE.match(text):
            return True
        sign, rest = text[:1], text[1:]
        if _GROUP.match(rest) or rest.lstrip().startswith("#"):
            return True
        pair = _setting_of(rest)
        if sign in ("-", "<", "+", ">"):
            return pair is not None and self._differs(number, sign in ("+", ">"), *pair)
        if sign in (" ", "\t") and pair:
            self.both.append((number, *pair))
            return True
        return False

    def wide(self, number: int, text: str) -> bool:
        """Read a line of sdiff; return whether it was understood."""
        sides = _sides(text)
        if sides is None:
            return False
        left, right = sides
        if left == right and left is not None:
            self.both.append((number, *left))
            return True
        for is_right, pair in enumerate(sides):
            if pair is not None:
                self._differs(number, bool(is_right), *pair)
        return True

    def _differs(self, number: int, is_right: bool, name: str, value: str | None) -> bool:
        self.first, self.last = self.first or number, number
        self.rows.setdefault(name, [None, None])[is_right] = value if value is not None else "ON"
        return True

    def items(self) -> Iterator[Item]:
        if self.rows:
            left, right = self.names
            yield Table(
                line_first=self.first,
                line_last=self.last,
                name="settings that differ",
                columns=("name", left, right if right != left else f"{right} (new)"),
                rows=tuple(
                    (name, *(shown(name, value) for value in values))
                    for name, values in self.rows.items()
                ),
            )
        for number, name, value in self.both:
            yield Setting(
                line_first=number,
                line_last=number,
                name=name,
                value=shown(name, value),
                source="diff",
            )


def _setting_of(text: str) -> tuple[str, str | None] | None:
    """Return the name and the value of a line; None for a line that is no setting of a server."""
    match = _PAIR.match(text) or _BARE.match(text)
    if match is None:
        return None
    name = match["name"].lower().replace("-", "_").removeprefix("loose_")
    if not is_variable_name(name):
        return None
    return name, match.groupdict().get("value")


def _sides(text: str) -> tuple[tuple[str, str | None] | None, tuple[str, str | None] | None] | None:
    """Return the settings on both sides of a line of sdiff; None for another line."""
    for match in re.finditer(r"\s+([|<>])(?=\s|$)|\s{2,}(?=[a-z][\w-]{2,80}(?:\t|\s*=))", text):
        left, right = text[: match.start()].strip(), text[match.end() :].strip()
        pairs = _setting_of(left), _setting_of(right)
        if match[1] in (None, "|") and all(pairs):
            return pairs
        if match[1] == "<" and pairs[0] and not right:
            return pairs[0], None
        if match[1] == ">" and pairs[1] and not left:
            return None, pairs[1]
    return None


def _are_side_by_side(lines: list[str]) -> bool:
    filled = [line for line in lines[:_MOST_SNIFFED] if line.strip()]
    if not filled or filled[0].startswith(("|", "+")) or not any(map(_SIGN.search, filled)):
        return False
    wide = [sides for line in filled if (sides := _sides(line.rstrip())) is not None]
    differ = sum(left != right for left, right in wide)
    return len(wide) >= _LEAST_SIDES and differ > 0 and 2 * len(wide) >= len(filled)
