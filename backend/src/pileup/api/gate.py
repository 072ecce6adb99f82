"""Gate: how many requests this process computes at once, and when it refuses more.

A request that waits takes neither a thread nor a connection, so a crowd degrades the service and
cannot stop it. A line that is too long, or a wait that is, ends as 503 with Retry-After.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from pileup.api.errors import ApiError

PLACES = 12
"""Below the connections of the pool and the threads of the process: who is in can go on."""
LINE = 400
PATIENCE_S = 10.0
RETRY_AFTER_S = 3


class TooBusyError(ApiError):
    """There is no room for the request now."""

    def __init__(self) -> None:
        super().__init__(
            503,
            "Too busy",
            "the server has more requests than it can answer now; nothing was changed. Try again "
            "in a moment",
            Retry_After=str(RETRY_AFTER_S),
        )


class Gate:
    """Gate of one event loop."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(PLACES)
        self._waiting = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place; raises ApiError 503 when the line is too long or does not move."""
        if self._waiting >= LINE:
            raise TooBusyError()
        self._waiting += 1
        try:
            await asyncio.wait_for(self._places.acquire(), PATIENCE_S)
        except TimeoutError:
            raise TooBusyError() from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._places.release()


def gate() -> Gate:
    """Return the gate of the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _gates:
        _gates[loop] = Gate()
    return _gates[loop]


_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, Gate] = WeakKeyDictionary()
