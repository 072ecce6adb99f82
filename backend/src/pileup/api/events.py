"""Stream server-sent events: the changes of an incident, as they happen.

One connection per process listens to PostgreSQL; NOTIFY carries ids only, and each stream reads
the current rows. Notices that come within a moment are sent as one. Who is here (presence) travels
the same way and is kept in memory only.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import structlog
from fastapi import APIRouter, Request
from pydantic import TypeAdapter
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from pileup.api.deps import Services, ServicesDep
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.artifacts.uploads import Uploads
from pileup.storage.database import CHANNEL, connect_args, listen_address
from pileup.storage.errors import NotFound
from pileup.storage.incidents.incidents import Incidents
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

_HEARTBEAT_S = 5.0
"""Time without a notice after which the connection to PostgreSQL is checked, and its limit."""

_HERE_S = 30
"""A person who is silent for longer has left."""

_LATELY_S = 15.0
"""A page reads its data before its stream is open: notices of the meantime are sent again."""

Notice = dict[str, Any]
"""What ``Unit.notify`` sent: incident, topic, id, and for some topics more."""

_RESYNC: Notice = {"topic": "resync", "id": None}
"""Sent when the process begins to listen: notices before that did not reach it."""
_AT_ONCE = ("text", "presence")

log = structlog.get_logger()


class EventHub:
    """Distribute notices of PostgreSQL to the streams of this process."""

    def __init__(self, database_url: str) -> None:
        self._conninfo = listen_address(database_url)
        self._streams: dict[str, set[asyncio.Queue[Notice]]] = {}
        self._here: dict[str, dict[str, tuple[float, Notice]]] = {}
        self._lately: dict[tuple[str, str, str | None], tuple[float, Notice]] = {}
        self._listening_since: float | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start listening, in the running loop."""
        self._task = asyncio.create_task(self._listen(), name="event-hub")

    async def stop(self) -> None:
        """Stop listening."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def open(self, incident_id: str) -> asyncio.Queue[Notice]:
        """Subscribe a queue to the incident's notices, recent ones first, one per subject.

        A queue opened soon after the process began to listen gets the resync too: the page may
        have read its data before.
        """
        queue: asyncio.Queue[Notice] = asyncio.Queue()
        self._forget()
        since = self._listening_since
        if since is not None and since >= time.monotonic() - _LATELY_S:
            queue.put_nowait(_RESYNC)
        for (incident, *_), (_, notice) in self._lately.items():
            if incident == incident_id:
                queue.put_nowait(notice)
        self._streams.setdefault(incident_id, set()).add(queue)
        return queue

    def close(self, incident_id: str, queue: asyncio.Queue[Notice]) -> None:
        """Unsubscribe ``queue`` from this incident's notices."""
        queues = self._streams.get(incident_id, set())
        queues.discard(queue)
        if not queues:
            self._streams.pop(incident_id, None)

    def here(self, incident_id: str) -> list[Notice]:
        """List the people recently seen in the incident, by browser tab."""
        since = time.monotonic() - _HERE_S
        tabs = self._here.get(incident_id, {})
        for tab in [tab for tab, (seen, _) in tabs.items() if seen < since]:
            del tabs[tab]
        if not tabs:
            self._here.pop(incident_id, None)
        return [notice for _, notice in tabs.values()]

    def _update_presence(self, notice: Notice) -> None:
        tabs = self._here.setdefault(notice["incident"], {})
        if notice["left"]:
            tabs.pop(notice["id"], None)
        else:
            tabs[notice["id"]] = (time.monotonic(), notice)
        self.here(notice["incident"])

    async def _listen(self) -> None:
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(
                    self._conninfo, autocommit=True, **connect_args()
                ) as connection:
                    await connection.execute(f"listen {CHANNEL}")
                    self._listening_since = time.monotonic()
                    self._everybody(_RESYNC)
                    while True:
                        async for notice in connection.notifies(timeout=_HEARTBEAT_S):
                            self._dispatch(notice.payload)
                        async with asyncio.timeout(_HEARTBEAT_S):  # a silent server is a lost one
                            await connection.execute("select 1")
            except (psycopg.Error, OSError, TimeoutError) as error:
                log.warning("events.reconnecting", error=str(error))
            await asyncio.sleep(1)

    def _dispatch(self, payload: str) -> None:
        notice: Notice = json.loads(payload)
        if notice["topic"] == "presence":
            self._update_presence(notice)
        else:
            self._remember(notice)
        for queue in self._streams.get(notice["incident"], ()):
            queue.put_nowait(notice)

    def _remember(self, notice: Notice) -> None:
        subject = (notice["incident"], notice["topic"], notice["id"])
        self._lately.pop(subject, None)  # so that the oldest stays in front
        self._lately[subject] = (time.monotonic(), notice)
        self._forget()

    def _forget(self) -> None:
        since = time.monotonic() - _LATELY_S
        while self._lately:
            oldest = next(iter(self._lately))
            if self._lately[oldest][0] >= since:
                break
            del self._lately[oldest]

    def _everybody(self, notice: Notice) -> None:
        for queues in self._streams.values():
            for queue in queues:
                queue.put_nowait(notice)


