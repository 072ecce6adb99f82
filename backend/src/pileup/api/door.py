"""Look up strangers at the door: what they invent takes no connection from those who are in.

A session or token that this process let in lately goes on at once, and is checked again by its
request. Any other is looked up first, by the connections of the door, many of them in one round:
a flood of invented ones makes newcomers wait, and nobody else.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from weakref import WeakKeyDictionary

from fastapi import Request

from pileup.api.auth import Credentials, credentials_of, refuse
from pileup.api.deps import Services
from pileup.api.gate import TooBusyError
from pileup.api.rounds import Question, Rounds
from pileup.storage.accounts.credentials import hash_secret

_LATELY_S = 600.0
_MOST = 20_000
"""Credentials that are remembered; the ones looked up first go first."""


class Door:
    """The door of one event loop."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._rounds = Rounds(services, services.door_unit)
        self._until: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def let_in(self, request: Request) -> None:
        """Raise ApiError 401 for who proves nobody, 503 when too many ask at once."""
        credentials = credentials_of(request, self.services)
        if credentials is None:
            refuse(credentials)
        if self._is_known(credentials):
            return
        if self._rounds.is_full:
            raise TooBusyError()
        verdict = await self._rounds.ask(Question(credentials, None, is_use=False))
        if verdict.caller is None:
            refuse(credentials)
        self._remember(credentials)

    def _is_known(self, credentials: Credentials) -> bool:
        return self._until.get(_name(credentials), 0.0) > time.monotonic()

    def _remember(self, credentials: Credentials) -> None:
        name = _name(credentials)
        self._until[name] = time.monotonic() + _LATELY_S
        self._until.move_to_end(name)
        if len(self._until) > _MOST:
            self._until.popitem(last=False)


def door(services: Services) -> Door:
    """Return the door of the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _of_loop or _of_loop[loop].services is not services:
        _of_loop[loop] = Door(services)
    return _of_loop[loop]


_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Door] = WeakKeyDictionary()


def _name(credentials: Credentials) -> tuple[str, str]:
    kind, secret = credentials
    return kind, hash_secret(secret)
