"""Signing in: one-time links, passwords, sessions, tokens."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from pathlib import Path
from typing import Literal

import pytest
from argon2 import PasswordHasher, Type, extract_parameters
from argon2.profiles import CHEAPEST
from fastapi.testclient import TestClient
from sqlalchemy import text

from pileup.api.app import create_app
from pileup.storage.accounts import credentials
from pileup.storage.accounts.breaches import is_breached
from pileup.storage.accounts.guesses import Guesses
from pileup.storage.accounts.sign_in_links import create_sign_in_link
from tests.support.site import PASSWORD, Site, open_site, settings_for


def fresh(home: Path, url: str) -> TestClient:
    return TestClient(create_app(settings_for(home, url)), raise_server_exceptions=False)


def test_a_password_costs_as_much_as_rfc_9106_asks(shipped_hasher: PasswordHasher) -> None:
    """Its second recommendation: 3 rounds over 64 MiB."""
    kept = extract_parameters(shipped_hasher.hash(PASSWORD))
    assert (kept.type, kept.time_cost, kept.memory_cost) == (Type.ID, 3, 64 * 1024)


def test_an_unknown_user_costs_as_much_as_a_known_one() -> None:
    """The hash that is verified then has the parameters of every stored one, and never fits."""
    stored = credentials.hash_password(PASSWORD)
    assert extract_parameters(credentials.hash_of_nobody()) == extract_parameters(stored)
    assert credentials.password_fits(stored, PASSWORD)
    assert not credentials.password_fits(None, PASSWORD)


def test_the_first_link_makes_the_first_admin(postgres_url: str, tmp_path: Path) -> None:
    """Name, address and password are optional; the cookie is HttpOnly and SameSite."""
    client = fresh(tmp_path, postgres_url)
    assert client.get("/api/v1/setup").json()["has_users"] is False
    link = create_sign_in_link(postgres_url, tmp_path)
    answer = client.post("/api/v1/session/link", json={"link": link})
    assert answer.status_code == 200
    assert answer.json()["user"]["role"] == "admin"
    assert answer.json()["user"]["name"] == "admin"
    cookies = answer.headers.get_list("set-cookie")
    session = next(cookie for cookie in cookies if cookie.startswith("pileup_session="))
    assert "HttpOnly" in session
    assert "SameSite=lax" in session
    csrf = next(cookie for cookie in cookies if cookie.startswith("pileup_csrf="))
    assert "HttpOnly" not in csrf  # the page's script sends it back
    assert "SameSite=lax" in csrf
    assert client.get("/api/v1/setup").json()["has_users"] is True
    assert client.get("/api/v1/session").json()["csrf"] == answer.json()["csrf"]
    actions = {entry["action"] for entry in client.get("/api/v1/audit").json()}
    assert {"sign_in_link.created", "session.opened"} <= actions


def test_a_link_works_once(postgres_url: str, tmp_path: Path) -> None:
    """Also when two come at the same instant: one is let in."""
    link = create_sign_in_link(postgres_url, tmp_path)
    clients = [fresh(tmp_path, postgres_url) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(lambda c: c.post("/api/v1/session/link", json={"link": link}), clients)
        )
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]
    assert "used already" in next(a for a in answers if a.status_code == 401).json()["detail"]


def test_two_first_links_make_one_admin(postgres_url: str, tmp_path: Path) -> None:
    """The second link of an empty installation does not make a second owner."""
    links = [create_sign_in_link(postgres_url, tmp_path) for _ in range(2)]
    client = fresh(tmp_path, postgres_url)
    assert client.post("/api/v1/session/link", json={"link": links[0]}).status_code == 200
    assert client.post("/api/v1/session/link", json={"link": links[1]}).status_code == 401
    later = create_sign_in_link(postgres_url, tmp_path)
    again = client.post("/api/v1/session/link", json={"link": later})
    assert again.status_code == 200
    assert again.json()["user"]["name"] == "admin"


def test_an_old_link_is_refused(site: Site) -> None:
    """It expires; the database never held the secret itself."""
    url = str(site.settings.database_url)
    link = create_sign_in_link(url, site.settings.home)
    with site.database.unit() as unit:
        stored = unit.session.scalars(text("select token_hash from sign_in_links")).all()
        assert link not in stored
        unit.session.execute(text("update sign_in_links set expires_at = now()"))
    assert site.stranger.post("/api/v1/session/link", json={"link": link}).status_code == 401


def test_wrong_passwords_are_counted(site: Site) -> None:
    """The answer does not tell whether the address exists; the eleventh attempt waits."""
    for address in ("nobody@example.org", "admin2@example.org"):
        answer = site.stranger.post(
            "/api/v1/session", json={"email": address, "password": "wrong wrong"}
        )
        assert answer.status_code == 401
        assert answer.json()["detail"] == "no user has this e-mail address and password"
    body = {"email": "guess@example.org", "password": "wrong wrong"}
    codes = [site.stranger.post("/api/v1/session", json=body).status_code for _ in range(11)]
    assert codes == [401] * 10 + [429]


def guessed(site: Site, client: str, account: str, times: int = 100) -> None:
    """Count wrong passwords; {n} in a name is their number."""
    with site.database.unit() as unit:
        for n in range(times):
            Guesses(unit).add(client.format(n=n), account.format(n=n))


def test_guesses_count_for_every_process(site: Site, tmp_path: Path) -> None:
    """Another process of the same installation refuses what this one counted."""
    other = create_app(settings_for(tmp_path / "other", str(site.settings.database_url)))
    other.state.sign_in_limits.pauses.pause_s = 0.0
    body = {"email": "guess@example.org", "password": "wrong wrong"}
    codes = [
        client.post("/api/v1/session", json=body).status_code
        for client in [site.stranger, TestClient(other)] * 6
    ]
    assert codes == [401] * 10 + [429] * 2


def test_hashes_wait_for_their_turn(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is signed in cannot start more of them at once either; then it is 429."""
    monkeypatch.setattr(credentials, "_PATIENCE_S", 0.01)
    for _ in range(credentials._AT_ONCE):
        assert credentials._turns.acquire(timeout=10)
    try:
        body = {"current_password": PASSWORD, "password": PASSWORD + " new"}
        answer = site.admin.patch("/api/v1/session/user", json=body)
    finally:
        for _ in range(credentials._AT_ONCE):
            credentials._turns.release()
    assert answer.status_code == 429
    assert answer.headers["retry-after"]


