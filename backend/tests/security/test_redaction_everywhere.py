"""Planted values through every way out: no redacted file or answer holds one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from fastapi import Response
from fastapi.testclient import TestClient

from pileup.api.errors import ApiError
from pileup.api.redacted_guests import redacted_answer
from pileup.cli import main
from pileup.report.redaction.redactor import KINDS
from tests.api.test_guard import operations
from tests.conftest import REPOSITORY
from tests.security.planted import FILES, MARK, SECRET, left
from tests.worker.conftest import BOTH, Bench, bench, make_bench

__all__ = ["bench", "make_bench"]

ALL = ",".join(KINDS)
CLOSED = ("/raw", "/raw/line", "/raw/search", "/download", "/mapping", "/report/redaction")


@pytest.fixture
def planted(bench: Bench) -> tuple[Bench, str]:
    """An incident with planted values in every file, and in what people wrote about them."""
    client = bench.site.admin
    incident = bench.site.incident("stall of Zq9upd on zq9host-7")
    base = f"/api/v1/incidents/{incident}"
    for path, content in FILES.items():
        bench.site.upload(incident, path, content.encode())
    bench.work(BOTH)
    listed = client.get(f"{base}/artifacts").json()["items"]
    shas = {item["path"]: item["sha256"] for item in listed}
    lines = {"artifact": shas["general.log"], "line_first": 2, "line_last": 8}
    view = f"/incidents/{incident}/artifacts"
    texts = {
        "pins": {"kind": "lines", "title": "zq9user_a", "locator": lines, "view": view},
        "hypotheses": {"statement": "zq9user_b held the row Zq9upd", "confidence": 40},
        "annotations": {"start": "2026-11-20T22:19:50Z", "text": "10.77.0.7, x@zq9mail.example"},
        "actions": {"text": "move zq9host-8; --password=Zq9pw20"},
    }  # fmt: skip
    for path, body in texts.items():
        answer = client.post(f"{base}/{path}", json=body)
        assert answer.is_success, (path, answer.text)
    return bench, incident


def exports(incident: str, artifacts: list[str]) -> list[str]:
    """List the address of every file of an incident, from the OpenAPI document."""
    described = json.loads((REPOSITORY / "frontend/src/api/openapi.json").read_text())
    found: list[str] = []
    for path, of_path in described["paths"].items():
        if "get" not in of_path or not path.endswith((".csv", "/export", "/bundle")):
            continue
        if "{incident_id}" in path:
            url = path.replace("{incident_id}", incident)
            forms = ("md", "html", "docx", "pdf") if url.endswith("report/export") else ("",)
            found += [f"{url}?format={form}&" if form else f"{url}?" for form in forms]
        elif "{artifact_id}" in path:
            found += [path.replace("{artifact_id}", each) + "?" for each in artifacts]
    return found


@pytest.mark.on_turn(1, 2)
def test_no_redacted_file_holds_a_planted_value(planted: tuple[Bench, str]) -> None:
    bench, incident = planted
    client = bench.site.admin
    listed = client.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    formats = {item["path"]: item["format"] for item in listed}
    assert sum(1 for name in formats.values() if name not in (None, "text")) >= 9, formats
    seen = 0
    for url in exports(incident, [item["id"] for item in listed]):
        plain = client.get(url.rstrip("?&"))
        assert left(plain.content, SECRET) == [], url
        answer = client.get(f"{url}redact={ALL}")
        assert answer.status_code == plain.status_code or answer.status_code == 200, answer.text
        if answer.is_success:
            seen += 1
            assert left(answer.content) == [], url
            assert left(str(answer.headers).encode()) == [], url
    assert seen >= 8


@pytest.mark.on_turn(1, 3)
def test_a_guest_of_a_redacted_link_sees_no_planted_value(planted: tuple[Bench, str]) -> None:
    """On every route of the OpenAPI document, with the ids of the incident, whatever it chooses."""
    bench, incident = planted
    site = bench.site
    listed = site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    pins = site.admin.get(f"/api/v1/incidents/{incident}/pins").json()
    ids = {"incident_id": [incident], "artifact_id": [item["id"] for item in listed]}
    ids["pin_id"] = [each["id"] for each in pins]
    guest = site.guest(incident, redact=ALL)
    assert guest.get("/api/v1/session").json()["redact"] == list(KINDS)
    read: list[str] = []
    for method, path in operations():
        if method != "get" or path.endswith("/events"):
            continue
        names = re.findall(r"\{(\w+)\}", path)
        for each in ids.get(names[0], ["none"]) if names else [""]:
            url = path.replace(f"{{{names[0]}}}", each) if names else path
            for query in ("", "?redact=&q=Zq9upd"):
                answer = guest.get(url + query)
                assert left(answer.content) == [], (url, query)
                if answer.is_success:
                    read.append(path)
                if path.endswith(CLOSED):
                    assert answer.status_code == 403, url
    assert len(set(read)) > 40, sorted(set(read))
    known_again = [guest.get(f"/api/v1/incidents/{incident}/{each}") for each in ("", "artifacts")]
    assert [left(answer.content) for answer in known_again] == [[], []]
    assert_streams_nothing(site.guest(incident), guest, incident)


def assert_streams_nothing(plain: TestClient, guest: TestClient, incident: str) -> None:
    """Bodies of other guests are not shared with this one, nor the other way round."""
    url = f"/api/v1/incidents/{incident}/artifacts"
    for client, shows in ((plain, True), (guest, False), (plain, True), (guest, False)):
        paths = client.get(url).text
        assert ("messages" in paths) is True
        title = client.get(f"/api/v1/incidents/{incident}").text
        assert (MARK.search(title) is not None) is shows


@pytest.mark.parametrize("form", ["--json", "--report", "text"])
def test_a_redacted_analysis_holds_no_planted_value(form: str, tmp_path: Path) -> None:
    """In the terminal, as JSON and as a page; without kinds no password either."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_text(content)
    page = tmp_path / "page.html"
    options = {"--json": ["--json"], "--report": ["--report", str(page)], "text": []}[form]
    for redact, pattern in (([], SECRET), (["--redact", ALL], MARK)):
        done = CliRunner().invoke(main, ["analyze", str(folder), *options, *redact])
        assert done.exit_code == 0, done.output
        output = done.output.replace(str(folder), "").encode()
        assert left(page.read_bytes() if form == "--report" else output, pattern) == []


def test_what_is_no_json_leaves_by_no_redacted_link() -> None:
    caller = SimpleNamespace(redact=KINDS)
    request: Any = SimpleNamespace(scope={"path": "/x"}, state=SimpleNamespace(principal=caller))
    nothing: Any = None
    with pytest.raises(ApiError, match="no files as they are"):
        redacted_answer(request, nothing, nothing, Response("x", media_type="text/plain"))
