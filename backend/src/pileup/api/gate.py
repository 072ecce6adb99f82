"""Gates: how many requests this process computes at once, and when it refuses more.

A request that waits takes neither a thread nor a connection, so a crowd degrades the service and
cannot stop it. A line that is too long, or a wait that is, ends as 503 with Retry-After. Python
computes in one thread at a time, so few places answer more in a second than many, and leave the
event loop its turns; who computes or waits for long leaves the place to the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from pileup.api.errors import ApiError

PLACES = 4
"""Of requests; with ``LONG`` below the connections of the pool and the threads of the process."""
PLACES_OF_UPLOADS = 2
"""Readers go first: who stores a file waits a little longer."""
LONG = 8
"""Requests besides those, each longer than ``LONG_S``."""
LONG_S = 2.0
"""Above what a usual request takes on a busy machine: sooner, a crowd would free its own places."""
LINE = 400
PATIENCE_S = 10.0
PATIENCE_OF_UPLOADS_S = 60.0
"""Their bytes came already, and would have to come again."""
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

    def __init__(self, places: int, patience_s: float) -> None:
        """Open it; patience_s: how long a request waits at most."""
        self._places = asyncio.Semaphore(places)
        self._patience_s = patience_s
        self._waiting = 0
        self._long = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place; raises ApiError 503 when the line is too long or does not move."""
        if self._waiting >= LINE:
            raise TooBusyError()
        self._waiting += 1
        try:
            await asyncio.wait_for(self._places.acquire(), self._patience_s)
        except TimeoutError:
            raise TooBusyError() from None
        finally:
            self._waiting -= 1
        stay = _Stay(self)
        try:
            yield
        finally:
            stay.end()

    def leave(self, *, is_long: bool) -> None:
        """Free a place, or one of those of long requests."""
        if is_long:
            self._long -= 1
        else:
            self._places.release()

    def move_on(self) -> bool:
        """Let a request go on as a long one, and the next one in; return whether it may."""
        if self._long >= LONG:
            return False
        self._long += 1
        self._places.release()
        return True


class _Stay:
    """A request that has a place."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._is_long = False
        self._timer = self._later()

    def end(self) -> None:
        """Leave."""
        self._timer.cancel()
        self._gate.leave(is_long=self._is_long)

    def _later(self) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(LONG_S, self._move_on)

    def _move_on(self) -> None:
        self._is_long = self._gate.move_on()
        if not self._is_long:
            self._timer = self._later()


def gate() -> Gate:
    """Return the gate of requests of the running loop."""
    return _of_loop(_gates, PLACES, PATIENCE_S)


def gate_of_uploads() -> Gate:
    """Return the gate of the running loop for those who store files."""
    return _of_loop(_gates_of_uploads, PLACES_OF_UPLOADS, PATIENCE_OF_UPLOADS_S)


_Gates = WeakKeyDictionary[asyncio.AbstractEventLoop, Gate]
_gates: _Gates = WeakKeyDictionary()
_gates_of_uploads: _Gates = WeakKeyDictionary()


def _of_loop(gates: _Gates, places: int, patience_s: float) -> Gate:
    loop = asyncio.get_running_loop()
    if loop not in gates:
        gates[loop] = Gate(places, patience_s)
    return gates[loop]
