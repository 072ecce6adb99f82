"""Serve each request of a plain function in one thread, with one database connection.

FastAPI moves every dependency, the route and its answer's validation to a worker thread and back:
eight moves for one request, and a request that holds a connection needs a free thread to go on.
Here the whole handler runs in one thread: what FastAPI would move to a thread is called at once,
because that thread runs no event loop. The unit of work begins before the dependencies and commits
after the answer was built; it takes a connection at its first statement. Routes that are coroutines
(uploads, the event stream) work as before and open units of their own.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import fastapi.dependencies.utils
import fastapi.routing
from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from pileup.api import trail, versioned
from pileup.api.body_store import Bodies, Route
from pileup.api.deps import Services
from pileup.api.gate import gate
from pileup.api.redacted_guests import change_query, redacted_answer
from pileup.storage.database import Unit

T = TypeVar("T")
Handler = Callable[[Request], Coroutine[Any, Any, Response]]

_get_request_handler = fastapi.routing.get_request_handler


def install() -> None:
    """Make FastAPI build its handlers this way; call it before any route is included."""
    setattr(fastapi.routing, "get_request_handler", _one_thread_handler)  # noqa: B010
    for module in (fastapi.routing, fastapi.dependencies.utils):
        setattr(module, "run_in_threadpool", _in_thread)  # noqa: B010


def _one_thread_handler(**options: Any) -> Handler:
    handle = _get_request_handler(**options)
    if inspect.iscoroutinefunction(options["dependant"].call):
        return handle
    route = versioned.route_of(options["dependant"])

    async def handle_in_one_thread(request: Request) -> Response:
        services = getattr(request.app.state, "services", None)
        if not isinstance(services, Services):
            return await handle(request)  # another application
        if options.get("body_field") is not None:
            await request.body()  # kept by the request: the thread does not wait for it
        async with gate().place():
            return await run_in_threadpool(_serve, handle, request, services, route)

    return handle_in_one_thread


def _serve(handle: Handler, request: Request, services: Services, route: Route | None) -> Response:
    """Run the handler within one unit of work, unless the answer is known by its version.

    The unit sees no incident until the caller is known (``auth.principal``).
    """
    with services.unit() as unit:
        request.state.unit = unit
        change_query(request, services, unit)
        if route is None or request.method not in ("GET", "HEAD"):
            response = _answer(handle, request, services, unit)
        else:
            bodies: Bodies = request.app.state.bodies
            response = versioned.answer(
                route, request, unit, bodies, lambda: _answer(handle, request, services, unit)
            )
        trail.record_download(request, unit, response)
        return response


def _answer(handle: Handler, request: Request, services: Services, unit: Unit) -> Response:
    """Run the handler, and return its answer as the caller may see it."""
    return redacted_answer(request, services, unit, _drive(handle, request))


def _drive(handle: Handler, request: Request) -> Response:
    """Run the handler, which waits for nothing."""
    running = handle(request)
    try:
        running.send(None)
    except StopIteration as done:
        response = done.value
    else:
        running.close()
        raise RuntimeError(f"the handler of {request.url.path} waits in its thread")
    assert isinstance(response, Response)
    return response


async def _in_thread(function: Callable[..., T], /, *args: Any, **named: Any) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function(*args, **named)  # this is the request's thread
    return await run_in_threadpool(function, *args, **named)
