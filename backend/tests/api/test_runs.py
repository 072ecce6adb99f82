"""What the artifacts of an experiment show is computed from them, over HTTP."""

from __future__ import annotations

from typing import Any

from pileup.storage import models
from pileup.storage.files.frames import FrameKey
from pileup.storage.incidents.incidents import Incidents
from tests.analysis.frames import evidence, frames, gauge, setting
from tests.support.site import Site

PREDICTION = {
    "text": "few wait", "metric": "m.waiters@db-1", "op": "<", "value": 20.0,
    "window_s": None, "falsifier": "",
}  # fmt: skip


def run(
    site: Site,
    incident: str,
    values: list[float | None],
    qps: float = 4000.0,
    **prediction: Any,
) -> dict[str, Any]:
    """An experiment with one artifact that a worker has read."""
    made = site.upload(incident, "after.csv", b"time,waiters\n")
    with site.database.unit() as unit:
        row = unit.session.get(models.Artifact, made["id"])
        assert row is not None
        row.format, row.parser_version, row.state, row.excluded = "metric-csv", 1, "done", True
    found = frames(
        gauge("m.waiters", values),
        gauge("mysql.Threads_running", values),
        gauge("metric.qps", [qps] * len(values), kind="rate"),
        setting("innodb_adaptive_hash_index", "OFF"),
    )
    key = FrameKey(made["sha256"], "metric-csv", 1)
    site.app.state.services.frames.replace(key, found)
    body = {"title": "AHI off", "prediction": PREDICTION | prediction}
    experiment = site.admin.post(f"/api/v1/incidents/{incident}/experiments", json=body).json()
    site.admin.put(
        f"/api/v1/experiments/{experiment['id']}/artifacts", json={"artifact_ids": [made["id"]]}
    )
    return dict(experiment)


def observed(site: Site, experiment: dict[str, Any]) -> dict[str, Any]:
    answer = site.admin.get(f"/api/v1/experiments/{experiment['id']}/observed")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_the_predicted_number_is_measured(site: Site) -> None:
    """And the run shows none of the incident's symptoms."""
    incident = site.incident()
    with site.database.unit() as unit:
        Incidents(unit).digest(incident, {"signature": {"finding:hot-row": "Hot row"}})
    found = observed(site, run(site, incident, [3.0] * 60))
    assert found["measured"]["verdict"] == "match"
    assert found["measured"]["value"] == 3.0
    assert found["symptoms"]["same_way"] == "no"
    assert "no stall" in found["symptoms"]["text"]


def test_the_run_is_held_against_the_incident(site: Site) -> None:
    """Fewer sessions do more: better. And the setting that was changed is seen to have changed."""
    incident = site.incident()
    stalled = [
        gauge("mysql.Threads_running", [2.0] * 60 + [401.0] * 60),
        gauge("metric.qps", [900.0] * 60 + [800.0] * 60, kind="rate"),
        setting("innodb_adaptive_hash_index", "ON"),
    ]
    site.app.state.services.placed.replace(incident, evidence({"m": stalled}))
    found = observed(site, run(site, incident, [9.0] * 60))
    trial = found["trial"]
    assert (trial["verdict"], trial["before_s"], trial["after_s"]) == ("better", 0.50125, 0.00225)
    assert trial["text"].startswith(
        "The run is better than the incident: 2.25 ms inside the server"
    )
    assert found["settings"] == [{"name": "innodb_adaptive_hash_index", "a": "ON", "b": "OFF"}]


def test_an_incident_not_analysed_yet_compares_with_nothing(site: Site) -> None:
    found = observed(site, run(site, site.incident(), [9.0] * 60))
    assert found["trial"]["verdict"] == "unknown"
    assert found["trial"]["text"].startswith("The incident has no series of running sessions")
    assert found["settings"] == []


def test_a_miss(site: Site) -> None:
    assert observed(site, run(site, site.incident(), [90.0] * 60))["measured"]["verdict"] == "miss"


def test_a_prediction_without_a_number_is_not_measured(site: Site) -> None:
    experiment = run(site, site.incident(), [3.0] * 60, metric=None, op=None, value=None)
    assert observed(site, experiment)["measured"] is None


