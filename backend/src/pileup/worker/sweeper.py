"""Sweeper: a thread of every worker that sends heartbeats, and maintains the job table and the bin.

It sends due jobs (a debounced analysis, or one that the API could not hand to the broker), resends
what the broker seems to have lost, and frees jobs whose process is gone or whose lease expired.
Many sweepers do not disturb each other: rows are locked with SKIP LOCKED.
"""

from __future__ import annotations

import threading
import time

import structlog
from sqlalchemy.exc import SQLAlchemyError

from pileup import __version__
from pileup.settings import Settings
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Database
from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.queue.broker import Sender, send_all
from pileup.storage.queue.jobs import Jobs
from pileup.storage.queue.workers import Workers
from pileup.worker.identity import gone
from pileup.worker.purge import purge

_TICK_S = 0.5
_FREE_EVERY_S = 2.0
_PURGE_EVERY_S = 3600.0

log = structlog.get_logger()


class Sweeper:
    """The sweeper thread; start it when the worker is ready, stop it when it shuts down."""

    def __init__(self, settings: Settings, sender: Sender, name: str, concurrency: int) -> None:
        assert settings.database_url is not None
        self._settings = settings
        self._sender = sender
        self._name = name
        self._concurrency = concurrency
        self._database = Database(settings.database_url, pool_size=1)
        self._stop = threading.Event()
        self._first_beat = True
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        """Start the thread, after removing what killed processes left half-written."""
        BlobStore(self._settings.blobs_dir).sweep()
        FrameStore(self._settings.frames_dir).sweep()
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
        """Free abandoned jobs, and send due ones."""
        self.free()
        self.send()

    def free(self) -> None:
        """Queue abandoned jobs again; those with too many attempts fail with their artifact."""
        with self._database.unit() as unit:
            freed = Jobs(unit).abandoned(gone)
            if freed:
                Jobs(unit).resend()
            for job in freed:
                log.warning("job.freed", job_id=job.id, attempt=job.attempt, state=job.state)
                if job.state == "failed":
                    if job.kind == "artifact":
                        Artifacts(unit).fail(job.target, job.error or "the worker died")
                        Jobs(unit).request_analysis(
                            job.incident_id, self._settings.analysis_debounce_s
                        )
                    unit.notify(job.incident_id, "analysis")

    def send(self) -> None:
        """Send due jobs to the broker."""
        with self._database.unit() as unit:
            due = Jobs(unit).due()
        send_all(self._database, self._sender, due)

    def purge(self) -> None:
        """Purge items whose time in the bin is over."""
        settings = self._settings
        purge(
            settings,
            self._database,
            BlobStore(settings.blobs_dir),
            FrameStore(settings.frames_dir),
            PlacedStore(settings.placed_dir),
        )

    def _beat(self) -> None:
        with self._database.unit() as unit:
            if self._first_beat and Workers(unit).knows(self._name):
                Jobs(unit).resend()  # it did not stop in order
            self._first_beat = False
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
                self.send()
                if now >= purge_at:
                    self.purge()
                    purge_at = now + _PURGE_EVERY_S
            except SQLAlchemyError as error:
                log.warning("sweeper.database", error=str(error).splitlines()[0])
            if self._stop.wait(_TICK_S):
                return
