"""Parse and compare values of server variables, as numbers and as switches."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SIZES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"^(-?\d+(?:\.\d+)?)\s*([KMGT])?B?$", re.IGNORECASE)


def amount(text: str | None) -> float | None:
    """Parse a variable's value as a number: '512M', '1073741824', 'ON' (1), 'OFF' (0)."""
    value = (text or "").strip()
    if value.upper() in ("ON", "YES", "TRUE"):
        return 1.0
    if value.upper() in ("OFF", "NO", "FALSE"):
        return 0.0
    match = _SIZE.match(value)
    return float(match[1]) * _SIZES.get((match[2] or "").upper(), 1) if match else None


def is_value(text: str | None, wanted: Iterable[str]) -> bool:
    """Return whether a variable has one of the wanted values; ON, 1 and YES are equal."""
    same = {"1": "ON", "YES": "ON", "TRUE": "ON", "0": "OFF", "NO": "OFF", "FALSE": "OFF"}

    def plain(value: str) -> str:
        upper = value.strip().upper()
        return same.get(upper, upper)

    return text is not None and plain(text) in {plain(name) for name in wanted}


__all__ = ["amount", "is_value"]
