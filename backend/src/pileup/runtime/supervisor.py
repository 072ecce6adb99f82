"""`pileup run`: start PostgreSQL, the queue, the worker and the API; watch them; stop them.

One thread, one loop. A child that dies is started again, after a pause that grows while it keeps
dying. All state of the children is in PostgreSQL and the data folder, so any of them, and this
process too, may be killed at any moment.
"""

from __future__ import annotations

import errno
import http.client
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from pileup import __version__
from pileup.runtime import commands
from pileup.runtime import home as home_folder
from pileup.runtime.doctor import examine
from pileup.runtime.errors import StartError, disk_full
from pileup.runtime.postgres import EmbeddedPostgres
from pileup.runtime.process import Child, rotate_open_log, stop_leftovers
from pileup.runtime.schema import migrate
from pileup.runtime.secret_keys import protect_secrets
from pileup.runtime.valkey import EmbeddedValkey
from pileup.settings import Settings

_POLL_S = 0.2
_STEADY_S = 60  # a child that ran this long starts with a clean record
_LONGEST_PAUSE_S = 30.0
_API_WAIT_S = 240  # a process that starts on a busy machine is not taken for a dead one
_HEARTBEAT_WAIT_S = 20
_LOG_CHECK_S = 10.0
_DISK_PAUSE_S = 2.0
_STOP_S = {"api": 5.0, "worker": 8.0, "queue": 10.0, "database": 30.0}  # in this order


class _Stop(BaseException):
    """A stop signal, raised to leave the loop."""


@dataclass
class _Service:
    name: str
    start: Callable[[], Child]
    answers: Callable[[Child], None] | None = None  # awaited at the first start only
    child: Child | None = None
    deaths: int = 0
    again_at: float = 0.0
    last_message: str = ""  # printed about it last; not repeated


