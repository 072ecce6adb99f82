"""A served installation on one machine: two APIs, two workers, PostgreSQL, Valkey.

The second API and the second worker run in a network namespace with process ids of their own, so
that they are another machine for the first two: a lease alone shows that they died, and their
cable can be pulled. Without root everything runs on this machine. All connections to PostgreSQL and
Valkey pass relays, which can break them. What ends is started again, as a service manager would.
"""

from __future__ import annotations

import contextlib
import ctypes.util
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import psycopg

from faults.network import Network
from faults.relay import Relay
from faults.remains import PREFIX, leave_note
from faults.replica import make_replica, promote, remove
from pileup.runtime.commands import child_environment, serve_command, worker_command
from pileup.runtime.errors import StartError
from pileup.runtime.home import prepare
from pileup.runtime.postgres import DATABASE, EmbeddedPostgres
from pileup.runtime.process import Child
from pileup.runtime.schema import migrate
from pileup.runtime.valkey import EmbeddedValkey
from pileup.settings import Settings

_DISK_MIB = 1536
_RESERVE_BYTES = 64 << 20


class Service:
    """One process that is started again when it ends."""

    def __init__(self, name: str, start: Callable[[], Child]) -> None:
        self.name = name
        self.start = start
        self.child: Child | None = None
        self.held = False
        """Not started again for now."""

    @property
    def running(self) -> bool:
        """Return whether the process is there."""
        return self.child is not None and self.child.poll() is None

    def tree(self) -> list[psutil.Process]:
        """List its process and all below."""
        if self.child is None:
            return []
        try:
            own = psutil.Process(self.child.pid)
            return [own, *own.children(recursive=True)]
        except psutil.Error:
            return []

    def send(self, number: signal.Signals) -> None:
        """Send a signal to each of its processes."""
        for process in self.tree():
            with contextlib.suppress(psutil.Error):
                process.send_signal(number)


