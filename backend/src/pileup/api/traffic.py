"""Watch every request: its id, how long it took, what was answered.

Outermost of all, so that it sees refusals too. The id comes from the header X-Request-ID of a
proxy, or is made here; it is in every log line of the request and in its answer.
"""

from __future__ import annotations

import re
import secrets
import time

import structlog
from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pileup.api import metrics
from pileup.settings import Settings

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

log = structlog.get_logger()


def install(app: FastAPI, settings: Settings) -> None:
    """Watch the requests of this application; call it last, as it has to be the outermost."""
    app.add_middleware(Traffic, access=settings.access_log, slow_ms=settings.slow_request_ms)


class Traffic:
    """Count, time and log requests."""

    def __init__(self, app: ASGIApp, *, access: bool, slow_ms: int) -> None:
        self._app = app
        self._access = access
        self._slow_ms = slow_ms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and record it when its answer is complete."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = Headers(scope=scope).get("x-request-id", "")
        request_id = sent if _ID.fullmatch(sent) else secrets.token_hex(8)
        began = time.perf_counter()
        status, first_s = 500, 0.0

        async def watched(message: Message) -> None:
            nonlocal status, first_s
            if message["type"] == "http.response.start":
                status, first_s = message["status"], time.perf_counter() - began
                headers = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
                message = {**message, "headers": headers}
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, watched)
            finally:
                elapsed_s = first_s or time.perf_counter() - began  # a stream never ends
                self._record(scope, status, elapsed_s)

    def _record(self, scope: Scope, status: int, elapsed_s: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        metrics.count_request(scope["method"], route, status, elapsed_s)
        elapsed_ms = round(1000 * elapsed_s, 1)
        facts = {
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "elapsed_ms": elapsed_ms,
        }
        if elapsed_ms >= self._slow_ms:
            log.warning("request.slow", **facts)
        elif self._access:
            log.info("request", **facts)
