"""What the API refuses: the status of each refusal and its sentence, without any of them a 500."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import TextClause, text

from pileup.api import gate, multipart
from pileup.api.accounts import oidc_provider
from pileup.api.accounts.oidc_provider import Provider, ProviderError
from pileup.api.app import make_services
from pileup.api.errors import ApiError
from pileup.api.evidence.compare import MOST_RUNS
from pileup.records import Frame, Record, Snapshot, Stack
from pileup.report.render import pdf
from pileup.settings import Settings
from pileup.storage import models
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.teams import Teams
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit, Unreachable
from pileup.storage.errors import Contended, NotFound, StorageError
from pileup.storage.files.blobs import Blob
from pileup.storage.files.upload_bytes import FolderUploads
from pileup.views.reasoning.proposed import proposed_hypothesis
from tests.analysis.frames import T0, evidence
from tests.support.site import Site, settings_for

TEAM = "00000000-0000-7000-8000-000000000001"
ISSUER = "http://127.0.0.1:1"


def says(answer: httpx.Response, status: int, words: str) -> None:
    """Check that the answer is this refusal."""
    assert answer.status_code == status, answer.text
    assert words in answer.json()["detail"], answer.text


@pytest.mark.parametrize(
    ("path", "body", "first"),
    [
        ("teams", {"name": "x"}, lambda unit: Teams(unit).create("x")),
        (
            "users",
            {"name": "x", "email": "x@example.org"},
            lambda unit: Accounts(unit).create_user("x", "x@example.org", "viewer", None),
        ),
        ("teams/{}/members/{}", {}, lambda unit: Teams(unit).delete(TEAM)),
    ],
)
def test_who_is_second_at_the_same_moment(
    site: Site, path: str, body: dict[str, str], first: Callable[[Unit], Any]
) -> None:
    """Two transactions at once: the one that waited for the other answers 409, not 500."""
    me = site.admin.get("/api/v1/session").json()["user"]["id"]
    with site.database.unit() as unit:
        unit.session.add(models.Team(id=TEAM, name="there"))
    url = f"/api/v1/{path.format(TEAM, me)}"
    send = site.admin.put if "members" in path else site.admin.post
    with ThreadPoolExecutor(1) as threads:
        with site.database.unit() as unit:
            first(unit)
            unit.session.flush()
            second = threads.submit(send, url, json=body)
            waits = text(
                "select true from pg_stat_activity "
                "where datname = current_database() and wait_event_type = 'Lock'"
            )
            while not _is_true(site, waits):
                assert not second.done(), second.result().text
                time.sleep(0.01)
        says(second.result(), 409, "at this moment")


def _is_true(site: Site, question: TextClause) -> bool:
    """Ask in a transaction of its own: PostgreSQL lists the backends once for each."""
    with site.database.unit() as unit:
        return bool(unit.session.scalar(question))


@pytest.mark.parametrize(
    ("limit", "statement", "error"),
    [
        ("lock_timeout", "lock table teams", Contended),
        ("statement_timeout", "select pg_sleep(9)", Unreachable),
    ],
)
def test_a_statement_waits_only_so_long(
    site: Site, limit: str, statement: str, error: type[Exception]
) -> None:
    with site.database.unit() as holder:
        holder.session.execute(text("lock table teams"))
        with site.database.unit() as unit:
            unit.session.execute(text(f"set local {limit} = '10ms'"))
            with pytest.raises(error):
                unit.session.execute(text(statement))
            unit.session.rollback()


def test_queries_that_mean_nothing(site: Site) -> None:
    records: list[Record] = [
        Snapshot(line_first=1, line_last=9, kind="stacks", snapshot=0, wall_us=T0, clock="utc"),
        Stack(
            line_first=2,
            line_last=3,
            count=1,
            snapshot=0,
            wall_us=T0,
            clock="utc",
            frames=(Frame(function="futex_wait"),),
        ),
    ]
    incident = site.analysed(evidence({"a" * 64: records}))
    here = f"/api/v1/incidents/{incident}"
    first, two = "2026-11-20T22:19:00Z", "2026-11-20T22:20:00Z"
    backwards = "the window ends before it begins"
    tile = {"series": ["1"], "step": 2**40, "first": 2**30, "count": 1}
    crowd = "whole||||" + "|" + ",".join(map(str, range(MOST_RUNS + 1)))
    enough = "whole||||" + "|" + ",".join(map(str, range(MOST_RUNS)))
    sample = {"artifact": "b" * 64, "snapshot": 0}
    for path, params, status, words in (
        ("/waits", {"at": "noon"}, 422, "at is 'noon': write 'worst' or a time like"),
        ("/stacks/flame", {"start": first}, 422, "a window needs a start before its end"),
        ("/stacks/flame", {"start": two, "end": first}, 422, "a window needs a start before"),
        ("/stacks", sample, 404, "This incident has no such stack sample."),
        ("/log", {"start": two, "end": first}, 422, backwards),
        ("/log", {"start": first, "end": first}, 422, backwards),
        ("/moved", {"start": first, "end": first}, 422, backwards),
        ("/tiles", tile, 422, "tile 1073741824 is outside any calendar"),
        ("/compare", {"side": ["whole", "half"]}, 422, "side B is 'half': write part|start|end"),
        ("/compare", {"side": ["whole", crowd]}, 422, f"side B has more than {MOST_RUNS} runs"),
        ("/compare", {"side": ["whole", "stall"]}, 409, "side B has no stall: choose a window"),
        (
            "/compare/overlay",
            {"side": ["whole", "whole"], "series": "x", "align": "onset"},
            409,
            "has no stall: align the sides at their start",
        ),
    ):
        says(site.admin.get(here + path, params=params), status, words)
    answer = site.admin.get(f"{here}/compare", params={"side": ["whole", enough]})
    assert "more than" not in answer.text
    with (
        site.database.unit() as unit,
        pytest.raises(NotFound, match="The last analysis of this incident has no finding 'none'"),
    ):
        proposed_hypothesis(unit, incident, "none")


def test_bodies_without_a_zone_or_a_revision(site: Site) -> None:
    incident = site.incident()
    here = f"/api/v1/incidents/{incident}"
    until = "2027-01-31T00:00:00"
    link = {"name": "vendor", "expires_at": until}
    zone = "say the zone of expires_at: 2027-01-31T00:00:00Z"
    made = {"name": "vendor", "verbs": ["read"], "expires_at": until}
    says(site.admin.post("/api/v1/tokens", json=made), 422, zone)
    says(site.admin.post(f"{here}/guest-links", json=link), 422, zone)
    note = site.admin.post(
        f"{here}/annotations", json={"start": "2026-11-20T22:19:00Z", "text": "x"}
    )
    place = f"/api/v1/annotations/{note.json()['id']}"
    for revision in ("x", '"-1"', '"1234567890"', ""):
        answer = site.admin.patch(place, json={"text": "y"}, headers={"If-Match": revision})
        says(answer, 400, 'not like "3"')
    view = {"name": "open", "query": "status=open"}
    answer = site.with_token("upload").put("/api/v1/list-views", json=view)
    says(answer, 403, "this token does not read the list")
    for token in (site.with_token("read"), site.with_token("read comment", incident=incident)):
        assert token.get("/api/v1/mentions").status_code == 403
        assert token.post("/api/v1/mentions/seen", json={"ids": []}).status_code == 403


def test_uploads(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    incident = site.incident()
    here = f"/api/v1/incidents/{incident}"
    bad = {"Upload-Length": "3", "Upload-Metadata": "filename =="}
    says(site.admin.post(f"{here}/uploads", headers=bad), 400, "the value of 'filename'")
    made = site.admin.post(f"{here}/uploads", headers={"Upload-Length": "3"})
    place = made.headers["Location"]
    headers = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    answer = _cut_off(site, "PATCH", place, headers, b"ab")
    says(answer, 400, "2 bytes are kept")
    headers["Upload-Offset"] = "2"
    with monkeypatch.context() as patch:
        patch.setattr(FolderUploads, "keep", lambda *_: Blob("ab" * 32, 4))
        answer = site.admin.patch(place, headers=headers, content=b"c")
        says(answer, 409, "the bytes of this upload are being stored by another request")
    headers["Upload-Offset"] = "3"
    assert site.admin.patch(place, headers=headers, content=b"").status_code == 204
    says(site.admin.delete(place), 409, "the upload is finished: delete its artifact instead")
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf'
    says(_cut_off(site, "POST", f"{here}/artifacts", form, part), 400, "the client disconnected")
    with site.database.unit() as unit:
        row = unit.session.get(models.Incident, incident)
        assert row is not None
        row.archived_at = row.created_at
    says(
        site.admin.post(f"{here}/uploads", headers={"Upload-Length": "3"}),
        409,
        "the incident is archived; nothing can be added to it",
    )


def test_forms_and_bundles_over_a_limit(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"/api/v1/incidents/{site.incident()}/artifacts"
    monkeypatch.setattr(multipart, "_MAX_PARTS", 2)
    monkeypatch.setattr(multipart, "_MAX_HEADERS", 200)
    monkeypatch.setattr(multipart, "_MAX_FIELD", 10)
    two = [("path", (None, "a")), ("file", ("a", b"1"))]
    assert site.admin.post(url, files=two).status_code == 201
    says(site.admin.post(url, files=[*two, two[0]]), 413, "more than 2 parts in one request")
    long = [("file", ("x" * 300, b"1"))]
    says(site.admin.post(url, files=long), 400, "a part has a header that is far too long")
    field = [("path", (None, "x" * 11))]
    says(site.admin.post(url, files=field), 413, "the field 'path' is too long")
    monkeypatch.setattr(site.settings, "max_upload_bytes", 3)
    answer = site.admin.post("/api/v1/incidents/import", content=b"abcd")
    says(answer, 413, "A bundle of more than 3 bytes is refused (PILEUP_MAX_UPLOAD_BYTES).")


def test_a_report_that_cannot_be_typeset(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "TIMEOUT_S", 0)
    answer = site.admin.get(f"/api/v1/incidents/{site.incident()}/report/export?format=pdf")
    says(answer, 422, "typesetting took longer than 0 s and was ended; export fewer sections")


def test_an_expanded_archive_has_no_type(site: Site) -> None:
    artifact = site.upload(site.incident(), "a.zip", b"PK")["id"]
    with site.database.unit() as unit:
        Artifacts(unit).store_expansion(artifact, "zip", "", [])
    answer = site.admin.patch(f"/api/v1/artifacts/{artifact}", json={"format": "error-log"})
    says(answer, 422, "an archive was expanded; give its members a type instead")


def test_without_a_database(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no database is set: `pileup run` starts its own"):
        make_services(Settings(home=tmp_path, database_url=None))


def test_the_line_at_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused when the line is full, and when it does not move; a place is free again after use."""

    async def crowd() -> None:
        door = gate.Gate(1, patience_s=0.01)
        async with door.place():
            monkeypatch.setattr(gate, "LINE", 0)
            with pytest.raises(ApiError) as full:
                async with door.place():
                    pass
            monkeypatch.setattr(gate, "LINE", 1)
            with pytest.raises(ApiError) as still:
                async with door.place():
                    pass
        assert (full.value.status, still.value.status) == (503, 503)
        async with door.place():
            pass

    asyncio.run(crowd())


