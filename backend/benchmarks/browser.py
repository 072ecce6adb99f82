"""HTTP as a browser speaks it, at a tenth of a client library's cost.

A benchmark that runs on the server's cores must not measure itself: a request costs 0.1 ms here.
Plain HTTP/1.1 without TLS, answers with a length, in chunks, or without a body.
"""

from __future__ import annotations

import asyncio
import gzip
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

_CONNECTIONS = 6
"""As a browser: at most so many to a host, which stay open."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers with names in lower case, and the body as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> bytes:
        """The body, unpacked."""
        is_packed = self.headers.get("content-encoding") == "gzip"
        return gzip.decompress(self.body) if is_packed else self.body


class Browser:
    """Connections of one person, with their cookies."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        address = urlsplit(url)
        self._host, self._port = address.hostname or "127.0.0.1", address.port or 80
        lines = {"Host": address.netloc, "Accept-Encoding": "gzip", **headers}
        self._head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        self._places = asyncio.Semaphore(_CONNECTIONS)
        self._free: list[_Connection] = []
        self._open: set[_Connection] = set()

    async def request(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b""
    ) -> Answer:
        """Send a request and return the answer; raises OSError when the connection breaks."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        if body or method not in ("GET", "HEAD"):
            lines += f"Content-Length: {len(body)}\r\n"
        text = f"{method} {path} HTTP/1.1\r\n{self._head}{lines}\r\n".encode() + body
        async with self._places:
            while self._free:  # a connection that the server closed meanwhile is replaced
                with suppress(ConnectionError, asyncio.IncompleteReadError):
                    return await self._exchange(self._free.pop(), text)
            return await self._exchange(await self._connect(), text)

    async def follow(self, path: str, until: float) -> None:
        """Read an event stream, which takes a connection, until it ends or the time is over."""
        loop = asyncio.get_running_loop()
        async with self._places:
            connection = await self._connect()
            try:
                connection.send(f"GET {path} HTTP/1.1\r\n{self._head}\r\n".encode())
                async with asyncio.timeout(max(0.0, until - loop.time())):
                    while await connection.reader.read(65_536):
                        pass
            except TimeoutError:
                pass
            finally:
                self._drop(connection)

    def close(self) -> None:
        """Close every connection."""
        for connection in list(self._open):
            self._drop(connection)

    async def _connect(self) -> _Connection:
        connection = _Connection(*await asyncio.open_connection(self._host, self._port))
        self._open.add(connection)
        return connection

    async def _exchange(self, connection: _Connection, text: bytes) -> Answer:
        try:
            connection.send(text)
            answer = await connection.answer()
        except BaseException as error:
            self._drop(connection)
            if isinstance(error, asyncio.IncompleteReadError):
                raise ConnectionError("the server closed the connection") from error
            raise
        if answer.headers.get("connection") == "close":
            self._drop(connection)
        else:
            self._free.append(connection)
        return answer

    def _drop(self, connection: _Connection) -> None:
        connection.writer.close()
        self._open.discard(connection)


@dataclass(eq=False, slots=True)
class _Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def send(self, text: bytes) -> None:
        """Write a request."""
        self.writer.write(text)

    async def answer(self) -> Answer:
        """Read one answer to its end."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip("\r\n").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        status = int(first.split(" ", 2)[1])
        if status in (204, 304):
            return Answer(status, headers, b"")
        if "content-length" in headers:
            body = await self.reader.readexactly(int(headers["content-length"]))
            return Answer(status, headers, body)
        parts = []
        while size := int(await self.reader.readuntil(b"\r\n"), 16):
            parts.append(await self.reader.readexactly(size))
            await self.reader.readexactly(2)
        await self.reader.readuntil(b"\r\n")
        return Answer(status, headers, b"".join(parts))
