"""The raw viewer's server: lines, pieces, hits and the records that lines became."""

from __future__ import annotations

from pileup.storage.files import outline
from tests.formats.checks import SAMPLES
from tests.worker.conftest import Bench

MOST_BYTES = 2_000_000


def test_records_and_lines_lead_to_each_other(bench: Bench) -> None:
    """Each kind by page; a line names its record, the narrowest first."""
    site = bench.site
    incident = site.incident()
    cnf = b"[mysqld]\ninnodb_buffer_pool_size = 95G\n# a comment\nskip-name-resolve\n"
    uploaded = site.upload(incident, "my.cnf", cnf)
    bench.work()
    base = f"/api/v1/artifacts/{uploaded['id']}"
    page = site.admin.get(f"{base}/records", params={"kind": "setting"}).json()
    assert page["total"] == 2
    assert [(row["index"], row["line_first"]) for row in page["items"]] == [(0, 2), (1, 4)]
    assert page["items"][0]["text"] == "innodb_buffer_pool_size · 95G"
    found = site.admin.get(f"{base}/records/at", params={"line": 2}).json()["items"]
    assert [(row["kind"], row["index"]) for row in found] == [("setting", 0)]
    assert site.admin.get(f"{base}/records/at", params={"line": 3}).json()["items"] == []
    ranged = site.admin.get(f"{base}/records/at", params={"line": 1, "to": 4}).json()["items"]
    assert [row["index"] for row in ranged] == [0, 1]
    whole = site.admin.get(f"{base}/record", params={"kind": "setting", "index": 1}).json()
    fields = {field["name"]: field["value"] for field in whole["fields"]}
    assert fields["name"] == "skip_name_resolve"
    assert fields["section"] == "mysqld"
    assert site.admin.get(f"{base}/records", params={"kind": "stack"}).status_code == 404
    beyond = site.admin.get(f"{base}/record", params={"kind": "setting", "index": 9})
    assert beyond.status_code == 404


def test_every_kind_is_told_in_words(bench: Bench) -> None:
    """A page of each kind of each sample: a text for every record, and bounded answers."""
    site = bench.site
    incident = site.incident()
    for folder in ("innodb-status", "gdb", "pmp", "processlist", "slow-log", "bench-tables"):
        files = (each for each in (SAMPLES / folder).iterdir() if each.suffix in (".txt", ".log"))
        for path in sorted(files)[:2]:
            site.upload(incident, f"{folder}/{path.name}", path.read_bytes())
    bench.work()
    kinds = set()
    for artifact in site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]:
        for kind, count in artifact["records"].items():
            if not count:
                continue
            kinds.add(kind)
            base = f"/api/v1/artifacts/{artifact['id']}"
            answer = site.admin.get(f"{base}/records", params={"kind": kind})
            assert answer.status_code == 200, (kind, answer.text)
            assert len(answer.content) < MOST_BYTES
            items = answer.json()["items"]
            assert len(items) == min(count, 200)
            assert all(item["text"] for item in items), kind
            first = site.admin.get(f"{base}/record", params={"kind": kind, "index": count - 1})
            assert first.json()["fields"], kind
            line = items[0]["line_first"]
            at = site.admin.get(f"{base}/records/at", params={"line": line}).json()["items"]
            assert kind in {row["kind"] for row in at}
    assert {"transaction", "stack", "session", "query", "sample", "snapshot"} <= kinds


def test_a_giant_line_comes_in_pieces(bench: Bench) -> None:
    """A line of 12 MB is cut on its page and read on in pieces; no answer is large."""
    site = bench.site
    uploaded = site.upload(
        site.incident(), "x.txt", b"a\n" + b"x\x00\x1b[31m" * 1_500_000 + b"\nb\n"
    )
    bench.work()
    base = f"/api/v1/artifacts/{uploaded['id']}/raw"
    page = site.admin.get(base, params={"line": 1, "count": 400})
    assert len(page.content) < MOST_BYTES
    (cut,) = page.json()["cut"]
    assert (cut["line"], cut["bytes"]) == (2, 10_500_001)
    piece = site.admin.get(f"{base}/line", params={"line": 2, "first": cut["shown"]})
    assert piece.json()["first"] == cut["shown"]
    assert len(piece.content) < MOST_BYTES
    most = site.admin.get(f"{base}/line", params={"line": 2, "first": 0, "most": 100_000})
    assert len(most.content) < MOST_BYTES
    assert site.admin.get(f"{base}/line", params={"line": 9}).status_code == 404
    hits = site.admin.get(f"{base}/search", params={"q": "B", "from_line": 1}).json()
    assert [hit["line"] for hit in hits["hits"]] == [3]
    back = site.admin.get(f"{base}/search", params={"q": "a", "from_line": 3, "back": "true"})
    assert [hit["line"] for hit in back.json()["hits"]] == [1]


def test_what_was_deleted_shows_nothing(bench: Bench) -> None:
    """Neither lines nor records of an artifact that left the incident."""
    site = bench.site
    uploaded = site.upload(site.incident(), "my.cnf", b"[mysqld]\nport=1\n")
    bench.work()
    base = f"/api/v1/artifacts/{uploaded['id']}"
    assert site.admin.delete(base).status_code == 204
    for path in ("raw", "raw/line?line=1", "raw/search?q=port", "records?kind=setting",
                 "records/at?line=2", "record?kind=setting&index=0"):  # fmt: skip
        assert site.admin.get(f"{base}/{path}").status_code == 404, path


def test_the_outline_of_a_long_file_covers_all_of_it(bench: Bench) -> None:
    """600 dumps: each is listed with its time; the sections of one are asked for by its lines."""
    site = bench.site
    names = ("SEMAPHORES", "TRANSACTIONS", "FILE I/O", "LOG", "ROW OPERATIONS")
    body = "".join(f"---\n{name}\n---\nmade up\n" for name in names)
    banner = "=" * 37
    dumps = "".join(
        f"{banner}\n2026-11-20 22:{n // 60:02d}:{n % 60:02d} 0x7f0 INNODB MONITOR OUTPUT\n"
        f"{banner}\n"
        f"{body}----------------------------\nEND OF INNODB MONITOR OUTPUT\n"
        "============================\n"
        for n in range(600)
    )
    uploaded = site.upload(site.incident(), "status.txt", dumps.encode())
    bench.work()
    base = f"/api/v1/artifacts/{uploaded['id']}"
    detail = site.admin.get(base).json()
    assert detail["sections_in_all"] == 600 * (1 + len(names))
    assert len(detail["sections"]) == 600
    last = detail["sections"][-1]
    assert last["title"] == "2026-11-20 22:09:59"
    lines = {"first": last["line_first"], "last": last["line_last"]}
    finer = site.admin.get(f"{base}/sections", params=lines).json()
    assert [item["title"] for item in finer] == [last["title"], *names]


def test_an_outline_that_is_too_long_is_thinned_and_keeps_its_end() -> None:
    """Levels go first; a flat list loses every other one, never its end alone."""
    flat = [{"title": "x", "line_first": n, "level": 0} for n in range(10_000)]
    thin = outline.thin_out(flat, 3_000)
    assert 2_000 < len(thin) <= 3_000
    assert thin[-1]["line_first"] > 9_990
    deep = [{**item, "level": n % 10 > 0} for n, item in enumerate(flat)]
    assert len(outline.thin_out(deep, 3_000)) == 1_000
