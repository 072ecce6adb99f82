"""Answer reads by version: 304 without computing anything, and finished bodies from memory.

A route marked ``by_version`` returns facts of one incident, the names of people, and nothing else:
nothing of the clock, of workers or of other incidents. Its tag is made of the incident's versions
(``Unit.touch``), which are read before anything else, so a body is never older than its tag.
The guard and the incident's own check run for every request. Bodies lie in memory compressed, as
they were sent; the least recently used leave first. ``by_moment`` marks a route whose answer is the
same for everybody who may ask and may be some seconds old. ``known_reads`` answers both without
the framework.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant

from pileup import __version__
from pileup.api import deps
from pileup.api.auth import Principal, principal
from pileup.api.body_store import Bodies, Body, Known, Route, address_of
from pileup.api.guards import GUARDS, guard
from pileup.api.rounds import versions_of
from pileup.paths import PACKAGE
from pileup.storage.database import Unit

_MARK = "_by_version"
_MOMENT = "_by_moment"
_LEVEL = 5
_SMALLEST = 1000
"""A shorter body is not compressed."""

NEVER = frozenset({"upload", "mentions"})
"""Topics on which no marked route depends: progress of uploads, and who was mentioned."""

NOTES = frozenset({"activity", "comments", "hypotheses", "matrix", "report", "text", "view"})
"""Topics of what people write: records of the evidence do not depend on them."""

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def by_version(*, ignoring: frozenset[str] = frozenset()) -> Callable[[Endpoint], Endpoint]:
    """Mark a GET route under an incident: its answer changes only when a version does.

    ignoring: topics whose changes never change the answer.
    """

    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _MARK, NEVER | ignoring)
        return endpoint

    return mark


def by_moment(keep_s: float) -> Callable[[Endpoint], Endpoint]:
    """Mark a GET route: everybody who may ask gets the same answer, which may be so old."""

    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _MOMENT, keep_s)
        return endpoint

    return mark


def is_marked(endpoint: Callable[..., Any]) -> bool:
    """Return whether the route's answers are known by version or by moment."""
    return hasattr(endpoint, _MARK) or hasattr(endpoint, _MOMENT)


def route_of(dependant: Dependant) -> Route | None:
    """Return what the route depends on; None when it is not marked."""
    if keep_s := getattr(dependant.call, _MOMENT, None):
        return Route(frozenset(), False, keep_s)
    ignored = getattr(dependant.call, _MARK, None)
    return None if ignored is None else Route(ignored, _knows_caller(dependant))


def answer(
    route: Route, request: Request, unit: Unit, bodies: Bodies, compute: Callable[[], Response]
) -> Response:
    """Return 304, a body from memory, or what ``compute`` returns under its tag."""
    incident_id: str | None = request.path_params.get("incident_id")
    services = deps.services(request)
    known = Known(route, request.scope["route"], incident_id)
    versions: dict[str, str] = {}
    if incident_id is not None:  # before anything else is read
        versions = versions_of(unit, services, [incident_id])[incident_id]
    caller = principal(request, services)
    guard(request, caller)
    if incident_id is not None:
        deps.incident(incident_id, unit)
    if (response := find(bodies, known, request, caller, versions)) is not None:
        return response
    key = _key(route, request, caller)
    with bodies.turn(key):
        if (response := find(bodies, known, request, caller, versions)) is not None:
            return response
        response = compute()
        if response.status_code != 200 or not _is_whole_document(response):
            return response
        content, media_type = bytes(response.body), response.media_type or "application/json"
        if route.keep_s:
            body = _finished(
                _tag(bodies.build, key, {"content": blake2b(content).hexdigest()}),
                content,
                media_type,
            )
            body = replace(body, until=time.monotonic() + route.keep_s)
        else:
            body = _finished(_tag_of(bodies, key, route, versions), content, media_type)
        bodies.put(key, body)
        bodies.learn(request, known)
    return _answer(body, request)


def find(
    bodies: Bodies,
    known: Known,
    request: Request,
    caller: Principal,
    versions: dict[str, str],
    *,
    is_shared: bool = False,
) -> Response | None:
    """Return 304 or the finished body for a caller who may read it; None when it is not there.

    versions: of the incident, as they were before the caller was checked. is_shared: by moment,
    the last body is good enough while somebody computes another.
    """
    key = _key(known.route, request, caller)
    if known.route.keep_s:
        body = bodies.lately(key, or_before=known.route.keep_s if is_shared else 0.0)
        return _answer(body, request) if body is not None else None
    tag = _tag_of(bodies, key, known.route, versions)
    if _has_tag(request, tag):
        return _unchanged(tag)
    body = bodies.get(key, tag)
    return _send(body, request) if body is not None else None


def name_of(
    bodies: Bodies, known: Known, request: Request, caller: Principal, versions: dict[str, str]
) -> tuple[str, ...]:
    """Return a name of the answer that has to be computed: equal requests have the same."""
    key = _key(known.route, request, caller)
    return key if known.route.keep_s else (*key, _tag_of(bodies, key, known.route, versions))


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
    address = address_of(request)
    who = f"{caller.access} {sorted(caller.verbs)}" if route.is_personal else ""
    return address, f"{who} redacted {caller.redact}" if caller.redact else who


def _has_tag(request: Request, tag: str) -> bool:
    return tag in {part.strip() for part in request.headers.get("if-none-match", "").split(",")}


def _answer(body: Body, request: Request) -> Response:
    return _unchanged(body.tag) if _has_tag(request, body.tag) else _send(body, request)


def _tag_of(bodies: Bodies, key: tuple[str, str], route: Route, versions: dict[str, str]) -> str:
    mine = {topic: version for topic, version in versions.items() if topic not in route.ignored}
    return _tag(bodies.build, key, mine)


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
