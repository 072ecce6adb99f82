"""Probes, metrics, request ids, and what is answered where nothing is."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from pileup import logs
from pileup.api import traffic, ui
from pileup.settings import Settings
from tests.support.site import Site

ROUTES = Path(__file__).resolve().parents[3] / "frontend/src/app/routes.tsx"


def test_the_probes(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alive in any case; ready only with a database that answers and has our schema."""
    assert site.stranger.get("/readyz").status_code == 200
    monkeypatch.setattr("pileup.api.accounts.status.newest_revision", lambda: "0042")
    refused = site.stranger.get("/readyz")
    assert refused.status_code == 503
    assert "0042" in refused.json()["detail"]
    monkeypatch.setattr("pileup.api.pulse._FRESH_S", -1.0)
    assert site.stranger.get("/readyz").status_code == 503
    assert site.stranger.get("/livez").status_code == 200


def test_metrics_are_for_admins(site: Site) -> None:
    site.admin.get("/api/v1/incidents")
    token = site.with_token("read")
    text = token.get("/metrics").text
    line = 'pileup_http_requests_total{method="GET",route="/incidents",status="200"}'
    assert line in text
    for name in ("pileup_jobs", "pileup_workers", "pileup_disk_free_bytes", "pileup_build_info"):
        assert f"# HELP {name} " in text
    assert site.client("viewer").get("/metrics").status_code == 403
    site.stranger.cookies.clear()
    assert site.stranger.get("/metrics").status_code == 401


def test_ids_are_no_labels(site: Site) -> None:
    incident = site.incident()
    site.admin.get(f"/api/v1/incidents/{incident}/overview")
    text = site.admin.get("/metrics").text
    assert incident not in text
    assert 'route="/incidents/{incident_id}/overview"' in text


def test_an_answer_names_its_request(site: Site) -> None:
    sent = site.admin.get("/api/v1/status", headers={"X-Request-ID": "proxy-17"})
    assert sent.headers["x-request-id"] == "proxy-17"
    made = site.admin.get("/api/v1/status", headers={"X-Request-ID": "a b\\n"})
    assert made.headers["x-request-id"] != sent.headers["x-request-id"]
    assert len(made.headers["x-request-id"]) == 16


def app_with_ui(folder: Path, **more: object) -> TestClient:
    (folder / "index.html").write_text("<html>the UI</html>")
    (folder / "robots.txt").write_text("no")
    app = FastAPI()
    settings = Settings(ui_dir=folder, **more)  # type: ignore[arg-type]

    @app.get("/fails")
    def fails() -> None:
        raise RuntimeError("broken")

    ui.install(app, settings)
    traffic.install(app, settings)
    return TestClient(app, raise_server_exceptions=False)


@pytest.mark.parametrize(
    "path", ["/ready", "/foo.php", "/.env", "/.git/config", "/assets/none.js", "/api/none", "/%00"]
)
def test_nothing_is_there(tmp_path: Path, path: str) -> None:
    """A program gets 404 and a sentence; a person gets the page that says so."""
    client = app_with_ui(tmp_path)
    assert client.get(path).status_code == 404
    assert client.get(path).headers["content-type"] == "application/problem+json"
    person = client.get(path, headers={"Accept": "text/html,*/*"})
    assert person.status_code == 404


@pytest.mark.parametrize("path", ["/", "/incidents/x/waits", "/sign-in?link=x", "/robots.txt"])
def test_screens_and_files_are_there(tmp_path: Path, path: str) -> None:
    assert app_with_ui(tmp_path).get(path).status_code == 200


def test_every_screen_of_the_ui_is_known() -> None:
    found = re.findall(r"path: '/([^'/]*)", ROUTES.read_text(encoding="utf-8"))
    assert found
    assert set(found) <= ui.SCREENS


@contextmanager
def json_logs() -> Iterator[None]:
    """JSON logs for a while: they take over the loggers of libraries, which get theirs back."""
    loggers = [logging.getLogger(name) for name in (None, "uvicorn", "uvicorn.error", "celery")]
    before = [(logger, logger.handlers[:], logger.level, logger.propagate) for logger in loggers]
    logs.configure("INFO", "json")
    try:
        yield
    finally:
        logs.configure("INFO")
        for logger, handlers, level, propagate in before:
            logger.handlers = handlers
            logger.setLevel(level)
            logger.propagate = propagate


def test_slow_and_failed_requests_are_logged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with json_logs():
        client = app_with_ui(tmp_path, slow_request_ms=1, access_log=True)
        client.get("/fails", headers={"X-Request-ID": "r1"})
        client.get("/nowhere", headers={"X-Request-ID": "r2"})
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line[:1] == "{"]
    by_id = {line["request_id"]: line for line in lines if line.get("path")}
    assert by_id["r1"]["status"] == 500
    assert by_id["r2"]["status"] == 404
    assert {by_id[name]["event"] for name in by_id} <= {"request", "request.slow"}
    assert all({"timestamp", "level", "elapsed_ms"} <= line.keys() for line in by_id.values())


def test_the_dashboard_shows_metrics_that_exist(site: Site) -> None:
    dashboard = ROUTES.parents[3] / "deploy/grafana/pileup.json"
    shown = set(re.findall(r"pileup_[a-z_]+", dashboard.read_text(encoding="utf-8")))
    site.admin.get("/api/v1/status")
    text = site.admin.get("/metrics").text
    assert shown <= set(re.findall(r"pileup_[a-z_]+", text)), text
