"""Live texts over HTTP: what a browser sends, what it is refused, and what scripts still do."""

from __future__ import annotations

import base64
import json
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from pycrdt import Doc, Text

from pileup.api.app import create_app
from pileup.storage.texts import crdt
from tests.support.server import serving
from tests.support.site import Site


class Browser:
    """A text as the UI holds it."""

    def __init__(self, client: TestClient, incident: str, key: str) -> None:
        self.client = client
        self.url = f"/api/v1/incidents/{incident}/texts/{key}"
        whole = client.get(self.url)
        assert whole.status_code == 200, whole.text
        self.document: Doc[Text] = crdt.opened(base64.b64decode(whole.json()["state"]), [])
        self.seq: int = whole.json()["seq"]

    @property
    def text(self) -> str:
        return crdt.read_text(self.document)

    def type(self, at: int, typed: str) -> str:
        before = self.document.get_state()
        self.document.get("text", type=Text).insert(at, typed)
        return base64.b64encode(self.document.get_update(before)).decode()

    def send(self, update: str) -> Any:
        return self.client.post(f"{self.url}/updates", json={"update": update})

    def fetch(self) -> None:
        answer = self.client.get(f"{self.url}/updates", params={"after": self.seq}).json()
        for update in answer["updates"]:
            self.document.apply_update(base64.b64decode(update))
        self.seq = answer["seq"]


def test_two_people_write_one_summary(site: Site) -> None:
    """At once, each twice by mistake; both see both, and so does the incident."""
    incident = site.incident()
    first = Browser(site.admin, incident, "summary")
    second = Browser(site.client("contributor"), incident, "summary")
    single, two = first.type(0, "Threads wait. "), second.type(0, "Nobody writes. ")
    for _ in range(2):
        assert first.send(single).status_code == 200
        assert second.send(two).status_code == 200
    first.fetch()
    second.fetch()
    assert first.text == second.text
    assert len(first.text) == len("Threads wait. Nobody writes. ")
    assert first.seq == second.seq == 3
    shown = site.admin.get(f"/api/v1/incidents/{incident}").json()
    assert shown["summary"] == first.text


@pytest.mark.parametrize("update", ["not base64!", "AQ==", base64.b64encode(b"rubbish").decode()])
def test_a_broken_update_is_refused_and_not_stored(site: Site, update: str) -> None:
    """With a problem document that names the field."""
    incident = site.incident()
    browser = Browser(site.admin, incident, "summary")
    answer = browser.send(update)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"][0]["field"] == "update"
    assert Browser(site.admin, incident, "summary").seq == 1


def test_an_update_has_a_size(site: Site) -> None:
    """A text of more than 200 000 characters is too large, whatever it comes in."""
    incident = site.incident()
    browser = Browser(site.admin, incident, "summary")
    assert browser.send(browser.type(0, "x" * 200_001)).status_code == 413
    assert browser.send("A" * 1_600_000).status_code == 422


@pytest.mark.parametrize("key", ["nonsense", "report/nonsense", "hypothesis/none/notes", "a/b/c/d"])
def test_an_unknown_text_is_404(site: Site, key: str) -> None:
    incident = site.incident()
    url = f"/api/v1/incidents/{incident}/texts/{key}"
    assert site.admin.get(url).status_code == 404
    assert site.admin.get(f"{url}/updates", params={"after": 0}).status_code == 404
    assert site.admin.post(f"{url}/updates", json={"update": "AAA="}).status_code == 404


def test_texts_of_another_incident_are_not_there(site: Site) -> None:
    """A hypothesis' notes, and the versions of a text, only under their own incident."""
    incident, other = site.incident(), site.incident("other")
    made = site.admin.post(
        f"/api/v1/incidents/{incident}/hypotheses", json={"statement": "A latch is held"}
    ).json()
    key = f"hypothesis/{made['id']}/notes"
    browser = Browser(site.admin, incident, key)
    browser.send(browser.type(0, "see line 812"))
    (version,) = site.admin.get(f"{browser.url}/versions").json()
    elsewhere = f"/api/v1/incidents/{other}/texts/{key}"
    assert site.admin.get(elsewhere).status_code == 404
    assert site.admin.get(f"{elsewhere}/versions").json() == []
    assert site.admin.get(f"{elsewhere}/versions/{version['id']}").status_code == 404
    assert site.admin.post(f"{elsewhere}/versions/{version['id']}/restore").status_code == 404