def test_nothing_attached(site: Site) -> None:
    incident = site.incident()
    made = site.admin.post(f"/api/v1/incidents/{incident}/experiments", json={"title": "x"}).json()
    answer = site.admin.get(f"/api/v1/experiments/{made['id']}/observed")
    assert answer.status_code == 409
    assert "attach its files" in answer.json()["detail"]


def finish(site: Site, experiment: dict[str, Any], **body: Any) -> Any:
    """Start it and finish it."""
    url = f"/api/v1/experiments/{experiment['id']}"
    assert site.admin.post(f"{url}/start").status_code == 200
    return site.admin.post(f"{url}/finish", json={"observation": {"text": "seen"}} | body)


def test_the_verdict_is_computed(site: Site) -> None:
    """Nobody needs to choose it, and what the artifacts showed is kept."""
    answer = finish(site, run(site, site.incident(), [3.0] * 60))
    assert answer.status_code == 200, answer.text
    done = answer.json()
    assert (done["verdict"], done["overruled_because"]) == ("match", "")
    assert done["computed"]["measured"]["value"] == 3.0
    level = done["computed"]["levels"][0]
    assert level["series"] == "m.waiters@db-1"
    assert level["run"] == {"median": 3.0, "mad": 0.0, "least": 3.0, "most": 3.0, "points": 60}
    assert (level["incident"], level["ratio"]) == (None, None)
    others = site.admin.put(
        f"/api/v1/experiments/{done['id']}/artifacts", json={"artifact_ids": []}
    )
    assert others.status_code == 409, "what it was computed from stays"


def test_a_person_overrules_only_with_a_reason(site: Site) -> None:
    """Both verdicts are kept then."""
    experiment = run(site, site.incident(), [3.0] * 60)
    refused = finish(site, experiment, verdict="miss")
    assert refused.status_code == 422
    assert "The artifacts say match" in refused.json()["detail"]
    url = f"/api/v1/experiments/{experiment['id']}/finish"
    blank = {"observation": {"text": "seen"}, "verdict": "miss", "overruled_because": "  "}
    assert site.admin.post(url, json=blank).status_code == 422
    body = {
        "observation": {"text": "seen"}, "verdict": "miss", "overruled_because": "no load was on",
    }  # fmt: skip
    done = site.admin.post(url, json=body).json()
    assert (done["verdict"], done["computed"]["measured"]["verdict"]) == ("miss", "match")
    assert done["overruled_because"] == "no load was on"


def test_a_number_without_artifacts_is_not_measurable(site: Site) -> None:
    incident = site.incident()
    made = site.admin.post(
        f"/api/v1/incidents/{incident}/experiments", json={"title": "x", "prediction": PREDICTION}
    ).json()
    assert finish(site, made, verdict="match").status_code == 422
    done = site.admin.post(
        f"/api/v1/experiments/{made['id']}/finish", json={"observation": {"text": "seen"}}
    ).json()
    assert done["verdict"] == "not_measurable"


def test_words_alone_need_a_verdict_of_a_person(site: Site) -> None:
    experiment = run(site, site.incident(), [3.0] * 60, metric=None, op=None, value=None)
    refused = finish(site, experiment)
    assert refused.status_code == 422
    assert "choose one" in refused.json()["detail"]


def test_the_incident_is_analysed_again_without_a_deleted_run_s_files(site: Site) -> None:
    incident = site.incident()
    empty = site.admin.post(
        f"/api/v1/incidents/{incident}/experiments",
        json={"title": "nothing attached", "prediction": {"text": "gone"}},
    ).json()
    with_file = run(site, incident, [3.0] * 60)
    for experiment, asked in ((empty, False), (with_file, True)):
        with site.database.unit() as unit:
            unit.session.query(models.Job).filter_by(kind="analyse").delete()
        site.admin.delete(f"/api/v1/experiments/{experiment['id']}")
        with site.database.unit() as unit:
            jobs = unit.session.query(models.Job).filter_by(kind="analyse").all()
            assert [job.incident_id for job in jobs] == ([incident] if asked else [])


def test_half_a_prediction_does_not_start(site: Site) -> None:
    experiment = run(site, site.incident(), [3.0] * 60, value=None)
    refused = site.admin.post(f"/api/v1/experiments/{experiment['id']}/start")
    assert refused.status_code == 422
    assert "give a sign and a value" in refused.json()["detail"]


