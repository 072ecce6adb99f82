"""Two APIs and three workers over an S3 bucket, no folder in common, while the bucket fails.

Files are uploaded all the time, in one request and by tus, through either API. One fault after
another hits the S3 server (killed, slow, 500 and 503 in the middle, connections cut inside a part)
or one of the processes (kill -9). Everything that was acknowledged must be there, byte for byte,
and read in the end; nothing else may be visible; after a purge the bucket is empty.

The server is versitygw where it is on PATH (or PILEUP_VERSITYGW names it), else moto, which loses
its objects with its process and is therefore never killed.

Usage: python -m benchmarks.bucket_faults [--minutes 3] [--seed 1]
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
from cryptography.fernet import Fernet
from sqlalchemy import text
from tests.support.postgres import PostgresForTests
from tests.support.s3_server import BUCKET, KEY, SECRET, Faults, S3Server, faulty, free_port

from pileup.runtime.valkey import EmbeddedValkey
from pileup.settings import Settings
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.credentials import hash_password
from pileup.storage.database import Database
from pileup.storage.lifecycle.garbage import Garbage
from pileup.views.stores import open_stores
from pileup.worker.purge import purge

VERBS = ["read", "upload", "comment", "edit", "manage"]
PASSWORD = "correct horse battery"
VMSTAT = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
)


class Machine:
    """A process with a data folder of its own, started again when it ends."""

    def __init__(
        self, name: str, command: list[str], base: Path, environment: dict[str, str]
    ) -> None:
        self.name = name
        self.home = base / name
        self.home.mkdir()
        self._command = command
        self._environment = {**os.environ, **environment, "PILEUP_HOME": str(self.home)}
        self.start()

    def start(self) -> None:
        """Start the process."""
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pileup", *self._command],
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill the process and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Uploader(threading.Thread):
    """Uploads files until it is stopped, and remembers what was acknowledged."""

    def __init__(self, apis: list[str], token: str, incident: str, seed: int) -> None:
        super().__init__(daemon=True)
        self._apis = apis
        self._headers = {"Authorization": f"Bearer {token}"}
        self._incident = incident
        self._dice = random.Random(seed)
        self._seed = seed
        self.stopped = threading.Event()
        self.acknowledged: dict[str, str] = {}
        """Artifact id to SHA-256."""
        self.begun: set[str] = set()
        """SHA-256 of every file that it began to send."""
        self.answers: Counter[str] = Counter()

    def run(self) -> None:
        """Upload one file after another."""
        number = 0
        while not self.stopped.is_set():
            number += 1
            content = self._content(number)
            self.begun.add(hashlib.sha256(content).hexdigest())
            name = f"vmstat-{self._seed}-{number}.txt"
            send = self._in_pieces if self._dice.random() < 0.6 else self._at_once
            if (artifact := send(name, content)) is not None:
                self.acknowledged[artifact] = hashlib.sha256(content).hexdigest()

    def _content(self, number: int) -> bytes:
        rows = self._dice.choice((3, 200, 3000))
        line = " 1  0      0 %6d %6d 514220    0    0     3    12   90  180  2  1 97  0  0\n"
        table = VMSTAT + "".join(line % (self._seed * 1000 + number, at) for at in range(rows))
        noise = self._dice.randbytes(self._dice.choice((0, 0, 0, 12 << 20)))
        return table.encode() + noise

    def _ask(self, method: str, url: str, **more: Any) -> httpx.Response | None:
        """Send a request to either API; None when there was no answer."""
        headers = {**self._headers, **more.pop("headers", {})}
        base = url if url.startswith("http") else self._dice.choice(self._apis) + url
        try:
            answer = httpx.request(
                method, base, headers=headers, timeout=90, trust_env=False, **more
            )
        except httpx.HTTPError as error:
            self.answers[type(error).__name__] += 1
            time.sleep(0.5)
            return None
        self.answers[str(answer.status_code)] += 1
        if answer.status_code >= 500:
            time.sleep(0.5)
        return answer

    def _at_once(self, name: str, content: bytes) -> str | None:
        url = f"/api/v1/incidents/{self._incident}/artifacts"
        answer = self._ask("POST", url, files={"file": (name, content)})
        if answer is None or answer.status_code != 201:
            return None
        return str(answer.json()["items"][0]["id"])

    def _in_pieces(self, name: str, content: bytes) -> str | None:
        """Upload by tus, each piece to either API, until it is acknowledged."""
        metadata = "filename " + base64.b64encode(name.encode()).decode()
        headers = {"Upload-Length": str(len(content)), "Upload-Metadata": metadata}
        made = self._ask("POST", f"/api/v1/incidents/{self._incident}/uploads", headers=headers)
        if made is None or made.status_code != 201:
            return None
        location = made.headers["Location"]
        known = 0
        while True:
            head = self._ask("HEAD", location)
            if head is None or head.status_code != 200:
                if self.stopped.is_set():
                    return None
                continue
            if "X-Artifact-Id" in head.headers:
                return str(head.headers["X-Artifact-Id"])
            offset = int(head.headers["Upload-Offset"])
            assert offset >= known, f"{offset} bytes of {name}, and {known} were acknowledged"
            piece = content[offset : offset + self._dice.choice((20_000, 1 << 20, 9 << 20))]
            headers = {
                "Upload-Offset": str(offset),
                "Content-Type": "application/offset+octet-stream",
            }
            answer = self._ask("PATCH", location, headers=headers, content=piece)
            if answer is not None and answer.status_code == 204:
                known = int(answer.headers["Upload-Offset"])
                if "X-Artifact-Id" in answer.headers:
                    return str(answer.headers["X-Artifact-Id"])


def main() -> int:
    """Run the probe; return 1 when something is lost, half visible or left behind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pileup-bucket-")))
        postgres = PostgresForTests()
        stack.callback(postgres.close)
        url = postgres.url(postgres.migrated_database())
        sockets = base / "sockets"
        sockets.mkdir()
        valkey = EmbeddedValkey(base / "valkey", sockets, base / "valkey.log")
        valkey.start()
        stack.callback(valkey.stop)
        server = S3Server(base)
        stack.callback(server.kill)
        proxy, faults = stack.enter_context(faulty(server.endpoint))
        environment = {
            "PILEUP_DATABASE_URL": url,
            "PILEUP_BROKER_URL": valkey.url,
            "PILEUP_SECRET_KEY": Fernet.generate_key().decode(),
            "PILEUP_S3_BUCKET": BUCKET,
            "PILEUP_S3_ENDPOINT": proxy,
            "PILEUP_S3_ACCESS_KEY": KEY,
            "PILEUP_S3_SECRET_KEY": SECRET,
            "PILEUP_S3_TIMEOUT_S": "10",
            "PILEUP_S3_RETRY_S": "5",
            "PILEUP_MIN_FREE_BYTES": "0",
            "PILEUP_WORKER_CONCURRENCY": "1",
        }
        ports = [free_port(), free_port()]
        machines = [
            *(
                Machine(f"api{at}", ["serve"], base, {**environment, "PILEUP_PORT": str(port)})
                for at, port in enumerate(ports)
            ),
            *(Machine(f"worker{at}", ["worker"], base, environment) for at in range(3)),
        ]
        for machine in machines:
            stack.callback(machine.kill)
        apis = [f"http://127.0.0.1:{port}" for port in ports]
        database = Database(url)
        stack.callback(database.close)
        token = _sign_in(database, apis, machines)
        client = httpx.Client(
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
            transport=httpx.HTTPTransport(retries=8),  # an API that was killed is starting
        )
        made = client.post(f"{apis[0]}/api/v1/incidents", json={"title": "faults"})
        incident = str(made.json()["id"])
        uploaders = [Uploader(apis, token, incident, options.seed * 10 + at) for at in range(3)]
        for uploader in uploaders:
            uploader.start()
        count = _inject(server, faults, machines, 60 * options.minutes, random.Random(options.seed))
        for uploader in uploaders:
            uploader.stopped.set()
        for uploader in uploaders:
            uploader.join(120)
        problems = [f"uploader {u.name} did not end" for u in uploaders if u.is_alive()]
        problems += _lost(client, apis, incident, uploaders)
        for machine in machines[len(apis) :]:
            machine.kill()  # an analysis that its incident's deletion cancelled may still store
        settings = Settings(home=base / "judge", **_plain(environment))
        problems += _left_behind(database, settings, client, apis[1], incident)
        answers = sum((u.answers for u in uploaders), Counter())
        print(f"{server.program or 'moto'}: faults {dict(count)}")
        print(f"answers {dict(answers)}")
        print(f"acknowledged {sum(len(u.acknowledged) for u in uploaders)} files")
        for problem in problems:
            print("PROBLEM", problem)
        return 1 if problems else 0


