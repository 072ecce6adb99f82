"""Pasted text is understood before it is stored; people give times to what prints none."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.support.site import Site

PREVIEW = "/api/v1/paste/preview"
PROCESSLIST = (
    "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n"
    "7\tapp\tweb-1:5000\tshop\tQuery\t31\tupdating\tUPDATE stock SET n = n - 1 WHERE id = 4\n"
)


def preview(site: Site, text: str) -> dict[str, Any]:
    answer = site.admin.post(PREVIEW, json={"text": text})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_preview_counts_records_and_stores_nothing(site: Site) -> None:
    incident = site.incident()
    understood = preview(site, PROCESSLIST)
    assert understood["format"] == "processlist"
    assert {"kind": "session", "count": 1, "words": "1 session"} in understood["records"]
    assert understood["prints_time"] is False
    assert understood["first"] is None
    assert understood["name"] == "pasted/processlist.txt"
    assert site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"] == []


def test_a_preview_takes_a_text_from_one_character_on(site: Site) -> None:
    assert preview(site, "x")["format"] is None
    assert site.admin.post(PREVIEW, json={"text": ""}).status_code == 422


def test_a_preview_shows_the_time_that_a_text_prints(site: Site) -> None:
    understood = preview(
        site, "2026-11-20T22:17:05.123456Z 8 [Note] Aborted connection 8 to db\n" * 3
    )
    assert understood["prints_time"] is True
    assert understood["first"] == "2026-11-20T22:17:05.123456Z"


def test_a_preview_of_prose_says_that_no_format_fits(site: Site) -> None:
    understood = preview(site, "Everybody went to lunch. Then the database stood still.\n")
    assert understood["format"] is None
    assert understood["coverage"] is None
    assert understood["name"] == "pasted/text.txt"
    assert understood["why"]


def test_a_viewer_cannot_paste(site: Site) -> None:
    assert site.client("viewer").post(PREVIEW, json={"text": "x"}).status_code == 403


def give(site: Site, incident: str, *artifact_ids: str, **given: Any) -> Any:
    body = {"artifact_ids": list(artifact_ids), **given}
    return site.admin.post(f"/api/v1/incidents/{incident}/artifacts/given", json=body)


def test_times_are_given_in_bulk_and_forgotten(site: Site) -> None:
    incident = site.incident()
    ids = [site.upload(incident, f"{name}.txt", name.encode())["id"] for name in ("a", "b")]
    answer = give(site, incident, *ids, at="2026-11-20T18:42:00+01:00", within_s=60, host=" db-7 ")
    assert answer.status_code == 200, answer.text
    for item in answer.json()["items"]:
        assert item["given_at"] == "2026-11-20T17:42:00Z"
        assert (item["given_within_s"], item["given_host"]) == (60, "db-7")
    forgotten = give(site, incident, ids[0]).json()["items"][0]
    assert (forgotten["given_at"], forgotten["given_within_s"], forgotten["given_host"]) == (
        None,
        None,
        None,
    )


def test_files_move_to_a_server_and_keep_their_time(site: Site) -> None:
    """The host alone changes, in the audit too; null gives the printed host back."""
    incident = site.incident()
    artifact = site.upload(incident, "a.txt", b"a")["id"]
    give(site, incident, artifact, at="2026-11-20T18:42:00Z")
    path = f"/api/v1/incidents/{incident}/artifacts/host"
    body = {"artifact_ids": [artifact], "host": " shop-db "}
    (moved,) = site.admin.post(path, json=body).json()["items"]
    assert (moved["given_host"], moved["given_at"]) == ("shop-db", "2026-11-20T18:42:00Z")
    (back,) = site.admin.post(path, json=body | {"host": None}).json()["items"]
    assert (back["given_host"], back["given_at"]) == (None, "2026-11-20T18:42:00Z")
    assert site.client("viewer").post(path, json=body).status_code == 403
    other = f"/api/v1/incidents/{site.incident()}/artifacts/host"
    assert site.admin.post(other, json=body).status_code == 404


def test_an_artifact_of_another_incident_is_refused_and_nothing_changes(site: Site) -> None:
    mine, other = site.incident(), site.incident()
    own = site.upload(mine, "a.txt", b"a")["id"]
    theirs = site.upload(other, "b.txt", b"b")["id"]
    assert give(site, mine, own, theirs, host="db-1").status_code == 404
    assert site.admin.get(f"/api/v1/artifacts/{own}").json()["given_host"] is None


@pytest.mark.parametrize(
    "given", [{"at": "2026-11-20T18:42:00"}, {"within_s": -1}, {"within_s": 1e9}]
)
def test_a_time_without_a_zone_and_odd_distances_are_refused(
    site: Site, given: dict[str, Any]
) -> None:
    incident = site.incident()
    artifact = site.upload(incident, "a.txt", b"a")["id"]
    assert give(site, incident, artifact, **given).status_code == 422


def upload(site: Site, incident: str, **values: str) -> Any:
    encoded = ",".join(f"{k} {base64.b64encode(v.encode()).decode()}" for k, v in values.items())
    return site.admin.post(
        f"/api/v1/incidents/{incident}/uploads",
        headers={"Upload-Length": "0", "Upload-Metadata": encoded, "Tus-Resumable": "1.0.0"},
    )


def test_an_upload_carries_the_given_time_to_its_artifact(site: Site) -> None:
    incident = site.incident()
    answer = upload(site, incident, path="a.txt", at="2026-11-20T18:42:00Z", within_s="5", host="h")
    artifact = site.admin.get(f"/api/v1/artifacts/{answer.headers['X-Artifact-Id']}").json()
    assert artifact["given_at"] == "2026-11-20T18:42:00Z"
    assert (artifact["given_within_s"], artifact["given_host"]) == (5, "h")


@pytest.mark.parametrize(
    "values", [{"at": "yesterday"}, {"at": "2026-11-20 18:42"}, {"within_s": "-3"}]
)
def test_an_upload_with_an_unreadable_time_is_refused(site: Site, values: dict[str, str]) -> None:
    assert upload(site, site.incident(), path="a.txt", **values).status_code == 400
