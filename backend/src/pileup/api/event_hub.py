"""Distribute PostgreSQL's notices to the event streams of this process.

One connection per process listens; what a notice leads to is read once for all streams. Who is
here (presence) travels the same way and is kept in memory only.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeVar

import psycopg
import structlog
from starlette.concurrency import run_in_threadpool

from pileup.api.errors import ApiError
from pileup.storage.database import ACCESS, CHANNEL, connect_args, listen_address

_HEARTBEAT_S = 5.0
"""Time without a notice after which the connection to PostgreSQL is checked, and its limit."""

_HERE_S = 30
"""A person who is silent for longer has left."""

_MOST_TABS = 50
"""Of one person in one incident: those beyond are not shown."""

_LATELY_S = 15.0
"""A page reads its data before its stream is open: notices of the meantime are sent again."""

_SHARE_S = 5.0
"""Time for which streams that come later find a shared result."""

_MOST_STREAMS = 50
"""Of one person or guest link at once, per process: a browser needs one for each incident."""

_MOST_SUBJECTS = 1000
"""Subjects of notices that wait for one stream: a reader that does not read holds no more."""

Notice = dict[str, Any]
"""What ``Unit.notify`` sent: incident, topic, id, for some topics more; and its number here."""

_RESYNC: Notice = {"topic": "resync", "id": None, "number": 0}
"""Sent when the process begins to listen: notices before that did not reach it."""

_CHECK: Notice = {"topic": ACCESS, "id": None, "number": 0}
"""A notice about access may be among those that did not reach this process, or this stream."""

T = TypeVar("T")

log = structlog.get_logger()


class Inbox:
    """Notices for one stream, the last of each subject; too many of them become one resync."""

    def __init__(self) -> None:
        self._notices: dict[tuple[str, str | None], Notice] = {}
        self._filled = asyncio.Event()

    def put(self, notice: Notice) -> None:
        """Add a notice in place of an earlier one of its subject."""
        self._notices[notice["topic"], notice["id"]] = notice
        if len(self._notices) > _MOST_SUBJECTS:
            self._notices = {(each["topic"], each["id"]): each for each in (_CHECK, _RESYNC)}
        self._filled.set()

    async def first(self, timeout_s: float) -> Notice | None:
        """Return the first notice, which stays, as soon as there is one; None after the timeout."""
        try:
            await asyncio.wait_for(self._filled.wait(), timeout_s)
        except TimeoutError:
            return None
        return next(iter(self._notices.values()))

    def take(self) -> list[Notice]:
        """Return all notices, in the order of the first of each subject; none of them stays."""
        taken, self._notices = list(self._notices.values()), {}
        self._filled.clear()
        return taken


class EventHub:
    """Distribute notices of PostgreSQL to the streams of this process."""

    def __init__(self, database_url: str) -> None:
        self._conninfo = listen_address(database_url)
        self._streams: dict[str, set[Inbox]] = {}
        self._places: Counter[str] = Counter()
        self._here: dict[str, dict[str, tuple[float, Notice]]] = {}
        self._lately: dict[tuple[str, str, str | None], tuple[float, Notice]] = {}
        self._listening_since: float | None = None
        self._task: asyncio.Task[None] | None = None
        self._numbers = count(1)
        self._shared: dict[Hashable, tuple[float, asyncio.Future[Any]]] = {}

    async def share(self, key: Hashable, compute: Callable[..., T], *args: Any) -> T:
        """Return the result of ``compute``, which runs once for all streams with this key."""
        now = time.monotonic()
        for old in [old for old, (at, _) in self._shared.items() if at < now - _SHARE_S]:
            del self._shared[old]
        if key not in self._shared:
            computing = asyncio.ensure_future(run_in_threadpool(compute, *args))
            self._shared[key] = (now, computing)
        result: T = await asyncio.shield(self._shared[key][1])  # one that leaves stops nobody
        return result

    def start(self) -> None:
        """Start listening, in the running loop."""
        self._task = asyncio.create_task(self._listen(), name="event-hub")

    async def stop(self) -> None:
        """Stop listening."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    @contextmanager
    def place(self, subject: str) -> Iterator[None]:
        """Hold one of the places for streams of a person or guest link; ApiError 429 without."""
        if self._places[subject] >= _MOST_STREAMS:
            raise ApiError(
                429,
                "Too many streams",
                f"{_MOST_STREAMS} windows of yours or of your link follow incidents now, which is "
                "the most; close some of them",
                Retry_After="15",
            )
        self._places[subject] += 1
        try:
            yield
        finally:
            self._places[subject] -= 1
            if not self._places[subject]:
                del self._places[subject]

    def open(self, incident_id: str) -> Inbox:
        """Subscribe an inbox to the incident's notices, recent ones first, one per subject.

        An inbox opened soon after the process began to listen gets the resync too: the page may
        have read its data before.
        """
        inbox = Inbox()
        self._forget()
        since = self._listening_since
        if since is not None and since >= time.monotonic() - _LATELY_S:
            inbox.put(_RESYNC)
        for (incident, *_), (_, notice) in self._lately.items():
            if incident == incident_id:
                inbox.put(notice)
        self._streams.setdefault(incident_id, set()).add(inbox)
        return inbox

    def close(self, incident_id: str, inbox: Inbox) -> None:
        """Unsubscribe ``inbox`` from this incident's notices."""
        inboxes = self._streams.get(incident_id, set())
        inboxes.discard(inbox)
        if not inboxes:
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

    def _update_presence(self, notice: Notice) -> bool:
        """Note where a tab is; return whether it is shown."""
        self.here(notice["incident"])  # forgets who is silent
        tabs = self._here.setdefault(notice["incident"], {})
        if notice["left"]:
            tabs.pop(notice["id"], None)
        elif (
            notice["id"] in tabs
            or sum(other["user_id"] == notice["user_id"] for _, other in tabs.values()) < _MOST_TABS
        ):
            tabs[notice["id"]] = (time.monotonic(), notice)
        else:
            return False
        return True

    async def _listen(self) -> None:
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(
                    self._conninfo, autocommit=True, **connect_args()
                ) as connection:
                    await connection.execute(f"listen {CHANNEL}")
                    self._listening_since = time.monotonic()
                    self._everybody(_CHECK)
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
        notice: Notice = {**json.loads(payload), "number": next(self._numbers)}
        if notice["topic"] == ACCESS:
            self._everybody(notice)
            return
        if notice["topic"] == "presence":
            if not self._update_presence(notice):
                return
        else:
            self._remember(notice)
        for inbox in self._streams.get(notice["incident"], ()):
            inbox.put(notice)

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
        for inboxes in self._streams.values():
            for inbox in inboxes:
                inbox.put(notice)
