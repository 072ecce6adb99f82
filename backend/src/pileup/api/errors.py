"""The error that exists only in HTTP, and the problem document (RFC 9457) of any error."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse

MEDIA_TYPE = "application/problem+json"


class ApiError(Exception):
    """An error that exists only in HTTP: status, title and detail."""

    def __init__(self, status: int, title: str, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def body_too_large() -> ApiError:
    """Return the refusal of a body that is parsed as a whole; the rest of it is not read."""
    return ApiError(
        413,
        "Too large",
        "this is more JSON than any text or form has; upload files to the artifacts of an incident",
        Connection="close",
    )


def problem(
    request: Request,
    status: int,
    title: str,
    detail: str,
    *,
    headers: dict[str, str] | None = None,
    **more: Any,
) -> JSONResponse:
    """Build the response of one problem document; a redacted guest gets its title alone."""
    caller = getattr(request.state, "principal", None)
    if caller is not None and caller.redact and status != 403:  # 403 says what the link shows
        detail, more = title, {}
    body = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": request.url.path,
        **more,
    }
    return JSONResponse(
        jsonable_encoder(body), status_code=status, media_type=MEDIA_TYPE, headers=headers
    )
