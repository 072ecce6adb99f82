"""Read numbers with a unit as servers and tools print them: '1.20 min', '3.5 GiB', '812 ms'."""

from __future__ import annotations

import re

SECONDS = {
    "ps": 1e-12,
    "ns": 1e-9,
    "us": 1e-6,
    "\u00b5s": 1e-6,
    "\u03bcs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86_400.0,
    "w": 604_800.0,
}
BYTES = {
    "bytes": 1.0,
    "byte": 1.0,
    "b": 1.0,
    **{
        f"{letter}{end}": 1024.0**power
        for power, letter in enumerate("kmgtpe", start=1)
        for end in ("", "b", "ib")
    },
}
_QUANTITY = re.compile(
    r"(?P<number>-?\d{1,24}(?:\.\d{1,12})?) ?(?P<unit>[A-Za-z\u00b5\u03bc]{0,5})$"
)


def seconds(text: str, *, bare: float = 1.0) -> float | None:
    """Convert '1.20 min' to 72.0; ``bare``: seconds per unit of a number without a unit."""
    return _converted(text, SECONDS, bare)


def size(text: str) -> float | None:
    """Convert '3.5 GiB' to bytes; a number without a unit is of bytes."""
    return _converted(text, BYTES, 1.0)


def _converted(text: str, units: dict[str, float], bare: float) -> float | None:
    match = _QUANTITY.match(text.strip().replace(",", ""))
    if match is None:
        return None
    unit = match["unit"].lower()
    factor = units.get(unit) if unit else bare
    return None if factor is None else float(match["number"]) * factor


__all__ = ["BYTES", "SECONDS", "seconds", "size"]
