"""A person says once what an export's columns are; this file and the next are read by it."""

from __future__ import annotations

from typing import Any

from pileup.formats.metrics.parts import csv_mapping
from pileup.storage.files.frames import FrameKey
from tests.support.bundles import touched, with_fields
from tests.worker.conftest import Bench

FIRST = b"Date;Threads\n03/04/2026 10:00:00;1,5\n03/04/2026 10:00:01;2\n03/04/2026 10:00:02;x\n"
NEXT = b'Exported by somebody\n\n"DATE";"Threads"\n03/05/2026 10:00:00;7,5\n'
TOLD = {
    "delimiter": ";",
    "decimal": ",",
    "time_format": "mdy",
    "zone": "-08:00",
    "columns": [{"name": "Date", "role": "time"}, {"name": "Threads", "role": "value"}],
}


def artifact(bench: Bench, artifact_id: str) -> dict[str, Any]:
    return dict(bench.site.admin.get(f"/api/v1/artifacts/{artifact_id}").json())


def samples(bench: Bench, found: dict[str, Any]) -> list[tuple[int, float | None]]:
    key = FrameKey(found["sha256"], found["format"], found["parser_version"])
    frame = bench.runtime.frames.load_kind(key, "sample")
    assert frame is not None
    return frame.select("wall_us", "value").rows()


def test_said_once_used_again_and_forgotten(bench: Bench) -> None:
    site = bench.site
    incident = site.incident()
    first = site.upload(incident, "monday.csv", FIRST)
    elsewhere = site.upload(site.incident("another"), "monday.csv", FIRST)
    bench.work()
    assert artifact(bench, first["id"])["format"] == "result-set"

    address = f"/api/v1/artifacts/{first['id']}/mapping"
    assert site.admin.get(address).json()["same_header"] == 1
    saved = site.admin.put(address, json=TOLD)
    assert saved.status_code == 200, saved.text
    assert saved.json() == {"read_again": 2}
    bench.work()

    read = artifact(bench, first["id"])
    assert (read["format"], read["state"]) == ("csv-table", "done_with_problems")
    assert read["why"] == "a person mapped its columns"
    assert [(problem["line"], problem["message"]) for problem in read["problems_list"]] == [
        (4, "Column 2 (Threads): not a number.")
    ]
    day = 1772647200000000  # 2026-03-04 18:00 UTC
    assert samples(bench, read) == [(day, 1.5), (day + 1_000_000, 2), (day + 2_000_000, None)]
    assert artifact(bench, elsewhere["id"])["format"] == "csv-table"
    answer = site.admin.get(address).json()
    assert answer["remembered"]
    assert answer["remembered_by"] == "admin"
    assert answer["mapping"]["columns"][1]["name"] == "Threads"
    file = site.admin.get(f"{address}/file")
    assert csv_mapping.load(file.content).header == "date;threads"

    after = site.upload(incident, "tuesday.csv", NEXT)
    bench.work()
    read = artifact(bench, after["id"])
    assert (read["format"], read["state"]) == ("csv-table", "done")
    assert samples(bench, read) == [(day + 86_400_000_000, 7.5)]

    assert site.admin.delete(address).json() == {"read_again": 3}
    bench.work()
    assert artifact(bench, first["id"])["format"] == "result-set"
    assert site.admin.delete(address).json() == {"read_again": 0}


def test_a_type_chosen_by_hand_gives_way_to_told_columns(bench: Bench) -> None:
    site = bench.site
    uploaded = site.upload(site.incident(), "x.csv", FIRST)
    bench.work()
    site.admin.patch(f"/api/v1/artifacts/{uploaded['id']}", json={"format": "vmstat"})
    bench.work()
    assert artifact(bench, uploaded["id"])["state"] == "failed"
    assert (
        site.admin.put(f"/api/v1/artifacts/{uploaded['id']}/mapping", json=TOLD).status_code == 200
    )
    bench.work()
    assert artifact(bench, uploaded["id"])["format"] == "csv-table"


def test_what_would_read_nothing_is_refused_with_its_place(bench: Bench) -> None:
    site = bench.site
    uploaded = site.upload(site.incident(), "x.csv", FIRST)
    bench.work()
    address = f"/api/v1/artifacts/{uploaded['id']}/mapping"
    wrong = site.admin.put(address, json=TOLD | {"time_format": "epoch_ms"})
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["field"] == "time_format"
    assert "line 2: '03/04/2026 10:00:00'" in wrong.json()["detail"]
    columns = [{"name": "Date", "role": "time"}, {"name": "Threads", "role": "ignore"}]
    assert site.admin.put(address, json=TOLD | {"columns": columns}).status_code == 422
    zone = site.admin.put(address, json=TOLD | {"zone": "Mars/Olympus"})
    assert zone.json()["errors"][0]["field"] == "zone"
    assert artifact(bench, uploaded["id"])["format"] == "result-set"


def test_a_bundle_takes_along_what_its_tables_are_read_by(bench: Bench) -> None:
    """Where nobody named them, the columns are known; where somebody did, that stays; no others."""
    site = bench.site
    incident = site.incident()
    first = site.upload(incident, "monday.csv", FIRST)
    bench.work()
    address = f"/api/v1/artifacts/{first['id']}/mapping"
    assert site.admin.put(address, json=TOLD).is_success
    bench.work()
    bundle = site.admin.get(f"/api/v1/incidents/{incident}/bundle").content
    assert site.admin.delete(address).is_success

    def arrived(content: bytes) -> dict[str, Any]:
        answer = site.admin.post("/api/v1/incidents/import", content=content)
        if answer.status_code != 201:
            return dict(answer.json())
        bench.work()
        listed = site.admin.get(f"/api/v1/incidents/{answer.json()['id']}/artifacts").json()
        return artifact(bench, listed["items"][0]["id"])

    def changed(**put: Any) -> bytes:
        return touched(bundle, {"mappings.jsonl": with_fields(put)})

    assert "does not fit the columns of its key" in arrived(changed(key="header:00"))["detail"]
    assert "no mapping of columns" in arrived(changed(mapping={"columns": 7}))["detail"]
    read = arrived(bundle)
    assert read["why"] == "a person mapped its columns"
    assert [value for _, value in samples(bench, read)] == [1.5, 2, None]
    assert site.admin.put(address, json=TOLD | {"decimal": "."}).is_success
    bench.work()
    assert [value for _, value in samples(bench, arrived(bundle))] == [None, 2, None]
