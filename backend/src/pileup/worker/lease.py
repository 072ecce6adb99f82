"""Hold a job while it runs: renew its lease, and publish live progress."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Self

import structlog
from sqlalchemy.exc import SQLAlchemyError

from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Database
from pileup.storage.queue.jobs import Job, Jobs

_TICK_S = 0.5
_STEP = 0.01
"""Smaller progress is not worth a notice."""

log = structlog.get_logger()


class LeaseKeeper:
    """A thread that renews the lease of a job while the ``with`` block runs."""

    def __init__(self, database: Database, job: Job, lease: timedelta) -> None:
        self._database = database
        self._job = job
        self._lease = lease
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lease", daemon=True)
        self._progress: Callable[[], float | None] = lambda: None
        self._published: tuple[str, float | None] | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def follow(self, progress: Callable[[], float | None]) -> None:
        """Publish this progress (0 to 1) of the job's artifact from now on.

        Before that, or while it is None, a file is being identified. Short jobs publish nothing.
        """
        self._progress = progress

    def _run(self) -> None:
        every = max(1, round(self._lease.total_seconds() / 4 / _TICK_S))
        tick = 0
        while not self._stop.wait(_TICK_S):
            tick += 1
            try:
                self._publish()
                if tick % every == 0:
                    with self._database.unit() as unit:
                        Jobs(unit).renew(self._job, self._lease)
            except SQLAlchemyError as error:
                log.warning("lease.not_renewed", job_id=self._job.id, error=str(error))

    def _publish(self) -> None:
        if self._job.kind != "artifact":
            return
        share = self._progress()
        state = "identifying" if share is None else "parsing"
        now = (state, None if share is None else min(share, 1.0))
        if self._published is not None and not _is_news(self._published, now):
            return
        self._published = now
        with self._database.unit() as unit:
            if Jobs(unit).renew(self._job, self._lease):
                Artifacts(unit).progress(self._job.target, *now)


def _is_news(before: tuple[str, float | None], now: tuple[str, float | None]) -> bool:
    return before[0] != now[0] or (now[1] or 0.0) - (before[1] or 0.0) >= _STEP
