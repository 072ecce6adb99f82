"""Find the tables that a statement names, and whether it needs an exclusive lock.

No parser of SQL: one pass over words, enough to tell which sessions meet at a table. Source:
Lock_descriptor and the grammar in sql_yacc.yy (mdl_request types of ALTER, DROP, RENAME, ...).
"""

from __future__ import annotations

import functools
import re

from pileup.sql_tokens import shape, tokens

_READ = 4000
"""Characters of a statement that are read."""
_SHAPED = 400
_SHAPE_SHOWN = 200
"""Characters of a statement that its short shape is made of; characters of that."""
_WORDS = re.compile(r"`[^`]{1,64}`|'[^']{0,4000}'|\"[^\"]{0,4000}\"|[A-Za-z_$][\w$]{0,63}|[.,();*]")
_BEFORE = frozenset({"from", "join", "update", "into", "table", "tables"})
_SKIPPED = frozenset(
    {"ignore", "low_priority", "delayed", "quick", "if", "not", "exists", "only", "lateral"}
)
_ENDS = frozenset({"set", "where", "values", "value", "select", "on", "using", "inner", "left"})
_EXCLUSIVE = re.compile(
    r"\s*(?:/\*.{0,200}?\*/\s*)?(?:alter\s+(?:ignore\s+|online\s+)?table|drop\s+(?:table|index|trigger)"
    r"|truncate|rename|optimize|repair|create\s+(?:\w+\s+){0,2}(?:index|trigger)|lock\s+tables?)\b",
    re.IGNORECASE,
)
_INDEX = re.compile(r"\s*(?:create\s+(?:\w+\s+){0,2}|drop\s+)index\b", re.IGNORECASE)
GLOBAL_READ_LOCK = re.compile(
    r"\s*(?:flush\s+(?:local\s+|no_write_to_binlog\s+)?tables?\s+with\s+read\s+lock"
    r"|set\s+(?:global\s+|@@global\.)(?:super_)?read_only\s*=)",
    re.IGNORECASE,
)
BACKUP_LOCK = re.compile(
    r"\s*(?:lock\s+(?:instance|tables|binlog)\s+for\s+backup|backup\s+(?:stage|lock))",
    re.IGNORECASE,
)
LOCKS_ROWS = r"(?i)\bfor\s+(?:update|share)\b|\block\s+in\s+share\s+mode\b"
"""A SELECT with this locks the rows that it reads; any other waits for no row."""
BACKUP_TOOL = re.compile(
    r"dump|backup|SELECT /\*!40001 SQL_NO_CACHE \*/"
    r"|SHOW (?:FULL )?(?:CREATE TABLE|TRIGGERS|TABLE STATUS)",
    re.IGNORECASE,
)
_TWO_WORDS = frozenset(
    {"alter", "create", "drop", "rename", "truncate", "lock", "flush", "optimize", "analyze"}
    | {"repair", "check", "load", "begin", "start", "show"}
)
"""Verbs that say little without their next word: ALTER TABLE, FLUSH TABLES."""
_KEYWORD = re.compile(r"[A-Za-z]{2,20}")


@functools.lru_cache(maxsize=4096)
def tables_of(query: str) -> frozenset[str]:
    """Return the tables that a statement names, in lower case and without their schema."""
    words = [_plain(item) for item in _WORDS.findall(query[:_READ])]
    before = _BEFORE | {"on"} if _INDEX.match(query) else _BEFORE
    names: set[str] = set()
    at = 0
    while at < len(words):
        if words[at].lower() not in before:
            at += 1
            continue
        at = _names(words, at + 1, names)
    return frozenset(names)


def wants_exclusive(query: str | None) -> bool:
    """Return whether a statement changes a table's definition or locks the whole table."""
    return bool(query and _EXCLUSIVE.match(query))


@functools.lru_cache(maxsize=8192)
def opening(query: str | None, most: int = 60) -> str:
    """Return the beginning of a statement on one line; an ellipsis shows that it was cut."""
    line = " ".join((query or "").split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def short_shape(query: str) -> str:
    """Return the start of a statement without its literals: alike for statements that are alike."""
    return shape(query[:_SHAPED])[:_SHAPE_SHOWN]


def _names(words: list[str], at: int, names: set[str]) -> int:
    """Add the tables of a list like 'a, db.b AS x, c' to ``names``; return the index after it."""
    while at < len(words):
        while at < len(words) and words[at].lower() in _SKIPPED:
            at += 1
        if at >= len(words) or not _is_name(words[at]):
            return at
        name = words[at]
        at += 1
        if at + 1 < len(words) and words[at] == "." and _is_name(words[at + 1]):
            name = words[at + 1]
            at += 2
        names.add(name.lower())
        for _ in range(2):  # an alias, with AS or without
            if at < len(words) and _is_name(words[at]) and words[at].lower() not in _ENDS | _BEFORE:
                at += 1
        if at >= len(words) or words[at] != ",":
            return at
        at += 1
    return at


def _plain(word: str) -> str:
    return word.strip("`")


def _is_name(word: str) -> bool:
    return bool(re.match(r"[\w$]", word)) and word.lower() not in _ENDS


def verb_of(statement: str | None) -> str | None:
    """Return the verb of a statement: 'SELECT', 'ALTER TABLE'; None without one."""
    if not statement:
        return None
    words = []
    for token in tokens(statement[:400]):
        if token.kind == "word" and _KEYWORD.fullmatch(token.text):
            words.append(token.text)
            if len(words) == 2 or words[0].lower() not in _TWO_WORDS:
                break
        elif token.kind not in ("space", "comment") and words:
            break
    return " ".join(words).upper() or None


__all__ = [
    "BACKUP_LOCK",
    "BACKUP_TOOL",
    "GLOBAL_READ_LOCK",
    "LOCKS_ROWS",
    "opening",
    "short_shape",
    "tables_of",
    "verb_of",
    "wants_exclusive",
]
