"""Regular expressions of signs, which run over untrusted text in time linear in it.

RE2 tests hundreds of expressions in one pass over a text. They are compiled once for a process, and
what the pass learns about texts stays for the next ones, so that it becomes faster by use. What the
expressions mean does not belong here: see ``signature``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import re2

_MEMORY = 64 << 20
"""Bytes for what a pass learns. With 8 MB two hundred expressions forget it all the time and are
thirty times slower; log lines of a corpus fill less than 20 MB."""


def check(expression: str) -> None:
    """Raise ValueError unless it is a regular expression that runs in linear time.

    What does not is a look-around, and a reference back to a group.
    """
    try:
        _compiled(expression)
    except re2.error as error:
        why = error.args[0]
        why = why.decode(errors="replace") if isinstance(why, bytes) else why
        raise ValueError(f"{expression!r} is no usable regular expression: {why}") from error


def occurs(expression: str, text: str) -> bool:
    """Return whether an expression matches anywhere in a text."""
    return _compiled(expression).search(text) is not None


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> Any:
    return re2.compile(expression, _options())


@lru_cache(maxsize=64)
def matcher(expressions: tuple[str, ...]) -> Callable[[str], Sequence[int]]:
    """Return what tests all expressions on a text: it gives the positions of those that match."""
    together = re2.Set.SearchSet(_options())
    for expression in expressions:
        together.Add(expression)
    together.Compile()
    return lambda text: together.Match(text) or ()


@lru_cache(maxsize=1)
def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    return options


__all__ = ["check", "matcher", "occurs"]
