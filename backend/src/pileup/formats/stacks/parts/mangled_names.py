"""Names of C++ functions as the compiler mangles them: ``_ZN10dict_sys_t9lock_waitEPKcj``.

Source: the Itanium C++ ABI; coredumpctl, eu-stack and perf print such names where their library
        cannot demangle. Only nested and plain names are read, without their arguments.
"""

from __future__ import annotations

import re
from functools import lru_cache

_LENGTH = re.compile(r"[1-9]\d{0,3}")
_SUBSTITUTION = re.compile(r"S(?:[0-9A-Z]{0,8}_|[a-z])")
_LITERAL = re.compile(r"L[a-z]n?\d{0,20}E")
_OPENS, _CLOSES = "ILNXJF", "E"
_CONSTRUCTS, _DESTROYS = ("C1", "C2", "C3"), ("D0", "D1", "D2")
_MOST = 2_000


@lru_cache(maxsize=4096)
def demangled(name: str) -> str:
    """Return the bare name of a mangled function; any other name as it is."""
    if not name.startswith("_Z") or len(name) > _MOST:
        return name
    if name.startswith("_ZN"):
        parts = _nested(name)
    else:
        word = _word(name, 2 + (name[2:3] == "L"))
        parts = [word] if word else []
    return "::".join(parts) or name


def _nested(name: str) -> list[str]:
    """Return the parts of a nested name; none of a name that is not understood."""
    at = 3
    while name[at : at + 1] in ("V", "K", "r", "R", "O") and at < len(name):
        at += 1
    parts: list[str] = []
    while at < len(name):
        two = name[at : at + 2]
        if name[at] == _CLOSES:
            return parts
        if word := _word(name, at):
            parts.append(word)
            at += len(str(len(word))) + len(word)
        elif two in _CONSTRUCTS and parts:
            parts.append(parts[-1])
            at += 2
        elif two in _DESTROYS and parts:
            parts.append(f"~{parts[-1]}")
            at += 2
        elif name[at] == "I" and parts:
            at = _behind_arguments(name, at)
        else:
            return []
    return []


def _word(name: str, at: int) -> str:
    """Return the identifier that begins at a place; '' without one."""
    match = _LENGTH.match(name, at)
    if match is None:
        return ""
    end = match.end() + int(match[0])
    word = name[match.end() : end]
    return word if end <= len(name) and word.isidentifier() else ""


def _behind_arguments(name: str, at: int) -> int:
    """Return the place behind the arguments of a template that begin at a place."""
    depth = 0
    while at < len(name):
        if word := _word(name, at):
            at += len(str(len(word))) + len(word)
            continue
        if match := _SUBSTITUTION.match(name, at) or _LITERAL.match(name, at):
            at = match.end()
            continue
        depth += (name[at] in _OPENS) - (name[at] == _CLOSES)
        at += 1
        if depth == 0:
            return at
    return at


__all__ = ["demangled"]