def test_a_version_is_named_and_restored(site: Site) -> None:
    """What was there before the restoring stays a version."""
    incident = site.incident()
    browser = Browser(site.admin, incident, "summary")
    browser.send(browser.type(0, "first"))
    (version,) = site.admin.get(f"{browser.url}/versions").json()
    named = site.admin.patch(f"{browser.url}/versions/{version['id']}", json={"name": "draft"})
    assert named.json()[0]["name"] == "draft"
    browser.fetch()
    browser.send(browser.type(5, " and second"))
    assert site.admin.post(f"{browser.url}/versions/{version['id']}/restore").status_code == 200
    browser.fetch()
    assert browser.text == "first"
    kept = site.admin.get(f"{browser.url}/versions").json()
    texts = [site.admin.get(f"{browser.url}/versions/{item['id']}").json()["text"] for item in kept]
    assert texts == ["first", "first and second", "first"]


def test_a_script_saves_a_section_while_somebody_types(site: Site) -> None:
    """If-Match as before: a save from an old revision is refused with the current text."""
    incident = site.incident()
    report = f"/api/v1/incidents/{incident}/report"
    browser = Browser(site.admin, incident, "report/actions")
    assert _section(site, report)["prefilled"] is True  # opened is not edited
    saved = site.admin.put(
        f"{report}/sections/actions", json={"body_md": "one\ntwo\n"}, headers={"If-Match": '"0"'}
    )
    assert saved.status_code == 200, saved.text
    browser.fetch()
    assert browser.text == "one\ntwo\n"
    browser.send(browser.type(0, "zero\n"))
    stale = {"If-Match": f'"{saved.json()["revision"]}"'}
    refused = site.admin.put(f"{report}/sections/actions", json={"body_md": "mine"}, headers=stale)
    assert refused.status_code == 409
    assert refused.json()["current"]["body_md"] == "zero\none\ntwo\n"
    now = _section(site, report)
    assert (now["body_md"], now["prefilled"]) == ("zero\none\ntwo\n", False)
    unsent = browser.type(0, "# Actions\n")
    fresh = {"If-Match": f'"{now["revision"]}"'}
    body = {"body_md": "zero\none\nTWO\n"}
    assert site.admin.put(f"{report}/sections/actions", json=body, headers=fresh).status_code == 200
    browser.send(unsent)
    browser.fetch()
    assert browser.text == "# Actions\nzero\none\nTWO\n"


def test_a_script_writes_what_a_text_mirrors(site: Site) -> None:
    """PATCH of the summary, and the conclusion at the finish, go through the text."""
    incident = site.incident()
    browser = Browser(site.admin, incident, "summary")
    url = f"/api/v1/incidents/{incident}"
    site.admin.patch(url, json={"summary": "by script"}, headers={"If-Match": '"1"'})
    browser.fetch()
    assert browser.text == "by script"
    plan = site.admin.post(
        f"{url}/experiments",
        json={"title": "kill it", "change": "KILL 390", "prediction": {"text": "it ends"}},
    ).json()
    experiment = f"/api/v1/experiments/{plan['id']}"
    site.admin.post(f"{experiment}/start")
    conclusion = Browser(site.admin, incident, f"experiment/{plan['id']}/conclusion")
    conclusion.send(conclusion.type(0, "typed"))
    done = site.admin.post(
        f"{experiment}/finish",
        json={"observation": {"text": "it ended", "value": None}, "verdict": "match"},
    )
    assert done.json()["conclusion"] == "typed"


def test_the_stream_tells_of_typing(site: Site) -> None:
    """From one API process to another; ids and numbers only."""
    incident = site.incident()
    browser = Browser(site.admin, incident, "summary")
    cookies = dict(site.admin.cookies)
    with (
        serving(create_app(site.settings)) as url,
        httpx.Client(base_url=url, cookies=cookies, timeout=20) as client,
        client.stream("GET", f"/api/v1/incidents/{incident}/events") as stream,
    ):
        lines = stream.iter_lines()
        next(line for line in lines if line == "event: worker")
        browser.send(browser.type(0, "a"))
        next(line for line in lines if line == "event: text")
        event = json.loads(next(lines).removeprefix("data: "))
        assert event == {"key": "summary", "seq": 2}


def _section(site: Site, report: str) -> dict[str, Any]:
    sections = site.admin.get(report).json()["sections"]
    return next(section for section in sections if section["key"] == "actions")
