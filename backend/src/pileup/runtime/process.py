"""One child process: started in its own session, logged to a file, stopped as a whole group.

On Linux the kernel signals the child when we die (PR_SET_PDEATHSIG), so that nothing outlives
a kill -9 of the supervisor; elsewhere the next start stops what was left (`stop_leftovers`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

_PR_SET_PDEATHSIG = 1
_LOG_LIMIT_BYTES = 16 * 1024**2


class Child:
    """A running child process and the log that it writes."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        user: int | None = None,
        group: int | None = None,
        stop_signal: signal.Signals = signal.SIGTERM,
        orphan_signal: signal.Signals | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        """Start it. `orphan_signal` is what it gets when we die (default: the stop signal)."""
        self.name = name
        self.log = log
        self.stop_signal = stop_signal
        _rotate(log)
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                [os.fspath(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=None if env is None else dict(env),
                user=user,
                group=group,
                extra_groups=None if user is None else [],
                pass_fds=tuple(pass_fds),
                start_new_session=True,
                preexec_fn=die_with_parent(orphan_signal or stop_signal),
            )
        self.started = time.monotonic()

    @property
    def pid(self) -> int:
        """Return the process id, which is also the group's id."""
        return self._process.pid

    @property
    def created(self) -> float | None:
        """Return when the process began; tells a reused pid from ours."""
        try:
            return psutil.Process(self.pid).create_time()
        except psutil.Error:
            return None

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self._process.poll()

    def begin_stop(self) -> None:
        """Send the stop signal."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(self.stop_signal)

    def stop(self, timeout_s: float) -> None:
        """Send the stop signal, and kill the group after the timeout, with any strays."""
        self.begin_stop()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            pass
        self.kill_group()
        self._process.wait()

    def kill_group(self) -> None:
        """Kill everything that still runs in its session."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def log_tail(self, limit_bytes: int = 8192) -> str:
        """Return the end of its log."""
        return tail(self.log, limit_bytes)


def tail(path: Path, limit_bytes: int = 8192) -> str:
    """Return the end of a log file; empty when there is none."""
    try:
        with path.open("rb") as source:
            source.seek(0, os.SEEK_END)
            source.seek(max(0, source.tell() - limit_bytes))
            return source.read().decode("utf-8", "replace")
    except OSError:
        return ""


def die_with_parent(number: signal.Signals) -> Callable[[], None] | None:
    """Build a function for the forked child: the kernel sends it `number` when we die (Linux)."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def arm() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != parent:  # it died between fork and prctl
            os._exit(1)

    return arm


def stop_leftovers(recorded: Sequence[Mapping[str, object]], timeout_s: float = 10) -> list[str]:
    """Stop children that an earlier supervisor left; return their names.

    Args:
        recorded: mappings with name, pid, created (as `Child.created`), signal. A pid whose process
            began at another time belongs to another program and is left alone.
    """
    rows: list[tuple[str, psutil.Process]] = []
    for entry in recorded:
        pid, created, number = entry.get("pid"), entry.get("created"), entry.get("signal")
        if not (isinstance(pid, int) and isinstance(created, float) and isinstance(number, int)):
            continue
        try:
            process = psutil.Process(pid)
            if abs(process.create_time() - created) < 0.05:
                process.send_signal(number)
                rows.append((str(entry.get("name")), process))
        except psutil.Error:
            continue
    _, alive = psutil.wait_procs([process for _, process in rows], timeout=timeout_s)
    for process in alive:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    return [name for name, _ in rows]


def _rotate(log: Path) -> None:
    """Keep one older log, so that logs cannot fill the disk."""
    with contextlib.suppress(FileNotFoundError):
        if log.stat().st_size > _LOG_LIMIT_BYTES:
            log.replace(log.with_name(log.name + ".1"))


def rotate_open_log(log: Path, limit_bytes: int = _LOG_LIMIT_BYTES) -> bool:
    """Copy a log that a child still writes to `.1`, and empty it; return whether it was too long.

    The child appends, so it goes on at the new beginning. Lines of this moment may be lost.
    """
    try:
        if log.stat().st_size <= limit_bytes:
            return False
        shutil.copyfile(log, log.with_name(log.name + ".1"))
        os.truncate(log, 0)
    except OSError:  # a full disk: the next round tries again
        return False
    return True
