"""Sweeper: a thread of every worker that sends heartbeats, and maintains the job table and the bin.

It rings the bell when jobs are due: at once when PostgreSQL notifies of a new job, and twice a
second for those whose time came (a debounced analysis, a retried webhook). It frees jobs whose
process is gone or whose lease expired. Many sweepers do not disturb each other: rows are locked
with SKIP LOCKED, and each rings for no more than its own worker's processes.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import psycopg
import structlog
from sqlalchemy.exc import SQLAlchemyError

from pileup import __version__
from pileup.settings import Settings
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Database, listen
from pileup.storage.errors import Conflict
from pileup.storage.files.objects import DRAFTS, sweep_drafts
from pileup.storage.queue.broker import Bell
from pileup.storage.queue.jobs import JOBS_CHANNEL, Jobs
from pileup.storage.queue.workers import Workers
from pileup.views.stores import open_stores
from pileup.worker.identity import crashed, gone
from pileup.worker.purge import purge

_TICK_S = 0.5
_GATHER_S = 0.05
"""Jobs that are queued within so short a time are rung for once."""
_FREE_EVERY_S = 2.0
_PURGE_EVERY_S = 3600.0
_DRAFT_S = 86_400.0

log = structlog.get_logger()


class Sweeper:
    """The sweeper thread; start it when the worker is ready, stop it when it shuts down."""

    def __init__(self, settings: Settings, bell: Bell, name: str, concurrency: int) -> None:
        assert settings.database_url is not None
        self._settings = settings
        self._bell = bell
        self._name = name
        self._concurrency = concurrency
        self._database = Database(settings.database_url, pool_size=1)
        self._listen_url = settings.listen_url or self._database.url
        self._stop = threading.Event()
        self._listening: psycopg.Connection[tuple[object, ...]] | None = None
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        """Start the thread, after removing what killed processes left half-written."""
        for part in ("blobs", "frames", "placed"):
            for folder in (Path(part, DRAFTS), Path(DRAFTS, part)):
                sweep_drafts(self._settings.home / folder, _DRAFT_S)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and delete the worker's heartbeat."""
        self._stop.set()
        self._thread.join(timeout=5)
        try:
            with self._database.unit() as unit:
                Workers(unit).leave(self._name)
        except SQLAlchemyError:
            pass  # the database stopped first: the heartbeat expires
        self._database.close()

    def sweep(self) -> None:
        """Free abandoned jobs, and ring for due ones."""
        self.free()
        self.ring()

    def free(self) -> None:
        """Queue abandoned jobs again; those with too many crashes fail with their artifact."""
        with self._database.unit() as unit:
            freed = Jobs(unit).abandoned(gone, crashed)
            for job in freed:
                log.warning(
                    "job.freed",
                    job_id=job.id,
                    attempt=job.attempt,
                    crashes=job.crashes,
                    state=job.state,
                )
                if job.state == "failed":
                    if job.kind == "artifact":
                        Artifacts(unit).fail(job.target, job.error or "the worker died")
                        Jobs(unit).request_analysis(
                            job.incident_id, self._settings.analysis_debounce_s
                        )
                    unit.notify(job.incident_id, "analysis")

    def ring(self) -> None:
        """Wake as many processes as there are due jobs, at most those of this worker."""
        with self._database.unit() as unit:
            due = Jobs(unit).due(self._concurrency)
        if due:
            self._bell.ring(due)

    def purge(self) -> None:
        """Purge items whose time in the bin is over, and files that no row names."""
        settings = self._settings
        if settings.s3_bucket is None:
            purge(settings, self._database, open_stores(settings))
        else:  # what talks to a bucket does not survive the forks of this process
            subprocess.run([sys.executable, "-m", "pileup.worker.purge"], check=False)

    def _beat(self) -> None:
        with self._database.unit() as unit:
            Workers(unit).beat(self._name, __version__, self._concurrency)

    def _run(self) -> None:
        beat_at = free_at = purge_at = 0.0
        while True:
            now = time.monotonic()
            try:
                if now >= beat_at:
                    self._beat()
                    beat_at = now + self._settings.worker_heartbeat_s
                if now >= free_at:
                    self.free()
                    free_at = now + _FREE_EVERY_S
                self.ring()
                if now >= purge_at:
                    self.purge()
                    purge_at = now + _PURGE_EVERY_S
            except (SQLAlchemyError, Conflict) as error:
                log.warning("sweeper.database", error=str(error).splitlines()[0])
            except Exception as error:
                log.error("sweeper.failed", exc_info=error)
            self._wait()
            if self._stop.is_set():
                break
        if self._listening is not None:
            self._listening.close()

    def _wait(self) -> None:
        """Wait for a moment, or until a job is queued."""
        self._stop.wait(_GATHER_S)
        try:
            if self._listening is None:
                self._listening = listen(self._listen_url, JOBS_CHANNEL)
            for _ in self._listening.notifies(timeout=_TICK_S, stop_after=1):
                pass
        except psycopg.Error as error:
            if self._listening is not None:
                self._listening.close()
                log.warning("sweeper.not_listening", error=str(error).splitlines()[0])
            self._listening = None
            self._stop.wait(_TICK_S)
