"""Comments and mentions over HTTP."""

from __future__ import annotations

from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.credentials import hash_password
from pileup.storage.reasoning.comments import named_in
from tests.api.test_reasoning import hypothesis
from tests.support.site import PASSWORD, Site


def test_a_mention_reaches_the_person_and_can_be_seen(site: Site) -> None:
    """A viewer is named, finds it among their mentions, and marks it as seen."""
    incident = site.incident()
    subject = f"hypothesis:{hypothesis(site, incident)['id']}"
    with site.database.unit() as unit:
        Accounts(unit).create_user(
            "Ada Lovelace", "ada@example.org", "viewer", hash_password(PASSWORD)
        )
    viewer = site.signed_in("ada@example.org")
    url = f"/api/v1/incidents/{incident}/comments"
    made = site.admin.post(url, json={"subject": subject, "body": "@ada lovelace, look at E3"})
    assert made.status_code == 201, made.text
    assert [mention["name"] for mention in made.json()["mentions"]] == ["Ada Lovelace"]
    (mention,) = viewer.get("/api/v1/mentions").json()
    assert (mention["by"], mention["subject"], mention["seen"]) == ("admin", subject, False)
    assert viewer.post("/api/v1/mentions/seen", json={"ids": [mention["id"]]}).status_code == 204
    assert viewer.get("/api/v1/mentions").json()[0]["seen"] is True
    assert site.admin.get("/api/v1/mentions").json() == []
    listed = viewer.get(url, params={"subject": subject}).json()
    assert [item["body"] for item in listed] == ["@ada lovelace, look at E3"]
    people = viewer.get("/api/v1/people").json()
    assert [(person["name"], person["admin"]) for person in people] == [
        ("Ada Lovelace", False),
        ("admin", True),
    ]


def test_words_are_changed_by_their_author_only(site: Site) -> None:
    """Somebody else is refused; an old revision is a conflict; a new name is notified once."""
    incident = site.incident()
    bob = site.client("contributor", "bob")
    subject = f"hypothesis:{hypothesis(site, incident)['id']}"
    made = site.admin.post(
        f"/api/v1/incidents/{incident}/comments", json={"subject": subject, "body": "hm @bob"}
    ).json()
    url = f"/api/v1/comments/{made['id']}"
    fresh = {"If-Match": '"1"'}
    assert bob.patch(url, json={"body": "ha"}, headers=fresh).status_code == 422
    assert bob.delete(url).status_code == 422
    changed = site.admin.patch(url, json={"body": "well, @bob"}, headers=fresh)
    assert changed.json()["revision"] == 2
    assert site.admin.patch(url, json={"body": "x"}, headers=fresh).status_code == 409
    assert len(bob.get("/api/v1/mentions").json()) == 1
    assert site.admin.delete(url).status_code == 204
    assert bob.get("/api/v1/mentions").json() == []


def test_only_what_is_there_can_be_commented(site: Site) -> None:
    incident, other = site.incident(), site.incident("other")
    foreign = f"hypothesis:{hypothesis(site, other)['id']}"
    url = f"/api/v1/incidents/{incident}/comments"
    for subject, status in ((foreign, 404), ("cell:a/b", 404), ("cat:1", 422), ("x", 422)):
        answer = site.admin.post(url, json={"subject": subject, "body": "hm"})
        assert answer.status_code == status, subject
    empty = site.admin.post(url, json={"subject": "report:summary", "body": "   "})
    assert empty.status_code == 422


def test_names_are_the_longest_that_fit() -> None:
    """No e-mail address is a mention, and Ada is not Ada Lovelace."""
    known = [("Ada", "1"), ("Ada Lovelace", "2"), ("bob", "3"), ("Bob", "4"), ("J. (Jo) *", "5")]
    assert named_in("@Ada Lovelace and @ada.", known) == ["2", "1"]
    assert named_in("ada@ada x@bob @bobby", known) == []
    assert named_in("(@bob)", known) == ["3", "4"]
    assert named_in("@J. (Jo) * ", known) == ["5"]
    assert named_in("@" * 10_000, known) == []