def test_a_direction_is_held_against_the_incident(site: Site) -> None:
    incident = site.incident()
    waiting = [gauge("m.waiters", [300.0] * 60)]
    site.app.state.services.placed.replace(incident, evidence({"m": waiting}))
    falls = observed(site, run(site, incident, [3.0] * 60, op="falls", value=None))
    assert falls["measured"]["verdict"] == "match"
    assert "falls from the incident's 300" in falls["measured"]["text"]
    assert falls["levels"][0]["ratio"] == 0.01
    rises = observed(site, run(site, incident, [310.0] * 60, op="rises", value=None))
    assert rises["measured"]["verdict"] == "miss"


def test_parameters_are_locked_and_the_sweep_is_not(site: Site) -> None:
    """A run of a sweep is an experiment; what tells it from its siblings cannot change later."""
    incident = site.incident()
    body = {
        "title": "4 tables", "prediction": PREDICTION, "sweep": "commit mutex",
        "parameters": {"tables": "4", "binary": "original"},
    }  # fmt: skip
    made = site.admin.post(f"/api/v1/incidents/{incident}/experiments", json=body).json()
    assert (made["sweep"], made["parameters"]["tables"]) == ("commit mutex", "4")
    url = f"/api/v1/experiments/{made['id']}"
    started = site.admin.post(f"{url}/start").json()
    tag = {"If-Match": f'"{started["revision"]}"'}
    late = site.admin.patch(url, json={"parameters": {"tables": "16"}}, headers=tag)
    assert late.status_code == 409
    again = site.admin.patch(url, json={"sweep": "bug 46459"}, headers=tag)
    assert again.json()["sweep"] == "bug 46459"
    many = body | {"parameters": {str(n): "1" for n in range(11)}}
    answer = site.admin.post(f"/api/v1/incidents/{incident}/experiments", json=many)
    assert answer.status_code == 422


WAITERS = {"kind": "series", "series": "m.waiters", "op": ">", "value": 100, "for_s": 10}


def symptom(site: Site, incident: str, predicate: dict[str, Any], status: int = 201) -> Any:
    answer = site.admin.post(
        f"/api/v1/incidents/{incident}/symptoms", json={"predicate": predicate}
    )
    assert answer.status_code == status, answer.text
    return answer.json()


def test_peoples_own_symptoms_are_asked_of_the_incident_and_of_each_run(site: Site) -> None:
    """They count in 'reproduces 1 of 2'; what the run or the incident cannot tell does not."""
    incident = site.incident()
    waiting = [gauge("m.waiters", [3.0] * 60 + [300.0] * 60)]
    site.app.state.services.placed.replace(incident, evidence({"m": waiting}))
    with site.database.unit() as unit:
        Incidents(unit).digest(incident, {"signature": {"finding:hot-row": "Hot row"}})
    experiment = run(site, incident, [300.0] * 20, qps=40.0)
    held = symptom(site, incident, WAITERS)
    assert (held["words"], held["incident"]["holds"]) == ("m.waiters above 100 for 10 s", True)
    low = symptom(site, incident, WAITERS | {"op": "<", "value": 10})
    symptom(site, incident, {"kind": "stack", "text": "prepare", "at_least": 5})
    symptom(site, incident, {"kind": "series", "series": "metric.qps", "op": ">", "value": 1})
    listed = site.admin.get(f"/api/v1/incidents/{incident}/symptoms").json()
    assert [item["incident"]["holds"] for item in listed] == [True, True, None, None]
    answers = site.admin.get(f"/api/v1/experiments/{experiment['id']}/symptoms").json()
    assert [answer["holds"] for answer in answers] == [True, False, None, True]
    assert answers[0]["text"].startswith("20 s, up to 300")
    assert answers[0]["locator"]["series"] == "m.waiters"
    found = observed(site, experiment)["symptoms"]
    assert found["reproduced"] == ["own symptom: m.waiters above 100 for 10 s"]
    assert found["missing"] == ["own symptom: m.waiters below 10 for 10 s"]
    assert found["new"] == []
    assert found["unknown"] == [
        "at least 5 threads with 'prepare' on the stack",
        "likely cause: Hot row",
    ]
    assert found["text"].startswith("The run reproduces 1 of 2 symptoms; it lacks")
    assert "it has no data for at least 5 threads" in found["text"]
    assert site.admin.delete(f"/api/v1/symptoms/{low['id']}").status_code == 204
    assert len(site.admin.get(f"/api/v1/incidents/{incident}/symptoms").json()) == 3