def test_readers_go_before_colleagues_and_those_before_strangers(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each hash has its priority, and none is so low that a busy machine starves it."""
    seen: list[int] = []

    class Hasher(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002
            seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
            return super().verify(hash, password)

    monkeypatch.setattr(credentials, "_HASHER", Hasher.from_parameters(CHEAPEST))
    viewer = site.client("viewer")
    body = {"email": viewer.get("/api/v1/session").json()["user"]["email"], "password": PASSWORD}
    assert site.stranger.post("/api/v1/session", json=body).status_code == 200
    answer = viewer.post("/api/v1/session", json=body)
    viewer.headers["X-CSRF-Token"] = answer.json()["csrf"]
    change = {"current_password": PASSWORD, "password": PASSWORD + " new"}
    assert viewer.patch("/api/v1/session/user", json=change).status_code == 200
    *_, stranger, known, signed_in = seen
    reader = os.getpriority(os.PRIO_PROCESS, 0)
    assert reader < known == signed_in < stranger
    # Linux shares a core by 1.25 to the power of the difference.
    assert 1.25 ** (reader - stranger) > 0.1


def test_nobody_can_lock_a_colleague_out(site: Site) -> None:
    """Whatever a stranger guesses, the browser that signed in before gets in with the password."""
    viewer = site.client("viewer")
    address = viewer.get("/api/v1/session").json()["user"]["email"]
    guessed(site, "10.0.0.{n}", address)
    guessed(site, "testclient", "{n}@example.org")
    body = {"email": address, "password": PASSWORD}
    assert site.stranger.post("/api/v1/session", json=body).status_code == 429
    assert viewer.post("/api/v1/session", json=body).status_code == 200
    other = {"email": "admin@example.org", "password": PASSWORD}
    assert viewer.post("/api/v1/session", json=other).status_code == 429  # known for its user only


@pytest.mark.parametrize("path", ["session", "session/guest"])
def test_few_strangers_are_checked_at_once(
    site: Site, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """One client waits twice at most; the rest is refused at once, and nobody signed in waits."""
    running, most, go = [0], [0], threading.Event()

    def slow(*_: object, stranger: bool = True) -> bool | None:
        assert stranger
        running[0] += 1
        most[0] = max(most[0], running[0])
        go.wait(10)
        running[0] -= 1
        return None

    monkeypatch.setattr("pileup.api.accounts.sign_in.password_fits", slow)
    monkeypatch.setattr("pileup.api.accounts.sign_in.GuestLinks.open", slow)

    def guess(number: int) -> int:
        body = {"email": f"{number}@example.org", "password": "wrong wrong"}
        if path == "session/guest":
            body = {"link": f"plg_{number}"}
        return site.stranger.post(f"/api/v1/{path}", json=body).status_code

    with ThreadPoolExecutor(12) as pool:
        answers = [pool.submit(guess, number) for number in range(12)]
        refused = [answer.result() for answer in as_completed(answers) if stop(answer, go, site)]
    assert sorted(refused) == [401] * 2 + [429] * 10
    assert most == [1]


def stop(answer: Future[int], go: threading.Event, site: Site) -> bool:
    """After the first refusal, look as a signed-in user, then let the checks end."""
    if answer.result() == 429 and not go.is_set():
        assert site.admin.get("/api/v1/incidents").status_code == 200
        go.set()
    return True


def test_refusals_come_late(site: Site) -> None:
    """A client that asks again at once waits each time; a right or wrong password does not."""
    limits = site.app.state.sign_in_limits
    body = {"email": "guess@example.org", "password": "wrong wrong"}
    limits.pauses.pause_s = 60.0
    assert site.stranger.post("/api/v1/session", json=body).status_code == 401
    guessed(site, "testclient", "guess@example.org", times=10)
    limits.pauses.pause_s = 0.5
    began = time.monotonic()
    assert site.stranger.post("/api/v1/session", json=body).status_code == 429
    assert time.monotonic() - began >= 0.5 * limits.pauses.pause_s


def test_a_wrong_password_is_on_record_once(site: Site) -> None:
    body = {"email": "guess@example.org", "password": "wrong wrong"}
    for _ in range(3):
        site.stranger.post("/api/v1/session", json=body)
    with site.database.unit() as unit:
        rows = unit.session.execute(
            text("select detail from audit where action = 'session.refused'")
        ).all()
    assert [row.detail["account"] for row in rows] == ["guess@example.org"]


def test_sessions_are_listed_and_ended(site: Site) -> None:
    """Only your own; the ended one is signed out at once."""
    here = site.client("viewer")
    address = here.get("/api/v1/session").json()["user"]["email"]
    there = site.signed_in(address)
    sessions = here.get("/api/v1/session/all").json()
    assert [session["current"] for session in sessions].count(True) == 1
    other = next(session["id"] for session in sessions if not session["current"])
    assert end_session(site.admin, other) == 404
    assert end_session(here, other) == 204
    assert there.get("/api/v1/session").status_code == 401
    assert here.get("/api/v1/session").status_code == 200
    others = [site.signed_in(address) for _ in range(2)]
    assert end_session(here, None) == 204
    assert [each.get("/api/v1/session").status_code for each in (here, *others)] == [200, 401, 401]


def end_session(client: TestClient, session_id: str | None, **proof: str) -> int:
    body = {"session_id": session_id} | proof
    return client.post("/api/v1/session/all/end", json=body).status_code


def test_an_old_session_ends_others_only_with_proof(site: Site) -> None:
    """A stolen one signs nobody out; guesses pause like those of a sign-in."""
    here = site.client("viewer")
    there = site.signed_in(here.get("/api/v1/session").json()["user"]["email"])
    with site.database.unit() as unit:
        unit.session.execute(text("update sessions set created_at = now() - interval '11 minutes'"))
    assert end_session(here, None) == 422
    assert end_session(here, None, current_password="wrong wrong") == 422
    assert there.get("/api/v1/session").status_code == 200
    assert end_session(here, None, current_password=PASSWORD) == 204
    assert there.get("/api/v1/session").status_code == 401
    wrong = [end_session(here, None, current_password="wrong wrong") for _ in range(10)]
    assert wrong == [422] * 9 + [429]


def test_an_unused_session_ends(site: Site) -> None:
    """One second before the limit it goes on, at the limit it is over."""
    viewer = site.client("viewer")
    idle = timedelta(hours=site.settings.session_idle_h)
    for unused, code in ((idle - timedelta(minutes=1), 200), (idle, 401)):
        with site.database.unit() as unit:
            unit.session.execute(
                text("update sessions set last_seen_at = now() - :unused"), {"unused": unused}
            )
        assert viewer.get("/api/v1/session").status_code == code


def test_a_token_creates_no_token(site: Site) -> None:
    body = {"name": "endless", "verbs": ["read"]}
    assert site.with_token("full").post("/api/v1/tokens", json=body).status_code == 403


@pytest.mark.parametrize("end", [True, False])
def test_a_new_password_revokes_the_tokens_unless_they_are_kept(site: Site, end: bool) -> None:
    here = site.client("contributor")
    token = site.with_token("read", here)
    of_another = site.with_token("read", site.client("viewer"))
    body = {"current_password": PASSWORD, "password": PASSWORD + " new", "end_tokens": end}
    assert here.patch("/api/v1/session/user", json=body).status_code == 200
    assert token.get("/api/v1/incidents").status_code == (401 if end else 200)
    assert of_another.get("/api/v1/incidents").status_code == 200


@pytest.mark.parametrize(
    "password",
    [
        "1234567890",
        "password12",
        " " * 10,
        "qwertyuiop",
        "hunter2hunter2",
        "vera.example",
        "Vera Vera 1",
        "pileup pileup",
        "Pileup-Vera 2026",
    ],
)
def test_common_passwords_are_refused(site: Site, password: str) -> None:
    """So are those made of the user's own name and address; the answer says what helps."""
    body = {"name": "Vera", "email": "vera@example.org", "password": password}
    answer = site.admin.post("/api/v1/users", json=body)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["field"] == "password"
    assert "easy to guess" in error["message"]


@pytest.mark.parametrize("count", [1, 2, 3, 200])
def test_a_breached_password_is_refused(postgres_url: str, tmp_path: Path, count: int) -> None:
    """Wherever it is in the file, with either line end; its neighbours are not taken for it."""
    leaked = "violet stapler 9 upstream"
    others = [f"another password {number}" for number in range(count - 1)]
    for end in ("\n", "\r\n"):
        file = tmp_path / "breached.txt"
        lines = (sha1(each.encode()).hexdigest().upper() for each in (leaked, *others))
        file.write_bytes("".join(f"{line}:7{end}" for line in sorted(lines)).encode())
        for each in (leaked, *others):
            assert is_breached(each, file)
        assert not any(is_breached(f"{leaked} {number}", file) for number in range(100))
    settings = settings_for(tmp_path / "home", postgres_url, breached_passwords=file)
    if count == 1:
        with open_site(settings) as site:
            body = {"name": "x", "email": "x@example.org", "password": leaked}
            answer = site.admin.post("/api/v1/users", json=body)
            assert (answer.status_code, "in a breach" in answer.text) == (422, True)
            body["password"] += " more"
            assert site.admin.post("/api/v1/users", json=body).status_code == 201


def test_signing_out_ends_the_session(site: Site) -> None:
    """The old cookie is worth nothing afterwards, even for a viewer."""
    viewer = site.client("viewer")
    cookie = viewer.cookies["pileup_session"]
    assert viewer.delete("/api/v1/session").status_code == 204
    viewer.cookies.set("pileup_session", cookie)
    assert viewer.get("/api/v1/session").status_code == 401


def test_a_new_password_ends_other_sessions(site: Site) -> None:
    """So does disabling the account."""
    contributor = site.client("contributor")
    me = contributor.get("/api/v1/session").json()["user"]["id"]
    changed = site.admin.patch(f"/api/v1/users/{me}", json={"password": PASSWORD + "!"})
    assert changed.status_code == 200
    assert contributor.get("/api/v1/session").status_code == 401


def test_a_user_changes_their_own_password(site: Site) -> None:
    """With the current one; this session stays, the others end."""
    here, there = site.client("viewer"), fresh(site.settings.home, str(site.settings.database_url))
    address = here.get("/api/v1/session").json()["user"]["email"]
    there.post("/api/v1/session", json={"email": address, "password": PASSWORD})
    changed = PASSWORD + " changed"
    for current in (None, "wrong wrong"):
        body = {"current_password": current, "password": changed}
        answer = here.patch("/api/v1/session/user", json=body)
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "current_password"
    body = {"name": "Vera", "current_password": PASSWORD, "password": changed}
    answer = here.patch("/api/v1/session/user", json=body)
    assert (answer.status_code, answer.json()["name"]) == (200, "Vera")
    assert here.get("/api/v1/session").status_code == 200
    assert there.get("/api/v1/session").status_code == 401
    for password, code in ((PASSWORD, 401), (changed, 200)):
        body = {"email": address, "password": password}
        assert site.stranger.post("/api/v1/session", json=body).status_code == code


def test_a_profile_needs_no_role_and_gives_none(site: Site) -> None:
    """A name alone needs no password; a token or a body with a role is refused."""
    viewer = site.client("viewer")
    assert viewer.patch("/api/v1/session/user", json={"name": "V"}).status_code == 200
    assert viewer.patch("/api/v1/session/user", json={"role": "admin"}).status_code == 422
    assert viewer.patch("/api/v1/session/user", json={"name": " "}).status_code == 422
    token = site.with_token("full")
    assert token.patch("/api/v1/session/user", json={"name": "T"}).status_code == 403


def test_guessing_the_current_password_pauses(site: Site) -> None:
    viewer = site.client("viewer")
    body = {"current_password": "wrong wrong", "password": PASSWORD + "!"}
    codes = [viewer.patch("/api/v1/session/user", json=body).status_code for _ in range(11)]
    assert codes == [422] * 10 + [429]


def test_an_invited_user_chooses_a_password(site: Site) -> None:
    """The link works once; admins alone make links, and not for disabled accounts."""
    body = {"name": "Ines", "email": "ines@example.org", "role": "viewer"}
    user = site.admin.post("/api/v1/users", json=body).json()
    address = f"/api/v1/users/{user['id']}/link"
    assert site.client("contributor").post(address).status_code == 403
    link = site.admin.post(address).json()["link"]
    short = site.stranger.post("/api/v1/session/link", json={"link": link, "password": "short"})
    assert short.status_code == 422
    chosen = {"link": link, "password": PASSWORD}
    assert site.stranger.post("/api/v1/session/link", json=chosen).status_code == 200
    assert site.stranger.post("/api/v1/session/link", json=chosen).status_code == 401
    signed_in = {"email": "ines@example.org", "password": PASSWORD}
    assert site.stranger.post("/api/v1/session", json=signed_in).status_code == 200
    site.admin.patch(f"/api/v1/users/{user['id']}", json={"disabled": True})
    assert site.admin.post(address).status_code == 409
    assert site.admin.post("/api/v1/users/nobody/link").status_code == 404


def test_the_last_admin_stays(site: Site) -> None:
    """Demoting or disabling them would lock everybody out."""
    me = site.admin.get("/api/v1/session").json()["user"]["id"]
    for body in ({"role": "viewer"}, {"disabled": True}):
        answer = site.admin.patch(f"/api/v1/users/{me}", json=body)
        assert answer.status_code == 409
        assert "last admin" in answer.json()["detail"]


def test_tokens_are_shown_once_and_revocable(site: Site) -> None:
    """The list does not have the secret; a revoked token is a stranger's."""
    client = site.with_token("full")
    (listed,) = site.admin.get("/api/v1/tokens").json()
    assert "token" not in listed
    assert client.get("/api/v1/incidents").status_code == 200
    assert site.admin.delete(f"/api/v1/tokens/{listed['id']}").status_code == 204
    assert client.get("/api/v1/incidents").status_code == 401
    assert site.admin.delete(f"/api/v1/tokens/{listed['id']}").status_code == 404


def test_tokens_expire(site: Site) -> None:
    """An expiry in the past is refused; a passed one closes the door."""
    past = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    body = {"name": "old", "verbs": ["read"], "expires_at": past}
    assert site.admin.post("/api/v1/tokens", json=body).status_code == 422
    client = site.with_token("read")
    with site.database.unit() as unit:
        unit.session.execute(text("update tokens set expires_at = now()"))
    assert client.get("/api/v1/incidents").status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {"name": "x", "email": "not an address", "password": PASSWORD},
        {"name": "x", "email": "x@example.org", "password": "short"},
        {"name": " ", "email": "x@example.org", "password": PASSWORD},
        {"name": "x", "email": "ADMIN@example.org", "password": PASSWORD},
        {"name": "x", "email": "x@example.org", "password": PASSWORD, "root": True},
    ],
)
def test_users_are_checked(site: Site, body: dict[str, str]) -> None:
    """Addresses, passwords, names, duplicates in another case, fields that do not exist."""
    answer = site.admin.post("/api/v1/users", json=body)
    assert answer.status_code in (409, 422)
    assert answer.headers["content-type"] == "application/problem+json"