def _cut_off(
    site: Site, method: str, path: str, headers: dict[str, str], body: bytes
) -> httpx.Response:
    """Send the beginning of a request as the admin, then disconnect; return what was answered."""
    request = site.admin.build_request(method, path, headers=headers)
    sent: list[dict[str, Any]] = []
    coming = iter([{"type": "http.request", "body": body, "more_body": True}])

    async def receive() -> dict[str, Any]:
        return next(coming, {"type": "http.disconnect"})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": request.url.path,
        "raw_path": request.url.raw_path,
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("testclient", 1),
        "server": ("testserver", 80),
        "app": site.app,
    }
    assert isinstance(site.admin, TestClient)
    assert site.admin.portal is not None
    site.admin.portal.call(site.app, scope, receive, send)
    start = next(message for message in sent if message["type"] == "http.response.start")
    content = b"".join(message.get("body", b"") for message in sent)
    return httpx.Response(start["status"], content=content)


# ---- the provider of sign-ins ----------------------------------------------------------------


def _provider(tmp_path: Path) -> Provider:
    return Provider(_with_provider(tmp_path))


def _with_provider(tmp_path: Path) -> Settings:
    return settings_for(tmp_path, "postgresql://x/y", oidc_issuer=ISSUER, oidc_client_id="pileup")


