"""Answer reads by version: 304 without computing anything, and finished bodies from memory.

A route marked ``by_version`` returns facts of one incident, the names of people, and nothing else:
nothing of the clock, of workers or of other incidents. Its tag is made of the incident's versions
(``Unit.touch``), which are read before anything else, so a body is never older than its tag.
The guard and the incident's own check run for every request. Bodies lie in memory compressed, as
they were sent; the least recently used leave first.
"""

from __future__ import annotations

import gzip
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant

from pileup import __version__
from pileup.api import deps
from pileup.api.auth import Principal, principal
from pileup.api.guards import GUARDS, guard
from pileup.paths import PACKAGE
from pileup.storage.database import Unit

_MARK = "_by_version"
_LEVEL = 5
_SMALLEST = 1000
"""A shorter body is not compressed."""
_MOST_BYTES = 64 << 20
_MOST_BYTES_EACH = 8 << 20
_PATIENCE_S = 10.0
"""Time that a request waits for an equal one which computes its answer."""

NEVER = frozenset({"upload", "mentions"})
"""Topics on which no marked route depends: progress of uploads, and who was mentioned."""

NOTES = frozenset({"activity", "comments", "hypotheses", "matrix", "report", "text", "view"})
"""Topics of what people write: records of the evidence do not depend on them."""

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Route:
    """What a marked route depends on."""

    ignored: frozenset[str]
    is_personal: bool
    """The route knows who asks, so its answers are that person's alone."""


@dataclass(frozen=True, slots=True)
class Body:
    """A finished body under its tag, compressed unless it is short."""

    tag: str
    content: bytes
    media_type: str
    is_compressed: bool


def by_version(*, ignoring: frozenset[str] = frozenset()) -> Callable[[Endpoint], Endpoint]:
    """Mark a GET route under an incident: its answer changes only when a version does.

    ignoring: topics whose changes never change the answer.
    """

    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _MARK, NEVER | ignoring)
        return endpoint

    return mark


def route_of(dependant: Dependant) -> Route | None:
    """Return what the route depends on; None when it is not marked."""
    ignored = getattr(dependant.call, _MARK, None)
    return None if ignored is None else Route(ignored, _knows_caller(dependant))


class Bodies:
    """Finished bodies of this process, at most some bytes of them."""

    def __init__(self, build: str, most_bytes: int = _MOST_BYTES) -> None:
        self.build = build
        self._most_bytes = most_bytes
        self._bytes = 0
        self._bodies: OrderedDict[tuple[str, str], Body] = OrderedDict()
        self._computing: dict[tuple[str, str], threading.Lock] = {}
        self._lock = threading.Lock()

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


def answer(
    route: Route, request: Request, unit: Unit, bodies: Bodies, compute: Callable[[], Response]
) -> Response:
    """Return 304, a body from memory, or what ``compute`` returns under its tag."""
    incident_id = request.path_params["incident_id"]
    services = deps.services(request)
    versions = unit.versions(incident_id)  # before anything else is read
    # A worker places evidence before it commits the analysis.
    versions["placed evidence"] = services.placed.run(incident_id) or ""
    caller = principal(request, services)
    guard(request, caller)
    deps.incident(incident_id, unit)
    key = _key(route, request, caller)
    mine = {topic: version for topic, version in versions.items() if topic not in route.ignored}
    tag = _tag(bodies.build, key, mine)
    if tag in {part.strip() for part in request.headers.get("if-none-match", "").split(",")}:
        return _unchanged(tag)
    if (body := bodies.get(key, tag)) is not None:
        return _send(body, request)
    with bodies.turn(key):
        if (body := bodies.get(key, tag)) is not None:
            return _send(body, request)
        response = compute()
        if response.status_code != 200 or not _is_whole_document(response):
            return response
        body = _finished(tag, bytes(response.body), response.media_type or "application/json")
        bodies.put(key, body)
    return _send(body, request)


@cache
def build_of(knowledge_dir: Path | None) -> str:
    """Return a hash of this program: another one may answer the same facts in another way."""
    digest = blake2b(__version__.encode(), digest_size=8)
    for root in (PACKAGE, knowledge_dir):
        for path in sorted(root.rglob("*")) if root else ():
            if path.is_file() and path.suffix != ".pyc":
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _knows_caller(dependant: Dependant) -> bool:
    """Return whether the route, or what it depends on apart from guards, takes the caller."""
    return any(
        each.call is principal or _knows_caller(each)
        for each in dependant.dependencies
        if each.call not in GUARDS
    )


def _key(route: Route, request: Request, caller: Principal) -> tuple[str, str]:
    address = f"{request.url.path}?{request.url.query}"
    who = f"{caller.access} {sorted(caller.verbs)}" if route.is_personal else ""
    return address, who


def _tag(build: str, key: tuple[str, str], versions: dict[str, str]) -> str:
    parts = [build, *key, *(f"{topic}={versions[topic]}" for topic in sorted(versions))]
    digest = blake2b("\0".join(parts).encode(), digest_size=16)
    return f'W/"{digest.hexdigest()}"'


def _is_whole_document(response: Response) -> bool:
    kind = response.headers.get("content-type", "")
    return hasattr(response, "body") and kind.startswith("application/json")


def _finished(tag: str, content: bytes, media_type: str) -> Body:
    if len(content) < _SMALLEST:
        return Body(tag, content, media_type, False)
    return Body(tag, gzip.compress(content, _LEVEL, mtime=0), media_type, True)


def _unchanged(tag: str) -> Response:
    return Response(status_code=304, headers={"ETag": tag, "Vary": "Accept-Encoding"})


def _send(body: Body, request: Request) -> Response:
    headers = {"ETag": body.tag, "Vary": "Accept-Encoding"}
    content = body.content
    if body.is_compressed:
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
        else:
            content = gzip.decompress(content)
    return Response(content, headers=headers, media_type=body.media_type)
