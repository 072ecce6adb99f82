"""Find lines that are a message which an entry of the knowledge base is known by.

Source: the expressions for lines of a log in signatures.yaml that tell enough alone.
Note:   a sentence that speaks of such a message is none: the message begins the line, or follows
        what programs print before one (a time, a host, a level, an exception and a colon), and it
        has something that no heading has: a number, a name in quotes, a path, a bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice

from pileup.knowledge import Sign, packaged_knowledge

_ENOUGH = 0.35
"""Weight of a sign that names a problem alone."""
_MOST_BEFORE = 160
_MOST_CLAUSES = 12
# 2023/05/01  kernel:  [client_errors]  mysqld[4711]:  ERROR  mysql_1  |  (42000):
# A line with the date of syslog is syslog's, whatever is around it.
# Jul 11, 2023, 10:02 AM UTC, of a provider's events, has commas.
_BEFORE = re.compile(
    r"[A-Z][a-z]{2,8} \d{1,2}, \d{4},?\s+|[^A-Za-z\s]\S{0,80}\s+|[A-Z]{2,12}\s+"
    r"|(?:Warning|Note|Error)\s+(?=\|)|\S{0,80}[\]\d:)>|-]\s+"
    r"|[a-z][\w.-]{1,30} (?=(?:ERROR|WARN|WARNING|FATAL|CRITICAL)\b)"
)
_OF_DAEMON = re.compile(r"[a-z][\w.-]{1,30}(?:\[\d{1,10}\])?: ")
"""A line of a journal whose date was left out: ntpd[812]: time reset -81.331213 s."""
# General error: 1467 Failed to read auto-increment value from storage engine
_CLAUSE = re.compile(r"[:=\"'(>\]\uff08\uff1a-]\s{0,4}(?:\d{4,5} )?(?=[A-Za-z])")
_FLAG = re.compile(r"\A\(\?i\)(.*)\Z", re.DOTALL)
"""An expression in any case, which is a part of another one only as a group."""
_NO_HEADING = re.compile(r"[\d'\"`/\[(!]")
_WORD = re.compile(r"[a-z]{5,40}")
_LONG_WORD = 9
_MOST = 1_000
"""Characters of a message that are looked at: an expression may go back and forth in them."""


def is_one(line: str) -> bool:
    """Return whether a line is nothing but a message and what programs print before one."""
    if not _may_hold_one(line):
        return False
    expression, _ = _expression()
    return any(
        expression.match(line, at, at + _MOST) is not None
        and (at > 0 or _NO_HEADING.search(line) is not None)
        for at in _beginnings(line)
    )


def holds_one(line: str) -> bool:
    """Return whether a clause of a line that reports an error is such a message."""
    if not _may_hold_one(line):
        return False
    expression, _ = _expression()
    clauses = islice(_CLAUSE.finditer(line), _MOST_CLAUSES)
    starts = [0, *(clause.end() for clause in clauses)]
    return any(expression.match(line, at, at + _MOST) is not None for at in starts)


@lru_cache(maxsize=1)  # two questions about each line need it
def _may_hold_one(line: str) -> bool:
    """Return whether a line has enough words of such messages that a closer look is worth it."""
    _, known = _expression()
    words = known.intersection(_WORD.findall(line.lower()))
    few = 1 if _OF_DAEMON.match(line) else 2
    return len(words) >= few or any(len(word) >= _LONG_WORD for word in words)


def _beginnings(line: str) -> Iterator[int]:
    """Yield where the message of a line may begin."""
    at = 0
    yield at
    while at < _MOST_BEFORE and (tag := _BEFORE.match(line, at)) is not None:
        at = tag.end()
        yield at


@cache
def _expression() -> tuple[re.Pattern[str], frozenset[str]]:
    """Return what matches the beginning of any message that tells enough alone, and its words.

    Of our own entries: what a team writes runs in linear time elsewhere, and here it might not.
    """
    signatures = packaged_knowledge().signatures.values()
    signs = [sign for each in signatures for sign in each.needs]
    signs += [inner for sign in signs for inner in sign.any or ()]
    texts = dict.fromkeys(sign.log for sign in signs if sign.log and _tells_enough(sign))
    joined = "|".join(_FLAG.sub(r"(?i:\1)", text) for text in texts)
    return re.compile(joined), frozenset(_WORD.findall(joined.lower()))


def _tells_enough(sign: Sign) -> bool:
    return sign.weight >= _ENOUGH


__all__ = ["holds_one", "is_one"]
