"""What the columns of a table are: the preview, and what is refused before it is remembered."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from pileup.formats.metrics.parts import csv_mapping
from tests.support.site import Site

EITHER = b"Date;Threads;Note\n03/04/2026 10:00:00;1,5;a\n03/04/2026 10:00:01;x;b\n"


def get(site: Site, artifact: dict[str, Any]) -> dict[str, Any]:
    answer = site.admin.get(f"/api/v1/artifacts/{artifact['id']}/mapping")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_guess_with_its_doubt_and_its_preview(site: Site) -> None:
    """Day or month first is left open; cells that are no numbers are named by line and column."""
    artifact = site.upload(site.incident(), "export.csv", EITHER)
    seen = get(site, artifact)
    mapping = seen["mapping"]
    assert (mapping["delimiter"], mapping["decimal"], mapping["header_line"]) == (";", ",", 1)
    assert [column["role"] for column in mapping["columns"]] == ["time", "ignore", "ignore"]
    assert not seen["sure"]
    assert not seen["remembered"]
    assert seen["problems"][0]["field"] == "columns"
    assert seen["rows"][0]["cells"] == ["03/04/2026 10:00:00", "1,5", "a"]
    assert seen["rows"][0]["time"] == "2026-04-03 10:00:00"


def test_a_correction_is_previewed_at_once(site: Site) -> None:
    """Zone, order of the day, roles, kind, unit and name; nothing is stored."""
    artifact = site.upload(site.incident(), "export.csv", EITHER)
    columns = [
        {"name": "Date", "role": "time"},
        {"name": "Threads", "role": "value", "series": "app.threads", "unit": "threads"},
        {"name": "Note", "role": "ignore"},
    ]
    draft = {"delimiter": ";", "time_format": "mdy", "zone": "-08:00", "columns": columns}
    answer = site.admin.post(f"/api/v1/artifacts/{artifact['id']}/mapping/preview", json=draft)
    assert answer.status_code == 200, answer.text
    seen = answer.json()
    assert seen["problems"] == []
    assert [row["time"] for row in seen["rows"]] == [
        "2026-03-04 18:00:00Z",
        "2026-03-04 18:00:01Z",
    ]
    assert seen["cell_errors"] == [
        {"line": 3, "column": 2, "message": "not a number", "found": "x"}
    ]
    assert seen["rows"][1]["bad"] == [1]
    assert seen["series"] == [
        {
            "name": "app.threads",
            "labels": "",
            "host": None,
            "kind": "gauge",
            "unit": "threads",
            "values": 1,
            "low": 1.5,
            "high": 1.5,
        }
    ]
    assert get(site, artifact)["mapping"]["zone"] is None


@pytest.mark.parametrize("zone", ["Americ", "America/", "../etc/passwd", "+99:00", "\0", "-8"])
def test_a_zone_half_typed_is_a_sentence_not_a_defect(site: Site, zone: str) -> None:
    artifact = site.upload(site.incident(), "export.csv", EITHER)
    address = f"/api/v1/artifacts/{artifact['id']}/mapping/preview"
    answer = site.admin.post(address, json={"zone": zone})
    assert answer.status_code == 200, answer.text
    assert "zone" in {problem["field"] for problem in answer.json()["problems"]}
    assert answer.json()["rows"][0]["time"] == "2026-04-03 10:00:00"


def test_another_separator_is_guessed_anew(site: Site) -> None:
    artifact = site.upload(site.incident(), "export.csv", EITHER)
    draft = {"delimiter": ",", "columns": [{"name": "x", "role": "time"}]}
    answer = site.admin.post(f"/api/v1/artifacts/{artifact['id']}/mapping/preview", json=draft)
    assert len(answer.json()["mapping"]["columns"]) == 2  # 03/04/2026 10:00:00;1 | 5;a


def test_what_cannot_be_used_is_refused_before_it_is_read(site: Site) -> None:
    """A mapping for a file that is still waiting, unknown words, an archive, another's role."""
    incident = site.incident()
    artifact = site.upload(incident, "export.csv", EITHER)
    address = f"/api/v1/artifacts/{artifact['id']}/mapping"
    assert site.admin.put(address, json={}).status_code == 409  # queued
    assert site.admin.post(f"{address}/preview", json={"delimiter": ";;"}).status_code == 422
    assert site.admin.post(f"{address}/preview", json={"time_format": "odd"}).status_code == 422
    viewer = site.client("viewer")
    assert viewer.get(address).status_code == 200
    assert viewer.put(address, json={}).status_code == 403
    packed = site.upload(incident, "export.csv.gz", __import__("gzip").compress(EITHER))
    refused = site.admin.get(f"/api/v1/artifacts/{packed['id']}/mapping")
    assert refused.status_code == 409
    assert "archive" in refused.json()["detail"]
    assert site.admin.get("/api/v1/artifacts/none/mapping").status_code == 404


def test_any_bytes_can_be_looked_at(site: Site) -> None:
    """No separator, no rows, NULs, a line without an end: an answer, never a defect."""
    incident = site.incident()
    for at, content in enumerate(
        (b"", b"\0\0\0", b"one line", b"a,b\n", b"\xff\xfe\xff", b'"' * 70_000, b",\n" * 300)
    ):
        seen = get(site, site.upload(incident, f"{at}.csv", content))
        assert seen["problems"], content[:20]


def test_a_mapping_leaves_incidents_alone_that_the_caller_only_reads(site: Site) -> None:
    """The table of one's own incident is parsed again; another's neither is, nor stops it."""
    yours, own = site.incident(), site.incident()
    theirs, mine = (site.upload(each, "export.csv", EITHER) for each in (yours, own))
    carl = site.client("contributor", "carl")
    me = carl.get("/api/v1/session").json()["user"]["id"]
    url = f"/api/v1/incidents/{yours}"
    site.admin.put(f"{url}/visibility", json={"visibility": "private"})
    site.admin.put(f"{url}/members", json={"user_id": me, "role": "viewer"})
    with site.database.unit() as unit:
        header = csv_mapping.guess(EITHER.decode().split("\n")).mapping.header
        key = csv_mapping.mapping_key(header, mine["sha256"])
        unit.session.execute(
            text("update artifacts set state = 'done', table_key = :key"), {"key": key}
        )
        unit.session.execute(text("delete from jobs"))
    address = f"/api/v1/artifacts/{mine['id']}/mapping"
    roles = {"Date": "time", "Threads": "value", "Note": "ignore"}
    columns = [{"name": name, "role": role} for name, role in roles.items()]
    answer = carl.put(address, json={"time_format": "dmy", "columns": columns})
    assert answer.status_code == 200, answer.text
    with site.database.unit() as unit:
        states = dict(unit.session.execute(text("select id, state from artifacts")).all())
    assert states == {mine["id"]: "queued", theirs["id"]: "done"}
    token = site.with_token("edit read", carl, own)
    assert token.put(address, json={}).status_code == 403
    assert token.delete(address).status_code == 403