def _plain(environment: dict[str, str]) -> dict[str, Any]:
    return {name.removeprefix("PILEUP_").lower(): value for name, value in environment.items()}


def _sign_in(database: Database, apis: list[str], machines: list[Machine]) -> str:
    """Create the admin and return a token; wait until both APIs answer."""
    hashed = hash_password(PASSWORD)
    with database.unit() as unit:
        Accounts(unit).create_user("admin", "admin@example.org", "admin", hashed)
    deadline = time.monotonic() + 120
    for api in apis:
        while True:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{api}/readyz", timeout=5, trust_env=False).status_code == 200:
                    break
            for machine in machines:
                if machine.process.poll() is not None:
                    raise SystemExit(f"{machine.name} ended: {(machine.home / 'log').read_text()}")
            if time.monotonic() > deadline:
                raise SystemExit(f"{api} does not answer")
            time.sleep(0.2)
    with httpx.Client(base_url=apis[0], trust_env=False) as client:
        body = {"email": "admin@example.org", "password": PASSWORD}
        assert client.post("/api/v1/session", json=body).status_code == 200
        headers = {"X-CSRF-Token": client.cookies["pileup_csrf"]}
        made = client.post(
            "/api/v1/tokens", json={"name": "faults", "verbs": VERBS}, headers=headers
        )
        assert made.status_code == 201, made.text
        return str(made.json()["token"])


