"""The second factor: when sign-in wants a code, which codes count, and how often."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyotp
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from pileup.storage.accounts import second_factors
from pileup.storage.accounts.guesses import Guesses
from pileup.storage.accounts.sign_in_links import create_sign_in_link
from tests.api.test_guard import PUBLIC, call, operations
from tests.support.site import PASSWORD, Site, open_site, settings_for

START = 1_800_000_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time that codes are computed from; a test moves it."""
    now = [START]
    monkeypatch.setattr(second_factors, "_now", lambda: now[0])
    return now


def switched_on(client: TestClient, now: list[int]) -> tuple[pyotp.TOTP, list[str]]:
    begun = client.post("/api/v1/session/factor", json={"current_password": PASSWORD})
    assert begun.status_code == 200, begun.text
    app = pyotp.parse_uri(begun.json()["address"])
    assert isinstance(app, pyotp.TOTP)
    confirmed = client.post("/api/v1/session/factor/confirm", json={"code": app.at(now[0])})
    assert confirmed.status_code == 200, confirmed.text
    now[0] += 60
    return app, confirmed.json()["recovery_codes"]


def sign_in(site: Site, **more: Any) -> int:
    body = {"email": "ann@example.org", "password": PASSWORD} | more
    return site._another_client().post("/api/v1/session", json=body).status_code


def test_sign_in_wants_a_code(site: Site, clock: list[int]) -> None:
    """After the password only; each code counts once, as does each recovery code."""
    ann = site.client("contributor", "ann")
    app, codes = switched_on(ann, clock)
    assert sign_in(site, password="wrong wrong", code=app.at(clock[0])) == 401
    answer = site.stranger.post(
        "/api/v1/session", json={"email": "ann@example.org", "password": PASSWORD}
    )
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "code")
    assert "set-cookie" not in answer.headers
    code = app.at(clock[0])
    assert [sign_in(site, code=code) for _ in range(2)] == [200, 422]
    assert sign_in(site, code=app.at(clock[0] - 30)) == 422  # older than the last one
    assert sign_in(site, code=app.at(clock[0] + 30)) == 200
    assert sign_in(site, code=app.at(clock[0] + 300)) == 422
    assert [sign_in(site, code=codes[0].upper()) for _ in range(2)] == [200, 422]
    assert ann.get("/api/v1/session/factor").json() == {"on": True, "recovery_codes_left": 9}
    with site.database.unit() as unit:
        stored = unit.session.scalars(text("select code_hash from recovery_codes")).all()
    assert not {code.replace("-", "") for code in codes} & set(stored)


def test_guessing_codes_pauses(site: Site, clock: list[int]) -> None:
    app, _ = switched_on(site.client("contributor", "ann"), clock)
    assert [sign_in(site, code="000000") for _ in range(11)] == [422] * 10 + [429]
    assert sign_in(site, code=app.at(clock[0])) == 429


def test_a_link_wants_the_code_too(site: Site, clock: list[int]) -> None:
    """It is not used up by a wrong one; `pileup link` can switch the factor off."""
    app, _ = switched_on(site.admin, clock)
    url, home = str(site.settings.database_url), Path(site.settings.home)
    link = create_sign_in_link(url, home)

    def redeem(link: str, **more: Any) -> int:
        client = site._another_client()
        return client.post("/api/v1/session/link", json={"link": link} | more).status_code

    assert redeem(link) == 422
    assert redeem(link, code="000000", password=PASSWORD + " new") == 422
    assert redeem(link, code=app.at(clock[0])) == 200
    assert redeem(create_sign_in_link(url, home, reset_second_factor=True)) == 200


