"""Identifiers: UUID version 7 as text, so that ids sort by the time they were made.

Source: RFC 9562, section 5.7. Made here and not by the server, because PostgreSQL 17 has no
``uuidv7()`` and because a job's id must be known before its row is written.
"""

from __future__ import annotations

import secrets
import time
import uuid


def new_id() -> str:
    """Generate a UUIDv7: 48 bits of milliseconds, then 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (2**48 - 1)) << 80
    value |= 0x7 << 76
    value |= secrets.randbits(12) << 64
    value |= 0b10 << 62
    value |= secrets.randbits(62)
    return str(uuid.UUID(int=value))
