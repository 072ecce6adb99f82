"""Sign-in through a real OpenID Connect provider: who gets in, and what does not let anybody in."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import httpx
import pytest
from fastapi.testclient import TestClient
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from pydantic import ValidationError
from sqlalchemy import text

from pileup.api.accounts import oidc_provider
from pileup.api.accounts.oidc_provider import Provider, ProviderError
from tests.conftest import REPOSITORY
from tests.support.site import Site, open_site, settings_for

HOME = "http://testserver"
CALLBACK = f"{HOME}/api/v1/session/oidc/callback"
SECRET = "a-secret-of-the-tests-only-1234"


pytestmark = pytest.mark.xdist_group("oidc")  # one provider for all


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """Start the provider; ends with this process."""
    tools = REPOSITORY / "frontend" / "tools"
    if not (tools / "node_modules" / "oidc-provider").is_dir():
        subprocess.run(["npm", "--prefix", str(tools), "ci", "--silent"], check=True)
    with subprocess.Popen(
        ["node", str(tools / "oidc-provider.mjs"), CALLBACK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("http"):
                yield line.strip()
                break
        process.terminate()


def settings(home: Path, url: str, issuer: str, **more: Any) -> Any:
    return settings_for(
        home,
        url,
        public_url=HOME,
        oidc_issuer=issuer,
        oidc_client_id="pileup",
        oidc_client_secret=SECRET,
        oidc_name="Example",
        **more,
    )


@pytest.fixture
def site(issuer: str, postgres_url: str, tmp_path: Path) -> Iterator[Site]:
    with open_site(settings(tmp_path / "home", postgres_url, issuer)) as opened:
        yield opened


def visitor(site: Site) -> TestClient:
    """A browser that has never been here."""
    return site._another_client()


def at_the_provider(address: str, login: str) -> str:
    """Sign in at the provider and consent, as a browser does; return where it sends us."""
    with httpx.Client(follow_redirects=False) as browser:
        answer = browser.get(address)
        for _ in range(12):
            if answer.is_redirect:
                there = urljoin(str(answer.url), answer.headers["location"])
                if there.startswith(CALLBACK):
                    return there
                answer = browser.get(there)
                continue
            prompt = "login" if 'value="login"' in answer.text else "consent"
            form = {"prompt": prompt, "login": login, "password": "any"}
            answer = browser.post(str(answer.url), data=form)
    raise AssertionError(f"the provider never came back: {answer.status_code} {answer.text[:300]}")


def depart(client: TestClient, screen: str = "/") -> str:
    answer = client.get("/api/v1/session/oidc", params={"next": screen}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def arrive(client: TestClient, address: str) -> str:
    answer = client.get(address.removeprefix(HOME), follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def link(client: TestClient, login: str) -> str:
    started = client.post("/api/v1/session/identities")
    assert started.status_code == 200, started.text
    return arrive(client, at_the_provider(started.json()["address"], login))


def email_of(client: TestClient) -> str | None:
    answer = client.get("/api/v1/session")
    return answer.json()["user"]["email"] if answer.status_code == 200 else None


def test_a_linked_identity_signs_in(site: Site) -> None:
    """PKCE, state and nonce travel; the screen opens; without a link nobody gets in."""
    assert site.stranger.get("/api/v1/setup").json()["provider"] == "Example"
    before = visitor(site)
    assert arrive(before, at_the_provider(depart(before), "ann")) == "/sign-in?trouble=unknown"
    assert email_of(before) is None
    ann = site.client("contributor", "ann")
    assert link(ann, "ann") == "/settings"
    browser = visitor(site)
    address = depart(browser, "/incidents/1/waits?at=2")
    sent = parse_qs(urlsplit(address).query)
    assert sent["code_challenge_method"] == ["S256"]
    assert {"state", "nonce", "code_challenge"} <= sent.keys()
    back = at_the_provider(address, "ann")
    assert arrive(browser, back) == "/incidents/1/waits?at=2"
    assert email_of(browser) == "ann@example.org"
    # the same answer again, in the same browser and in another
    assert arrive(browser, back) == "/sign-in?trouble=failed"
    assert arrive(visitor(site), back) == "/sign-in?trouble=failed"
    # another user cannot take it over, a disabled one does not get in
    assert link(site.client("contributor", "eve"), "ann") == "/sign-in?trouble=linked"
    user = ann.get("/api/v1/session").json()["user"]["id"]
    site.admin.patch(f"/api/v1/users/{user}", json={"disabled": True})
    browser = visitor(site)
    assert arrive(browser, at_the_provider(depart(browser), "ann")) == "/sign-in?trouble=disabled"
    with site.database.unit() as unit:
        assert unit.session.scalar(text("select count(*) from oidc_attempts")) == 0


def test_an_answer_counts_in_the_browser_that_left(site: Site) -> None:
    """A stolen or planted answer signs nobody in, and links nothing."""
    ann, eve = site.client("contributor", "ann"), site.client("contributor", "eve")
    planted = at_the_provider(depart(eve), "eve")
    assert arrive(ann, planted) == "/sign-in?trouble=failed"
    started = eve.post("/api/v1/session/identities").json()["address"]
    theirs = at_the_provider(started, "eve")
    ann.cookies.set("pileup_oidc", eve.cookies["pileup_oidc"])  # even with eve's cookie
    assert arrive(ann, theirs) == "/sign-in?trouble=failed"
    assert ann.get("/api/v1/session/identities").json() == []
    for query in ({}, {"state": "x", "code": "y"}, {"error": "access_denied"}):
        assert arrive(visitor(site), f"{CALLBACK}?{urlencode(query)}") == "/sign-in?trouble=failed"


@pytest.mark.parametrize(
    "screen",
    ["//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil", "javascript:1"],
)
def test_no_redirect_leaves_this_host(site: Site, screen: str) -> None:
    depart(site.stranger, screen)
    with site.database.unit() as unit:
        assert unit.session.scalars(text("select next from oidc_attempts")).all() == ["/"]


def test_an_address_opens_no_account(issuer: str, postgres_url: str, tmp_path: Path) -> None:
    """New users come with the role of the settings; the address of an existing user, verified or
    not, neither opens that account nor is taken."""
    with open_site(settings(tmp_path, postgres_url, issuer, oidc_role="viewer")) as site:
        body = {"name": "Bob", "email": "bob@provider.example", "role": "admin"}
        assert site.admin.post("/api/v1/users", json=body).status_code == 201
        for login, where, email in (
            ("bob", "/sign-in?trouble=address", None),
            ("new", "/", "new@provider.example"),
            ("unverified", "/", None),
        ):
            browser = visitor(site)
            assert arrive(browser, at_the_provider(depart(browser), login)) == where
            assert email_of(browser) == email
        me = browser.get("/api/v1/session").json()["user"]
        assert (me["role"], me["name"]) == ("viewer", "unverified of the provider")
        (identity,) = browser.get("/api/v1/session/identities").json()
        browser.headers["X-CSRF-Token"] = browser.cookies["pileup_csrf"]
        only = browser.delete(f"/api/v1/session/identities/{identity['id']}")
        assert only.status_code == 409


def test_an_answer_without_a_code_or_of_a_session_that_ended(site: Site) -> None:
    browser = visitor(site)
    state = parse_qs(urlsplit(depart(browser)).query)["state"][0]
    denied = urlencode({"state": state, "error": "access_denied"})
    assert arrive(browser, f"{CALLBACK}?{denied}") == "/sign-in?trouble=failed"
    ann = site.client("contributor", "ann")
    back = at_the_provider(ann.post("/api/v1/session/identities").json()["address"], "ann")
    ann.delete("/api/v1/session")
    assert arrive(ann, back) == "/sign-in?trouble=failed"
    assert arrive(visitor(site), at_the_provider(depart(browser), "ann")) != "/"


@pytest.fixture
def provider(issuer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Provider:
    """A provider whose keys are ours, so that we sign what the real one would not."""
    made = Provider(settings(tmp_path, "postgresql://x/y", issuer))
    known = oidc_provider._get(f"{issuer}/.well-known/openid-configuration")
    keys = KeySet([KEY]).as_dict(private=False)
    monkeypatch.setattr(
        oidc_provider, "_get", lambda address: keys if address == known["jwks_uri"] else known
    )
    return made


KEY = RSAKey.generate_key(2048, {"use": "sig", "kid": "ours"})


def signed(issuer: str, key: Any = KEY, alg: str = "RS256", **more: Any) -> str:
    good = {"iss": issuer, "aud": "pileup", "sub": "ann", "iat": 1, "exp": 9e9, "nonce": "n"}
    claims = {name: value for name, value in (good | more).items() if value is not None}
    return jwt.encode({"alg": alg, "kid": "ours"}, claims, key, algorithms=[alg])


def test_a_good_token_is_believed(provider: Provider) -> None:
    identity = provider._verified(
        signed(provider.issuer, email="a@b.c", email_verified="true"), "n"
    )
    assert (identity.subject, identity.email) == ("ann", None)
    whole = replace(identity, email="a@b.c")
    more = {"email": "a@b.c", "email_verified": True}
    assert provider._verified(signed(provider.issuer, **more), "n").email == whole.email


@pytest.mark.parametrize(
    "more",
    [
        {"iss": "https://evil.example"},
        {"aud": "another client"},
        {"aud": ["pileup", "another client"]},
        {"aud": ["pileup", "another client"], "azp": "another client"},
        {"nonce": "of another attempt"},
        {"nonce": None},
        {"exp": 1},
        {"exp": None},
        {"sub": None},
        {"sub": ""},
        {"forged": True},
    ],
    ids=str,
)
def test_a_token_that_proves_nothing_is_refused(provider: Provider, more: dict[str, Any]) -> None:
    if more.pop("forged", False):
        more = {"key": RSAKey.generate_key(2048, {"kid": "ours"})}
    with pytest.raises(ProviderError):
        provider._verified(signed(provider.issuer, **more), "n")


def test_the_strength_of_the_sign_in_is_checked(provider: Provider, tmp_path: Path) -> None:
    """It is asked for, and nothing else counts than what the provider signed."""
    strict = Provider(settings(tmp_path, "postgresql://x/y", provider.issuer, oidc_acr="mfa hw"))
    asked = parse_qs(urlsplit(strict.address("s", "n", "v")).query)
    assert asked["acr_values"] == ["mfa hw"]
    assert strict._verified(signed(provider.issuer, acr="hw"), "n").subject == "ann"
    for acr in (None, "pwd", "mfa hw", ["mfa"]):
        with pytest.raises(ProviderError, match="PILEUP_OIDC_ACR"):
            strict._verified(signed(provider.issuer, acr=acr), "n")


def test_an_unsigned_token_is_refused(provider: Provider) -> None:
    """Neither ``none``, nor a text."""
    head, body, _ = signed(provider.issuer).split(".")
    for token in (f"eyJhbGciOiJub25lIn0.{body}.", f"{head}.{body}.", "", "x"):
        with pytest.raises(ProviderError):
            provider._verified(token, "n")


@pytest.mark.parametrize(
    ("promised", "named", "refused"),
    [
        (True, "ours", False),
        (True, None, True),
        (False, None, False),
        (False, "https://evil.example", True),
        (True, "https://evil.example", True),
    ],
)
def test_an_answer_names_its_issuer_where_the_provider_promises_it(
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    promised: bool,
    named: str | None,
    refused: bool,
) -> None:
    known = {"authorization_response_iss_parameter_supported": promised}
    monkeypatch.setattr(Provider, "_discover", lambda _: known)
    monkeypatch.setattr(Provider, "_client", lambda _: pytest.fail("asked"))
    issuer = provider.issuer if named == "ours" else named
    with pytest.raises(ProviderError if refused else pytest.fail.Exception) as error:
        provider.identity("code", issuer, "n", "v")
    assert ("the answer comes from" in str(error.value)) == refused


def test_another_issuer_is_not_ours(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in the answer (mix-up), nor in the discovery document."""
    with pytest.raises(ProviderError, match=r"evil\.example"):
        provider.identity("code", "https://evil.example", "n", "v")
    monkeypatch.setattr(oidc_provider, "_get", lambda _: {"issuer": "https://evil.example"})
    provider._fresh_until = 0.0
    with pytest.raises(ProviderError, match=r"calls itself"):
        provider.address("s", "n", "v")


def test_the_settings_are_whole(tmp_path: Path) -> None:
    for values in (
        {"oidc_issuer": "http://provider.example", "oidc_client_id": "x"},
        {"oidc_issuer": "https://provider.example"},
        {"oidc_issuer": "https://provider.example", "oidc_client_id": "x", "oidc_role": "admin"},
    ):
        with pytest.raises(ValidationError):
            settings_for(tmp_path, "postgresql://x/y", **values)
