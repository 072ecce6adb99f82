"""Write like a team does, note what was acknowledged, and look for all of it afterwards."""

from __future__ import annotations

import base64
import hashlib
import io
import random
import secrets
import tarfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
from pycrdt import Doc, Text

from faults.installation import Installation
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.credentials import hash_password
from pileup.storage.database import Database

_PASSWORD = secrets.token_hex(12)
_TIMEOUT_S = 35.0
_READ = {"done", "done_with_problems", "unknown_format", "expanded"}
_MEMBERS = 5
_REFUSED = (httpx.TransportError, httpx.HTTPStatusError)

_VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0 812340  91240 902144    0    0     5    18  310  {n} 12  3 85  0  0
 7  1      0 812100  91240 902144    0    0     0   120  980 4120 71  9 20  0  0
"""


@dataclass
class Uploads:
    """What was uploaded to one incident: name to SHA-256, acknowledged or perhaps stored."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    attempted: dict[str, str] = field(default_factory=dict)
    archives: set[str] = field(default_factory=set)


class Ledger:
    """The incidents of one installation, and everything that it acknowledged."""

    def __init__(self, installation: Installation, dice: random.Random) -> None:
        self._installation = installation
        self._dice = dice
        self._numbers = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self.incident = ""
        self.uploads: dict[str, Uploads] = {}
        self.comments: dict[str, dict[str, bool]] = {}
        """By incident: each text sent, and whether it was acknowledged."""
        self.comment_tries = 0
        self.keystrokes = 0
        self._typed: list[_Typist] = []
        self._threads: list[threading.Thread] = []
        self._create_user()
        self.clients = [self._client(url) for url in installation.urls]

    def begin(self) -> None:
        """Start those who comment and type all the time."""
        self.new_incident()
        self._typed = [_Typist(self, mark) for mark in "ab"]
        self._threads = [
            *(threading.Thread(target=typist.run, daemon=True) for typist in self._typed),
            threading.Thread(target=self._comment_on, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Stop them; typists first get everything acknowledged."""
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=60)
        self.keystrokes = sum(typist.acknowledged for typist in self._typed)

    @property
    def stopping(self) -> bool:
        """Return whether writers should leave."""
        return self._stop.is_set()

    def any_client(self) -> httpx.Client:
        """Return a client of one of the APIs."""
        with self._lock:
            return self._dice.choice(self.clients)

    def new_incident(self) -> None:
        """Write into a new incident from now on."""
        made = self.clients[0].post("/api/v1/incidents", json={"title": "faults"})
        incident = str(made.raise_for_status().json()["id"])
        self.uploads[incident] = Uploads()
        with self._lock:
            self.comments[incident] = {}
        self.incident = incident

    # ---- writing

    def upload(self, count: int = 2, *, archive: bool = False) -> int:
        """Upload so many files, and perhaps an archive; return how many were acknowledged."""
        mine = self.uploads[self.incident]
        taken = 0
        for is_archive in [False] * count + [True] * archive:
            self._numbers += 1
            name = f"file-{self._numbers}{'.tar' if is_archive else '.txt'}"
            content = self._archive() if is_archive else self._vmstat()
            mine.attempted[name] = hashlib.sha256(content).hexdigest()
            try:
                self.any_client().post(
                    f"/api/v1/incidents/{self.incident}/artifacts", files={"file": (name, content)}
                ).raise_for_status()
            except _REFUSED:
                continue
            mine.acknowledged[name] = mine.attempted[name]
            taken += 1
            if is_archive:
                mine.archives.add(name)
        return taken

    def comment(self, client: httpx.Client) -> bool:
        """Comment once; return whether it was acknowledged."""
        with self._lock:
            self._numbers += 1
            text = f"comment {self._numbers}"
            incident = self.incident
            self.comments[incident][text] = False
        self.comment_tries += 1
        try:
            client.post(
                f"/api/v1/incidents/{incident}/comments",
                json={"subject": "report:summary", "body": text},
            ).raise_for_status()
        except _REFUSED:
            return False
        self.comments[incident][text] = True
        return True

    def _comment_on(self) -> None:
        while not self._stop.wait(0.3):
            self.comment(self.any_client())

    def _vmstat(self) -> bytes:
        return _VMSTAT.format(n=1000 + self._numbers).encode()

    def _archive(self) -> bytes:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for number in range(_MEMBERS):
                content = f"{self._numbers} {number} {secrets.token_hex(8)}\n".encode()
                member = tarfile.TarInfo(f"{self._numbers}-{number}.txt")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        return buffer.getvalue()

    # ---- looking

    def settled(self) -> bool:
        """Return whether no job waits or runs, and all of the current incident was read."""
        try:
            queue = self.clients[0].get("/api/v1/status").raise_for_status().json()["queue"]
            if queue["queued"] or queue["running"]:
                return False
            return all(item["state"] in _READ for item in self._items(self.incident))
        except _REFUSED:
            return False

    def open_work(self) -> list[str]:
        """List what is not over, for a run that gives up."""
        with self._installation.direct() as connection:
            jobs = connection.execute(
                "select kind, state, attempt, crashes, owner, not_before - now(),"
                " lease_until - now() from jobs where state in ('queued', 'running') limit 10"
            ).fetchall()
        return [f"open: {job}" for job in jobs]

    def ready(self) -> bool:
        """Return whether both APIs are ready and take a comment."""
        try:
            for client in self.clients:
                client.get("/readyz", timeout=2).raise_for_status()
        except _REFUSED:
            return False
        return all(self.comment(client) for client in self.clients)

    def problems(self, incident: str | None = None) -> list[str]:
        """Compare an incident with the ledger; each text is something lost or doubled."""
        incident = incident or self.incident
        found = self._compare_files(incident)
        sent = dict(self.comments[incident])
        answer = self._get(f"/api/v1/incidents/{incident}/comments?subject=report:summary")
        there = Counter(item["body"] for item in answer)
        found += [f"lost: {text}" for text, taken in sent.items() if taken and not there[text]]
        found += [f"doubled: {text}" for text, number in there.items() if number > 1]
        return found

    def all_problems(self) -> list[str]:
        """Compare everything, and look for failed jobs and for doubled results."""
        found = [text for incident in self.uploads for text in self.problems(incident)]
        for typist in self._typed:
            found += typist.problems()
        with self._installation.direct() as connection:
            rows = connection.execute(
                "select kind, error from jobs where state = 'failed' or error is not null"
            ).fetchall()
            found += [f"failed job: {kind}: {error}" for kind, error in rows]
            rows = connection.execute(
                "select target, count(*) from jobs where kind = 'artifact' and state = 'done'"
                " group by target having count(*) > 1"
            ).fetchall()
            found += [f"read {count} times: artifact {target}" for target, count in rows]
        return found

    def counts(self) -> dict[str, int]:
        """Count what was acknowledged."""
        return {
            "uploads": sum(len(each.acknowledged) for each in self.uploads.values()),
            "comments": sum(sum(each.values()) for each in self.comments.values()),
            "keystrokes": self.keystrokes,
        }

    def _compare_files(self, incident: str) -> list[str]:
        mine = self.uploads[incident]
        items = self._items(incident)
        there = Counter(item["path"] for item in items)
        found = [f"lost: {name}" for name in mine.acknowledged if not there[name]]
        found += [f"doubled: {name}" for name, number in there.items() if number > 1]
        for item in items:
            expected = mine.attempted.get(item["path"])
            if expected is not None and item["sha256"] != expected:
                found.append(f"other bytes: {item['path']}")
            if item["state"] not in _READ:
                found.append(f"{item['state']}: {item['path']}: {item.get('error')}")
        for name in mine.archives:
            members = [path for path in there if path.startswith(f"{name}/")]
            if len(members) != _MEMBERS:
                found.append(f"{len(members)} of {_MEMBERS} members: {name}")
        return found

    def _items(self, incident: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self._get(f"/api/v1/incidents/{incident}/artifacts")["items"]
        return items

    def _get(self, path: str) -> Any:
        return self.clients[0].get(path).raise_for_status().json()

    # ---- access

    def _create_user(self) -> None:
        hashed = hash_password(_PASSWORD)
        database = Database(self._installation.settings.database_url or "", pool_size=1)
        try:
            with database.unit() as unit:
                Accounts(unit).create_user("Faults", "faults@example.org", "admin", hashed)
        finally:
            database.close()

    def _client(self, url: str) -> httpx.Client:
        limits = httpx.Limits(keepalive_expiry=5)
        client = httpx.Client(base_url=url, timeout=_TIMEOUT_S, limits=limits, trust_env=False)
        # Tries to sign in are counted, also those that a slow start does not answer in time.
        patiently(lambda: client.get("/readyz").raise_for_status())
        body = {"email": "faults@example.org", "password": _PASSWORD}
        patiently(lambda: client.post("/api/v1/session", json=body).raise_for_status())
        client.headers["X-CSRF-Token"] = client.cookies["pileup_csrf"]
        return client


class _Typist:
    """Types into one text of the first incident, over both APIs at random."""

    def __init__(self, ledger: Ledger, mark: str) -> None:
        self._ledger = ledger
        self._mark = mark
        self._path = f"/api/v1/incidents/{ledger.incident}/texts/summary"
        self.acknowledged = 0

    def run(self) -> None:
        """Type until the ledger stops, then resend until everything is acknowledged."""
        document: Doc[Text] = Doc()
        whole = patiently(
            lambda: self._ledger.any_client().get(self._path).raise_for_status().json()
        )
        document.apply_update(base64.b64decode(whole["state"]))
        text, sent = document.get("text", type=Text), document.get_state()
        typed = 0
        while not self._ledger.stopping:
            text += f"{self._mark}{typed:06}"
            typed += 1
            state = document.get_state()
            if self._send(document.get_update(sent)):
                sent, self.acknowledged = state, typed
            time.sleep(0.25)
        patiently(lambda: self._send(document.get_update(sent), strict=True))
        self.acknowledged = typed

    def problems(self) -> list[str]:
        """Look for keystrokes that are missing, doubled or in another order."""
        whole = self._ledger.clients[0].get(self._path).raise_for_status().json()
        document: Doc[Text] = Doc()
        document.apply_update(base64.b64decode(whole["state"]))
        text = str(document.get("text", type=Text))
        pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
        mine = [piece for piece in pieces if piece.startswith(self._mark)]
        expected = [f"{self._mark}{number:06}" for number in range(self.acknowledged)]
        if mine != expected:
            return [f"keystrokes of {self._mark}: {len(mine)} there, {len(expected)} acknowledged"]
        return []

    def _send(self, update: bytes, *, strict: bool = False) -> bool:
        body = {"update": base64.b64encode(update).decode()}
        try:
            self._ledger.any_client().post(f"{self._path}/updates", json=body).raise_for_status()
        except _REFUSED:
            if strict:
                raise
            return False
        return True


def patiently(action: Callable[[], Any], limit_s: float = 240) -> Any:
    """Do something again until it works; on a busy machine a service takes minutes to start."""
    deadline = time.monotonic() + limit_s
    while True:
        try:
            return action()
        except _REFUSED:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
