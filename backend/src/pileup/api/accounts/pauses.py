"""Pauses before refusals: a client that asks again at once then costs hardly anything."""

from __future__ import annotations

import asyncio
import secrets
import time

_PAUSE_S = 2.0
_OF_PAUSE = 1 / 20
"""Of a pause: so long after each other the refusals of a crowd leave, however many ask."""
_LONGEST = 8
"""Pauses that a refusal waits for at most."""
_MOST_PAUSING = 1000
_PEOPLE_A_SECOND = 10.0
_PEOPLE_AT_ONCE = 50.0
"""Requests that people send who do not know yet that their sessions ended."""


class Pauses:
    """The pauses of one application."""

    def __init__(self) -> None:
        self.pause_s = _PAUSE_S
        self._pausing = 0
        self._leaves_at = 0.0
        self._lately = 0.0
        self._counted_at = time.monotonic()

    async def pause(self) -> None:
        """Wait for half of ``pause_s`` to one and a half, longer in a crowd.

        Not at all while too many wait.
        """
        if self._pausing >= _MOST_PAUSING:
            return
        self._pausing += 1
        now = time.monotonic()
        self._leaves_at = max(self._leaves_at, now) + _OF_PAUSE * self.pause_s
        in_turn_s = min(self._leaves_at - now, _LONGEST * self.pause_s)
        try:
            # not all at the same moment, or their next requests come as one burst
            share = 0.5 + secrets.randbelow(1000) / 1000
            await asyncio.sleep(max(share * self.pause_s, in_turn_s))
        finally:
            self._pausing -= 1

    async def pause_in_a_flood(self) -> None:
        """Count a refusal, and pause when there are more of them than people cause."""
        now = time.monotonic()
        left = self._lately - (now - self._counted_at) * _PEOPLE_A_SECOND
        self._lately = min(max(0.0, left) + 1.0, 2 * _PEOPLE_AT_ONCE)
        self._counted_at = now
        if self._lately > _PEOPLE_AT_ONCE:
            await self.pause()
