"""What people do on a site, step by step: every answer and refusal as agreed.

Each scene is one installation. Names come in the wrong order, with rivals and ties, so that each
list shows its order; changes are made and read again, so that each field shows what became of it.
``agreed/`` holds the text of a scene, and the statements that the database got meanwhile: rows that
tie and locks show in no answer. A change that alters one runs ``pytest --bless`` on this file, and
its review reads the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.support.agreed import Listing, check_agreed
from tests.support.site import PASSWORD, Site
from tests.support.statements import statements

AGREED = Path(__file__).parent / "agreed"
_VARYING = {
    *("token", "secret", "link", "csrf", "sha256", "key", "value", "fingerprint"),
    "database_bytes",
}
"""Fields with another value in each run, if they are long."""


class Scene:
    """Requests of people to one site, and the text of all answers."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.text = ""
        self._listing = Listing()

    def ask(self, request: str, body: Any = None, by: TestClient | None = None, **more: Any) -> Any:
        """Send 'METHOD /path' and return the answer, or None where there is none.

        revision: the one to change. Other arguments are the query's.
        """
        method, path = request.split(" ")
        headers = {"If-Match": f'"{more.pop("revision")}"'} if "revision" in more else {}
        answer = (by or self.site.admin).request(
            method, f"/api/v1{path}", json=body, headers=headers, params=more
        )
        is_json = bool(answer.content) and "json" in answer.headers["content-type"]
        document = answer.json() if is_json else answer.text.splitlines()
        title = f"==== {request}" + "".join(f" {name}={value}" for name, value in more.items())
        self.text += self._listing.line(title) + "\n"
        shown = {"asked": body, "status": answer.status_code, "answer": document}
        self.text += self._listing.of(_steady(shown))
        return document if is_json else None

    def change(self, path: str, body: Any, by: TestClient | None = None) -> Any:
        """Change a thing as it is now."""
        now = (by or self.site.admin).get(f"/api/v1{path}").json()
        return self.ask(f"PATCH {path}", body, by, revision=now["revision"])


def _steady(value: Any) -> Any:
    """Return a document without what differs in each run."""
    if isinstance(value, dict):
        return {
            key: "varies" if key in _VARYING and len(str(inner)) > 6 else _steady(inner)
            for key, inner in value.items()
        }
    return [_steady(each) for each in value] if isinstance(value, list) else value


