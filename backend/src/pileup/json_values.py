"""Decode JSON: values that may be anything (cut, nested too deeply), structs in many threads."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def json_value(text: str, kind: type[T] | Any = Any) -> T | Any | None:
    """Return the value that a text holds, or None if it holds none of this kind."""
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None


def resolve_types(*kinds: Any) -> None:
    """Resolve the types that JSON is decoded as; to be called at import, by a single thread.

    Two threads that do so at once, for the first two requests of a screen, make msgspec 0.22 read
    a half-built description of a struct and end the process.
    """
    for kind in kinds:
        msgspec.json.Decoder(kind)


__all__ = ["json_value", "resolve_types"]
