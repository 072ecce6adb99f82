"""``make audit`` asks for known flaws in each locked package, and fails when there is one.

pip-audit and npm are the real ones; the advisory services are stand-ins, so that the answers are
known.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.conftest import REPOSITORY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.on_turn(0, 7),
    pytest.mark.skipif(shutil.which("npm") is None, reason="this machine has no npm"),
]

_BULK = "/-/npm/v1/security/advisories/bulk"


@dataclass
class _Services:
    """What was asked, and what is known to be flawed."""

    address: str = ""
    python: set[str] = field(default_factory=set)
    npm: set[str] = field(default_factory=set)
    flawed: str = ""
    silent: bool = False

    def answer(self, path: str, asked: dict[str, Any]) -> dict[str, Any]:
        if path == _BULK:
            self.npm |= set(asked)
            return {self.flawed: [_npm_advisory(self.flawed)]} if self.flawed in asked else {}
        name = asked["package"]["name"]
        self.python.add(name)
        return {"vulns": [_osv_entry(name, asked["version"])]} if name == self.flawed else {}


def _npm_advisory(name: str) -> dict[str, Any]:
    return {
        "id": 1, "url": "https://example.org/advisory", "title": f"a flaw of {name}",
        "severity": "high", "vulnerable_versions": "*", "cwe": [],
        "cvss": {"score": 8, "vectorString": None},
    }  # fmt: skip


def _osv_entry(name: str, version: str) -> dict[str, Any]:
    return {
        "id": "PYSEC-2099-1", "summary": f"a flaw of {name}", "modified": "2099-01-01T00:00:00Z",
        "affected": [{"package": {"ecosystem": "PyPI", "name": name}, "versions": [version]}],
    }  # fmt: skip


@pytest.fixture
def services() -> Iterator[_Services]:
    known = _Services()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            answer = json.dumps(known.answer(self.path, json.loads(body))).encode()
            self.send_response(503 if known.silent else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known.address = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield known
    server.shutdown()
    server.server_close()


def _audit(services: _Services) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", REPOSITORY / "scripts" / "audit.sh", f"{services.address}/v1/query"],
        env=os.environ | {"npm_config_registry": services.address, "npm_config_fetch_retries": "0"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def _locked() -> set[str]:
    """The packages of the lock file that this Python on this system installs, at least."""
    text = (REPOSITORY / "requirements.lock").read_text("utf-8")
    return set(re.findall(r"^([a-z0-9][\w.-]*)==[^\s;]+ \\$", text, re.MULTILINE))


def test_the_services_hear_of_each_locked_package(services: _Services) -> None:
    done = _audit(services)
    assert done.returncode == 0, done.stdout + done.stderr
    assert _locked() <= services.python
    built_in = json.loads((REPOSITORY / "frontend" / "package.json").read_text("utf-8"))
    assert set(built_in["dependencies"]) <= services.npm
    assert "no known flaw" in done.stdout


@pytest.mark.parametrize(
    ("flawed", "lock"),
    [("sqlalchemy", "requirements.lock"), ("react", "frontend/package-lock.json")],
)
def test_a_known_flaw_fails_and_is_named(services: _Services, flawed: str, lock: str) -> None:
    services.flawed = flawed
    done = _audit(services)
    assert done.returncode == 1
    assert flawed in done.stdout
    assert f"known about: {lock}." in done.stderr


def test_a_service_that_gives_no_answer_is_no_clean_bill(services: _Services) -> None:
    services.silent = True
    done = _audit(services)
    assert done.returncode == 1
    assert "requirements.lock frontend/package-lock.json" in done.stderr
