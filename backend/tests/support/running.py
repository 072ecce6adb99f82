"""Start a real `pileup run` for tests, with its own folder and port."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import psutil

_LINK = re.compile(r"(https?://\S+)/sign-in\?link=(\S+)")


def pileup(*words: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a `pileup` command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "pileup", *words],
        env=_environment(home, environment),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class Running:
    """A `pileup run` that has printed its link."""

    def __init__(self, home: Path, *, timeout_s: float = 90, **environment: str) -> None:
        self.home = home
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pileup", "run", "--port", "0"],
            env=_environment(home, environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        match = self.wait_for(_LINK, timeout_s)
        self.url, self.link = match[1], match[2]

    def wait_for(self, pattern: re.Pattern[str], timeout_s: float) -> re.Match[str]:
        """Wait for a printed line that matches, and return the first."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for line in list(self.lines):
                if match := pattern.search(line):
                    return match
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"no {pattern.pattern!r} in:\n" + "\n".join(self.lines))

    def facts(self) -> dict[str, Any]:
        """Return what the process recorded about itself."""
        facts: dict[str, Any] = json.loads((self.home / "instance.json").read_text())
        return facts

    def pid_of(self, name: str) -> int:
        """Return the process id of one of its children."""
        return next(
            int(child["pid"]) for child in self.facts()["children"] if child["name"] == name
        )

    def processes(self) -> list[psutil.Process]:
        """List the process and every process under it."""
        own = psutil.Process(self.process.pid)
        return [own, *own.children(recursive=True)]

    def answers(self) -> bool:
        """Check whether the API answers."""
        try:
            with urllib.request.urlopen(f"{self.url}/api/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Stop the process and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(60)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))


def _environment(home: Path, more: dict[str, str]) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("PILEUP_")
    }
    return {**inherited, "PILEUP_HOME": str(home), "PYTHONUNBUFFERED": "1", **more}
