"""What a request body may cost: who is asking is known before it is read, and it is bounded.

FastAPI reads and parses a body before it runs the guard of its route. So writes without a session
or token are refused in front of the routes, and bodies that are parsed as a whole are small. Routes
that stream their body (uploads, imports) bound it themselves, while it arrives. A refused
body is not read to its end: the connection closes.
"""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pileup.api.accounts.limits import TOO_MANY, SignInLimits, client_of
from pileup.api.accounts.pauses import Pauses
from pileup.api.auth import SAFE_METHODS, principal
from pileup.api.cookies import DEVICE, read_cookie
from pileup.api.deps import services
from pileup.api.door import door
from pileup.api.error_handlers import api_error, known_error
from pileup.api.errors import ApiError, body_too_large
from pileup.storage.database import Busy, Unreachable

MOST_BYTES = 4 << 20
"""A parsed body; the largest is a change of a report's text."""
MOST_PUBLIC_BYTES = 16 << 10
"""A parsed body of somebody who is not signed in: an address and a password."""
STREAMED = 1 << 60
"""The bound of a route that streams its body and bounds it itself."""


def install(app: FastAPI, prefix: str, public: Iterable[APIRouter]) -> None:
    """Refuse below a prefix whoever proves nobody, and writes without a session or token.

    public: routers that are open to everybody.
    """
    routes = (route for router in public for route in router.routes)
    app.add_middleware(
        SignInFirst,
        under=(f"{prefix}/", "/metrics"),
        public=frozenset(
            (method, f"{prefix}{route.path}")
            for route in routes
            if isinstance(route, APIRoute)
            for method in route.methods or ()
        ),
    )


class SignInFirst:
    """Authenticate requests before they take a place, and writes before their body is read."""

    def __init__(
        self, app: ASGIApp, under: tuple[str, ...], public: frozenset[tuple[str, str]]
    ) -> None:
        self._app = app
        self._under = under
        self._public = public
        self._by_password = f"{under[0]}session"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(self._under):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        send = _refusing_late(request, send)
        try:
            await self._check(request)
        except (ApiError, Busy, Unreachable) as refused:
            answer = api_error if isinstance(refused, ApiError) else known_error
            response = await answer(request, refused)
            await response(scope, receive, send)
            return
        is_read = scope["method"] in SAFE_METHODS
        await self._app(scope, receive, send if is_read else _as_problem(request, send))

    async def _check(self, request: Request) -> None:
        """Raise ApiError for a request whose body need not be read."""
        path, method = request.scope["path"], request.scope["method"]
        if ("GET" if method == "HEAD" else method, path) not in self._public:
            await door(services(request)).let_in(request)
            if method not in SAFE_METHODS:
                await run_in_threadpool(principal, request, services(request))
        elif path == self._by_password and not read_cookie(request, services(request), DEVICE):
            limits: SignInLimits = request.app.state.sign_in_limits
            await limits.refuse_early(client_of(request))


def _may_be_large(request: Request) -> bool:
    """Return whether the server would go on reading after the answer, to keep the connection."""
    length = request.headers.get("content-length", "0")
    chunked = "transfer-encoding" in request.headers
    return chunked or not length.isdecimal() or int(length) > MOST_PUBLIC_BYTES


def _refusing_late(request: Request, send: Send) -> Send:
    """Return a ``send`` for refusals of somebody unknown: late in a flood.

    A connection that would go on to carry a large body ends.
    """
    pauses: Pauses = request.app.state.sign_in_limits.pauses

    async def sender(message: Message) -> None:
        is_refusal = message["type"] == "http.response.start" and message["status"] >= 400
        if is_refusal and getattr(request.state, "principal", None) is None:
            if message["status"] != TOO_MANY:  # which was late already
                await pauses.pause_in_a_flood()
            if _may_be_large(request):
                MutableHeaders(scope=message)["connection"] = "close"
        await send(message)

    return sender


def _as_problem(request: Request, send: Send) -> Send:
    """Return a ``send`` that words the framework's plain 413 as a problem document."""
    replaced = False

    async def sender(message: Message) -> None:
        nonlocal replaced
        if message["type"] == "http.response.start" and message["status"] == 413:
            types = dict(message["headers"]).get(b"content-type", b"")
            if types.startswith(b"text/plain"):
                replaced = True
                response = await api_error(request, body_too_large())
                await response(request.scope, request.receive, send)
                return
        if not replaced:
            await send(message)

    return sender