def people(scene: Scene) -> None:
    """Users, teams, what belongs to each of them, and the settings of a site."""
    ask = scene.ask
    users = {}
    for name, role in (("Zoe", "contributor"), ("bob", "viewer"), ("Ann", "admin"), ("bob", "")):
        email = f"{name}@example.org".lower()
        body = {"name": name, "email": email, "password": PASSWORD} | (
            {"role": role} if role else {}
        )
        users[name] = (ask("POST /users", body) or {}).get("id") or users[name]
    ask("POST /users", {"name": "Kim", "email": "kim@example.org"})
    zoe, ann = (scene.site.signed_in(f"{name}@example.org") for name in ("zoe", "ann"))
    teams = {
        name: ask("POST /teams", {"name": name})["id"] for name in ("Storage", "ads", "Payments")
    }
    ask("POST /teams", {"name": "ads"})
    ask(f"PATCH /teams/{teams['ads']}", {"name": "Ads"})
    for team, user, lead in (
        ("Ads", "Zoe", True), ("Ads", "bob", None), ("Ads", "Ann", False), ("Payments", "bob", True)
    ):  # fmt: skip
        ask(f"PUT /teams/{teams.get(team, teams['ads'])}/members/{users[user]}", {"lead": lead})
    ask(f"PUT /teams/{teams['ads']}/members/{users['Ann']}", {"lead": True}, zoe)
    ask(f"DELETE /teams/{teams['ads']}/members/{users['Zoe']}", None, ann)
    ask(f"DELETE /teams/{teams['ads']}/members/{users['Zoe']}", None, ann)
    for days in (30, 0, None):
        ask(f"PUT /teams/{teams['Payments']}/retention", {"days": days})
        ask(f"GET /teams/{teams['Payments']}/retention")
    ask(f"DELETE /teams/{teams['Storage']}")
    ask("GET /teams")
    ask("GET /teams", by=zoe)
    for name, verbs in (("z", ["read"]), ("a", ["edit", "read", "upload"]), ("a", ["manage"])):
        ask("POST /tokens", {"name": name, "verbs": verbs}, zoe)
    made = ask("GET /tokens", by=zoe)
    ask(f"DELETE /tokens/{made[1]['id']}", by=ann)
    ask(f"DELETE /tokens/{made[1]['id']}", by=zoe)
    ask("GET /tokens", by=zoe)
    hooks = [
        ask("POST /webhooks", {"url": f"https://example.org/{name}", "events": events})
        for name, events in (
            ("z", ["analysis.finished", "incident.status_changed"]), ("a", ["report.approved"])
        )
    ]  # fmt: skip
    ask(f"PATCH /webhooks/{hooks[0]['id']}", {"enabled": False, "events": ["experiment.finished"]})
    ask("GET /webhooks")
    ask("GET /webhooks", by=zoe)
    ask(f"GET /webhooks/{hooks[0]['id']}/deliveries")
    ask(f"DELETE /webhooks/{hooks[1]['id']}")
    for name, kinds in (("vendor", ["users", "hosts"]), ("Board", ["sql"]), ("vendor", ["hosts"])):
        ask(f"PUT /redaction-profiles/{name}", {"kinds": kinds})
    ask("GET /redaction-profiles")
    ask("DELETE /redaction-profiles/Board")
    for name, query in (("Zs", "status=open"), ("as", "q=x"), ("Zs", "severity=sev1")):
        ask("PUT /list-views", {"name": name, "query": query}, zoe)
    mine = ask("GET /list-views", by=zoe)
    ask("GET /list-views", by=ann)
    ask(f"DELETE /list-views/{mine[0]['id']}", by=ann)
    ask(f"DELETE /list-views/{mine[0]['id']}", by=zoe)
    ask(f"PATCH /users/{users['bob']}", {"role": "contributor", "name": "Bob"})
    ask(f"PATCH /users/{users['Zoe']}", {"disabled": True})
    ask("GET /session", by=zoe)
    ask(f"PATCH /users/{users['Zoe']}", {"disabled": False})
    ask("PATCH /session/user", {"name": "Anna"}, ann)
    ask("PATCH /session/user", {"password": "another horse battery"}, ann)
    ask("POST /session", {"email": "bob@example.org", "password": "wrong"}, scene.site.stranger)
    for path in ("users", "people", "session", "session/identities", "session/factor", "setup"):
        ask(f"GET /{path}", by=ann)
    for path in ("samples", "usage", "mentions", "deleted-incidents", "audit/filters"):
        ask(f"GET /{path}", by=ann)


def incidents(scene: Scene) -> None:
    """Incidents with rivals in every column, listed, found, changed, shared and deleted."""
    ask = scene.ask
    lead = scene.site.client("contributor", "lead")
    viewer = scene.site.client("viewer", "viewer")
    me, her = ask("GET /session")["user"], ask("GET /session", by=lead)["user"]
    given = [
        ("Checkout stall", "sev2", "shop", "analysing"),
        ("ads pile up", "sev1", "Ads", "published"),
        ("Backup ran long", None, None, "open"),
        ("checkout again", "sev2", "shop", "review"),
        ("Zero rows", "sev4", "ads", "open"),
    ]
    made = []
    for title, severity, service, status in given:
        body = {"title": title, "severity": severity, "service": service}
        made.append(ask("POST /incidents", body)["id"])
        scene.change(f"/incidents/{made[-1]}", {"status": status, "summary": f"about {title}"})
    scene.change(f"/incidents/{made[2]}", {"owner_id": her["id"], "severity": "sev3"})
    ask(f"PATCH /incidents/{made[2]}", {"title": "lost"}, revision=1)
    ask(f"PATCH /incidents/{made[2]}", {"title": "lost"})
    for sort in ("created", "updated", "title", "severity", "status", "service", "owner", "onset"):
        for down in (True, False):
            ask("GET /incidents", sort=sort, down=down)
    for query in (
        {"q": "check"}, {"q": "CHECKOUT shop"}, {"status": "open"}, {"severity": "sev2"},
        {"service": "shop"}, {"owner": her["id"]}, {"owner": "me"}, {"limit": 2, "offset": 1},
        {"limit": 0}, {"limit": 5, "offset": 5}, {"status": "open", "severity": "sev3"},
    ):  # fmt: skip
        ask("GET /incidents", **query)  # type: ignore[arg-type]
    for words in ("checkout", "about", "stall up", "zz"):
        ask("GET /search", q=words)
    closed = f"/incidents/{made[0]}"
    ask(f"PUT {closed}/visibility", {"visibility": "private"})
    ask(f"GET {closed}", by=viewer)
    team = ask("POST /teams", {"name": "Ads"})["id"]
    ask(f"PUT {closed}/members", {"role": "viewer", "user_id": her["id"]})
    ask(f"PUT {closed}/members", {"role": "contributor", "team_id": team})
    ask(f"PUT {closed}/members", {"role": "lead"})
    ask(f"GET {closed}/access", by=lead)
    ask(f"PATCH {closed}", {"title": "mine"}, lead, revision=2)
    members = ask(f"PUT {closed}/members", {"role": "lead", "user_id": her["id"]})
    ask(f"GET {closed}/access")
    for member in (members or {}).get("members", [])[:2]:
        ask(f"DELETE {closed}/members/{member['id']}")
    ask(f"PUT {closed}/visibility", {"visibility": "open"})
    for name in ("z vendor", "a vendor"):
        soon = (datetime.now(UTC) + timedelta(hours=9)).isoformat()
        ask(f"POST {closed}/guest-links", {"name": name, "expires_at": soon})
    ask(f"POST {closed}/guest-links", {"name": "late", "expires_at": "2000-01-01T00:00:00Z"})
    for link in ask(f"GET {closed}/guest-links")[:1]:
        ask(f"DELETE {closed}/guest-links/{link['id']}")
    ask(f"GET {closed}/guest-links")
    ask(f"PUT {closed}/hold", {"reason": "lawyers"})
    ask(f"DELETE {closed}")
    ask(f"DELETE {closed}/hold")
    for place in (0, 3):
        ask(f"DELETE /incidents/{made[place]}")
    ask(f"GET {closed}")
    ask("GET /deleted-incidents")
    ask(f"POST /deleted-incidents/{made[3]}/restore", by=viewer)
    ask(f"POST /deleted-incidents/{made[3]}/restore")
    ask("GET /incidents")
    ask("GET /usage")
    assert me["id"] != her["id"]


