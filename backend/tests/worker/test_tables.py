"""Tables of artifacts: listed, paged, sorted and compared, from upload to answer."""

from __future__ import annotations

from tests.formats.checks import SAMPLES
from tests.worker.conftest import Bench

HEAD = "l.i0\tq100\tq500\tdbms\n"
BEFORE = HEAD + "".join(f"{at}\t{at * 2}\t7\tbuild_{at}\n" for at in range(1200))
AFTER = HEAD + "5\t11\t7\tbuild_5\n6\t12\t7\tbuild_6\nnan\t1\t7\tnewcomer\n"


def test_tables_are_listed_paged_and_sorted(bench: Bench) -> None:
    site = bench.site
    incident = site.incident()
    uploaded = site.upload(incident, "before.tsv", BEFORE.encode())
    sample = (SAMPLES / "bench-tables" / "absolute-and-relative.txt").read_bytes()
    site.upload(incident, "o.met", sample)
    bench.work()
    listed = site.admin.get(f"/api/v1/incidents/{incident}/tables").json()["items"]
    assert [(item["path"], item["name"], item["rows"]) for item in listed][:2] == [
        ("before.tsv", "results", 1200),
        ("o.met", "sb.met.update-one.range100.pk1 · absolute", 2),
    ]
    assert listed[0]["columns"] == ["l.i0", "q100", "q500", "dbms"]
    assert (listed[0]["line_first"], listed[0]["line_last"]) == (2, 1201)
    mine = site.admin.get(f"/api/v1/artifacts/{uploaded['id']}/tables").json()["items"]
    assert mine == listed[:1]

    address = f"/api/v1/artifacts/{uploaded['id']}/table"
    page = site.admin.get(address, params={"name": "results", "offset": 1198}).json()
    assert page["page"] == [
        ["1198", "2396", "7", "build_1198"],
        ["1199", "2398", "7", "build_1199"],
    ]
    assert page["numeric"] == [True, True, True, False]
    down = {"name": "results", "sort": "q100", "down": "true", "limit": "1"}
    assert site.admin.get(address, params=down).json()["page"][0][1] == "2398"
    assert site.admin.get(address, params={"name": "none"}).status_code == 404
    assert site.admin.get(address, params={"name": "results", "sort": "x"}).status_code == 422


def test_two_tables_are_compared(bench: Bench) -> None:
    site = bench.site
    incident = site.incident()
    before = site.upload(incident, "before.tsv", BEFORE.encode())
    after = site.upload(incident, "after.tsv", AFTER.encode())
    bench.work()
    asked = {
        "before_artifact": before["id"],
        "before": "results",
        "after_artifact": after["id"],
        "after": "results",
    }
    answer = site.admin.get("/api/v1/tables/comparison", params=asked)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["keys"] == ["dbms"]
    assert [found[state] for state in ("added", "gone", "changed", "same")] == [1, 1198, 1, 1]
    assert found["total"] == 1200
    changed = next(row for row in found["rows"] if row["state"] == "changed")
    assert changed["key"] == ["build_5"]
    assert changed["cells"][1] == {"before": "10", "after": "11", "change": "1", "ratio": 1.1}
    only = site.admin.get("/api/v1/tables/comparison", params=asked | {"state": "same"}).json()
    assert [row["key"] for row in only["rows"]] == [["build_6"]]
    refused = site.admin.get("/api/v1/tables/comparison", params=asked | {"key": "none"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "key"
