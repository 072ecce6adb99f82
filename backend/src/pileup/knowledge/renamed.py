"""Treat the names that a release changed as one: variables, counters and states of the processlist.

The facts are data: ``data/renamed.yaml``. ``tx_isolation`` is ``transaction_isolation``,
``Rpl_semi_sync_master_clients`` is ``Rpl_semi_sync_source_clients``, and 'Waiting for master to
send event' is 'Waiting for source to send event'.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar

import msgspec

from pileup.paths import packaged

_WORD = re.compile(r"[a-z]+")
_Value = TypeVar("_Value")


@lru_cache(maxsize=16384)  # a hostile file may have any number of names
def current_name(name: str) -> str:
    """Return the name in today's words and in lower case; equal for all names of one thing."""
    words, variables = _names()
    lower = name.lower()
    if renamed := variables.get(lower):
        return renamed
    return _WORD.sub(lambda match: words.get(match[0], match[0]), lower)


def look_up(values: Mapping[str, _Value], name: str) -> _Value | None:
    """Return the value of a name, or of another name of the same thing; None without any."""
    known = name_in(values, name)
    return None if known is None else values[known]


def name_in(values: Container[str], name: str) -> str | None:
    """Return the name itself if it is there, else another name of the same thing that is."""
    wanted = current_name(name)
    return next((each for each in (name, wanted, *_older(wanted)) if each in values), None)


@cache
def _names() -> tuple[dict[str, str], dict[str, str]]:
    text = packaged("knowledge/data/renamed.yaml").read_text("utf-8")
    document: dict[str, Any] = msgspec.yaml.decode(text)
    return document["words"], document["variables"]


@lru_cache(maxsize=4096)
def _older(name: str) -> tuple[str, ...]:
    """Return the older spellings of a name in today's words."""
    words, variables = _names()
    old_words = {new: old for old, new in words.items()}
    respelled = _WORD.sub(lambda match: old_words.get(match[0], match[0]), name)
    olds = [old for old, new in variables.items() if new == name]
    return (*([respelled] if respelled != name else []), *olds)


__all__ = ["current_name", "look_up", "name_in"]
