"""Webhooks: called when a state changes, signed, tried again, and never to an address within."""

from __future__ import annotations

import json
import re
import shutil
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pileup.worker import webhooks
from pileup.worker.runtime import make_runtime
from pileup.worker.work import run
from tests.support.site import Site

DOC = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "webhooks.md"


class Receiver(HTTPServer):
    """Somebody's server: keeps what it gets and answers as configured."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.answer = 204
        self.slow_bytes = self.slow_headers = 0
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((dict(self.headers), body))
        self.send_response(self.server.answer)
        self.send_header("Content-Length", str(self.server.slow_bytes))
        try:
            for number in range(self.server.slow_headers):
                self.send_header(f"X-{number}", "x")
                self.flush_headers()
                time.sleep(0.05)
            self.end_headers()
            for _ in range(self.server.slow_bytes):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass  # the caller left

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def work(site: Site, **settings: Any) -> None:
    """What a worker does with the deliveries that wait."""
    runtime = make_runtime(site.settings.model_copy(update=settings))
    with site.database.unit() as unit:
        ids = unit.session.scalars(
            text("select id from jobs where kind = 'webhook' and state = 'queued'")
        ).all()
        unit.session.execute(text("update jobs set not_before = now() where kind = 'webhook'"))
    for job_id in ids:
        run(runtime, job_id)
    runtime.database.close()


def hook(site: Site, url: str) -> dict[str, Any]:
    made = site.admin.post(
        "/api/v1/webhooks", json={"url": url, "events": ["incident.status_changed"]}
    )
    assert made.status_code == 201, made.text
    return dict(made.json())


def change_status(site: Site) -> str:
    incident = site.incident()
    answer = site.admin.patch(
        f"/api/v1/incidents/{incident}", json={"status": "review"}, headers={"If-Match": '"1"'}
    )
    assert answer.status_code == 200
    return incident


def test_a_change_of_status_is_told_and_verifies(site: Site, receiver: Receiver) -> None:
    """By the example of the documentation, which refuses a changed body and an old time."""
    secret = hook(site, receiver.url)["secret"]
    incident = change_status(site)
    work(site, webhook_private=True)
    ((headers, body),) = receiver.got
    event = json.loads(body)
    assert (event["event"], event["incident"]["id"]) == ("incident.status_changed", incident)
    assert event["data"] == {"before": "open", "after": "review"}
    example: dict[str, Any] = {}
    (code,) = re.findall(r"```python\n(.*?)```", DOC.read_text(), re.DOTALL)
    exec(code, example)
    verify = example["verify"]
    signature = headers["Pileup-Signature"]
    at = int(signature.split(",")[0].removeprefix("t="))
    assert verify(secret, signature, body, now=at + 10)
    assert not verify(secret, signature, body + b" ", now=at + 10)
    assert not verify("other", signature, body, now=at + 10)
    assert not verify(secret, signature, body, now=at + 1000)


@pytest.mark.parametrize("slow", ["slow_bytes", "slow_headers"])
def test_a_receiver_that_answers_slowly_holds_no_worker(
    site: Site, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    """The time is that of the whole answer, not of each of its bytes."""
    receiver.answer = 200
    setattr(receiver, slow, 1000)
    monkeypatch.setattr(webhooks, "TIMEOUT_S", 2)
    hook(site, receiver.url)
    change_status(site)
    began = time.monotonic()
    work(site, webhook_private=True)
    assert time.monotonic() - began < 20
    assert len(receiver.got) == 1


def test_a_receiver_behind_tls_is_called_by_its_name(
    site: Site, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real TLS: refused while its authority is unknown, delivered once PILEUP_WEBHOOK_CA names it,
    and refused under another name, though the connection goes to the address that was checked."""
    ca, certificate = _authority(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    receiver.socket = context.wrap_socket(receiver.socket, server_side=True)
    here = [(2, 1, 6, "", ("127.0.0.1", receiver.server_port))]
    monkeypatch.setattr(webhooks.socket, "getaddrinfo", lambda *_, **__: here)
    made = hook(site, f"https://hooks.example.test:{receiver.server_port}/hook")
    log = f"/api/v1/webhooks/{made['id']}/deliveries"
    change_status(site)
    work(site, webhook_private=True)
    assert "CERTIFICATE_VERIFY_FAILED" in site.admin.get(log).json()[0]["answer"]
    work(site, webhook_private=True, webhook_ca=tmp_path / "none.pem")
    assert "PILEUP_WEBHOOK_CA" in site.admin.get(log).json()[0]["answer"]
    assert receiver.got == []
    work(site, webhook_private=True, webhook_ca=ca)
    assert site.admin.get(log).json()[0]["state"] == "delivered"
    assert receiver.got[0][0]["Host"] == f"hooks.example.test:{receiver.server_port}"
    other = hook(site, f"https://other.example.test:{receiver.server_port}/hook")
    change_status(site)
    work(site, webhook_private=True, webhook_ca=ca)
    (delivery,) = site.admin.get(f"/api/v1/webhooks/{other['id']}/deliveries").json()
    assert "Hostname mismatch" in delivery["answer"]


def _authority(folder: Path) -> tuple[Path, Path]:
    """A certificate authority of this test, and what it vouches for: hooks.example.test."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("this machine has no openssl, which makes the certificates")

    def make(*words: str) -> None:
        subprocess.run([openssl, *words], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    make("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test authority")
    name = "hooks.example.test"
    make("req", *key, "-keyout", "key.pem", "-out", "request.pem", "-subj", f"/CN={name}")
    (folder / "names").write_text(f"subjectAltName=DNS:{name}\n")
    make(
        *("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key"),
        *("-CAcreateserial", "-extfile", "names", "-out", "cert.pem"),
    )
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return folder / "ca.pem", both


def test_a_refusal_is_tried_again_then_given_up_then_redelivered(
    site: Site, receiver: Receiver
) -> None:
    """Six attempts; by hand it begins anew; every state is in the log."""
    made = hook(site, receiver.url)
    log = f"/api/v1/webhooks/{made['id']}/deliveries"
    receiver.answer = 500
    change_status(site)
    for _ in range(8):
        work(site, webhook_private=True)
    assert len(receiver.got) == 6
    (delivery,) = site.admin.get(log).json()
    assert (delivery["state"], delivery["status_code"]) == ("failed", 500)
    receiver.answer = 200
    assert site.admin.post(f"{log}/{delivery['id']}/redeliver").status_code == 200
    work(site, webhook_private=True)
    assert site.admin.get(log).json()[0]["state"] == "delivered"


def test_an_address_within_is_not_called(site: Site, receiver: Receiver) -> None:
    """Unless the setting says so; the log says why."""
    made = hook(site, receiver.url)
    change_status(site)
    work(site)
    assert receiver.got == []
    (delivery,) = site.admin.get(f"/api/v1/webhooks/{made['id']}/deliveries").json()
    assert "PILEUP_WEBHOOK_PRIVATE" in delivery["answer"]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "172.16.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "100.64.0.1",
        "224.0.0.1",
        "::1",
        "fe80::1",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::",
        "::127.0.0.1",
        "192.0.0.192",
        "192.88.99.1",
        "100.100.100.200",
        "fec0::1",
        "5f00::1",
    ],
)
def test_what_is_not_public(address: str) -> None:
    assert not webhooks.is_public(address)


def test_a_name_with_one_address_within_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many others it has."""
    found = [(2, 1, 6, "", ("93.184.215.14", 443)), (2, 1, 6, "", ("10.0.0.1", 443))]
    monkeypatch.setattr(webhooks.socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(webhooks.Unreachable, match=r"10\.0\.0\.1"):
        webhooks.public_address("example.org", 443, private=False)


def test_webhooks_are_for_admins_and_the_secret_is_shown_once(site: Site) -> None:
    contributor = site.client("contributor")
    assert contributor.get("/api/v1/webhooks").status_code == 403
    made = hook(site, "https://example.org/hook")
    assert made["secret"].startswith("whs_")
    assert made["secret"] not in site.admin.get("/api/v1/webhooks").text
    assert made["secret"] not in site.admin.get("/api/v1/audit").text


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "https://user:pw@example.org/", "https:///x", "javascript:1"]
)
def test_an_odd_address_is_refused(site: Site, url: str) -> None:
    answer = site.admin.post("/api/v1/webhooks", json={"url": url, "events": ["report.approved"]})
    assert answer.status_code == 422
