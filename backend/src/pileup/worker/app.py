"""Celery application: its one task, and the sweeper thread.

Start: celery -A pileup.worker.app:app worker (or `pileup worker`, `pileup run`).
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from celery import signals

from pileup import logs, tracing
from pileup.garbage import collect_rarely
from pileup.settings import get_settings
from pileup.storage.queue.broker import TASK, CeleryBell, make_celery
from pileup.worker.runtime import process_runtime
from pileup.worker.sweeper import Sweeper

_NICE = 5
"""Priority of the processes that parse and analyse: readers of the same machine go first."""
_SCHEDULER = getattr(os, "SCHED_BATCH", None)
"""Linux gives such processes the same share of time, and lets others that wake up go first."""
SLICE_S = 2
"""Time for which one message runs short jobs."""

# The stores import polars here, before the fork; it computes, and starts its threads, only in jobs.
collect_rarely()
_settings = get_settings()
logs.configure(_settings.log_level, _settings.log_format)

app = make_celery(
    _settings.broker_url or "memory://", task_time_limit_s=_settings.task_time_limit_s
)
app.set_current()
bell = CeleryBell(app)

_SOFT_MARGIN_S = 15
"""Time to store the failure before the process is killed."""
_LIMIT_S = _settings.task_time_limit_s + SLICE_S
"""Of one task, whose last job may begin when the slice ends."""

_sweepers: list[Sweeper] = []


@app.task(
    name=TASK,
    time_limit=_LIMIT_S,
    soft_time_limit=max(1, _LIMIT_S - _SOFT_MARGIN_S),
)
def work() -> None:
    """Run the jobs whose turn it is, for a while; then wake the next process if any may wait."""
    from pileup.worker.work import run_due  # what only jobs need

    if run_due(process_runtime(), SLICE_S):
        bell.pass_on()


if _settings.log_format == "json":

    @signals.setup_logging.connect
    def _keep_logging(**_: Any) -> None:
        """Keep Celery from replacing the log handlers, which write JSON."""


@signals.worker_process_init.connect
def _start_process(**_: Any) -> None:
    os.nice(_NICE)
    if _SCHEDULER is not None:
        with suppress(OSError):  # refused in some containers
            os.sched_setscheduler(0, _SCHEDULER, os.sched_param(0))
    tracing.configure(_settings, "pileup-worker")


@signals.worker_process_shutdown.connect
def _end_process(**_: Any) -> None:
    tracing.stop()


@signals.worker_ready.connect
def _ready(sender: Any = None, **_: Any) -> None:
    sweeper = Sweeper(
        _settings, CeleryBell(app), str(sender.hostname), _settings.worker_concurrency
    )
    _sweepers.append(sweeper)
    sweeper.start()


@signals.worker_shutting_down.connect
def _stopping(**_: Any) -> None:
    while _sweepers:
        _sweepers.pop().stop()
