"""Identifiers: UUID version 7 as text, so that ids sort by the time they were made.

Source: RFC 9562, section 5.7; ids of one process within a millisecond are counted (section 6.2,
        method 1), so that rows of one request keep their order.
Made here and not by the server, because PostgreSQL 17 has no ``uuidv7()`` and because a job's id
must be known before its row is written.
"""

from __future__ import annotations

import secrets
import threading
import time
import uuid

_MOST = 0xFFF
_lock = threading.Lock()
_last = (0, 0)
"""Milliseconds and count of the last id."""


def new_id() -> str:
    """Generate a UUIDv7: 48 bits of milliseconds, 12 bits of a count, then 62 random bits."""
    global _last  # one count for the process
    with _lock:
        milliseconds, count = time.time_ns() // 1_000_000, secrets.randbits(11)
        if milliseconds <= _last[0]:
            milliseconds, count = _last[0], _last[1] + 1
            if count > _MOST:
                milliseconds, count = milliseconds + 1, 0
        _last = milliseconds, count
    value = (milliseconds & (2**48 - 1)) << 80
    value |= 0x7 << 76
    value |= count << 64
    value |= 0b10 << 62
    value |= secrets.randbits(62)
    return str(uuid.UUID(int=value))


def first_id_of(seconds: float) -> str:
    """Return what no id made at that time or later, in seconds since 1970, sorts before."""
    return str(uuid.UUID(int=(int(seconds * 1000) & (2**48 - 1)) << 80))