METADATA = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
    "response_types_supported": ["code"],
    "subject_types_supported": ["public"],
    "id_token_signing_alg_values_supported": ["RS256"],
}


@pytest.mark.parametrize(
    ("metadata", "keys", "use", "words"),
    [
        (b"x" * (1 << 20) + b"x", b"", lambda p: p.address("s", "n", "v"), "more than 1 MiB"),
        (b"<html>", b"", lambda p: p.address("s", "n", "v"), "does not answer with JSON"),
        (b"[]", b"", lambda p: p.address("s", "n", "v"), "does not answer with an object"),
        (
            METADATA | {"response_types_supported": "code"},
            b"",
            lambda p: p.address("s", "n", "v"),
            "the metadata of the provider is wrong",
        ),
        (
            {name: METADATA[name] for name in METADATA if name != "token_endpoint"}
            | {"grant_types_supported": ["implicit"]},
            b"",
            lambda p: p._endpoint("token_endpoint"),
            "the token_endpoint of the provider is no https address: ''",
        ),
        (METADATA, b'{"keys": 1}', lambda p: p._key_set(), "the keys of the provider cannot be"),
        (
            METADATA,
            b"",
            lambda p: p.identity("code", None, "n", "v"),
            "the code was not exchanged",
        ),
    ],
)
def test_a_provider_that_answers_badly(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    metadata: Any,
    keys: bytes,
    use: Callable[[Provider], object],
    words: str,
) -> None:
    body = metadata if isinstance(metadata, bytes) else json.dumps(metadata).encode()

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=keys if request.url.path == "/keys" else body)

    client = httpx.Client(transport=httpx.MockTransport(answer))
    monkeypatch.setattr(
        oidc_provider.httpx,
        "stream",
        lambda method, address, **_: client.stream(method, address),
    )
    with pytest.raises(ProviderError, match=words):
        use(_provider(tmp_path))


def test_a_provider_that_is_away(site: Site, tmp_path: Path) -> None:
    says(site.admin.post("/api/v1/session/identities"), 409, "has no provider to sign in with")
    site.app.state.oidc = _provider(tmp_path)
    says(site.admin.post("/api/v1/session/identities"), 502, "try again in a moment, or ask an")
