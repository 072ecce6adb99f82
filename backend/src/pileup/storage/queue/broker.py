"""Broker: a bell that wakes worker processes, and nothing else.

A message carries nothing: the process that gets it takes jobs from the job table, which decides.
So a message that is lost or delivered twice does no harm. Sweepers ring when jobs are due and
``pass on`` is what a process does that stops before the work is over; there are never more
messages than about two for each process of the workers, however long the line of jobs is.

Settings: acknowledge after the work, take one at a time, and redeliver when a worker is lost.
The visibility timeout of the Redis transport must exceed the longest task, or the broker would
redeliver a message whose task still runs; the sweep for lost ones runs every second instead of
every 100 s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import structlog
from celery import Celery

QUEUE = "pileup"
TASK = "pileup.work"
"""Name of the only task: take jobs from the table."""

_MOST_MEMORY_KIB = 600 * 1024
"""A process of a worker that has needed more is replaced after its task, which frees its memory.
A fresh process imports parsers and polars for 3 s of CPU, so small tasks never replace it."""

T = TypeVar("T")

log = structlog.get_logger()


class Bell(Protocol):
    """What wakes the processes of workers."""

    def ring(self, up_to: int) -> None:
        """Send messages until so many wait at the broker."""

    def pass_on(self) -> None:
        """Send one message, in place of the one that this process received."""


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
        worker_max_memory_per_child=_MOST_MEMORY_KIB,
        broker_transport_options=_transport_options(broker_url, task_time_limit_s),
        **_queue_settings(broker_url),
    )
    return app


class CeleryBell:
    """Bell over Celery; while the broker is down it logs that once, and sweepers ring again.

    It has a connection of its own, and after any error a new one: a connection of kombu that lost
    its broker in the middle of a reconnection never works again.
    """

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._connection: Any = None
        self._channel: Any = None
        self._reached = True

    def ring(self, up_to: int) -> None:
        """Send messages until so many wait at the broker."""

        def send(channel: Any) -> None:
            for _ in range(up_to - self._waiting(channel)):
                self._send(channel)

        self._try(send)

    def pass_on(self) -> None:
        """Send one message, in place of the one that this process received."""
        self._try(self._send)

    def waiting(self) -> int:
        """Return the number of messages that no worker took yet; 0 while the broker is down."""
        return self._try(self._waiting) or 0

    def _send(self, channel: Any) -> None:
        producer = self._app.amqp.Producer(channel)
        self._app.send_task(TASK, queue=QUEUE, retry=False, ignore_result=True, producer=producer)

    def _waiting(self, channel: Any) -> int:
        try:
            return int(channel.queue_declare(queue=QUEUE, passive=True).message_count)
        except self._connection.channel_errors:
            self._channel = None  # AMQP closes it
            return 0  # no queue yet: the first message makes it

    def _try(self, action: Callable[[Any], T]) -> T | None:
        """Do something with a channel; None: the broker is down."""
        try:
            if self._connection is None:
                self._connection = self._app.connection_for_write()
                # Without this kombu connects when it is used, and sleeps 2 s before it gives up.
                self._connection.ensure_connection(max_retries=1, interval_start=0, interval_step=0)
            if self._channel is None:  # a connection of its own at Redis, so it stays open
                self._channel = self._connection.channel()
            result = action(self._channel)
        except Exception as error:  # noqa: BLE001  (kombu raises its transports' own errors)
            if self._reached:
                log.warning("broker.unreachable", error=str(error))
            self._reached = False
            lost, self._connection, self._channel = self._connection, None, None
            if lost is not None:
                lost.collect(socket_timeout=1)
            return None
        self._reached = True
        return result


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