@router.get(
    "/incidents/{incident_id}/events",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def events(incident_id: str, request: Request, services: ServicesDep) -> EventSourceResponse:
    """Stream the incident's events: artifact, upload, analysis, worker, text, presence, changed."""
    await run_in_threadpool(_must_exist, services, incident_id)
    hub: EventHub = request.app.state.hub
    return EventSourceResponse(
        _stream(hub, services, incident_id),
        ping=HEARTBEAT_S,
        headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
    )


async def _stream(
    hub: EventHub, services: Services, incident_id: str
) -> AsyncIterator[ServerSentEvent]:
    queue = hub.open(incident_id)
    loop = asyncio.get_running_loop()
    try:
        alive = await run_in_threadpool(_worker_alive, services)
        yield ServerSentEvent(json.dumps({"alive": alive}), event="worker", retry=_RETRY_MS)
        if here := hub.here(incident_id):
            yield _presence(here)
        checked = loop.time()
        while True:
            notices = await _gather(queue, _WORKER_CHECK_S)
            for event in await run_in_threadpool(_read, services, incident_id, notices):
                yield event
            if loop.time() - checked >= _WORKER_CHECK_S:
                checked = loop.time()
                now = await run_in_threadpool(_worker_alive, services)
                if now != alive:
                    alive = now
                    yield _event("worker", {"alive": alive})
    finally:
        hub.close(incident_id, queue)


async def _gather(queue: asyncio.Queue[Notice], timeout_s: float) -> list[Notice]:
    """Collect the notices that arrive shortly after the first; empty after the timeout."""
    try:
        first = await asyncio.wait_for(queue.get(), timeout_s)
    except TimeoutError:
        return []
    await asyncio.sleep(_GATHER_TYPING_S if first["topic"] in _AT_ONCE else _GATHER_S)
    notices = [first]
    while not queue.empty():
        notices.append(queue.get_nowait())
    # the last notice of each subject, in the order of the first ones
    return list({(notice["topic"], notice["id"]): notice for notice in notices}.values())


def _read(services: Services, incident_id: str, notices: list[Notice]) -> list[ServerSentEvent]:
    """Build the events of these notices from the current rows."""
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
    with services.database.unit() as unit:
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
                what = "everything" if topic == "resync" else topic
                found.append(_event("changed", {"what": what}))
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


def _worker_alive(services: Services) -> bool:
    with services.database.unit() as unit:
        return Workers(unit).presence(services.worker_silence).alive


def _must_exist(services: Services, incident_id: str) -> None:
    with services.database.unit() as unit:
        Incidents(unit).get(incident_id)


def _event(name: str, data: dict[str, Any]) -> ServerSentEvent:
    return ServerSentEvent(json.dumps(data), event=name)
