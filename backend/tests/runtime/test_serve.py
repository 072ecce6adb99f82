"""`pileup serve --workers 2`: two processes on one port, one installation."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import psutil
import pytest

from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.credentials import hash_password
from pileup.storage.database import Database
from tests.support.s3_server import free_port
from tests.support.site import PASSWORD

ATTEMPTS = 40


@pytest.fixture
def served(postgres_url: str, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Start `pileup serve --workers 2` and wait until it answers."""
    port = free_port()
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PILEUP_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "pileup", "serve", "--workers", "2"],
        env=inherited
        | {
            "PILEUP_HOME": str(tmp_path / "home"),
            "PILEUP_DATABASE_URL": postgres_url,
            "PILEUP_PORT": str(port),
            "PILEUP_MIN_FREE_BYTES": "0",
        },
    )
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 120
    try:
        while True:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{url}/readyz", timeout=5).status_code == 200:
                    break
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield process, url
    finally:
        process.terminate()
        process.wait(60)


@pytest.mark.slow
@pytest.mark.on_turn(2, 3)
def test_two_processes_serve_one_installation(
    served: tuple[subprocess.Popen[bytes], str], postgres_url: str
) -> None:
    """A session is one for both, both answer, and their metrics add up."""
    process, url = served
    database = Database(postgres_url)
    with database.unit() as unit:
        Accounts(unit).create_user("admin", "admin@example.org", "admin", hash_password(PASSWORD))
    database.close()
    with httpx.Client(base_url=url, timeout=30) as client:
        body = {"email": "admin@example.org", "password": PASSWORD}
        assert client.post("/api/v1/session", json=body).status_code == 200
        csrf, cookies = client.cookies["pileup_csrf"], client.cookies
        made = client.post(
            "/api/v1/incidents", json={"title": "served"}, headers={"X-CSRF-Token": csrf}
        )
        path = f"/api/v1/incidents/{made.json()['id']}"

        def get(path: str) -> httpx.Response:
            return httpx.get(url + path, cookies=cookies, timeout=30)  # on its own connection

        for _ in range(ATTEMPTS):
            assert get(path).json()["title"] == "served"
            if len(_counting(process)) == 2:
                break
        assert len(_counting(process)) == 2
        asked = 5
        before = _requests(get("/metrics").text)
        for _ in range(asked):
            assert get(path).status_code == 200
        assert _requests(get("/metrics").text) == before + asked


def _counting(process: subprocess.Popen[bytes]) -> set[int]:
    """Return the ids of the living processes that have answered a request."""
    folder = next(
        Path(psutil.Process(process.pid).environ()["PILEUP_HOME"], "run").glob("metrics*")
    )
    pids = {int(path.stem.rpartition("_")[2]) for path in folder.glob("histogram_*.db")}
    return {pid for pid in pids if psutil.pid_exists(pid) and pid != process.pid}


def _requests(metrics: str) -> float:
    """Return how many requests for one incident were counted."""
    return sum(
        float(line.rsplit(" ", 1)[1])
        for line in metrics.splitlines()
        if line.startswith("pileup_http_requests_total") and '/{incident_id}"' in line
    )
