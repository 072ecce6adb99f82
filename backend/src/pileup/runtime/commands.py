"""Command lines and environment of the API and the worker.

The applications and the API's protocol are named as text, so that nothing here imports them.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys

from pileup.paths import PACKAGE
from pileup.settings import Settings

WORKER_APPLICATION = "pileup.worker.app:app"
API_APPLICATION = "pileup.api.app:create_app"
HTTP = "pileup.runtime.http_protocol:BoundedHttp"


def worker_command(settings: Settings, *, watch: bool = False) -> list[str]:
    """Return the command of a Celery worker, prefork; `watch` restarts it on source changes."""
    command = [
        *(sys.executable, "-m", "celery", "-A", WORKER_APPLICATION, "worker"),
        *("--pool", "prefork", "--concurrency", str(settings.worker_concurrency)),
        *("--loglevel", settings.log_level, "--without-gossip", "--without-mingle"),
        *("--hostname", f"pileup-{secrets.token_hex(3)}@%h"),  # two on one host are two
    ]
    if not watch:
        return command
    return [
        *(sys.executable, "-m", "watchfiles", "--filter", "python"),
        *("--sigint-timeout", "5", " ".join(command), str(PACKAGE)),
    ]


def api_command(settings: Settings, listener_fd: int | None) -> list[str]:
    """Return the command of the API on an inherited socket, or else on its own port, reloading."""
    if listener_fd is not None:
        return [sys.executable, "-m", "pileup.runtime.serve_api", str(listener_fd)]
    return [
        *(sys.executable, "-m", "uvicorn", API_APPLICATION, "--factory"),
        *("--host", settings.host, "--port", str(settings.port), "--http", HTTP),
        *("--reload", "--reload-dir", str(PACKAGE), "--timeout-graceful-shutdown", "2"),
    ]


def serve_command(settings: Settings, workers: int = 1) -> list[str]:
    """Return the command of the API on its own address, behind any proxy."""
    return [
        *(sys.executable, "-m", "uvicorn", API_APPLICATION, "--factory"),
        *("--host", settings.host, "--port", str(settings.port), "--http", HTTP),
        *("--no-access-log", "--timeout-graceful-shutdown", "5", "--timeout-keep-alive", "30"),
        # a process that starts on a busy machine is not taken for a dead one
        *("--workers", str(workers), "--timeout-worker-healthcheck", "60"),
    ]


def child_environment(settings: Settings) -> dict[str, str]:
    """Return our environment with every address resolved, for a child that reads it as Settings."""
    names = {
        "PILEUP_HOME": str(settings.home),
        "PILEUP_DATABASE_URL": settings.database_url or "",
        "PILEUP_BROKER_URL": settings.broker_url or "",
        "PILEUP_HOST": settings.host,
        "PILEUP_PORT": str(settings.port),
        "PILEUP_PUBLIC_URL": settings.url,
        "PYTHONUNBUFFERED": "1",
    }
    return {**os.environ, **names}


def shared_metrics(settings: Settings) -> dict[str, str]:
    """Return the environment with which several API processes count together, from zero."""
    folder = settings.home / "run" / f"metrics-{settings.port}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    return {"PROMETHEUS_MULTIPROC_DIR": str(folder)}