class Installation:
    """Everything that runs, from start to stop."""

    def __init__(self, more: dict[str, str]) -> None:
        self._more = more
        self._stop = threading.Event()
        self._mounted = False
        self._replicas = 0
        self.base = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.base.chmod(0o711)
        self.network = Network() if Network.possible() else None
        self._mounted = self._mount()
        leave_note(self.base, self.network)
        self.clock_works = self._build_clock()
        self._postgres = EmbeddedPostgres(
            self.base / "postgres", self.base / "run", self.base / "postgres.log"
        )
        (self.base / "run").mkdir(mode=0o711)
        self.valkey_folder = self.base / "valkey"
        self._valkey = EmbeddedValkey(
            self.valkey_folder, self.base / "run", self.base / "valkey.log"
        )
        hosts = ("127.0.0.1", self.network.here) if self.network else ("127.0.0.1",)
        self.to_database = Relay(self.base / "run/postgres/.s.PGSQL.5432", hosts)
        self.to_queue = Relay(self.base / "run/valkey.sock", hosts)
        self.settings = Settings(
            home=self.base / "home",
            database_url=self._database_url("127.0.0.1"),
            broker_url=f"redis://127.0.0.1:{self.to_queue.port}/0",
            min_free_bytes=_RESERVE_BYTES,
        )
        prepare(self.settings.home, min_free_bytes=0)
        self.ports = (_free_port(), _free_port())
        self.services = {
            "database": Service("database", self._start_postgres),
            "queue": Service("queue", self._start_valkey),
            "api 1": Service("api 1", lambda: self._start_api(1)),
            "api 2": Service("api 2", lambda: self._start_api(2)),
            "worker 1": Service("worker 1", lambda: self._start_worker(1)),
            "worker 2": Service("worker 2", lambda: self._start_worker(2)),
        }
        # One thread starts everything: Linux ends a child with the thread that started it.
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    # ---- addresses

    @property
    def urls(self) -> tuple[str, str]:
        """Return the addresses of the two APIs."""
        there = self.network.there if self.network else "127.0.0.1"
        return f"http://127.0.0.1:{self.ports[0]}", f"http://{there}:{self.ports[1]}"

    def direct(self) -> psycopg.Connection[tuple[object, ...]]:
        """Connect to the database beside the relay, as its owner."""
        where = f"user=pileup dbname={DATABASE} host={self._postgres.sockets}"
        return psycopg.connect(where, autocommit=True, connect_timeout=5)

    def fail_over_to_replica(self) -> None:
        """Lose the database's machine, silently, and promote its replica."""
        service, primary = self.services["database"], self._postgres
        self._replicas += 1
        folder = self.base / f"replica-{self._replicas}"
        replica = make_replica(primary, folder)
        service.held = True
        self.to_database.silence()
        if service.child is not None:
            service.child.kill_group()
            service.child.stop(5)
        promote(replica)
        self._postgres, service.child = replica, replica.child
        self.to_database.lead_to(replica.sockets / ".s.PGSQL.5432")
        service.held = False
        remove(primary)

    def _database_url(self, host: str) -> str:
        return f"postgresql+psycopg://pileup@{host}:{self.to_database.port}/{DATABASE}"

    # ---- the disk and the clock

    @property
    def has_disk(self) -> bool:
        """Return whether it has a small disk of its own, which can be filled."""
        return self._mounted

    def fill_disk(self) -> None:
        """Leave not one byte free."""
        with (self.base / "filler").open("ab") as filler:
            with contextlib.suppress(OSError):
                while True:
                    filler.write(b"\0" * (1 << 20))
                    filler.flush()
            with contextlib.suppress(OSError):
                while True:
                    os.write(filler.fileno(), b"\0" * 512)

    def free_disk(self) -> None:
        """Give the space back."""
        (self.base / "filler").unlink(missing_ok=True)

    def step_clock(self, seconds: int) -> None:
        """Set the wall clock of APIs and workers off by so many seconds."""
        (self.base / "clock").write_bytes(struct.pack("=q", seconds))

    def _mount(self) -> bool:
        if os.geteuid() != 0:
            return False
        command = ["mount", "-t", "tmpfs", "-o", f"size={_DISK_MIB}m,mode=711", "tmpfs"]
        done = subprocess.run([*command, self.base], check=False, capture_output=True)
        return done.returncode == 0

    def _build_clock(self) -> bool:
        compiler = shutil.which("cc")
        if compiler is None or ctypes.util.find_library("c") is None:
            return False
        self.step_clock(0)
        source = Path(__file__).with_name("clock.c")
        made = self.base / "clock.so"
        command: list[str | Path] = [compiler, "-shared", "-fPIC", "-O1", "-o", made, source]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    # ---- services

    def _watch(self) -> None:
        while not self._stop.wait(0.1):
            for service in self.services.values():
                if service.held or service.running:
                    continue
                if service.child is not None and service.name != "database":
                    service.child.kill_group()
                try:
                    service.child = service.start()
                except (StartError, OSError, psycopg.Error):  # no space; tried again
                    service.child = None
                    self._stop.wait(0.5)
        for name in ("api 1", "api 2", "worker 1", "worker 2", "queue", "database"):
            service = self.services[name]
            if service.child is not None:
                service.send(signal.SIGCONT)
                service.child.stop(5)
                for process in service.tree():
                    with contextlib.suppress(psutil.Error):
                        process.kill()

    def _start_postgres(self) -> Child:
        self._postgres.start()
        child = self._postgres.child
        assert child is not None
        migrate(self._postgres.url())
        return child

    def _start_valkey(self) -> Child:
        self._valkey.start()
        assert self._valkey.child is not None
        return self._valkey.child

    def _start_api(self, number: int) -> Child:
        host = self.network.there if self.network and number == 2 else "127.0.0.1"
        settings = self.settings.model_copy(update={"host": host, "port": self.ports[number - 1]})
        return self._child(f"api {number}", serve_command(settings), settings)

    def _start_worker(self, number: int) -> Child:
        return self._child(f"worker {number}", worker_command(self.settings), self.settings)

    def _child(self, name: str, command: list[str], settings: Settings) -> Child:
        environment = child_environment(settings) | self._more
        environment["PILEUP_MIN_FREE_BYTES"] = str(_RESERVE_BYTES)
        if self.clock_works:
            environment |= {
                "LD_PRELOAD": str(self.base / "clock.so"),
                "FAULTS_CLOCK": str(self.base / "clock"),
            }
        if self.network and name.endswith("2"):
            command = [*self.network.prefix(), *command]
            environment["PILEUP_DATABASE_URL"] = self._database_url(self.network.here)
            environment["PILEUP_BROKER_URL"] = f"redis://{self.network.here}:{self.to_queue.port}/0"
        log = self.base / f"{name.replace(' ', '-')}.log"
        return Child(name, command, log=log, env=environment, orphan_signal=signal.SIGKILL)

    def close(self) -> None:
        """Stop everything and remove the folder."""
        self._stop.set()
        self._watcher.join(timeout=60)
        for relay in (self.to_database, self.to_queue):
            relay.close()
        if self.network:
            self.network.close()
        if self._mounted:
            subprocess.run(["umount", "--lazy", self.base], check=False)
        shutil.rmtree(self.base, ignore_errors=True)


def wait_for(what: str, holds: Callable[[], bool], limit_s: float) -> float:
    """Wait until it holds and return for how long; raises TimeoutError after the limit."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > limit_s:
            raise TimeoutError(f"after {limit_s:.0f} s: {what} does not hold")
        time.sleep(0.25)
    return time.monotonic() - began


def _free_port() -> int:

    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
