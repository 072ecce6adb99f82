"""What the API's processes read of HTTP, and what they refuse before the application."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI, Request

from pileup.runtime.http_protocol import MOST_BYTES
from tests.support.server import serving

_HOST = b"Host: localhost\r\n"
_HEAD = b"POST / HTTP/1.1\r\n" + _HOST
_LAST = b"Connection: close\r\n"
_IN_PIECES = b"Transfer-Encoding: chunked\r\n\r\n"
_PIECES = _HEAD + _IN_PIECES
_SHORT = _HEAD + b"Content-Length: 5\r\n\r\nabcde"
_LONG = b"x" * (2 * MOST_BYTES)
_PIECE = b"10000;note=y\r\n" + b"x" * 0x10000 + b"\r\n"


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    app = FastAPI()

    @app.post("/")
    async def count(request: Request) -> int:
        return sum([len(piece) async for piece in request.stream()])

    with serving(app) as url:
        parts = urlsplit(url)
        assert parts.hostname
        assert parts.port
        yield parts.hostname, parts.port


def _ask(address: tuple[str, int], sent: bytes) -> bytes:
    """Send it in parts, as networks do, and return the answer; empty when the server went away."""
    answer = b""
    with socket.create_connection(address, timeout=10) as client:
        try:
            for at in range(0, len(sent), 20_000):
                client.sendall(sent[at : at + 20_000])
            while part := client.recv(65_536):
                answer += part
        except ConnectionError:
            pass
    return answer


@pytest.mark.security
@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(_HEAD + b"A: " + 40 * _LONG, id="a header that does not end"),
        pytest.param(_HEAD + 400_000 * b"A: b\r\n", id="headers that do not end"),
        pytest.param(b"GET /" + 40 * _LONG, id="an address that does not end"),
        pytest.param(2_000_000 * b"\r\n", id="blank lines that do not end"),
        pytest.param(_PIECES + b"1;a=" + 40 * _LONG, id="an extension that does not end"),
        pytest.param(_PIECES + _PIECE + b"0\r\nA: " + 40 * _LONG, id="a trailer"),
        pytest.param(_PIECES + b"0\r\n" + 400_000 * b"A: b\r\n", id="trailers"),
        pytest.param(b"POST / HTTP/1.1\r\n\r\n", id="no host"),
        pytest.param(_HEAD + _HOST + b"\r\n", id="two hosts"),
        pytest.param(_PIECES[:-2] + b"Content-Length: 5\r\n\r\n", id="two lengths of one body"),
        pytest.param(_HEAD + 2 * b"Content-Length: 5\r\n" + b"\r\nabcde", id="a length twice"),
        pytest.param(_HEAD + b"Content-Length: +5\r\n\r\nabcde", id="no number"),
        pytest.param(_HEAD + b"Content-Length : 5\r\n\r\nabcde", id="a blank before the colon"),
        pytest.param(_HEAD + b"Transfer-Encoding: xchunked\r\n\r\n", id="an unknown coding"),
        pytest.param(_PIECES + b"0x5\r\nabcde\r\n0\r\n\r\n", id="a length of a piece"),
        pytest.param(_HEAD + b"A: b\x00c\r\n\r\n", id="a zero byte"),
    ],
)
def test_what_is_unclear_or_endless_is_refused(address: tuple[str, int], sent: bytes) -> None:
    assert _ask(address, sent).split(b"\r\n", 1)[0] in (b"", b"HTTP/1.1 400 Bad Request")


@pytest.mark.parametrize(
    ("sent", "count"),
    [
        (_HEAD + _LAST + b"A: " + b"b" * 60_000 + b"\r\nContent-Length: 5\r\n\r\nabcde", 5),
        (_HEAD + _LAST + _IN_PIECES + 40 * _PIECE + b"0\r\n\r\n", 40 * 0x10000),
        (_HEAD + _LAST + _IN_PIECES + 30_000 * b"1;a=b\r\nx\r\n" + b"0\r\nA: b\r\n\r\n", 30_000),
        (_HEAD + _LAST + b"Content-Length: 3000000\r\n\r\n" + 3_000_000 * b"x", 3_000_000),
        (20 * _SHORT + _HEAD + _LAST + b"Content-Length: 5\r\n\r\nabcde", 5),
    ],
    ids=["a long head", "pieces", "pieces of one byte", "a long body", "requests in a row"],
)
def test_bodies_of_every_size_arrive(address: tuple[str, int], sent: bytes, count: int) -> None:
    answer = _ask(address, sent)
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"\r\n\r\n%d" % count)
    assert answer.count(b"200 OK") == sent.count(_HEAD)
