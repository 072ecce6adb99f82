"""Responses are compressed, and a document that has not changed is not sent again."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.responses import PlainTextResponse, Response
from starlette.testclient import TestClient

from pileup.api import transfer, ui
from pileup.settings import Settings


@pytest.fixture(scope="module")
def client() -> TestClient:
    app = FastAPI()
    documents: dict[str, Any] = {"rows": list(range(2000))}

    @app.get("/document")
    def document(more: int = 0) -> Response:
        return JSONResponse({**documents, "more": more})

    @app.get("/refused")
    def refused() -> Response:
        return JSONResponse({"title": "no"}, status_code=404)

    @app.get("/file")
    def file() -> Response:
        return Response(b"a" * 5000, media_type="application/octet-stream")

    @app.get("/stream")
    def stream() -> Response:
        return StreamingResponse(iter(["[1,", "2]"]), media_type="application/json")

    @app.get("/events")
    def events() -> Response:
        return StreamingResponse(iter(["data: 1\n\n"] * 500), media_type="text/event-stream")

    @app.get("/text")
    def text() -> Response:
        return PlainTextResponse("word " * 1000)

    @app.post("/document")
    def written() -> Response:
        return JSONResponse(documents)

    transfer.install(app)
    return TestClient(app)


def test_a_document_is_sent_once(client: TestClient) -> None:
    first = client.get("/document")
    tag = first.headers["etag"]
    again = client.get("/document", headers={"If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    assert "content-length" not in again.headers or again.headers["content-length"] == "0"


def test_a_changed_document_is_sent(client: TestClient) -> None:
    tag = client.get("/document").headers["etag"]
    changed = client.get("/document?more=1", headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.json()["more"] == 1
    assert changed.headers["etag"] != tag


@pytest.mark.parametrize("path", ["/refused", "/file", "/stream", "/events", "/text"])
def test_only_whole_json_documents_have_a_tag(client: TestClient, path: str) -> None:
    assert "etag" not in client.get(path).headers


def test_a_write_has_no_tag(client: TestClient) -> None:
    assert "etag" not in client.post("/document").headers


def test_a_stream_of_json_arrives_whole(client: TestClient) -> None:
    assert client.get("/stream").json() == [1, 2]


@pytest.mark.parametrize(
    ("path", "encoding"),
    [("/document", "gzip"), ("/text", "gzip"), ("/file", None), ("/events", None)],
)
def test_texts_are_compressed(client: TestClient, path: str, encoding: str | None) -> None:
    with client.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as response:
        raw = b"".join(response.iter_raw())
    assert response.headers.get("content-encoding") == encoding
    assert len(raw) == (len(raw) if encoding is None else int(response.headers["content-length"]))
    if path == "/document":
        assert json.loads(gzip.decompress(raw))["more"] == 0


def test_a_client_without_gzip_gets_plain_text(client: TestClient) -> None:
    response = client.get("/text", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in response.headers
    assert response.text == "word " * 1000


@pytest.mark.parametrize(
    ("accepted", "encoding", "body"),
    [
        ("gzip, deflate, br", "br", b"small"),
        ("gzip", "gzip", b"smaller"),
        ("br;q=0, gzip;q=0.5", "gzip", b"smaller"),
        ("identity", None, b"let a = 1"),
    ],
)
def test_the_ui_is_sent_as_the_build_compressed_it(
    tmp_path: Path, accepted: str, encoding: str | None, body: bytes
) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    for name, text in (("a.js", b"let a = 1"), ("a.js.br", b"small"), ("a.js.gz", b"smaller")):
        (assets / name).write_bytes(text)
    app = FastAPI()
    ui.install(app, Settings(ui_dir=tmp_path))
    with TestClient(app).stream(
        "GET", "/assets/a.js", headers={"Accept-Encoding": accepted}
    ) as response:
        assert b"".join(response.iter_raw()) == body
    assert response.headers.get("content-encoding") == encoding
    assert response.headers["content-type"].startswith("text/javascript")
    assert response.headers["vary"] == "Accept-Encoding"