def _inject(
    server: S3Server, faults: Faults, machines: list[Machine], seconds: float, dice: random.Random
) -> Counter[str]:
    """Inject one fault after another, each for some seconds."""
    kinds = ["slow", "answers 500", "answers 503", "cut inside a part", "kill -9"]
    if server.program is not None:
        kinds.append("server killed")
    count: Counter[str] = Counter()
    until = time.monotonic() + seconds
    order: list[str] = []
    while time.monotonic() < until:
        order = order or dice.sample(kinds, len(kinds))
        kind = order.pop()
        count[kind] += 1
        faults.matching = dice.choice(
            (b"", b"PUT", b"/blobs/", b"/uploads/", b"/frames/", b"/placed/")
        )
        faults.skip = dice.choice((0, 0, 2))
        if kind == "slow":
            faults.slow_s = dice.choice((1.0, 12.0))
        elif kind.startswith("answers"):
            faults.answer = int(kind[-3:])
        elif kind == "cut inside a part":
            faults.matching, faults.cut_after = b"partNumber=", 200_000
        elif kind == "kill -9":
            machine = dice.choice(machines)
            machine.kill()
            machine.start()
        else:
            server.kill()
        time.sleep(dice.uniform(1, 8))
        faults.clear()
        if kind == "server killed":
            server.start()
        time.sleep(dice.uniform(1, 4))
    return count


def _lost(
    client: httpx.Client, apis: list[str], incident: str, uploaders: list[Uploader]
) -> list[str]:
    """Wait until everything is read; return what is lost, changed, unread or half visible."""
    deadline = time.monotonic() + 300
    while True:
        artifacts: list[dict[str, Any]] = []
        page = client.get(
            f"{apis[1]}/api/v1/incidents/{incident}/artifacts", params={"limit": 1000}
        )
        artifacts = page.json()["items"]
        waiting = [
            file for file in artifacts if file["state"] in ("queued", "identifying", "parsing")
        ]
        if not waiting or time.monotonic() > deadline:
            break
        time.sleep(1)
    problems = [f"{file['path']} is {file['state']}" for file in waiting]
    problems += [
        f"{file['path']} failed: {file}" for file in artifacts if file["state"] == "failed"
    ]
    here = {str(file["id"]): str(file["sha256"]) for file in artifacts}
    begun = set().union(*(uploader.begun for uploader in uploaders))
    problems += [f"{name} was never sent" for name, sha256 in here.items() if sha256 not in begun]
    for uploader in uploaders:
        for name, sha256 in uploader.acknowledged.items():
            if here.get(name) != sha256:
                problems.append(f"{name} was acknowledged and is {here.get(name)}")
    for at, (name, sha256) in enumerate(sorted(here.items())):
        answer = client.get(f"{apis[at % 2]}/api/v1/artifacts/{name}/download")
        if hashlib.sha256(answer.content).hexdigest() != sha256:
            problems.append(f"{name} has other bytes ({answer.status_code})")
    return problems


def _left_behind(
    database: Database, settings: Settings, client: httpx.Client, api: str, incident: str
) -> list[str]:
    """Delete and purge the incident; return the objects that are left."""
    client.delete(f"{api}/api/v1/incidents/{incident}")
    with database.unit() as unit:
        unit.session.execute(text("update incidents set deleted_at = now() - interval '40 days'"))
    stores = open_stores(settings)
    purge(settings, database, stores)
    Garbage(database, stores.blobs, stores.frames, stores.placed, stores.uploads).collect(
        grace_s=-60
    )
    left = [f"blob {name}" for name, _ in stores.blobs.entries()]
    left += [f"frames {name}" for name, _ in stores.frames.blobs()]
    left += [f"placed {name}" for name, _ in stores.placed.incidents()]
    left += [f"upload {name}" for name, _ in stores.uploads.stored()]
    return [f"left behind: {name}" for name in left]


if __name__ == "__main__":
    sys.exit(main())
