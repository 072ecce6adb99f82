"""Celery application: its one task, and the sweeper thread.

Start: celery -A pileup.worker.app:app worker (or `pileup worker`, `pileup run`).
"""

from __future__ import annotations

from typing import Any

from celery import signals

from pileup import logs
from pileup.settings import get_settings
from pileup.storage.queue.broker import TASK, CelerySender, make_celery
from pileup.worker.runtime import process_runtime
from pileup.worker.sweeper import Sweeper

_settings = get_settings()
logs.configure(_settings.log_level)

app = make_celery(
    _settings.broker_url or "memory://", task_time_limit_s=_settings.task_time_limit_s
)
app.set_current()
sender = CelerySender(app)

_SOFT_MARGIN_S = 15
"""Time to store the failure before the process is killed."""

_sweepers: list[Sweeper] = []


@app.task(
    name=TASK,
    time_limit=_settings.task_time_limit_s,
    soft_time_limit=max(1, _settings.task_time_limit_s - _SOFT_MARGIN_S),
)
def run_job(job_id: str) -> None:
    """Run the job with this id, unless another worker does."""
    from pileup.worker.work import run  # parsers and polars: after the fork only

    run(process_runtime(sender), job_id)


@signals.worker_ready.connect
def _ready(sender: Any = None, **_: Any) -> None:
    sweeper = Sweeper(
        _settings, CelerySender(app), str(sender.hostname), _settings.worker_concurrency
    )
    _sweepers.append(sweeper)
    sweeper.start()


@signals.worker_shutting_down.connect
def _stopping(**_: Any) -> None:
    while _sweepers:
        _sweepers.pop().stop()
