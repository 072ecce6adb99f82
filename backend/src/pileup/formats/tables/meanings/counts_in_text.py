"""Counts of sessions by state in a sentence: '400 threads in "Waiting for table metadata lock"'.

A count needs a noun for sessions and a state in quotes, or a wait by its first words; then others
in the same text may lack the noun. A wait that somebody is stuck in, or that is written as the
server prints it, is one session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST = 2_000
_NUMBER = r"(?<![^\s(*~-])(?P<count>\d{1,3}(?:,\d{3}){1,2}|\d{1,6})(?![^\s+.,;)]|[.,]\S)\+?"
_SESSIONS = (
    r"(?:threads|connections|sessions|queries|processes|clients|statements|transactions|requests"
    r"|selects|updates|inserts|deletes|rows|entries|workers|calls)"
)
_WAIT = (
    r"(?:[Ww]aiting (?:for|on) [a-z][a-z ]{2,40} (?:lock|flush|commit)"
    r"|wsrep(?:: [a-z]{4,14}(?: [A-Za-z-]{2,20}){1,6}| in pre-?commit stage))\b"
)
_ONE_WORD = (
    r"(?:statistics|updating|update|init|executing|preparing|optimizing|starting|locked|Locked|login"
    r"|end|checking permissions)"
)
_STATE = (
    rf"(?:[\"'`\u201c\u2018](?P<state>{_ONE_WORD}|{_WAIT}|[A-Za-z]+(?: [A-Za-z()/_-]+){{1,9}})"
    rf"[\"'`\u201d\u2019]|(?P<wait>{_WAIT}))"
)
_BETWEEN = r"(?: [A-Za-z()]{1,20}){0,6}?"
_COUNTED = re.compile(rf"{_NUMBER}(?P<between>{_BETWEEN}) {_STATE}", re.IGNORECASE)
_NOUN = re.compile(rf"\b{_SESSIONS}\b", re.IGNORECASE)
_IN = re.compile(
    r"(?: of them)?(?: are| were| is)?(?: stuck| waiting| hanging)?(?: in)?(?: state)?$"
)
# it hangs in "Waiting for table metadata lock"        its State is Waiting for table flush
_ONE = re.compile(
    r"\b(?:stuck|hangs?|hanging|sits?|blocked|state)\b[^\w\n]{0,4}(?:[a-z]{3,12}ly )?"
    r"(?:is |in |at |on |with ){0,2}"
    rf"(?P<wait>{_WAIT})|(?P<before>[^\"'`\n]{{0,40}})[\"'`\u201c\u2018](?P<quoted>{_WAIT})"
    r"[\"'`\u201d\u2019]",
    re.IGNORECASE,
)
# ... and then all show Waiting for table flush        ...就是Waiting for table metadata lock。
_AS_PRINTED = re.compile(
    r"(?:(?<=[\w,] )|(?<=[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]))"
    r"(?P<wait>Waiting (?:for|on) [a-z][a-z ]{2,40} (?:lock|flush|commit)\b)"
)
"""A wait with the capital that the server prints, inside a sentence."""
_DENIED = re.compile(
    r"\b(?:no|not|never|without|nobody|none|isn't|kein\w*|nicht|nie)\b", re.IGNORECASE
)
# Waiting for table flush: 31
_LISTED = re.compile(rf"^[^\w\n]{{0,8}}(?P<wait>{_WAIT})[\"'`]?\s{{0,9}}[:=x-]\s{{0,9}}{_NUMBER}")
COLUMNS = ("count", "State")


def counts_sessions(line: str) -> bool:
    line = line[:_LONGEST]
    if not _may_name_a_state(line) or not _is_of_now(line):
        return False
    named = any(map(_counts_a_noun, _COUNTED.finditer(line)))
    return named or _LISTED.match(line) is not None or _one(line) is not None


def _counts_a_noun(match: re.Match[str]) -> bool:
    """Return whether sessions are named: '9 threads in ...', 'of 16 workers, 4 are in ...'."""
    if _NOUN.search(match["between"]):
        return True
    return bool(_IN.match(match["between"]) and _NOUN.search(match.string, 0, match.start()))


def counts_in(line: str) -> Iterator[tuple[str, str]]:
    """Yield the counts of a line and their states."""
    line = line[:_LONGEST]
    if not _may_name_a_state(line) or not _is_of_now(line):
        return
    if match := _LISTED.match(line):
        yield _row(match)
        return
    counted = [
        match
        for match in _COUNTED.finditer(line)
        if _NOUN.search(match["between"]) or _IN.match(match["between"])
    ]
    if not counted and (match := _one(line)):
        counted = [match]
    yield from map(_row, counted)


def _may_name_a_state(line: str) -> bool:
    """Return whether a line has a quote or the first word of a wait: most lines have neither."""
    return _QUOTES.search(line) is not None or _holds_a_wait(line)


def _holds_a_wait(line: str) -> bool:
    lower = line.lower()
    return "waiting " in lower or "wsrep" in lower


_QUOTES = re.compile("[\"'`\u201c\u2018]")


def _is_of_now(line: str) -> bool:
    """Return whether a line tells of an incident, and does not explain a State or look back."""
    return _ELSEWHEN.search(line) is None


_ELSEWHEN = re.compile(
    r"\b(?:yesterday|gestern|last (?:week|month|year)|is fine|are fine|was fixed|is fixed|fixed:"
    r"|resolved|means?|meaning|bedeutet|what does|appears? (?:after|when)|for example"
    r"|release notes)\b",
    re.IGNORECASE,
)


def _one(line: str) -> re.Match[str] | None:
    """Return a wait that somebody is stuck in, or that is quoted and not denied."""
    if not _holds_a_wait(line) or _PAIR.match(line):
        return None
    if match := _ONE.search(line):
        return None if _DENIED.search(match["before"] or "") else match
    match = _AS_PRINTED.search(line)
    denied = match is not None and _DENIED.search(line, 0, match.start())
    return None if denied else match


_PAIR = re.compile(r"[^\w\n\"]{0,40}\"[^\"\n]{1,60}\"\s{0,9}:")
"""A pair of JSON: a table, and no sentence."""


def _row(match: re.Match[str]) -> tuple[str, str]:
    parts = match.groupdict()
    state = parts.get("state") or parts.get("quoted") or parts["wait"]
    count = parts.get("count") or "1"
    return count.replace(",", ""), state[0].upper() + state[1:] if " " in state else state


__all__ = ["COLUMNS", "counts_in", "counts_sessions"]
