"""Finished bodies of this process, and the addresses that were answered.

Bodies lie in memory compressed, as they were sent; the least recently used leave first.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from fastapi import Request
from starlette.routing import BaseRoute

_MOST_BYTES = 64 << 20
_MOST_BYTES_EACH = 8 << 20
_MOST_KNOWN = 20_000
"""Addresses that are remembered, with or without their bodies."""
_PATIENCE_S = 10.0
"""Time that a request waits for an equal one which computes its answer."""


@dataclass(frozen=True, slots=True)
class Route:
    """What a marked route depends on."""

    ignored: frozenset[str]
    is_personal: bool
    """The route knows who asks, so its answers are that person's alone."""
    keep_s: float = 0.0
    """0: by version; else the time for which an answer is shared."""


@dataclass(frozen=True, slots=True)
class Known:
    """An address that was answered: which route it is, and of which incident."""

    route: Route
    endpoint: BaseRoute
    incident_id: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """A finished body under its tag, compressed unless it is short."""

    tag: str
    content: bytes
    media_type: str
    is_compressed: bool
    until: float = 0.0
    """When it may not be sent any more (monotonic); 0: while the tag is current."""
    is_renewed: bool = False
    """Somebody computes another."""


class Bodies:
    """Finished bodies of this process, at most some bytes of them."""

    def __init__(self, build: str, most_bytes: int = _MOST_BYTES) -> None:
        self.build = build
        self._most_bytes = most_bytes
        self._bytes = 0
        self._bodies: OrderedDict[tuple[str, str], Body] = OrderedDict()
        self._computing: dict[tuple[str, str], threading.Lock] = {}
        self._known: OrderedDict[str, Known] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, request: Request) -> Known | None:
        """Return what this address is, if it was answered before."""
        return self._known.get(address_of(request))

    def learn(self, request: Request, known: Known) -> None:
        """Remember what the address of this request is."""
        with self._lock:
            self._known[address_of(request)] = known
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)

    def lately(self, key: tuple[str, str], *, or_before: float = 0.0) -> Body | None:
        """Return the body of a moment that is not over.

        or_before: also one that was over for less than so long, to everybody but the first who
        asks, who gets None and computes another.
        """
        now = time.monotonic()
        with self._lock:
            body = self._bodies.get(key)
            if body is None or now < body.until:
                return body
            if now >= body.until + or_before:
                return None
            if not body.is_renewed:
                self._bodies[key] = replace(body, is_renewed=True)
                return None
            return body

    def get(self, key: tuple[str, str], tag: str) -> Body | None:
        """Return the body under this tag, if it is there."""
        with self._lock:
            body = self._bodies.get(key)
            if body is None or body.tag != tag:
                return None
            self._bodies.move_to_end(key)
            return body

    def put(self, key: tuple[str, str], body: Body) -> None:
        """Store a body instead of the earlier one of this key."""
        with self._lock:
            if (earlier := self._bodies.pop(key, None)) is not None:
                self._bytes -= len(earlier.content)
            if len(body.content) > _MOST_BYTES_EACH:
                return
            self._bodies[key] = body
            self._bytes += len(body.content)
            while self._bytes > self._most_bytes:
                _, oldest = self._bodies.popitem(last=False)
                self._bytes -= len(oldest.content)

    @contextmanager
    def turn(self, key: tuple[str, str]) -> Iterator[None]:
        """Let equal requests compute one after another: the later ones find the body."""
        with self._lock:
            lock = self._computing.setdefault(key, threading.Lock())
        is_mine = lock.acquire(timeout=_PATIENCE_S)
        try:
            yield
        finally:
            if is_mine:
                lock.release()
            with self._lock:
                if not lock.locked():
                    self._computing.pop(key, None)


def address_of(request: Request) -> str:
    """Return the address of a request as the keys of bodies hold it."""
    return f"{request.scope['path']}?{request.scope['query_string'].decode('latin-1')}"
