"""Serve the built UI: its files, index.html for screens, security headers.

Pure ASGI: responses of any size stream through untouched.
"""

from __future__ import annotations

import secrets
from mimetypes import guess_type
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pileup.api.errors import problem
from pileup.settings import Settings

_POLICY = (
    "default-src 'self'",
    "script-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)
_PAGE = "index.html"
_NONCE = "CSP_NONCE"
"""In the page of the UI (frontend/index.html): the nonce of this answer replaces it."""


def _content_security_policy(nonce: str = "") -> str:
    """Return the policy; style elements need the nonce, which only the page's own scripts know.

    Attributes may have styles: the cursors of colleagues (y-codemirror.next) do.
    """
    styles = f"'self' 'nonce-{nonce}'" if nonce else "'self'"
    return "; ".join((*_POLICY, f"style-src {styles}", "style-src-attr 'unsafe-inline'"))


_HEADERS = {
    "Content-Security-Policy": _content_security_policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Robots-Tag": "noindex, nofollow",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

_COMPRESSED = (("br", ".br"), ("gzip", ".gz"))
"""Encodings of the built files from the smallest, and the ends of their names."""
_FOR_EVER = "public, max-age=31536000, immutable"

SCREENS = frozenset({"", "guest", "incidents", "settings", "sign-in", "v"})
"""First parts of the addresses of screens (frontend/src/app/routes.tsx)."""

_NO_STORE = (b"cache-control", b"no-store")

_MISSING = (
    "The UI is not there. In a checkout, run `make run` (it builds it), or `make build-ui`, and "
    "reload;\nelsewhere, install a wheel of `make dist`, or name a built UI in PILEUP_UI_DIR.\n"
    "The API is here: /api/v1\n"
)


def install(app: FastAPI, settings: Settings) -> None:
    """Serve the UI under every address that the API does not have, and set the headers."""
    root = settings.built_ui

    async def fallback(request: Request) -> Response:
        path = request.url.path
        if path == "/api" or path.startswith("/api/"):
            return problem(request, 404, "Not found", f"the API has no {path}")
        if root is None:
            return PlainTextResponse(_MISSING, status_code=503)
        if not _is_screen(path) and not _is_file(root, path):
            return _nothing(root, request)
        return _file(root, path, request.headers.get("accept-encoding", ""))

    app.add_route("/{path:path}", fallback, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_middleware(SecurityHeaders, https=settings.secure_cookies)


class SecurityHeaders:
    """Add the headers that a response does not set itself."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        headers = dict(_HEADERS)
        if https:
            headers["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"
        # As they go over the wire: this runs for every response.
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and change only the head of the response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                present = {name.lower() for name, _ in headers}
                headers += [each for each in self._headers if each[0] not in present]
                if scope["path"].startswith("/api/") and b"cache-control" not in present:
                    headers.append(_NO_STORE)
                message = {**message, "headers": headers}
            await send(message)

        await self._app(scope, receive, with_headers)


def _is_screen(path: str) -> bool:
    """Return whether the UI has a screen there; only those are answered with its page."""
    return path.strip("/").partition("/")[0] in SCREENS


def _is_file(root: Path, path: str) -> bool:
    wanted = (root / path.lstrip("/")).resolve() if "\x00" not in path else root
    return wanted != root and wanted.is_relative_to(root.resolve()) and wanted.is_file()


def _nothing(root: Path, request: Request) -> Response:
    """Answer 404: with the UI's own page to a browser, in one sentence to a program."""
    if "text/html" in request.headers.get("accept", ""):
        return _page(root, 404)
    return problem(request, 404, "Not found", f"there is nothing at {request.url.path}")


def _file(root: Path, path: str, accepted: str) -> Response:
    """Return a file of the UI, or index.html for a screen; never anything outside the folder."""
    wanted = (root / path.lstrip("/")).resolve() if "\x00" not in path else root
    if wanted != root and wanted.is_relative_to(root.resolve()) and wanted.is_file():
        if wanted.name == _PAGE:
            return _page(root, 200)
        hashed = "/assets/" in path
        return _smallest(wanted, accepted, _FOR_EVER if hashed else "no-cache")
    if path.startswith("/assets/"):
        return PlainTextResponse("no such file", status_code=404)
    return _page(root, 200)


def _page(root: Path, status: int) -> Response:
    """Return the page of the UI with a nonce that nobody saw before."""
    nonce = secrets.token_urlsafe(16)
    html = (root / _PAGE).read_text(encoding="utf-8").replace(_NONCE, nonce)
    policy = _content_security_policy(nonce)
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": policy}
    return HTMLResponse(html, status, headers)


def _smallest(file: Path, accepted: str, cache: str) -> FileResponse:
    """Return what the build compressed (frontend/compressed.mjs), if the client reads that."""
    headers = {"Cache-Control": cache, "Vary": "Accept-Encoding"}
    parts = [part.replace(" ", "").partition(";q=") for part in accepted.split(",")]
    offered = {name for name, _, quality in parts if quality.strip("0.") or not quality}
    for encoding, end in _COMPRESSED:
        smaller = file.with_name(file.name + end)
        if encoding in offered and smaller.is_file():
            media_type = guess_type(file.name)[0]
            headers["Content-Encoding"] = encoding
            return FileResponse(smaller, headers=headers, media_type=media_type)
    return FileResponse(file, headers=headers)
