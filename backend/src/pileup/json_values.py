"""Decode a JSON value that may be anything: cut, nested too deeply, or no JSON at all."""

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


__all__ = ["json_value"]