def argument(scene: Scene) -> None:
    """Evidence, hypotheses, ratings, runs, actions and words, with rivals and second thoughts."""
    ask = scene.ask
    ann = scene.site.client("contributor", "ann")
    incident = scene.site.incident()
    base = f"/incidents/{incident}"
    dump = scene.site.upload(incident, "dump.txt", b"one\ntwo\nthree\n")["sha256"]
    window = {"start": "2026-11-20T22:10:00Z", "end": "2026-11-20T22:20:00Z"}
    pins = [
        ask(
            f"POST {base}/pins",
            {
                "kind": kind,
                "title": title,
                "locator": locator,
                "view": f"/incidents/{incident}/timeline",
                "evidence_kind": evidence,
                "excerpt": excerpt,
            },
        )
        for kind, title, locator, evidence, excerpt in (
            ("statement", "z says so", {}, "testimony", "I saw it"),
            ("series", "load", {"series": ["tps", "load"], **window}, "observation", None),
            ("statement", "nothing there", {}, "absence", "nothing in the log"),
            ("lines", "lines", {"artifact": dump, "line_first": 2}, "observation", None),
            ("lines", "no file", {"artifact": "ab" * 32, "line_first": 1}, "observation", None),
        )
    ]
    ask(f"GET {base}/pins")
    pin = [each.get("id") for each in pins]
    claims = [
        ask(
            f"POST {base}/hypotheses",
            {"statement": text, "confidence": confidence, "falsifier": f"not {text}"},
            by,
        )["id"]
        for text, confidence, by in (
            ("A flush stalls", 40, None), ("A lock waits", None, ann), ("The disk is full", 40, ann)
        )
    ]  # fmt: skip
    ask(f"POST {base}/hypotheses", {"statement": ""})
    for claim, side, which in ((0, "for", 0), (0, "against", 1), (1, "neutral", 0), (0, "for", 0)):
        body = {"pin_id": pin[which], "side": side, "note": f"{side} {claim}"}
        linked = ask(f"POST /hypotheses/{claims[claim]}/evidence", body)
        found = (linked or {}).get("evidence") or [{}]
    if "id" in found[0]:
        ask(f"DELETE /hypotheses/{claims[0]}/evidence/{found[0]['id']}")
    for claim, confidence, reason, at in (
        (0, 80, "seen twice", None), (1, 55, "a guess", "2026-11-01T00:00:00Z"),
        (1, 101, "x", None), (1, 50, "later", "2026-11-02T00:00:00Z"), (0, 70, "", None),
    ):  # fmt: skip
        body = {"confidence": confidence, "reason": reason}
        body |= {"happened_at": at, "happened_precision": "day"} if at else {"pin_id": pin[0]}
        ask(f"POST /hypotheses/{claims[claim]}/confidence", body, ann)
    ask(f"GET {base}/hypotheses")
    scene.change(f"/hypotheses/{claims[0]}", {"status": "supported", "reason": "it is"})
    scene.change(
        f"/hypotheses/{claims[2]}",
        {"status": "superseded", "superseded_by_id": claims[0], "reason": "same"},
    )
    for who, which, claim, rating in (
        (None, 0, 0, "CC"), (ann, 0, 0, "I"), (None, 0, 1, "II"), (ann, 1, 0, "N"),
        (None, 1, 1, "C"), (None, 1, 1, None), (None, 1, 1, "NA"),
    ):  # fmt: skip
        body = {"pin_id": pin[which], "hypothesis_id": claims[claim], "rating": rating}
        ask(f"PUT {base}/matrix/ratings", body, who)
    weights = {"credibility": "high", "relevance": "low"}
    ask(f"PUT {base}/matrix/weights/{pin[0]}", weights, revision=0)
    ask(f"PUT {base}/matrix/weights/{pin[0]}", weights, revision=0)
    ask(f"GET {base}/matrix")
    runs(scene, base, claims, pin, ann)
    words(scene, base, ann)
    for path in ("hypotheses", "matrix", "pins", "activity", "activity/filters", "calibration"):
        ask(f"GET {base}/{path}")
    ask(f"GET {base}/activity", limit=3)
    ask(f"GET {base}/activity", kind="hypothesis", limit=3)
    for kind, item in (("hypotheses", claims[1]), ("pins", pin[0])):
        ask(f"DELETE /{kind}/{item}", by=ann)
        ask(f"GET {base}/deleted")
    ask(f"POST {base}/deleted/hypothesis/{claims[1]}/restore")
    ask(f"POST {base}/pins", {"kind": "statement", "title": "", "locator": {}, "view": "/x"})
    for words_ in ("flush", "says", "pager", "fewer"):
        ask("GET /search", q=words_)


