"""Stream server-sent events: the changes of an incident, as they happen.

NOTIFY carries ids only: a process reads the current rows once for all of its streams of an
incident (``event_hub``). Notices that come within a moment are sent as one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any

from fastapi import APIRouter, Request
from pydantic import TypeAdapter
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.types import Receive, Scope, Send

from pileup.api.auth import Principal
from pileup.api.deps import Services, services
from pileup.api.event_hub import EventHub, Inbox, Notice
from pileup.api.stream_guard import StreamCaller, still_reads_s
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.artifacts.uploads import Uploads
from pileup.storage.database import ACCESS
from pileup.storage.errors import NotFound
from pileup.storage.queue.jobs import Jobs
from pileup.storage.queue.workers import Workers
from pileup.views.artifacts.artifacts import Artifact, shape

router = APIRouter(tags=["events"])

_ARTIFACT = TypeAdapter(Artifact)

HEARTBEAT_S = 15
_GATHER_S = 0.2
_GATHER_TYPING_S = 0.05
"""Shorter for typing, which other people watch."""
_RETRY_MS = 1000
"""Time after which a browser reconnects."""
_WORKER_CHECK_S = 3.0
_AUTHORIZED_S = 30.0
"""Time after which a stream is checked again without a notice, which may have been lost."""

_SEND_S = 30.0
"""A reader that takes nothing for so long has left: what is written for it stays in memory."""

_WITHOUT_NAMES = frozenset({"worker", "text", "changed"})
_AT_ONCE = ("text", "presence", ACCESS)


@router.get(
    "/incidents/{incident_id}/events",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def events(incident_id: str, request: Request, caller: StreamCaller) -> EventSourceResponse:
    """Stream the incident's events: artifact, upload, analysis, worker, text, presence, changed.

    The stream ends within a second when the caller may not read the incident any more. Callers of
    one incident do not see who is present.
    """
    hub: EventHub = request.app.state.hub

    async def reads_s() -> float:
        return await still_reads_s(request, incident_id)

    return _Stream(
        hub,
        caller.subject,
        _shown(_stream(hub, services(request), incident_id, caller.subject, reads_s), caller),
    )


class _Stream(EventSourceResponse):
    """A stream in one of the places of its caller, which ends when nobody reads it."""

    def __init__(self, hub: EventHub, subject: str, events: AsyncIterator[ServerSentEvent]) -> None:
        self._hub, self._subject = hub, subject
        super().__init__(
            events,
            ping=HEARTBEAT_S,
            send_timeout=_SEND_S,
            headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._hub.place(self._subject), suppress(SendTimeoutError):
            await super().__call__(scope, receive, send)


async def _shown(
    events: AsyncGenerator[ServerSentEvent], caller: Principal
) -> AsyncIterator[ServerSentEvent]:
    """Yield the events as the caller may see them.

    Callers of one incident do not see who is present; guests of a redacted link no names of files.
    """
    async with aclosing(events):
        async for event in events:
            if event.event == "presence" and caller.incident_id:
                continue
            if not caller.redact or event.event in _WITHOUT_NAMES:
                yield event
            elif event.event == "artifact":
                yield _event("changed", {"what": "artifacts"})
            elif event.event == "analysis":
                state = json.loads(str(event.data))["state"]
                yield _event("analysis", {"state": state, "error": None})


async def _stream(
    hub: EventHub,
    services: Services,
    incident_id: str,
    subject: str,
    reads_s: Callable[[], Awaitable[float]],
) -> AsyncGenerator[ServerSentEvent]:
    """Yield events until the caller leaves or may not read the incident any more.

    reads_s: returns for how long the caller may still read it; 0: not any more.
    """
    inbox = hub.open(incident_id)
    loop = asyncio.get_running_loop()
    try:
        authorized_s = await reads_s()
        if not authorized_s:  # changed before the inbox was open
            return
        check_at = loop.time() + min(authorized_s, _AUTHORIZED_S)
        alive = await _is_worker_alive(hub, services)
        yield ServerSentEvent(json.dumps({"alive": alive}), event="worker", retry=_RETRY_MS)
        if here := hub.here(incident_id):
            yield _presence(here)
        checked = loop.time()
        while True:
            notices = await _gather(inbox, min(_WORKER_CHECK_S, max(check_at - loop.time(), 0)))
            about_access = [notice for notice in notices if notice["topic"] == ACCESS]
            notices = [notice for notice in notices if notice["topic"] != ACCESS]
            if (
                any(notice["id"] in (subject, None) for notice in about_access)
                or loop.time() >= check_at
            ):
                authorized_s = await reads_s()
                if not authorized_s:
                    yield _EVERYTHING  # a page reads again, and says what it may not show
                    return
                check_at = loop.time() + min(authorized_s, _AUTHORIZED_S)
            numbers = (incident_id, *(notice["number"] for notice in notices))
            for event in await hub.share(numbers, _read, services, incident_id, notices):
                yield event
            if loop.time() - checked >= _WORKER_CHECK_S:
                checked = loop.time()
                now = await _is_worker_alive(hub, services)
                if now != alive:
                    alive = now
                    yield _event("worker", {"alive": alive})
    finally:
        hub.close(incident_id, inbox)


async def _gather(inbox: Inbox, timeout_s: float) -> list[Notice]:
    """Collect the notices that arrive shortly after the first; empty after the timeout."""
    first = await inbox.first(timeout_s)
    if first is None:
        return []
    await asyncio.sleep(_GATHER_TYPING_S if first["topic"] in _AT_ONCE else _GATHER_S)
    return inbox.take()


def _read(services: Services, incident_id: str, notices: list[Notice]) -> list[ServerSentEvent]:
    """Build the events of these notices from the current rows, for all who may read them."""
    if not notices:
        return []
    found: list[ServerSentEvent] = []
    here = [notice for notice in notices if notice["topic"] == "presence"]
    if here:
        found.append(_presence(here))
    texts = [notice for notice in notices if notice["topic"] == "text"]
    found += [_event("text", {"key": text["id"], "seq": text["seq"]}) for text in texts]
    rows = [notice for notice in notices if notice["topic"] not in _AT_ONCE]
    if not rows:
        return found
    with services.whole_unit() as unit:
        for row in rows:
            topic, subject = row["topic"], row["id"]
            if topic == "artifact" and subject:
                try:
                    artifact = shape(Artifacts(unit).get(subject))
                except NotFound:
                    found.append(_event("changed", {"what": "artifacts"}))
                    continue
                found.append(
                    ServerSentEvent(_ARTIFACT.dump_json(artifact).decode(), event="artifact")
                )
            elif topic == "upload" and subject:
                found.append(_event("upload", _upload(Uploads(unit), subject)))
            elif topic == "analysis":
                state = Jobs(unit).analysis_state(incident_id)
                found.append(_event("analysis", {"state": state.state, "error": state.error}))
            else:
                found.append(
                    _EVERYTHING if topic == "resync" else _event("changed", {"what": topic})
                )
    return found


def _presence(notices: list[Notice]) -> ServerSentEvent:
    fields = ("name", "user_id", "address", "text", "cursor", "follow", "left")
    here = [{"tab": notice["id"], **{name: notice[name] for name in fields}} for notice in notices]
    return _event("presence", {"here": here})


def _upload(uploads: Uploads, upload_id: str) -> dict[str, Any]:
    try:
        upload = uploads.get(upload_id)
    except NotFound:
        return {"id": upload_id, "state": "cancelled"}
    return {
        "id": upload.id,
        "state": "done" if upload.artifact_id else "receiving",
        "path": upload.path,
        "bytes": upload.bytes,
        "received": upload.received,
        "artifact_id": upload.artifact_id,
    }


async def _is_worker_alive(hub: EventHub, services: Services) -> bool:
    """Return whether any worker is alive, read once in a while for all streams."""
    moment = int(asyncio.get_running_loop().time() / _WORKER_CHECK_S)
    return await hub.share(("worker", moment), _worker_alive, services)


def _worker_alive(services: Services) -> bool:
    with services.whole_unit() as unit:
        return Workers(unit).presence(services.worker_silence).alive


def _event(name: str, data: dict[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(data), event=name)


_EVERYTHING = _event("changed", {"what": "everything"})
