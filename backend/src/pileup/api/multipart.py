"""Parse multipart bodies as a stream: each file goes to a blob draft while it arrives.

Starlette's own parser spools every file to the temporary folder first; an 8 GiB upload would then
be written twice, and the second disk may be the smaller one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from pileup.api.errors import ApiError

_MAX_FIELD = 16 * 1024
_MAX_PARTS = 50_000
_MAX_HEADERS = 16 * 1024


class Sink(Protocol):
    """Destination of the bytes of a file."""

    def write(self, chunk: bytes) -> None:
        """Store some bytes; may raise."""


@dataclass(slots=True)
class Part:
    """One part: a field with its text, or a file whose bytes went to a ``Sink``."""

    name: str
    filename: str | None
    text: bytearray = field(default_factory=bytearray)
    sink: Sink | None = None


async def read_parts(
    stream: AsyncIterator[bytes],
    content_type: str,
    open_file: Callable[[], Sink],
) -> AsyncIterator[Part]:
    """Yield each part after its last byte arrived; bytes of files went to ``part.sink.write``."""
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise ApiError(
            415,
            "Send multipart/form-data",
            "send files as multipart/form-data, as `curl -F file=@status.txt` does",
        )
    collector = _Collector(open_file)
    try:
        parser = MultipartParser(boundary, collector.callbacks())
        async for chunk in stream:
            parser.write(chunk)
            for part in collector.taken():
                yield part
        parser.finalize()
    except FormParserError as error:
        raise ApiError(
            400, "Not a multipart body", f"the body could not be read as multipart: {error}"
        ) from error
    for part in collector.taken():
        yield part
    if not collector.ended:
        raise ApiError(
            400,
            "The body was cut off",
            "the last boundary is missing: the connection broke while sending. Files that had "
            "arrived whole are kept; send the others again",
        )


class _Collector:
    def __init__(self, open_file: Callable[[], Sink]) -> None:
        self._open_file = open_file
        self._done: list[Part] = []
        self._part: Part | None = None
        self._headers: dict[bytes, bytes] = {}
        self._name = bytearray()
        self._value = bytearray()
        self._parts = 0
        self.ended = False

    def callbacks(self) -> Any:
        """Return the callbacks under the names that the parser expects."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._grow(self._name, data[start:end]),
            "on_header_value": lambda data, start, end: self._grow(self._value, data[start:end]),
            "on_header_end": self._header,
            "on_headers_finished": self._open,
            "on_part_data": self._data,
            "on_part_end": self._end,
            "on_end": self._finish,
        }

    def taken(self) -> list[Part]:
        """Return the parts that ended since the last call."""
        done, self._done = self._done, []
        return done

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise ApiError(413, "Too many parts", f"more than {_MAX_PARTS} parts in one request")
        self._headers = {}

    def _grow(self, buffer: bytearray, data: bytes) -> None:
        if len(buffer) + len(data) > _MAX_HEADERS:
            raise ApiError(400, "Not a multipart body", "a part has a header that is far too long")
        buffer += data

    def _header(self) -> None:
        self._headers[bytes(self._name).lower()] = bytes(self._value)
        self._name.clear()
        self._value.clear()

    def _open(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        name = options.get(b"name", b"").decode("utf-8", "replace")
        filename = options.get(b"filename")
        part = Part(name, None if filename is None else filename.decode("utf-8", "replace"))
        if part.filename is not None:
            part.sink = self._open_file()
        self._part = part

    def _data(self, data: bytes, start: int, end: int) -> None:
        part = self._part
        assert part is not None
        if part.sink is not None:
            part.sink.write(data[start:end])
        elif len(part.text) + end - start > _MAX_FIELD:
            raise ApiError(413, "Too large", f"the field {part.name[:80]!r} is too long")
        else:
            part.text += data[start:end]

    def _end(self) -> None:
        assert self._part is not None
        self._done.append(self._part)
        self._part = None

    def _finish(self) -> None:
        self.ended = True