def test_switching_it_on_and_off_needs_proof(site: Site, clock: list[int]) -> None:
    """The password to begin, a code to end it; an admin helps others, not themselves."""
    ann = site.client("contributor", "ann")
    wrong = ann.post("/api/v1/session/factor", json={"current_password": "wrong wrong"})
    assert wrong.json()["errors"][0]["field"] == "current_password"
    begun = ann.post("/api/v1/session/factor", json={"current_password": PASSWORD})
    assert ann.post("/api/v1/session/factor/confirm", json={"code": "1"}).status_code == 422
    assert sign_in(site) == 200  # begun is not on
    assert begun.json()["secret"] in begun.json()["address"]
    _, codes = switched_on(ann, clock)
    again = ann.post("/api/v1/session/factor", json={"current_password": PASSWORD})
    assert again.status_code == 409
    assert ann.post("/api/v1/session/factor/remove", json={"code": "1"}).status_code == 422
    assert ann.post("/api/v1/session/factor/remove", json={"code": codes[0]}).status_code == 204
    assert sign_in(site) == 200
    switched_on(ann, clock)
    for who, code in ((ann, 403), (site.admin, 204)):
        me = ann.get("/api/v1/session").json()["user"]["id"]
        assert who.delete(f"/api/v1/users/{me}/factor").status_code == code
    me = site.admin.get("/api/v1/session").json()["user"]["id"]
    assert site.admin.delete(f"/api/v1/users/{me}/factor").status_code == 409
    token = site.with_token("full", ann)
    assert token.get("/api/v1/session/factor").status_code == 403


def test_without_a_password_a_code_ends_other_sessions(site: Site, clock: list[int]) -> None:
    ann = site.client("contributor", "ann")
    app, _ = switched_on(ann, clock)
    with site.database.unit() as unit:
        for change in ("users set password_hash = null", "sessions set created_at = '2026-01-01'"):
            unit.session.execute(text(f"update {change}"))
    codes = (None, "000000", app.at(clock[0]))
    answers = [ann.post("/api/v1/session/all/end", json={"code": code}) for code in codes]
    assert [answer.status_code for answer in answers] == [422, 422, 204]
    assert answers[0].json()["errors"][0]["field"] == "code"
    bob = site.client("viewer", "bob")
    with site.database.unit() as unit:
        unit.session.execute(text("update users set password_hash = null"))
        unit.session.execute(text("update sessions set created_at = '2026-01-01'"))
    again = bob.post("/api/v1/session/all/end", json={})
    assert (again.status_code, again.json()["title"]) == (403, "Sign in again")


def test_many_who_know_the_password_guess_few_codes(site: Site, clock: list[int]) -> None:
    """Twenty codes for an account, from wherever they come; the user's own browser goes on."""
    ann = site.client("contributor", "ann")
    app, _ = switched_on(ann, clock)
    account = f"factor {ann.get('/api/v1/session').json()['user']['id']}"
    with site.database.unit() as unit:
        for number in range(20):
            Guesses(unit).add(f"10.0.0.{number}", account)
    assert sign_in(site, code=app.at(clock[0])) == 429
    body = {"email": "ann@example.org", "password": PASSWORD, "code": app.at(clock[0])}
    assert ann.post("/api/v1/session", json=body).status_code == 200


def test_an_installation_can_demand_it(postgres_url: str, tmp_path: Path, clock: list[int]) -> None:
    """With one factor only its set-up is open, on every route; then everything is."""
    with open_site(settings_for(tmp_path / "home", postgres_url)) as site:
        incident = site.incident()
        known = site.with_token("full")
    demanded = settings_for(tmp_path / "home", postgres_url, second_factor_required=True)
    with open_site(demanded) as site:
        me = site.admin.get("/api/v1/session").json()
        assert (me["must_enroll"], me["user"]["role"]) == (True, "admin")
        public = {*PUBLIC, ("get", "/api/v1/session"), ("delete", "/api/v1/session")}
        for method, path in operations():
            if (method, path) in public or path.startswith("/api/v1/session/factor"):
                continue
            answer = call(site.admin, method, path)
            assert answer.status_code == 403, (method, path, answer.text[:200])
            assert method == "head" or answer.json()["title"] == "Set up a second factor"
        assert site.stranger.get("/health").status_code == 200
        app, _ = switched_on(site.admin, clock)
        assert site.admin.get(f"/api/v1/incidents/{incident}").status_code == 200
        assert site.admin.get("/api/v1/session").json()["must_enroll"] is False
        body = {"email": "admin@example.org", "password": PASSWORD, "code": app.at(clock[0])}
        opened = site._another_client().post("/api/v1/session", json=body).json()
        assert opened["must_enroll"] is False
        assert known.headers["Authorization"]
        token = site._another_client()
        token.headers["Authorization"] = known.headers["Authorization"]
        assert token.get(f"/api/v1/incidents/{incident}").status_code == 200
