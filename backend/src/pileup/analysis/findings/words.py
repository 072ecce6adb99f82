"""Words of evidence: counts with their verbs, shares, and quotes that show where they were cut."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from pileup.knowledge import knowledge, latch_words
from pileup.numerals import grouped

_SYNTAX = re.compile(r"\(\?[a-zA-Z]+\)|\(\?:|\\[bBAz]|[\^$]")
_ANYTHING = re.compile(r"(?:\.|\[\^[^\]]*\]|\\[DSW])[*+]\??")
_SPACE = re.compile(r"\\s[*+?]?")
_MARKS = re.compile(r"[()?*+\\]")
_PATTERN = 160
_LEAST = 0.005
"""A smaller share is 'less than 1%': it is not nothing."""


def count(number: int, single: str, plural: str) -> str:
    """Write a count with its words: '1 thread waits', '12 threads wait'."""
    return f"{grouped(number)} {single if number == 1 else plural}"


def threads(number: int, verb: str) -> str:
    """Write how many threads do something: '1 thread waits for a', '12 threads at once wait ...'.

    verb: the clause after 'threads'; its first word gets an s where there is one thread.
    """
    return (
        f"1 thread {_singular(verb)}"
        if number == 1
        else f"{grouped(number)} threads at once {verb}"
    )


def profile(per_cent: int, verb: str) -> str:
    """Write how much of a profile does something: '37% of the profile works in ut_delay'."""
    return f"{per_cent}% of the profile {_singular(verb)}"


def _singular(verb: str) -> str:
    first, _, rest = verb.partition(" ")
    singular = {"are": "is", "have": "has", "search": "searches", "flush": "flushes"}
    return f"{singular.get(first, first + 's')} {rest}".rstrip()


def share(value: float) -> str:
    """Write a share: '45%', 'less than 1%'."""
    return "less than 1%" if 0 < value < _LEAST else f"{value:.0%}"


def latches(ids: Iterable[str]) -> str:
    """Name latches in words and by the server's names: 'dictionary mutex (dict_sys_mutex)'."""
    named: defaultdict[str, list[str]] = defaultdict(list)
    for name in ids:
        known = knowledge().latches.get(name)
        named[known.title if known else "latch"].append(name)
    return " or ".join(latch_words(title, *names) for title, names in named.items())


def clip(text: str, most: int) -> str:
    """Put a text on one line, at most so long; an ellipsis shows that it was cut."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def in_words(expression: str) -> str:
    """Write a regular expression for people: '(?i)^(drop|truncate)\\s' is 'drop or truncate'."""
    text = _SYNTAX.sub("", expression)
    text = _SPACE.sub(" ", _ANYTHING.sub(" … ", text)).replace("|", " or ")
    return clip(_MARKS.sub("", text).strip(), _PATTERN)


__all__ = ["clip", "count", "in_words", "latches", "share", "threads"]
