"""Who may come in: walked over the OpenAPI document, so that a new route cannot be forgotten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from pileup.api.app import create_app, openapi
from tests.support.site import Site, open_site

PUBLIC = {
    ("get", "/health"),
    ("get", "/livez"),
    ("get", "/readyz"),
    ("get", "/api/v1/setup"),
    ("post", "/api/v1/session"),
    ("post", "/api/v1/session/link"),
    ("post", "/api/v1/session/guest"),
    ("get", "/api/v1/session/oidc"),
    ("get", "/api/v1/session/oidc/callback"),
}
OWN = {
    ("delete", "/api/v1/session"),
    ("post", "/api/v1/session/all/end"),
    ("post", "/api/v1/tokens"),
    ("post", "/api/v1/session/factor"),
    ("post", "/api/v1/session/factor/confirm"),
    ("post", "/api/v1/session/factor/remove"),
    ("post", "/api/v1/session/identities"),
    ("delete", "/api/v1/session/identities/{identity_id}"),
    ("delete", "/api/v1/tokens/{token_id}"),
    ("patch", "/api/v1/session/user"),
    ("post", "/api/v1/mentions/seen"),
    ("put", "/api/v1/list-views"),
    ("delete", "/api/v1/list-views/{view_id}"),
    ("post", "/api/v1/incidents/{incident_id}/presence"),
}
"""What a viewer may change: their session, tokens, what they have seen, where others see them."""

LOOKS = {("post", "/api/v1/incidents/{incident_id}/report/preview")}
"""Saves nothing, shows what a text would look like: for whoever may read; POST for its size."""


def operations() -> Iterator[tuple[str, str]]:
    for path, methods in openapi()["paths"].items():
        for method in methods:
            yield method, path


def call(client: TestClient, method: str, path: str) -> Any:
    url = re.sub(r"\{[^}]+\}", "00000000-0000-7000-8000-000000000000", path)
    body: dict[str, Any] = {} if method in ("get", "head", "delete") else {"json": {}}
    return client.request(method.upper(), url, **body)


def test_every_route_refuses_a_stranger(site: Site) -> None:
    """401 everywhere but on the four public routes, as a problem document."""
    walked = 0
    for method, path in operations():
        if (method, path) in PUBLIC:
            continue
        answer = call(site.stranger, method, path)
        assert answer.status_code == 401, (method, path, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
        walked += 1
    assert walked > 25


def test_a_false_token_is_a_stranger(site: Site) -> None:
    """Unknown bearer tokens, other schemes and stale cookies open nothing."""
    for headers in ({"Authorization": "Bearer plp_no"}, {"Authorization": "Basic YTpi"}):
        assert site.stranger.get("/api/v1/incidents", headers=headers).status_code == 401
    site.stranger.cookies.set("pileup_session", "made-up")
    assert site.stranger.get("/api/v1/incidents").status_code == 401


def test_every_mutating_route_refuses_a_viewer(site: Site) -> None:
    """403 for each write, before anything else is looked at."""
    viewer = site.client("viewer")
    for method, path in operations():
        if method in ("get", "head") or (method, path) in PUBLIC | OWN | LOOKS:
            continue
        answer = call(viewer, method, path)
        assert answer.status_code == 403, (method, path, answer.text)


def test_looking_changes_nothing(site: Site) -> None:
    """Who may read may send it; the incident is as before."""
    incident = site.incident()
    before = site.admin.get(f"/api/v1/incidents/{incident}/report").json()
    body = {"body_md": "**bold**"}
    answer = site.client("viewer").post(f"/api/v1/incidents/{incident}/report/preview", json=body)
    assert answer.status_code == 200, answer.text
    assert site.admin.get(f"/api/v1/incidents/{incident}/report").json() == before


def test_every_mutating_route_wants_the_csrf_header(site: Site) -> None:
    """A form on another site has the cookie but not the header."""
    admin = site.admin
    del admin.headers["X-CSRF-Token"]
    for method, path in operations():
        if method in ("get", "head") or (method, path) in PUBLIC:
            continue
        answer = call(admin, method, path)
        assert answer.status_code == 403, (method, path, answer.text)
        assert "X-CSRF-Token" in answer.json()["detail"]


def test_a_read_token_cannot_write(site: Site) -> None:
    """Every mutating route refuses it; reading works."""
    reader = site.with_token("read")
    assert reader.get("/api/v1/incidents").status_code == 200
    for method, path in operations():
        if method in ("get", "head") or (method, path) in PUBLIC | OWN | LOOKS:
            continue
        assert call(reader, method, path).status_code == 403, (method, path)


def test_a_push_token_only_pushes(site: Site) -> None:
    """It creates incidents and uploads; it can read no incident at all."""
    incident = site.incident()
    pusher = site.with_token("upload")
    assert pusher.post("/api/v1/incidents", json={"title": "pushed"}).status_code == 201
    made = pusher.post(f"/api/v1/incidents/{incident}/artifacts", files={"file": ("a", b"b")})
    assert made.status_code == 201
    for method, path in operations():
        if (method, path) in PUBLIC | OWN or "upload" in path:
            continue
        if path in (
            "/api/v1/incidents",
            "/api/v1/incidents/{incident_id}/artifacts",
            "/api/v1/session",
        ):
            continue
        assert call(pusher, method, path).status_code == 403, (method, path)
    for path in ("/api/v1/incidents", f"/api/v1/incidents/{incident}/artifacts"):
        assert pusher.get(path).status_code == 403


def test_a_token_of_a_viewer_stays_a_viewer(site: Site) -> None:
    """Scope cannot exceed role: demoting somebody demotes their tokens."""
    contributor = site.client("contributor")
    token = site.with_token("full", contributor)
    me = contributor.get("/api/v1/session").json()["user"]["id"]
    assert site.admin.patch(f"/api/v1/users/{me}", json={"role": "viewer"}).status_code == 200
    assert token.post("/api/v1/incidents", json={"title": "no"}).status_code == 403


@pytest.mark.parametrize("path", ["/api/v1/users", "/api/v1/users/{user_id}"])
def test_users_are_for_admins(site: Site, path: str) -> None:
    """A contributor sees and changes no user."""
    contributor = site.client("contributor")
    for method in openapi()["paths"][path]:
        assert call(contributor, method, path).status_code == 403


def test_security_headers_are_everywhere(site: Site) -> None:
    """Also on errors and on the UI; scripts and style elements only from ourselves."""
    for path in ("/api/v1/incidents", "/health", "/", "/incidents/x", "/api/none"):
        headers = site.stranger.get(path).headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["script-src"] == "'self'", path
        assert "unsafe-inline" not in policy["style-src"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_each_page_has_a_nonce_of_its_own(site: Site, tmp_path: Path) -> None:
    """The page's scripts know it, so that style elements of others do not count."""
    (tmp_path / "index.html").write_text('<meta property="csp-nonce" nonce="CSP_NONCE" />')
    seen = set()
    with open_site(site.settings.model_copy(update={"ui_dir": tmp_path})) as with_page:
        for path in ("/", "/incidents/x", "/index.html", "/nothing"):
            answer = with_page.stranger.get(path, headers={"Accept": "text/html"})
            nonce = answer.text.removeprefix('<meta property="csp-nonce" nonce="')[:-4]
            policy = answer.headers["content-security-policy"]
            assert f"style-src 'self' 'nonce-{nonce}';" in policy
            seen.add(nonce)
    assert len(seen) == 4
    assert min(map(len, seen)) > 20


def test_over_https_browsers_stay_there(site: Site) -> None:
    """HSTS for the host and those below it; no other origin is allowed; TRACE is refused."""
    https = site.settings.model_copy(update={"public_url": "https://pileup.example.org"})
    stranger = TestClient(create_app(https))
    answer = stranger.get("/api/v1/setup", headers={"Origin": "https://evil.example"})
    assert answer.headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["cache-control"] == "no-store"
    for path in ("/", "/api/v1/incidents"):
        assert stranger.request("TRACE", path).status_code in (401, 404, 405)
