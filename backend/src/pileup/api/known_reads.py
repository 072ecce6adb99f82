"""Answer reads by version and by moment in front of the routes.

Most requests ask for what an earlier one got: the tag is current, or the finished body lies in
memory. For those the framework's routing, a thread and a transaction each cost several times as
much as the answer; a round says for many of them who asks and what they see (``rounds``). What has
to be computed goes the long way once: equal requests wait for it without a thread or connection.
Whatever is refused goes the long way too, which says why.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence

import structlog
from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import APIRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pileup.api.auth import Credentials, Principal, credentials_of
from pileup.api.body_store import Bodies, Known, address_of
from pileup.api.deps import services
from pileup.api.errors import ApiError
from pileup.api.guards import guard
from pileup.api.rounds import Question, Verdict, rounds
from pileup.api.versioned import find, is_marked, name_of
from pileup.storage.database import Busy, Unreachable

_TRIES = 3
"""Times that a request waits for an equal one, which may be refused or of an older version."""

log = structlog.get_logger()


def install(app: FastAPI, prefix: str, routers: Iterable[APIRouter]) -> None:
    """Answer marked reads before the routes of these routers, all below a prefix."""
    routes = (route for router in routers for route in router.routes)
    app.add_middleware(
        KnownReads,
        prefix=prefix,
        reads=[
            (route.path_regex, is_marked(route.endpoint))
            for route in routes
            if isinstance(route, APIRoute) and "GET" in (route.methods or ())
        ],
    )


class KnownReads:
    """Answer reads of marked routes from memory, and compute each answer once."""

    def __init__(
        self, app: ASGIApp, *, prefix: str, reads: Sequence[tuple[re.Pattern[str], bool]]
    ) -> None:
        self._app = app
        self._prefix = prefix
        self._reads = reads
        """Paths below the prefix in the order of their routes, and whether each is marked."""
        self._computing: dict[tuple[str, ...], asyncio.Future[None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass the request on."""
        if scope["type"] == "http" and scope["method"] == "GET":
            request = Request(scope)
            bodies: Bodies = request.app.state.bodies
            if bodies.known(request) or self._is_marked(scope["path"]):
                credentials = credentials_of(request, services(request))
                if credentials is not None:
                    await self._answer(request, credentials, receive, send)
                    return
        await self._app(scope, receive, send)

    def _is_marked(self, path: str) -> bool:
        """Return whether the path is one whose answers are known by version or by moment."""
        if not path.startswith(self._prefix):
            return False
        below = path.removeprefix(self._prefix)
        return next((marked for pattern, marked in self._reads if pattern.match(below)), False)

    async def _answer(
        self, request: Request, credentials: Credentials, receive: Receive, send: Send
    ) -> None:
        bodies: Bodies = request.app.state.bodies
        for _ in range(_TRIES):
            known = bodies.known(request)
            name: tuple[str, ...] = (address_of(request),)
            if known is not None:
                verdict = await _ask(request, known, credentials)
                if verdict is None or verdict.caller is None:
                    break
                facts = (bodies, known, request, verdict.caller, verdict.versions)
                response = find(*facts, is_shared=True)
                name = name_of(*facts)
                if response is None and name in self._computing:
                    await asyncio.shield(self._computing[name])
                    response = find(*facts)
                if response is not None:
                    request.scope["route"] = known.endpoint  # for the metrics
                    await response(request.scope, receive, send)
                    return
            if name not in self._computing:
                await self._compute(name, request.scope, receive, send)
                return
            await asyncio.shield(self._computing[name])
        await self._app(request.scope, receive, send)

    async def _compute(
        self, name: tuple[str, ...], scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Pass the request on, and wake those that wait for its answer once it is in memory."""
        mine = self._computing[name] = asyncio.get_running_loop().create_future()

        def end() -> None:
            if not mine.done():
                mine.set_result(None)
                del self._computing[name]

        async def watched(message: Message) -> None:
            end()
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            end()


async def _ask(request: Request, known: Known, credentials: Credentials) -> Verdict | None:
    """Return the verdict of a round; None: go the long way, which refuses or says what is wrong."""
    of_loop = rounds(services(request))
    if of_loop.is_full:
        return None
    try:
        verdict = await of_loop.ask(Question(credentials, known.incident_id))
    except (Busy, Unreachable):
        return None
    except Exception:
        log.exception("known_reads.failed")
        return None
    is_let_in = verdict.caller is not None and verdict.sees
    return verdict if is_let_in and _allowed(request, known, verdict.caller) else None


def _allowed(request: Request, known: Known, caller: Principal | None) -> bool:
    """Return whether the guard of the route lets the caller pass."""
    assert caller is not None
    request.scope["route"] = known.endpoint
    try:
        guard(request, caller)
    except ApiError:
        return False
    finally:
        del request.scope["route"]
    return True
