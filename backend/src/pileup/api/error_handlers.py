"""Map errors to problem documents (RFC 9457) with one table from class to status.

Domain errors know no HTTP. Whatever is not in the table is a defect: it is logged with its trace
and answered as a 500 that says so, without its insides.
"""

from __future__ import annotations

from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from psycopg.errors import QueryCanceled
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from pileup.api.errors import ApiError, body_too_large, problem
from pileup.api.trail import record_refusal
from pileup.storage import errors as storage
from pileup.storage.database import Busy, Unreachable
from pileup.views.artifacts.raw_lines import NotRead
from pileup.views.evidence import compare
from pileup.views.evidence.lanes import NothingToDraw
from pileup.views.reasoning.run_evidence import NothingToCompare
from pileup.views.source import NotAnalysed

log = structlog.get_logger()

# class -> (status, title); the first that fits counts
TABLE: tuple[tuple[type[Exception], int, str], ...] = (
    (compare.NoSuchCapture, 404, "No such capture"),
    (compare.NoSuchRun, 404, "No such run"),
    (storage.NotFound, 404, "Not found"),
    (storage.Crowded, 429, "Too many at once"),
    (storage.Forbidden, 403, "Not in this incident"),
    (storage.StaleRevision, 409, "Somebody else saved first"),
    (NothingToCompare, 409, "Nothing to compare"),
    (NotAnalysed, 409, "Nothing to show yet"),
    (compare.NoStall, 409, "No stall there"),
    (compare.NoBaseline, 409, "No baseline there"),
    (compare.NotAligned, 409, "Not aligned"),
    (NotRead, 409, "Not read yet"),
    (NothingToDraw, 409, "Nothing to draw yet"),
    (storage.InUse, 423, "In use"),
    (storage.Conflict, 409, "Not possible now"),
    (storage.Refused, 422, "Not accepted"),
    (storage.TooLarge, 413, "Too large"),
    (storage.OverQuota, 413, "Over quota"),
    (storage.NoSpace, 507, "The disk is full"),
    (storage.Damaged, 500, "Stored bytes are damaged"),
    (storage.StoreUnreachable, 503, "The object store does not answer"),
    (storage.ScannerUnreachable, 503, "The virus scanner does not answer"),
    (storage.WrongKey, 503, "The key does not fit"),
    (storage.WrongSchema, 503, "The database does not fit"),
    (Unreachable, 503, "The database does not answer"),
    (Busy, 503, "Too busy"),
)


def install(app: FastAPI) -> None:
    """Register the error handlers with the application."""
    for kind, _, _ in TABLE:
        app.add_exception_handler(kind, known_error)
    app.add_exception_handler(ApiError, api_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(ClientDisconnect, _cut_off)
    app.add_exception_handler(Exception, _defect)


async def known_error(request: Request, error: Exception) -> JSONResponse:
    """Return the problem document of an error of the table."""
    status, title = next(
        (status, title) for kind, status, title in TABLE if isinstance(error, kind)
    )
    more: dict[str, Any] = {}
    detail = str(error)
    if isinstance(error, storage.StaleRevision):
        more["current"] = error.current
    if isinstance(error, storage.Refused) and error.field:
        more["errors"] = [{"field": error.field, "message": str(error)}]
    if isinstance(error, Unreachable):
        log.error("database.unreachable", path=request.url.path, error=str(error.orig))
        detail = "The database does not answer; try again in a moment (`pileup doctor` says more)."
        if isinstance(error.orig, QueryCanceled):
            detail = "The database took too long for this and stopped; ask for less, or try later."
    if isinstance(error, Busy):
        log.error("database.pool_exhausted", path=request.url.path)
        detail = "Every connection to the database is in use; try again in a moment."
    if status == 403:
        await _refused(request)
    headers = {"Retry-After": "3"} if status in (429, 503) else None
    return problem(request, status, title, detail, headers=headers, **more)


async def api_error(request: Request, error: Exception) -> JSONResponse:
    """Return the problem document of an ``ApiError``."""
    assert isinstance(error, ApiError)
    if error.status == 403:
        await _refused(request)
    return problem(request, error.status, error.title, error.detail, headers=error.headers)


async def _refused(request: Request) -> None:
    await run_in_threadpool(record_refusal, request, request.app.state.services)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    errors = [
        {
            "field": ".".join(str(part) for part in item["loc"][1:]) or str(item["loc"][0]),
            "message": item["msg"],
        }
        for item in error.errors()
    ]
    text = "; ".join(f"{item['field']}: {item['message']}" for item in errors)
    return problem(request, 422, "Not accepted", text, errors=errors)


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 413:
        return await api_error(request, body_too_large())
    headers = dict(error.headers) if error.headers else None
    titles = {404: "Not found", 405: "Method not allowed"}
    title = titles.get(error.status_code, "Refused")
    return problem(request, error.status_code, title, str(error.detail), headers=headers)


async def _cut_off(request: Request, _: Exception) -> JSONResponse:
    """Answer a request whose client left while it sent the body: nobody reads this but the log."""
    return problem(request, 400, "The body was cut off", "the client left; nothing was changed")


async def _defect(request: Request, error: Exception) -> JSONResponse:
    log.error("request.failed", path=request.url.path, exc_info=error)
    return problem(
        request,
        500,
        "A defect in Pileup",
        "The request failed because of a defect; nothing was changed. The log of the server has "
        "the details.",
    )
