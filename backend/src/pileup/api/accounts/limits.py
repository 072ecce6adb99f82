"""Limits on signing in: what strangers can cost, and how often a password can be guessed.

A password check takes 64 MiB and a core for some 50 ms, so few run at once, in threads of their
own, and guests open their links in another lane. A browser that signed in before is a *known
device*: it waits in a lane of its own and is not paused for what others guessed, so nobody can lock
a colleague out. Guesses are counted in the database, by connections of their own
(``Services.door_unit``).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from pileup.api.accounts.pauses import Pauses
from pileup.api.deps import Services
from pileup.api.errors import ApiError
from pileup.storage import audit
from pileup.storage.accounts.guesses import WINDOW, Guesses
from pileup.storage.audit import MACHINE

Result = TypeVar("Result")

TOO_MANY = 429

_OF_CLIENT_FOR_ACCOUNT = 10
_OF_CLIENT = 50
_OF_ACCOUNT = 100
MOST_CODES = 20
"""Wrong codes for one account by all who know its password: few, as a code has six digits."""
_MOST_WAITING = 8
_MOST_OF_CLIENT = 2
_MOST_REST_S = 0.3
_REMEMBERED_S = 10.0
_MOST_REMEMBERED = 10_000
_RECORDED = (1, 10)
"""Which wrong passwords are recorded: a flood of guesses must not fill the disk."""


class Lane:
    """Run checks of strangers one at a time; refuse when too many wait."""

    def __init__(self, name: str, *, rests: float = 0.0) -> None:
        """``rests``: while others wait, each check is followed by a pause so many times as long."""
        self._rests = rests
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._waiting: Counter[str] = Counter()

    def need_place(self, client: str) -> None:
        """Raise ApiError 429 when this client or all wait too much; it costs nothing."""
        if self._waiting[client] >= _MOST_OF_CLIENT or self._waiting.total() >= _MOST_WAITING:
            raise ApiError(
                TOO_MANY,
                "Too many sign-ins at once",
                "others are signing in at this moment; try again in some seconds",
                Retry_After="3",
            )

    async def run(self, client: str, check: Callable[[], Result]) -> Result:
        """Run the check in turn; raises ApiError 429 when this client or all wait too much.

        client: the address of who asks.
        """
        self.need_place(client)
        self._waiting[client] += 1
        began = time.monotonic()
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, copy_context().run, check)
        finally:
            if self._rests and self._waiting.total() > 1:
                rest_s = min(self._rests * (time.monotonic() - began), _MOST_REST_S)
                self._threads.submit(time.sleep, rest_s)
            self._waiting[client] -= 1
            if not self._waiting[client]:
                del self._waiting[client]


def too_many_attempts() -> ApiError:
    """Return the refusal after too many wrong passwords or codes."""
    return ApiError(
        TOO_MANY,
        "Too many attempts",
        "too many wrong passwords; wait five minutes, or ask an admin for a sign-in link",
        Retry_After=str(int(WINDOW.total_seconds())),
    )


class GuessLimits:
    """Bounds on wrong passwords and codes, in whichever process."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def check(
        self,
        client: str,
        account: str,
        *,
        known_device: bool = False,
        of_account: int = _OF_ACCOUNT,
    ) -> None:
        """Raise ApiError 429 after too many: of this client, or for this account by anybody.

        known_device: only this client's own wrong passwords for the account count.
        """
        with self._services.door_unit() as unit:
            counts = Guesses(unit).counts(client, account)
        too_many = counts.both >= _OF_CLIENT_FOR_ACCOUNT
        if not known_device:
            too_many |= counts.of_client >= _OF_CLIENT or counts.of_account >= of_account
        if too_many:
            raise too_many_attempts()

    def failed(self, client: str, account: str, what: str = "session") -> None:
        """Count a wrong password or code, and record the first and the tenth as WHAT.refused."""
        with self._services.door_unit() as unit:
            guesses = Guesses(unit)
            guesses.add(client, account)
            if guesses.counts(client, account).both in _RECORDED:
                audit.record(unit, MACHINE, f"{what}.refused", client=client, account=account)


class SignInLimits:
    """The limits of one application."""

    def __init__(self, services: Services) -> None:
        self.pauses = Pauses()
        self._paused: dict[str, float] = {}
        """Clients whose guesses were too many, and until when this is not read again."""
        self.strangers = Lane("sign-in", rests=3.0)
        self.known_devices = Lane("sign-in-known")
        self.guests = Lane("guest-link", rests=3.0)
        self.guesses = GuessLimits(services)

    def check_guesses(self, client: str, account: str, *, known_device: bool) -> None:
        """Raise ApiError 429 as ``GuessLimits.check`` does; a stranger's client is remembered."""
        try:
            self.guesses.check(client, account, known_device=known_device)
        except ApiError:
            if not known_device and len(self._paused) < _MOST_REMEMBERED:
                self._paused[client] = time.monotonic() + _REMEMBERED_S
            raise

    async def refuse_early(self, client: str) -> None:
        """Raise ApiError 429 for a stranger who would get it anyway, before the body is read."""
        async with self.late_refusals():
            until = self._paused.get(client)
            if until is not None:
                if time.monotonic() < until:
                    raise too_many_attempts()
                del self._paused[client]
            self.strangers.need_place(client)

    async def in_turn(
        self, user_id: str, password: str | None, work: Callable[[], Result]
    ) -> Result:
        """Run the work of a signed-in user: in turn when it hashes a password, else at once."""
        if not password:
            return await run_in_threadpool(copy_context().run, work)
        return await self.known_devices.run(user_id, work)

    @asynccontextmanager
    async def late_refusals(self) -> AsyncIterator[None]:
        """Send the refusals of too many attempts late."""
        try:
            yield
        except ApiError as error:
            if error.status == TOO_MANY:
                await self.pauses.pause()
            raise


def client_of(request: Request) -> str:
    """Return the address of who sends the request."""
    return request.client.host if request.client else "unknown"


def sign_in_limits(request: Request) -> SignInLimits:
    """Return the limits of the application that serves this request."""
    found = request.app.state.sign_in_limits
    assert isinstance(found, SignInLimits)
    return found


LimitsDep = Annotated[SignInLimits, Depends(sign_in_limits)]
