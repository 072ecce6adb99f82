"""Recognise a line of a chat that names who wrote what is below it, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_LONGEST_SPEAKER = 120
_DAY = (
    r"(?:\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}|(?:[Tt]oday|[Yy]esterday|[A-Z][a-z]{2,8}day)"
    r"|\d{1,2} [A-Z]\w{2,8}(?: \d{4})?)"
)
_MOMENT = rf"(?:{_DAY},?(?: at)? {{1,3}})?\d{{1,2}}:\d\d(?::\d\d)?(?: ?[AaPp]\.?[Mm]\.?)?"
_PERSON = (
    r"@?(?!(?:at|on|since|until|till|from|to|by|of|and|after|before) )[^\W\d_][^\W_]*"
    r"(?:[.'\u2019-][^\W_]+){0,3}(?: [^\W\d_][\w.'\u2019-]*){0,3}"
    r"(?: \([\w ,]{1,30}\))?"
)
_NO_NAME = "".join(f"(?<! {word})" for word in ("at", "by", "on", "from", "since", "after"))
"""A sentence about a time ends so before it."""
# [29/11/2026 14:03] Marta Silva     Priya Nair  3:42 PM     **lena** \u2014 Today at 10:12
_SPEAKER = re.compile(
    rf"\s{{0,4}}\*{{0,2}}(?:[\[(]{_MOMENT}[\])] {{1,3}}\*{{0,2}}{_PERSON}"
    rf"|{_PERSON}{_NO_NAME}\*{{0,2}}(?: {{1,4}}(?:APP|BOT))?,? {{1,4}}(?:[\u2013\u2014\u00b7|-] )?"
    rf"[\[(]?{_MOMENT}[\])]?)"
    r"\*{0,2}:?\s{0,4}$"
)


_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"\s{0,4}[^\W\d_][^\W_]*(?:[ .'@\u2019-]{1,2}[^\W_]+){0,4}:?\s{0,4}$")
_NAME_AND_TIME = re.compile(rf"\s{{0,4}}[\[(]?{_MOMENT}[\])]?,? {{1,4}}{_PERSON}:?\s{{0,4}}$")
_TIME = re.compile(rf"\s{{0,4}}(?:{_DAY},?(?: at)? )?\d{{1,2}}:\d\d(?: ?[AaPp][Mm])?\s{{0,4}}$")
"""Without seconds, which a script prints."""
_LEAST_TURNS = 3
_LEAST_SPEAKERS = 2
"""A single one may be a sentence about a time."""


def turn_of(line: str) -> str:
    """Return what the lines of one speaker have in common: all but digits."""
    return _DIGITS.sub("0", line.strip()) if len(line) <= _LONGEST_SPEAKER else line


def between(lines: Sequence[str]) -> frozenset[str]:
    """Return the shapes of lines that name who wrote the one below them.

    A name alone, or above a time, is no more than that where it is above every line.
    """
    filled = [line for line in lines if line.strip()]
    firsts, seconds = filled[::3], filled[1::3]
    if _is_repeated(firsts, _NAME) and _is_repeated(seconds, _TIME):
        return frozenset(map(turn_of, firsts + seconds))
    if _is_repeated(filled[::2], _NAME) or _is_repeated(filled[::2], _NAME_AND_TIME):
        return frozenset(map(turn_of, filled[::2]))
    found = list(map(is_speaker, filled))
    adjoin = any(above and line for above, line in pairwise(found))  # rows of two columns
    if adjoin or sum(found) < _LEAST_SPEAKERS:
        return frozenset()
    return frozenset(turn_of(line) for line, names in zip(filled, found, strict=True) if names)


def _is_repeated(lines: Sequence[str], pattern: re.Pattern[str]) -> bool:
    """Return whether few people wrote many lines."""
    enough = len(lines) >= max(_LEAST_TURNS, 2 * len(set(map(turn_of, lines))))
    return enough and all(map(pattern.match, lines))


def is_speaker(line: str) -> bool:
    """Return whether a line names nothing but who wrote what is below it in a chat, and when."""
    return len(line) <= _LONGEST_SPEAKER and _SPEAKER.match(line) is not None


__all__ = ["between", "is_speaker", "turn_of"]
