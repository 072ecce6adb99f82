"""Recognise a line of a chat that names who wrote what is below it, and when."""

from __future__ import annotations

import re

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
# [29/11/2026 14:03] Marta Silva     Priya Nair  3:42 PM     **lena** \u2014 Today at 10:12
_SPEAKER = re.compile(
    rf"\s{{0,4}}\*{{0,2}}(?:[\[(]{_MOMENT}[\])] {{1,3}}\*{{0,2}}{_PERSON}"
    rf"|{_PERSON}\*{{0,2}}(?: {{1,4}}(?:APP|BOT))?,? {{1,4}}(?:[\u2013\u2014\u00b7|-] )?"
    rf"[\[(]?{_MOMENT}[\])]?)"
    r"\*{0,2}:?\s{0,4}$"
)


def is_speaker(line: str) -> bool:
    """Return whether a line names nothing but who wrote what is below it in a chat, and when."""
    return len(line) <= _LONGEST_SPEAKER and _SPEAKER.match(line) is not None


__all__ = ["is_speaker"]
