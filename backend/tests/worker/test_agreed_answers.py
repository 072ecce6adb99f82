"""Every answer of an incident as agreed: of one sample with people's work in it.

``agreed/`` holds the text of each route; a change that alters one runs ``pytest --bless`` on this
file, and its review reads the difference. The routes come from the HTTP API's description, so that
a new one needs its text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.conftest import REPOSITORY
from tests.support.agreed import Listing, check_agreed
from tests.support.postgres import PostgresForTests
from tests.worker.argued import argue
from tests.worker.conftest import BOTH, Read, copied, read_here

pytestmark = [read_here, pytest.mark.slow, pytest.mark.on_turn(1, 3)]

AGREED = Path(__file__).parent / "agreed"
SPEC = json.loads((REPOSITORY / "frontend" / "src" / "api" / "openapi.json").read_text())
ELSEWHERE = {
    "/incidents/{incident_id}/events": "a stream: api/test_events.py",
    "/incidents/{incident_id}/bundle": "a signed archive: worker/test_bundle.py",
    "/incidents/{incident_id}/report/export": "documents: report/test_golden.py",
    "/incidents/{incident_id}/report/page": "a page of HTML: report/test_golden.py",
    "/incidents/{incident_id}/compare/export": "documents: cli/test_compare.py",
    "/incidents/{incident_id}/releases/diff": "of two releases: views/reports/test_export.py",
    "/incidents/{incident_id}/texts/{key}": "a state with a random name: api/test_texts.py",
    "/incidents/{incident_id}/texts/{key}/updates": "updates of a text: api/test_texts.py",
    "/incidents/{incident_id}/texts/{key}/versions/{version_id}": "api/test_texts.py",
    "/incidents/{incident_id}/stacks": "hot-row has no stacks here: api/test_stacks.py",
    "/incidents/{incident_id}/tiles": "bytes: api/test_timeline.py",
    "/artifacts/{artifact_id}/download": "the file: api/test_artifacts.py",
    "/artifacts/{artifact_id}/mapping": "of a table: worker/test_mappings.py",
    "/artifacts/{artifact_id}/mapping/file": "of a table: worker/test_mappings.py",
}
"""Routes whose answers are checked elsewhere, with the reason and the place."""
ROUTES = sorted(
    path.removeprefix("/api/v1")
    for path, methods in SPEC["paths"].items()
    if "get" in methods
    and path.startswith(
        tuple(f"/api/v1/{of}/{{" for of in ("incidents", "artifacts", "experiments", "hypotheses"))
    )
    and path.removeprefix("/api/v1") not in ELSEWHERE
)


class Tour:
    """Requests of one incident, whose later ones use what the first ones answered."""

    def __init__(self, client: TestClient, incident: str) -> None:
        self._client = client
        self._listing = Listing()
        self.known = {"incident_id": incident, "key": "summary"}
        self.texts: dict[str, str] = {}

    def ask(self, route: str, **params: Any) -> Any:
        """Return the answer of a route, and keep its text."""
        answer = self._client.get("/api/v1" + route.format(**self.known), params=params)
        assert answer.status_code == 200, (route, params, answer.text)
        is_json = answer.headers["content-type"].startswith("application/json")
        document = answer.json() if is_json else answer.text.splitlines()
        text = self._listing.of({"request": params, "answer": document})
        self.texts[route] = self.texts.get(route, "") + text
        return document

    def of_artifact(self, path: str, **params: Any) -> Any:
        """Return the answer of a route of the artifact that was opened last."""
        return self.ask(f"/artifacts/{{artifact_id}}{path}", **params)

    def of_incident(self, path: str, **params: Any) -> Any:
        """Return the answer of a route of the incident."""
        return self.ask(f"/incidents/{{incident_id}}/{path}", **params)


@pytest.fixture(scope="module")
def texts(
    read_sample: Read, postgres_server: PostgresForTests, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """The text of each route."""
    home = tmp_path_factory.mktemp("answers") / "home"
    with copied(read_sample, postgres_server, home) as bench:
        argue(bench, read_sample.incident)
        bench.work((*BOTH, "run"))
        tour = Tour(bench.site.admin, read_sample.incident)
        walk(tour)
        yield tour.texts


def walk(tour: Tour) -> None:
    """Open every screen of the incident, with what a person would choose on it."""
    get = tour.of_incident
    overview = get("overview")
    (stall,) = [each for each in overview["stalls"] if each["kind"] == "stall"]
    span = {"start": stall["onset"], "end": stall["end"]}
    series = [each["series"] for each in overview["shifts"][:2]]
    get("lanes", series=series, px=300)
    get("lanes", series=series, px=80, **span)
    get("window", series=series, **span)
    get("moved", **span)
    for fold in ("all", "none"):
        graph = get("waits", at="worst", fold=fold)
        get("waits/persistence", at="worst", fold=fold)
    get("waits/node", at="worst", node=graph["nodes"][0]["id"])
    get("sessions", at=stall["onset"])
    for words in ("390", "campaign_counters", "innodb_lock_wait_timeout"):
        get("search", q=words)
    get("comments", subject="report:summary")
    get("log", q="connection", limit=5)
    get("log", sort="severity", down=True, limit=5)
    lists = get("processlists")["items"]
    for by in ("digest", "state", "user", "client", "db", "command"):
        get("processlists/groups", by=by)
    chosen = {"artifact": lists[1]["artifact"], "snapshot": lists[1]["snapshot"]}
    get("processlist", sort="time_s", down=True, limit=5, **chosen)
    get("processlist.csv", **chosen)
    source, *others = get("settings/sources")
    get("settings", a=source["id"])
    get("settings", a=source["id"], b=others[0]["id"])
    query = get("queries", source="processlist", sort="total_s", down=True)["items"][0]
    get("queries/examples", source="processlist", query=query["id"])
    sides = ["baseline", f"stall|||{stall['host']}"]
    for align in ("onset", "start"):
        get("compare", side=sides, align=align)
        get("compare/overlay", side=sides, series=series[0], align=align)
    of_artifact(tour)
    of_people(tour)
    for route in ROUTES:
        if route not in tour.texts:
            tour.ask(route)


def of_artifact(tour: Tour) -> None:
    """Open the status dumps as a file: raw lines, records, sections; and a table of another."""
    listed = tour.of_incident("artifacts", limit=500)["items"]
    of_name = {each["path"].rpartition("/")[2]: each["id"] for each in listed}
    tour.known["artifact_id"] = of_name["innodb-status.txt"]
    get = tour.of_artifact
    get("/raw", line=100, count=20)
    get("/raw/line", line=110, first=2, most=100)
    get("/raw/search", q="LOCK WAIT", limit=3)
    get("/raw/search", q="LOCK WAIT", from_line=400, limit=2, back=True)
    get("/record", kind="transaction", index=3)
    get("/records", kind="semaphore_wait", offset=1, limit=2)
    get("/records/at", line=120, to=140)
    get("/sections", first=1, last=300)
    tour.known["artifact_id"] = of_name["mysqld-error.log"]
    get("/clock/preview", zone="Asia/Tokyo", offset_s=1.5)
    tour.known["artifact_id"] = of_name["2026_11_20_22_19_52-opentables1"]
    table = get("/tables")["items"][0]["name"]
    get("/table", name=table, limit=3)
    get("/table.csv", name=table)


def of_people(tour: Tour) -> None:
    """Open what people wrote."""
    tour.known["experiment_id"] = tour.of_incident("experiments")[0]["id"]
    tour.known["hypothesis_id"] = tour.of_incident("hypotheses")[0]["id"]


@pytest.mark.parametrize("route", ROUTES)
def test_an_answer(route: str, texts: dict[str, str], request: pytest.FixtureRequest) -> None:
    name = re.sub(r"[{}]", "", route.removeprefix("/")).replace("/", ".")
    bless = bool(request.config.getoption("--bless"))
    check_agreed(texts[route], AGREED / f"{name}.txt", bless=bless)
