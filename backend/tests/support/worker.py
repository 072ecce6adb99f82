"""Start a real worker process on a real broker, for tests that kill it."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pileup.runtime.commands import child_environment, worker_command
from pileup.runtime.valkey import EmbeddedValkey
from pileup.settings import Settings


class RealWorker:
    """A `celery worker`, started as `pileup run` starts it."""

    def __init__(self, settings: Settings, log: Path) -> None:
        self._log = log
        environment = child_environment(settings) | {
            "PILEUP_JOB_LEASE_S": str(settings.job_lease_s),
            "PILEUP_WORKER_HEARTBEAT_S": str(settings.worker_heartbeat_s),
            "PILEUP_ANALYSIS_DEBOUNCE_S": str(settings.analysis_debounce_s),
            "PILEUP_MIN_FREE_BYTES": "0",
        }
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                worker_command(settings),
                env=environment,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill the worker and its children at once with SIGKILL."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        """Stop the worker like Ctrl-C and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=30)

    def log(self) -> str:
        """Return what the worker logged."""
        return self._log.read_text(errors="replace")


@contextmanager
def valkey() -> Iterator[EmbeddedValkey]:
    """Start a broker in a folder with a path short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="pv-") as folder:
        base = Path(folder)
        server = EmbeddedValkey(base / "data", base, base / "valkey.log")
        child = server.launch()
        try:
            server.wait_ready()
            yield server
        finally:
            child.kill_group()


def until(what: str, holds: Callable[[], bool], timeout_s: float = 150) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"after {timeout_s} s: {what} does not hold")
        time.sleep(0.2)  # each look is a request: it takes CPU time from what it waits for