class Supervisor:
    """One `pileup run`: its services, from start to stop."""

    def __init__(
        self, settings: Settings, say: Callable[[str], None], *, reload: bool = False
    ) -> None:
        """Set up without starting; `say` prints a line, `reload` restarts on source changes."""
        self.settings = settings
        self._say = say
        self._reload = reload
        self._services: list[_Service] = []
        self._listener: socket.socket | None = None
        self._stopping = False
        self._logs_checked = time.monotonic()
        self._is_disk_full = False

    def run(self) -> None:
        """Start everything, watch until a signal comes, stop everything."""
        home = self.settings.home
        home_folder.prepare(home, min_free_bytes=self.settings.min_free_bytes)
        with home_folder.lock(home):
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._on_signal)
            if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # else: under nohup
                signal.signal(signal.SIGHUP, self._on_signal)
            try:
                self._start_all()
                while True:
                    time.sleep(_POLL_S)
                    self._watch_patiently()
            except _Stop:
                self._say("Stopping.")
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise disk_full(home) from error
                raise
            finally:
                self._stopping = True
                self._stop_all()
        self._say("Stopped; the data is clean.")

    # ---- start -------------------------------------------------------------------------------

    def _start_all(self) -> None:
        began = time.monotonic()
        home = self.settings.home
        self._say(f"Pileup {__version__}, data in {home}")
        self._take_port()
        left = home_folder.read_instance(home).get("children")
        if isinstance(left, list) and (names := stop_leftovers(left)):
            self._say(f"  stopped what an earlier run left: {', '.join(names)}")
        sockets = home_folder.socket_folder(home)
        if self.settings.database_url is None:
            postgres = EmbeddedPostgres(
                home / "postgres",
                sockets,
                home / "logs/postgres.log",
                old_programs=self.settings.old_postgres,
                say=self._say,
            )
            if not postgres.data.exists():
                self._say("  database   making an empty one")
            self._begin(_Service("database", lambda: self._start_postgres(postgres)))
            self._set(database_url=postgres.url())
        assert self.settings.database_url is not None
        migrate(self.settings.database_url)
        protect_secrets(self.settings)
        self._say("  schema     up to date")
        if self.settings.broker_url is None:
            valkey = EmbeddedValkey(home / "valkey", sockets, home / "logs/valkey.log")
            self._begin(_Service("queue", lambda: self._start_valkey(valkey)))
            self._set(broker_url=valkey.url)
        self._begin(_Service("worker", self._start_worker), "started")
        self._begin(_Service("api", self._start_api, self._await_api))
        self._await_heartbeat()
        link = self._sign_in_link()
        self._say(f"Ready in {time.monotonic() - began:.1f} s. Ctrl-C stops everything.")
        self._say("")
        self._say("Open this link once to sign in:")
        self._say(f"  {link}")

    def _take_port(self) -> None:
        """Bind the port before anything else starts, so that a taken port is reported first."""
        host, port = self.settings.host, self.settings.port
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            if not self._reload:
                listener.listen(512)
        except OSError as error:
            listener.close()
            if error.errno == errno.EADDRINUSE:
                raise StartError(
                    f"port {port} on {host} is taken by another program: stop that one, or choose "
                    f"another port, as in `make run PORT={port + 1 if port < 65535 else 8400}` "
                    f"(or `pileup run --port`)."
                ) from error
            raise StartError(
                f"cannot listen on {host} port {port} ({error.strerror}): choose another address "
                "with `pileup run --host --port`."
            ) from error
        self._set(port=int(listener.getsockname()[1]))
        if self._reload:
            listener.close()  # uvicorn --reload opens its own
        else:
            self._listener = listener

    def _set(self, **values: Any) -> None:  # Any: fields of Settings of several types
        self.settings = self.settings.model_copy(update=values)

    def _begin(self, service: _Service, how: str = "ready") -> None:
        """Start a service for the first time; a failure ends the run with its sentence."""
        self._services.append(service)
        began = time.monotonic()
        service.child = service.start()
        self._record()
        if service.answers is not None:
            service.answers(service.child)
        self._say(f"  {service.name:<10} {how} ({time.monotonic() - began:.1f} s)")

    def _start_postgres(self, postgres: EmbeddedPostgres) -> Child:
        postgres.start()
        assert postgres.child is not None
        return postgres.child

    def _start_valkey(self, valkey: EmbeddedValkey) -> Child:
        valkey.start()
        assert valkey.child is not None
        return valkey.child

    def _start_worker(self) -> Child:
        return Child(
            "worker",
            commands.worker_command(self.settings, watch=self._reload),
            log=self.settings.home / "logs/worker.log",
            env=commands.child_environment(self.settings),
            stop_signal=signal.SIGINT if self._reload else signal.SIGTERM,
            # Alone it cannot finish a task (its database goes too): leave at once, the task's
            # lease runs out and it is sent again.
            orphan_signal=signal.SIGINT if self._reload else signal.SIGQUIT,
        )

    def _start_api(self) -> Child:
        descriptor = None if self._listener is None else self._listener.fileno()
        return Child(
            "api",
            commands.api_command(self.settings, descriptor),
            log=self.settings.home / "logs/api.log",
            env=commands.child_environment(self.settings),
            pass_fds=() if descriptor is None else (descriptor,),
        )

    def _await_api(self, child: Child) -> None:
        """Wait at the first start only: later it would block restarting the database it needs."""
        deadline = time.monotonic() + _API_WAIT_S
        while not self._api_answers():
            if child.poll() is not None or time.monotonic() > deadline:
                lines = child.log_tail().strip().splitlines() or ["it wrote no log"]
                raise StartError(
                    f"the API does not start: {lines[-1]} (the whole log: {child.log})"
                )
            time.sleep(0.1)

    def _api_answers(self) -> bool:
        connection = http.client.HTTPConnection(self.settings.host, self.settings.port, timeout=1)
        try:
            connection.request("GET", "/api/health")
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _await_heartbeat(self) -> None:
        """Give the worker time to report, so that the first page does not say it is missing."""
        began = time.monotonic()
        while time.monotonic() - began < _HEARTBEAT_WAIT_S:
            if all(check.ok for check in examine(self.settings, ("worker",))):
                self._say(f"  {'worker':<10} reports ({time.monotonic() - began:.1f} s)")
                return
            self._watch()
            time.sleep(_POLL_S)
        log = self.settings.home / "logs/worker.log"
        self._say(f"  worker     does not report yet; its log: {log}")

    def _sign_in_link(self) -> str:
        from pileup.storage.accounts.sign_in_links import create_sign_in_link

        assert self.settings.database_url is not None
        token = create_sign_in_link(self.settings.database_url, self.settings.home)
        return f"{self.settings.url}/sign-in?link={token}"

    # ---- watch -------------------------------------------------------------------------------

    def _watch_patiently(self) -> None:
        """Watch; while the disk is full, say so once and try again until there is space."""
        try:
            self._watch()
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            if not self._is_disk_full:
                self._say(
                    f"The disk that holds {self.settings.home} is full: free some space, and "
                    "everything goes on by itself. Nothing that was stored is lost."
                )
            self._is_disk_full = True
            time.sleep(_DISK_PAUSE_S)
            return
        self._is_disk_full = False

    def _watch(self) -> None:
        if time.monotonic() >= self._logs_checked + _LOG_CHECK_S:
            self._logs_checked = time.monotonic()
            for service in self._services:
                if service.child is not None:
                    rotate_open_log(service.child.log)
        for service in self._services:
            if service.child is not None:
                code = service.child.poll()
                if code is not None:
                    self._died(service, code)
            elif time.monotonic() >= service.again_at:
                self._again(service)

    def _died(self, service: _Service, code: int) -> None:
        assert service.child is not None
        if service.name != "database":  # PostgreSQL's own children leave by themselves, cleanly
            service.child.kill_group()
        if time.monotonic() - service.child.started > _STEADY_S:
            service.deaths = 0
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        where = "" if service.deaths == 0 else f" Its log: {service.child.log}"
        self._say(f"The {service.name} ended ({how}); starting it again.{where}")
        service.child = None
        self._plan(service)

    def _again(self, service: _Service) -> None:
        try:
            service.child = service.start()
        except OSError:  # the disk is full
            self._plan(service)
            raise
        except StartError as error:
            if str(error) != service.last_message:
                self._say(f"The {service.name} cannot go on: {error}")
                service.last_message = str(error)
            self._plan(service)
            return
        service.last_message = ""
        self._record()
        self._say(f"The {service.name} is back.")

    def _plan(self, service: _Service) -> None:
        pause = 0.0 if service.deaths == 0 else 0.5 * 2 ** min(service.deaths, 10)
        service.deaths += 1
        service.again_at = time.monotonic() + min(_LONGEST_PAUSE_S, pause)

    def _record(self) -> None:
        children = [
            {
                "name": service.name,
                "pid": service.child.pid,
                "created": service.child.created,
                "signal": int(service.child.stop_signal),
            }
            for service in self._services
            if service.child is not None
        ]
        facts = {
            "pid": os.getpid(),
            "url": self.settings.url,
            "database_url": self.settings.database_url,
            "broker_url": self.settings.broker_url,
            "children": children,
        }
        home_folder.write_instance(self.settings.home, facts)

    # ---- stop --------------------------------------------------------------------------------

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if not self._stopping:
            self._stopping = True
            raise _Stop
        for service in self._services:  # a second signal: no more patience with these two
            if service.name in ("api", "worker") and service.child is not None:
                service.child.kill_group()

    def _stop_all(self) -> None:
        if self._listener is not None:
            self._listener.close()
        living = {s.name: s.child for s in self._services if s.child is not None}
        for name in ("api", "worker"):  # these two end at the same time
            if child := living.get(name):
                child.begin_stop()
        for name, timeout_s in _STOP_S.items():
            if child := living.get(name):
                child.stop(timeout_s)
        home_folder.clear_instance(self.settings.home)