def runs(scene: Scene, base: str, claims: list[str], pin: list[str], ann: TestClient) -> None:
    """Experiments with measurements, a table of runs, and symptoms."""
    ask = scene.ask
    prediction = {"text": "it falls", "falsifier": "it does not", "op": "<", "value": 20}
    made = [
        ask(
            f"POST {base}/experiments",
            {
                "title": title,
                "change": change,
                "hypothesis_id": claims[claim],
                "prediction": prediction | {"metric": "tps"},
                "sweep": sweep,
                "parameters": {"load": load},
            },
        )["id"]
        for title, change, claim, sweep, load in (
            ("z run", "SET GLOBAL a = 1", 0, "load", "64"),
            ("a run", "SET GLOBAL a = 2", 0, "load", "8"),
            ("m run", "nothing", 1, "", "8"),
        )
    ]
    noticed = [
        ask(f"POST {base}/symptoms", {"predicate": predicate})
        for predicate in (
            {"kind": "prose", "text": "slower in the evening"},
            {"kind": "series", "series": "tps", "op": "<", "value": 20},
            {"kind": "prose", "text": ""},
        )
    ]
    for run, value, verdict in ((0, 25.0, "miss"), (1, 15.0, "match"), (2, None, "not_measurable")):
        ask(f"POST /experiments/{made[run]}/start")
        values = {
            "values": [
                {"name": "tps", "value": 9.5 + run, "unit": "1/s"},
                {"name": "latency", "value": 0.25, "unit": "s"},
            ]
        }
        now = ask(f"GET /experiments/{made[run]}")["revision"]
        ask(f"POST /experiments/{made[run]}/measurements", values, revision=now)
        finish = {"observation": {"text": "seen", "value": value}, "verdict": verdict}
        finish |= {"confidence": 60, "failed_same_way": ("yes", "no", "unclear")[run]}
        finish |= {"overruled_because": "typed by hand"} if run else {}
        ask(f"POST /experiments/{made[run]}/finish", finish)
        if run < 2 and "id" in noticed[0]:
            answer = {"holds": run == 0, "note": f"in run {run}"}
            ask(f"PUT /experiments/{made[run]}/symptoms/{noticed[0]['id']}", answer, ann)
        ask(f"POST /experiments/{made[run]}/pins", {"pin_id": pin[0]})
    first = ask(f"GET /experiments/{made[0]}")
    if measured := first.get("measurements"):
        which = f"/experiments/{made[0]}/measurements/{measured[0]['id']}"
        ask(f"DELETE {which}", revision=first["revision"])
        ask(f"POST {which}/restore", revision=first["revision"] + 1)
    table = "load\ttps\tfailed\n128\t3.5\tyes\n4\t90\tno\nx\t1\tno\n4\t90\tno\n"
    for body in ({"text": table}, {"text": table, "sweep": "load", "failures": ["yes"]}):
        ask(f"POST {base}/experiments/table-preview", body)
    ask(f"POST {base}/experiments/table", {"text": table, "sweep": "load", "title": "table"})
    for path in ("experiments", "runs", "sweeps", "symptoms"):
        ask(f"GET {base}/{path}")
    ask(f"GET /experiments/{made[1]}/symptoms")
    ask(f"DELETE /experiments/{made[2]}")


