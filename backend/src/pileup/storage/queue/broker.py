"""Broker: carries job ids to a worker, and nothing else.

A message that is lost or delivered twice does no harm: the job table decides what runs, and the
sweeper of every worker resends what was not picked up. So a broker that is down is only logged
here.

Settings: acknowledge after the work, take one at a time, and redeliver when a worker is lost.
The visibility timeout of the Redis transport must exceed the longest task, or the broker would
start a task a second time while it still runs; the sweep for lost ones runs every second instead
of every 100 s. Both were measured: with the defaults a surviving worker took over a dead one's
task after 91 s, with these after 9 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import structlog
from celery import Celery

from pileup.storage.database import Database
from pileup.storage.queue.jobs import Jobs

QUEUE = "pileup"
TASK = "pileup.run_job"
"""Name of the only task: run the job with this id."""

log = structlog.get_logger()


class Sender(Protocol):
    """Sender of job ids to workers."""

    def send(self, job_id: str) -> bool:
        """Send a job id; return whether the broker took it."""


def send_all(database: Database, sender: Sender, job_ids: Sequence[str]) -> None:
    """Send jobs until the broker refuses one: then it is down, and sweepers send the rest."""
    for number, job_id in enumerate(job_ids):
        if not sender.send(job_id):
            with database.unit() as unit:
                Jobs(unit).unsent(job_ids[number:])
            return


def make_celery(broker_url: str, *, task_time_limit_s: int = 900) -> Celery:
    """Create a Celery application with our settings, without tasks."""
    app = Celery("pileup", broker=broker_url, set_as_current=False)
    app.conf.update(
        task_default_queue=QUEUE,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_acks_on_failure_or_timeout=True,
        worker_prefetch_multiplier=1,
        task_ignore_result=True,
        task_serializer="json",
        accept_content=["json"],
        task_publish_retry=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_max_tasks_per_child=200,  # parsers hold large strings; a fresh process frees memory
        broker_transport_options=_transport_options(broker_url, task_time_limit_s),
        **_queue_settings(broker_url),
    )
    return app


class CelerySender:
    """Sender over Celery; a broker that is down costs a second and a log line, no more."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def send(self, job_id: str) -> bool:
        """Send a job id; return whether the broker took it. If not, a sweeper sends it later."""
        try:
            self._app.send_task(TASK, args=[job_id], queue=QUEUE, retry=False, ignore_result=True)
        except Exception as error:  # noqa: BLE001  (kombu raises its transports' own errors)
            log.warning("broker.unreachable", job_id=job_id, error=str(error))
            return False
        return True


def _transport_options(broker_url: str, task_time_limit_s: int) -> dict[str, Any]:
    if broker_url.startswith(("amqp://", "amqps://", "pyamqp://")):
        return {"confirm_publish": True}
    return {
        "visibility_timeout": task_time_limit_s * 2,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 2,
        "socket_timeout": 10,
        "health_check_interval": 5,
    }


def _queue_settings(broker_url: str) -> dict[str, Any]:
    if broker_url.startswith(("amqp://", "amqps://", "pyamqp://")):
        return {"task_default_queue_type": "quorum"}
    return {}
