"""Send less: compressed texts, and 304 for a document that the client has already.

Files that are compressed themselves, byte ranges and the event stream pass through untouched.
"""

from __future__ import annotations

from hashlib import blake2b

from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_NOT_COMPRESSED = (
    *DEFAULT_EXCLUDED_CONTENT_TYPES,
    "application/octet-stream",
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/zstd",
)
_LEAST_BYTES = 1000
_LEVEL = 5


def install(app: FastAPI) -> None:
    """Put both before the routes: the tag is of the document, compression comes after it."""
    app.add_middleware(EntityTags)
    app.add_middleware(
        GZipMiddleware,
        minimum_size=_LEAST_BYTES,
        compresslevel=_LEVEL,
        exclude_content_types=_NOT_COMPRESSED,
    )


class EntityTags:
    """Tag JSON documents with a weak ETag; answer 304 to a GET that names it in If-None-Match."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold back the head of a JSON response until its body, which comes in one message."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        known = Headers(scope=scope).get("if-none-match", "")
        held: Message | None = None

        async def tagged(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _is_document(message):
                held = message
                return
            if held is None:
                await send(message)
                return
            start, held = held, None
            if message.get("more_body"):
                await send(start)
                await send(message)
                return
            tag = f'W/"{blake2b(message["body"], digest_size=16).hexdigest()}"'
            headers = MutableHeaders(scope=start)
            headers["ETag"] = tag
            if tag not in {part.strip() for part in known.split(",")}:
                await send(start)
                await send(message)
                return
            del headers["content-length"], headers["content-type"]
            await send({**start, "status": 304})
            await send({"type": "http.response.body", "body": b""})

        await self._app(scope, receive, tagged)


def _is_document(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return (
        start["status"] == 200
        and headers.get("content-type", "").startswith("application/json")
        and "etag" not in headers
    )