def test_the_answers_of_a_run_follow_its_records_and_its_files(site: Site) -> None:
    """Also when its records are gone for a while and come again, as they were."""
    incident = site.incident()
    symptom(site, incident, WAITERS)
    experiment = run(site, incident, [300.0] * 20)
    frame_store = site.app.state.services.frames
    (file,) = site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    key = FrameKey(file["sha256"], "metric-csv", 1)

    def answer() -> object:
        (one,) = site.admin.get(f"/api/v1/experiments/{experiment['id']}/symptoms").json()
        return one["holds"]

    stored = frame_store.load(key)
    frame_store.forget(key.sha256)
    assert answer() is None
    frame_store.replace(key, stored)
    assert answer() is True
    site.admin.put(f"/api/v1/experiments/{experiment['id']}/artifacts", json={"artifact_ids": []})
    assert site.admin.get(f"/api/v1/experiments/{experiment['id']}/symptoms").json() == []


def test_a_symptom_is_mended(site: Site) -> None:
    """With the revision that was read, and an audit line; not into another that is there, and
    the answers of finished runs keep the words that they were asked."""
    incident = site.incident()
    waiting = [gauge("m.waiters", [3.0] * 60 + [300.0] * 60)]
    site.app.state.services.placed.replace(incident, evidence({"m": waiting}))
    made = symptom(site, incident, WAITERS)
    experiment = run(site, incident, [50.0] * 20)
    finished = finish(site, experiment, observation={"text": "seen"}).json()
    assert finished["computed"]["symptoms"]["missing"] == [f"own symptom: {made['words']}"]

    def change(value: float, revision: int | None) -> Any:
        tag = {} if revision is None else {"If-Match": f'"{revision}"'}
        body = {"predicate": WAITERS | {"value": value}}
        return site.admin.patch(f"/api/v1/symptoms/{made['id']}", json=body, headers=tag)

    assert change(40, None).status_code == 428
    changed = change(40, made["revision"])
    assert changed.status_code == 200, changed.text
    assert changed.json()["words"] == "m.waiters above 40 for 10 s"
    assert changed.json()["incident"]["holds"] is True
    late = change(30, made["revision"])
    assert (late.status_code, late.json()["current"]["revision"]) == (409, 2)
    (answer,) = site.admin.get(f"/api/v1/experiments/{experiment['id']}/symptoms").json()
    assert answer["holds"] is True
    again = site.admin.get(f"/api/v1/experiments/{experiment['id']}").json()["computed"]
    assert again == finished["computed"]
    symptom(site, incident, WAITERS)
    taken = change(WAITERS["value"], 2)
    assert taken.status_code == 422, taken.text
    assert change(40, 2).status_code == 200, "to leave it as it is is no second one"
    (line,) = (
        item
        for item in site.admin.get(f"/api/v1/incidents/{incident}/activity").json()
        if item["action"] == "symptom.edited" and item["detail"]["was"] != item["detail"]["words"]
    )
    assert line["detail"] == {"was": made["words"], "words": "m.waiters above 40 for 10 s"}


def test_what_is_no_symptom(site: Site) -> None:
    """Half a predicate, a strange kind, the same twice; a viewer writes none."""
    incident = site.incident()
    symptom(site, incident, {"kind": "series", "series": "x", "op": ">"}, 422)
    symptom(site, incident, {"kind": "regex", "text": "(a+)+"}, 422)
    symptom(site, incident, {"kind": "state", "text": " ", "at_least": 1}, 422)
    symptom(site, incident, {"kind": "state", "text": "init", "at_least": 0}, 422)
    made = symptom(site, incident, {"kind": "state", "text": "(a+)+$", "at_least": 1})
    assert made["incident"] is None
    again = symptom(site, incident, {"kind": "state", "text": "(a+)+$", "at_least": 1}, 422)
    assert "already" in again["detail"]
