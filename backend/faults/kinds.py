"""The kinds of faults. Each breaks something, holds it for a while, and heals it."""

from __future__ import annotations

import random
import shutil
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from faults.installation import Installation
from pileup.storage.queue.broker import CeleryBell, make_celery

Fault = Callable[[Installation, random.Random], None]

_APIS = ("api 1", "api 2")
_WORKERS = ("worker 1", "worker 2")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault."""

    name: str
    does: Fault
    weight: int = 3
    possible: Callable[[Installation], bool] = lambda _: True
    needs: str = ""
    """Why it may be impossible here."""


def _kill(*names: str) -> Fault:
    def fault(installation: Installation, dice: random.Random) -> None:
        child = installation.services[dice.choice(names)].child
        if child is not None:
            child.kill_group()

    return fault


def _stop(least_s: float, most_s: float, *names: str) -> Fault:
    """Freeze the processes of one service, and let them go on."""

    def fault(installation: Installation, dice: random.Random) -> None:
        service = installation.services[dice.choice(names)]
        service.send(signal.SIGSTOP)
        time.sleep(dice.uniform(least_s, most_s))
        service.send(signal.SIGCONT)

    return fault


def _kill_worker_child(installation: Installation, dice: random.Random) -> None:
    service = installation.services[dice.choice(_WORKERS)]
    leaves = [process for process in service.tree() if not process.children()]
    if leaves:
        dice.choice(leaves).kill()


def _end_worker(installation: Installation, dice: random.Random) -> None:
    child = installation.services[dice.choice(_WORKERS)].child
    if child is not None:
        child.begin_stop()
        time.sleep(1)


def _kill_backend(installation: Installation, dice: random.Random) -> None:
    """Kill one process of PostgreSQL: it resets all others and recovers."""
    below = installation.services["database"].tree()[1:]
    if below:
        dice.choice(below).kill()


def _end_sessions(installation: Installation, _: random.Random) -> None:
    with installation.direct() as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where application_name = 'pileup'"
        )


def _kill_everything(installation: Installation, _: random.Random) -> None:
    for service in installation.services.values():
        if service.child is not None:
            service.child.kill_group()


def _forget_queue(installation: Installation, _: random.Random) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        connection.connect(str(installation.base / "run/valkey.sock"))
        connection.sendall(b"FLUSHALL\r\n")
        connection.recv(64)


def _lose_queue(installation: Installation, _: random.Random) -> None:
    """End the queue and delete its files before it starts again."""
    service = installation.services["queue"]
    service.held = True
    if service.child is not None:
        service.child.kill_group()
        service.child.stop(5)
    shutil.rmtree(installation.valkey_folder, ignore_errors=True)
    service.held = False


def _deliver_again(installation: Installation, _: random.Random) -> None:
    """Deliver messages that nobody sent."""
    bell = CeleryBell(make_celery(installation.settings.broker_url or ""))
    for _again in range(20):
        bell.pass_on()


def _step_clock(installation: Installation, dice: random.Random) -> None:
    """Set the clock by a second, minutes or hours, then back."""
    installation.step_clock(dice.choice((-1, 1)) * dice.choice((1, 2, 30, 300, 7200)))
    time.sleep(dice.uniform(1, 4))
    installation.step_clock(0)


def _fill_disk(installation: Installation, dice: random.Random) -> None:
    installation.fill_disk()
    try:
        time.sleep(dice.uniform(1, 4))
    finally:
        installation.free_disk()


def _pull_cable(least_s: float, most_s: float) -> Fault:
    """Cut the second machine off: packets vanish, then come again."""

    def fault(installation: Installation, dice: random.Random) -> None:
        assert installation.network is not None
        installation.network.pull()
        time.sleep(dice.uniform(least_s, most_s))
        installation.network.plug()

    return fault


def _cut_connections(installation: Installation, dice: random.Random) -> None:
    dice.choice((installation.to_database, installation.to_queue)).cut()


def _fail_over(installation: Installation, _: random.Random) -> None:
    """Move the database: connections fall silent without a reset, new ones reach the new server."""
    installation.to_database.silence()
    child = installation.services["database"].child
    if child is not None:
        child.kill_group()


def _fail_over_to_replica(installation: Installation, _: random.Random) -> None:
    installation.fail_over_to_replica()


def _silence_queue(installation: Installation, _: random.Random) -> None:
    installation.to_queue.silence()


def _network(installation: Installation) -> bool:
    return installation.network is not None


KINDS = (
    Kind("kill -9 an API", _kill(*_APIS)),
    Kind("kill -9 a worker", _kill(*_WORKERS)),
    Kind("kill -9 a process of a worker", _kill_worker_child),
    Kind("kill -9 PostgreSQL", _kill("database")),
    Kind("kill -9 a process of PostgreSQL", _kill_backend),
    Kind("kill -9 the queue", _kill("queue")),
    Kind("kill -9 everything", _kill_everything, 1),
    Kind("stop an API for a while", _stop(1, 5, *_APIS)),
    Kind("stop a worker for a while", _stop(1, 5, *_WORKERS)),
    Kind("stop a worker for longer than its lease", _stop(22, 25, *_WORKERS), 1),
    Kind("stop PostgreSQL for a while", _stop(1, 5, "database")),
    Kind("stop the queue for a while", _stop(1, 5, "queue")),
    Kind("end a worker (SIGTERM)", _end_worker),
    Kind("end all sessions of PostgreSQL", _end_sessions),
    Kind("the queue forgets everything", _forget_queue),
    Kind("the queue loses its files", _lose_queue),
    Kind("20 messages that nobody sent", _deliver_again),
    Kind("reset all connections", _cut_connections),
    Kind(
        "the clock is set",
        _step_clock,
        possible=lambda installation: installation.clock_works,
        needs="a C compiler",
    ),
    Kind(
        "the disk is full",
        _fill_disk,
        possible=lambda installation: installation.has_disk,
        needs="root, to mount a small disk",
    ),
    Kind(
        "a machine is cut off for a while",
        _pull_cable(1, 5),
        possible=_network,
        needs="root, for a network namespace",
    ),
    Kind(
        "a machine is cut off for longer than a lease",
        _pull_cable(22, 26),
        1,
        possible=_network,
        needs="root, for a network namespace",
    ),
    Kind("the database fails over silently", _fail_over, 1),
    Kind("the database fails over to its replica", _fail_over_to_replica, 1),
    Kind("connections to the queue fall silent", _silence_queue, 1),
)