def words(scene: Scene, base: str, ann: TestClient) -> None:
    """Actions, annotations, comments with mentions, the report and its releases."""
    ask = scene.ask
    actions = [
        ask(f"POST {base}/actions", {"text": text, "owner": owner, "due": due, "check_what": check})
        for text, owner, due, check in (
            ("Upgrade", "ann", "2026-12-24", "tps over 90"), ("alarm", "", None, None),
            ("Fewer sessions", "bob", "2026-12-01", None),
        )
    ]  # fmt: skip
    if "revision" in actions[0]:
        done = {"status": "done", "check_outcome": "held", "checked_on": "2026-12-25"}
        ask(f"PATCH /actions/{actions[0]['id']}", done, revision=actions[0]["revision"])
        ask(f"DELETE /actions/{actions[1]['id']}")
    notes = [
        ask(f"POST {base}/annotations", {"start": start, "end": end, "text": text, "kind": kind})
        for start, end, text, kind in (
            ("2026-11-20T22:20:00Z", None, "pager rang", "note"),
            ("2026-11-20T22:10:00Z", "2026-11-20T22:15:00Z", "failover", "decision"),
            ("2026-11-20T22:20:00Z", "2026-11-20T22:10:00Z", "backwards", "note"),
        )
    ]
    if "revision" in notes[0]:
        changed = {"text": "the pager rang"}
        ask(f"PATCH /annotations/{notes[0]['id']}", changed, revision=notes[0]["revision"])
    said = [
        ask(f"POST {base}/comments", {"subject": subject, "body": body}, by)
        for subject, body, by in (
            ("report:summary", "is this so? @ann", None),
            ("report:summary", "yes @admin", ann),
            ("report:timeline", "elsewhere", ann),
            ("incident:all", "nowhere", ann),
        )
    ]
    if "id" in said[1]:
        now = said[1]["revision"]
        ask(f"PATCH /comments/{said[1]['id']}", {"body": "mine"}, revision=now)
        ask(f"PATCH /comments/{said[1]['id']}", {"body": "no @admin"}, ann, revision=now)
        ask(f"DELETE /comments/{said[0]['id']}")
    ask(f"GET {base}/comments", subject="report:summary")
    ask("GET /mentions")
    ask("POST /mentions/seen", {})
    ask("GET /mentions")
    ask(f"PUT {base}/report/sections/summary", {"body_md": "We *know* why."}, revision=0)
    ask(f"PUT {base}/report/sections/summary", {"body_md": "lost"}, revision=0)
    ask(f"PUT {base}/report/template", {"template": "executive"}, revision=0)
    ask(f"POST {base}/report/preview", {"body_md": "**bold** [x](https://example.org)"})
    release = ask(f"POST {base}/releases", {"note": "first"})
    ask(f"POST {base}/releases", {"note": "second"}, ann)
    if "id" in release:
        approve = {"sha256": release.get("sha256", ""), "note": "fine"}
        ask(f"POST /releases/{release['id']}/approve", approve, ann)
        ask(f"POST /releases/{release['id']}/approve", {"sha256": "0" * 64, "note": ""}, ann)
        ask(f"POST /releases/{release['id']}/withdraw", {"reason": "wrong"})
    ask(f"GET {base}/releases")
    for path in ("report", "actions", "marks", "views"):
        ask(f"GET {base}/{path}")


@pytest.mark.parametrize("scene", [people, incidents, argument])
@pytest.mark.dealt(3)
def test_a_scene(
    scene: Callable[[Scene], None], site: Site, request: pytest.FixtureRequest
) -> None:
    played = Scene(site)
    with statements() as asked:
        scene(played)
    bless = bool(request.config.getoption("--bless"))
    check_agreed(played.text, AGREED / f"{scene.__name__}.txt", bless=bless)
    of_database = "".join(f"{line}\n" for line in sorted(asked))
    check_agreed(of_database, AGREED / f"{scene.__name__}.statements.txt", bless=bless)
