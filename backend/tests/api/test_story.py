"""The story after the fact: when things happened, what was measured, and who answered what."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.support.site import Site

WEEKS = ("2026-11-01T00:00:00Z", "2026-11-08T00:00:00Z", "2026-11-15T00:00:00Z")
TABLE = """
| machines | QPS (1/s) | latency | result    |
|---------:|----------:|--------:|-----------|
|       20 |       98K |    4 ms | fine      |
|       21 |   102,481 |    5 ms | fine      |
|       22 |      9.1K |     n/a | collapsed |
"""


def post(site: Site, path: str, status: int = 201, **body: Any) -> Any:
    answer = site.admin.post(f"/api/v1{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def planned(site: Site, incident: str, **more: Any) -> dict[str, Any]:
    body = {"title": "AHI off", "prediction": {"text": "few wait"}} | more
    return dict(post(site, f"/incidents/{incident}/experiments", **body))


def test_steps_recorded_in_any_order_are_told_as_they_happened(site: Site) -> None:
    """40, 25 and 5 over three weeks; what happened last is the confidence of today."""
    incident = site.incident()
    made = post(
        site,
        f"/incidents/{incident}/hypotheses",
        statement="Page splits",
        confidence=40,
        happened_at=WEEKS[0],
        happened_precision="day",
    )
    url = f"/hypotheses/{made['id']}/confidence"
    post(site, url, 200, confidence=5, reason="the rate did not change", happened_at=WEEKS[2])
    last = post(site, url, 200, confidence=25, reason="no splits", happened_at=WEEKS[1])
    assert [step["confidence"] for step in last["history"]] == [40, 25, 5]
    assert [step["happened_at"] for step in last["history"]] == list(WEEKS)
    assert last["confidence"] == 5
    recorded = [datetime.fromisoformat(step["recorded_at"]) for step in last["history"]]
    assert all(datetime.now(UTC) - at < timedelta(minutes=1) for at in recorded)


def test_the_future_has_not_happened(site: Site) -> None:
    incident = site.incident()
    answer = site.admin.post(
        f"/api/v1/incidents/{incident}/hypotheses",
        json={"statement": "A", "happened_at": "2999-01-01T00:00:00Z"},
    )
    assert answer.status_code == 422
    assert "future" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("ago", "standing"), [(timedelta(0), "locked"), (timedelta(days=3), "recorded_after")]
)
def test_a_prediction_recorded_after_its_run_is_not_locked(
    site: Site, ago: timedelta, standing: str
) -> None:
    run = planned(site, site.incident())
    assert run["prediction_standing"] == "open"
    body = {} if not ago else {"happened_at": (datetime.now(UTC) - ago).isoformat()}
    started = post(site, f"/experiments/{run['id']}/start", 200, **body)
    assert started["prediction_standing"] == standing
    assert started["began"] == (started["ran_from"] or started["started_at"])


def test_a_late_prediction_is_late_in_a_bundle_and_after_its_import(site: Site) -> None:
    incident = site.incident()
    run = planned(site, incident)
    ago = (datetime.now(UTC) - timedelta(days=3)).isoformat()
    post(site, f"/experiments/{run['id']}/start", 200, happened_at=ago)
    bundle = site.admin.get(f"/api/v1/incidents/{incident}/bundle").content
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        (row,) = archive.read("work/experiments.jsonl").decode().splitlines()
    assert json.loads(row)["ran_from"] < json.loads(row)["predicted_at"]
    twin = site.admin.post("/api/v1/incidents/import", content=bundle).json()["id"]
    (imported,) = site.admin.get(f"/api/v1/incidents/{twin}/experiments").json()
    assert imported["prediction_standing"] == "recorded_after"


def test_a_prediction_recorded_before_a_run_that_is_logged_later_is_locked(site: Site) -> None:
    """Planned at ten, run at half past ten, logged at eleven: the prediction came first."""
    run = planned(site, site.incident())
    began = datetime.fromisoformat(run["predicted_at"]) + timedelta(milliseconds=1)
    started = post(site, f"/experiments/{run['id']}/start", 200, happened_at=began.isoformat())
    assert started["prediction_standing"] == "locked"


def test_a_past_run_needs_no_prediction_and_no_verdict(site: Site) -> None:
    run = planned(site, site.incident(), prediction={}, host="db-7", cores="96", build="5.7.29")
    refused = site.admin.post(f"/api/v1/experiments/{run['id']}/start")
    assert refused.status_code == 422
    started = post(site, f"/experiments/{run['id']}/start", 200, happened_at=WEEKS[0])
    assert started["prediction_standing"] == "none"
    body = {"observation": {"text": "it failed"}, "failed_same_way": "yes", "ran_to": WEEKS[1]}
    done = post(site, f"/experiments/{run['id']}/finish", 200, **body)
    assert (done["verdict"], done["ended"], done["cores"]) == (None, WEEKS[1], "96")


def test_a_run_does_not_end_before_it_begins(site: Site) -> None:
    run = planned(site, site.incident(), ran_from=WEEKS[1])
    answer = site.admin.patch(
        f"/api/v1/experiments/{run['id']}",
        json={"ran_to": WEEKS[0]},
        headers={"If-Match": f'"{run["revision"]}"'},
    )
    assert answer.status_code == 422


def test_typed_values_stay_typed(site: Site) -> None:
    """A client cannot say that a value was computed."""
    run = planned(site, site.incident())
    url = f"/api/v1/experiments/{run['id']}/measurements"
    body = {"values": [{"name": "inserts", "value": 10000, "unit": "1/s"}]}
    stale = site.admin.post(url, json=body, headers={"If-Match": '"9"'})
    assert stale.status_code == 409
    made = site.admin.post(url, json=body, headers={"If-Match": f'"{run["revision"]}"'}).json()
    (value,) = made["measures"]
    assert (value["name"], value["source"], value["by"]) == ("inserts", "typed", "admin")
    body["values"][0]["source"] = "computed"
    assert site.admin.post(url, json=body, headers={"If-Match": '"2"'}).status_code == 422
    gone = site.admin.delete(f"{url}/{value['id']}")
    assert gone.json()["measures"] == []
    assert site.admin.delete(f"{url}/{value['id']}").status_code == 404
    back = site.admin.post(f"{url}/{value['id']}/restore")
    assert back.json()["measures"] == [value]
    assert site.admin.post(f"{url}/{value['id']}/restore").status_code == 404


def test_a_pasted_table_becomes_runs_with_values_and_a_threshold(site: Site) -> None:
    incident = site.incident()
    body = {"text": TABLE, "sweep": "fleet"}
    preview = post(site, f"/incidents/{incident}/experiments/table-preview", 200, **body)
    roles = [(column["name"], column["role"]) for column in preview["columns"]]
    assert roles == [
        ("machines", "parameter"),
        ("QPS", "value"),
        ("latency", "value"),
        ("result", "outcome"),
    ]
    assert preview["failures"] == ["collapsed"]
    assert preview["problems"] == ["Line 6: “n/a” of latency is no number."]
    assert site.admin.get(f"/api/v1/incidents/{incident}/experiments").json() == []

    done = post(site, f"/incidents/{incident}/experiments/table", ran_from=WEEKS[0], **body)
    assert (done["created"], done["updated"]) == (3, 0)
    runs = site.admin.get(f"/api/v1/incidents/{incident}/experiments").json()
    assert [run["failed_same_way"] for run in runs] == ["not_failed", "not_failed", "failed"]
    assert {value["source"] for run in runs for value in run["measures"]} == {"imported"}
    assert runs[1]["measures"][0]["value"] == 102481
    assert runs[1]["began"] == WEEKS[0]
    (sweep,) = site.admin.get(f"/api/v1/incidents/{incident}/sweeps").json()
    (line,) = sweep["series"]
    assert (line["below"], line["above"]) == (21, 22)
    assert line["text"].startswith("The threshold lies between 21 and 22 machines")

    more = "machines | errors (1/s)\n21 | 0\n22 | 4\n30 | 9\n"
    again = post(site, f"/incidents/{incident}/experiments/table", text=more, sweep="fleet")
    assert (again["created"], again["updated"]) == (1, 2)
    last = site.admin.get(f"/api/v1/incidents/{incident}/experiments").json()[-1]
    assert (last["began"], last["ended"], last["state"]) == (None, None, "finished")  # not now
    assert last["started_at"] is not None
    for run in again["created_ids"]:
        assert site.admin.delete(f"/api/v1/experiments/{run}").status_code == 204
    for value in again["added"]:
        url = f"/api/v1/experiments/{value['experiment_id']}/measurements"
        assert site.admin.delete(f"{url}/{value['measurement_id']}").status_code == 200
    undone = site.admin.get(f"/api/v1/incidents/{incident}/experiments").json()
    assert [run["measures"] for run in undone] == [run["measures"] for run in runs]

    body["text"] = TABLE.replace("collapsed", "hung")
    preview = post(site, f"/incidents/{incident}/experiments/table-preview", 200, **body)
    assert [problem.partition(": ")[2] for problem in preview["problems"][1:]] == [
        "2 values are in run 1 already.",
        "2 values are in run 2 already.",
        "a value is in run 3 already.",
        (
            "“hung” is left out: values are added to run 3, and no outcome. Open the run to write "
            "it there."
        ),
    ]
    again = post(site, f"/incidents/{incident}/experiments/table", **body)
    assert (again["created"], again["updated"]) == (0, 0)
    body = {"text": "started,threads,tps\n2026-11-20 22:15,16,1200\n2026-11-20 22:25,32,300\n"}
    preview = post(site, f"/incidents/{incident}/experiments/table-preview", 200, **body)
    assert [column["role"] for column in preview["columns"]] == ["title", "parameter", "value"]


def test_people_answer_a_symptom_in_prose_run_by_run(site: Site) -> None:
    incident = site.incident()
    made = post(
        site,
        f"/incidents/{incident}/symptoms",
        predicate={"kind": "prose", "text": "a restart helps for an hour or two"},
        happened_at=WEEKS[0],
    )
    assert made["incident"]["holds"] is True
    run = planned(site, incident)
    url = f"/api/v1/experiments/{run['id']}/symptoms/{made['id']}"
    assert site.admin.put(url, json={"holds": True, "note": "seen twice"}).status_code == 204
    (answer,) = site.admin.get(f"/api/v1/experiments/{run['id']}/symptoms").json()
    assert (answer["holds"], answer["text"], answer["by"]) == (True, "seen twice", "admin")
    assert site.admin.put(url, json={"holds": None}).status_code == 204
    assert site.admin.get(f"/api/v1/experiments/{run['id']}/symptoms").json() == []
    other = post(
        site,
        f"/incidents/{incident}/symptoms",
        predicate={"kind": "log", "text": "free blocks", "at_least": 1},
    )
    refused = site.admin.put(url.replace(made["id"], other["id"]), json={"holds": True})
    assert refused.status_code == 422
    assert site.client("viewer").put(url, json={"holds": True}).status_code == 403


def test_an_action_has_a_vendor_ticket_and_a_later_check(site: Site) -> None:
    incident = site.incident()
    ticket = {
        "ticket_tracker": "bugs.mysql.com",
        "ticket_number": "100512",
        "ticket_url": "https://bugs.mysql.com/bug.php?id=100512",
        "ticket_state": "verified",
        "ticket_fixed_in": "8.0.30",
        "check_what": "still fine after four weeks",
        "check_due": "2026-12-24",
    }
    made = post(site, f"/incidents/{incident}/actions", text="Turn AHI off", **ticket)
    assert {name: made[name] for name in ticket} == ticket
    changed = site.admin.patch(
        f"/api/v1/actions/{made['id']}",
        json={"check_outcome": "held", "check_result": "no stall", "checked_on": "2026-12-24"},
        headers={"If-Match": f'"{made["revision"]}"'},
    ).json()
    assert (changed["check_outcome"], changed["ticket_number"]) == ("held", "100512")
    for address in ("javascript:alert(1)", "data:text/html,x", "//evil"):
        body = {"text": "x", "ticket_url": address}
        assert (
            site.admin.post(f"/api/v1/incidents/{incident}/actions", json=body).status_code == 422
        )


def test_a_note_can_be_a_decision_and_says_when_it_was_recorded(site: Site) -> None:
    incident = site.incident()
    made = post(
        site,
        f"/incidents/{incident}/annotations",
        kind="decision",
        start=WEEKS[0],
        precision="about",
        text="Turn it off",
    )
    assert (made["kind"], made["precision"]) == ("decision", "about")
    assert datetime.fromisoformat(made["created_at"]) > datetime.fromisoformat(made["start"])
