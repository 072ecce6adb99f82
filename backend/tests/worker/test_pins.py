"""Pins stay true: the worker holds each against what is read now."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from pileup.storage.files.frames import FrameKey
from tests.conftest import REPOSITORY
from tests.support.bundles import touched, with_fields
from tests.worker.conftest import Bench

BOTH = ("artifact", "analyse")
DUMPS = sorted((REPOSITORY / "backend/tests/samples/innodb-status").glob("*.txt"))


@pytest.fixture
def case(bench: Bench) -> tuple[Bench, str, dict[str, Any]]:
    """One status dump, read and analysed."""
    incident = bench.site.incident()
    sample = next(path for path in DUMPS if "\n--Thread " in path.read_text(errors="replace"))
    bench.site.upload(incident, "dump.txt", sample.read_bytes())
    bench.work(BOTH)
    (artifact,) = bench.site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    return bench, incident, artifact


def frames_of(bench: Bench, artifact: dict[str, Any]) -> tuple[FrameKey, dict[str, pl.DataFrame]]:
    key = FrameKey(artifact["sha256"], artifact["format"], artifact["parser_version"])
    frames = bench.runtime.frames.load(key)
    assert frames is not None
    return key, frames


def pin_of(bench: Bench, incident: str, artifact: dict[str, Any]) -> dict[str, Any]:
    _, frames = frames_of(bench, artifact)
    wait = frames["semaphore_wait"].row(0, named=True)
    made = bench.site.admin.post(
        f"/api/v1/incidents/{incident}/pins",
        json={
            "kind": "lines",
            "title": "a wait",
            "locator": {
                "artifact": artifact["sha256"],
                "line_first": wait["line_first"],
                "line_last": wait["line_last"],
            },
            "view": f"/incidents/{incident}/artifacts",
        },
    )
    assert made.status_code == 201, made.text
    return dict(made.json())


def listed(bench: Bench, incident: str) -> dict[str, Any]:
    (found,) = bench.site.admin.get(f"/api/v1/incidents/{incident}/pins").json()
    return dict(found)


def again(bench: Bench, incident: str) -> None:
    assert bench.site.admin.post(f"/api/v1/incidents/{incident}/analyse").status_code == 202
    bench.work(BOTH)


def test_a_pin_keeps_what_was_read(case: tuple[Bench, str, dict[str, Any]]) -> None:
    """Value in words, raw lines, bytes, parser; a second analysis of the same changes nothing."""
    bench, incident, artifact = case
    made = pin_of(bench, incident, artifact)
    assert made["value"].startswith("semaphore wait: ")
    place = made["locator"]
    assert (place["parser"], place["parser_version"]) == (
        artifact["format"],
        artifact["parser_version"],
    )
    raw = bench.runtime.blobs.path(artifact["sha256"]).read_bytes()
    cut = raw[place["byte_start"] : place["byte_end"]].decode()
    assert cut.splitlines() == made["excerpt"].splitlines()
    again(bench, incident)
    assert listed(bench, incident) == made


def test_a_changed_reading_makes_it_stale_until_a_person_answers(
    case: tuple[Bench, str, dict[str, Any]],
) -> None:
    """Old and new are both shown; keeping it leaves it stale; taking the new one is audited."""
    bench, incident, artifact = case
    made = pin_of(bench, incident, artifact)
    key, frames = frames_of(bench, artifact)
    later = frames["semaphore_wait"].with_columns(pl.col("waited_s") + 1000.0)
    bench.runtime.frames.replace(key, frames | {"semaphore_wait": later})
    again(bench, incident)
    stale = listed(bench, incident)
    assert stale["stale"] is True
    assert stale["value"] == made["value"] != stale["now_value"]
    url = f"/api/v1/pins/{made['id']}/stale"
    kept = bench.site.admin.post(url, json={"accept": False, "reason": "the old parser was right"})
    assert (kept.json()["stale"], kept.json()["kept"]) == (True, True)
    taken = bench.site.admin.post(url, json={"accept": True}).json()
    assert (taken["stale"], taken["value"]) == (False, stale["now_value"])
    assert bench.site.admin.post(url, json={"accept": True}).status_code == 409
    again(bench, incident)
    assert listed(bench, incident)["stale"] is False


def test_it_is_fresh_again_when_the_old_reading_returns(
    case: tuple[Bench, str, dict[str, Any]],
) -> None:
    bench, incident, artifact = case
    made = pin_of(bench, incident, artifact)
    key, frames = frames_of(bench, artifact)
    none = frames["semaphore_wait"].clear()
    bench.runtime.frames.replace(key, frames | {"semaphore_wait": none})
    again(bench, incident)
    assert listed(bench, incident)["now_value"] == "these lines have no records"
    bench.runtime.frames.replace(key, frames)
    again(bench, incident)
    assert listed(bench, incident) == made
    entries = bench.site.admin.get("/api/v1/audit", params={"limit": 500}).json()
    turns = [
        each["action"]
        for each in entries
        if each["action"] in ("pin.turned_stale", "pin.fresh_again")
    ]
    assert turns == ["pin.fresh_again", "pin.turned_stale"]  # the latest first


def test_one_more_field_is_no_other_value(case: tuple[Bench, str, dict[str, Any]]) -> None:
    """A newer parser that also reads the lock word has not changed what was pinned."""
    bench, incident, artifact = case
    key, frames = frames_of(bench, artifact)
    waits = frames["semaphore_wait"]
    bare = waits.with_columns(lock_word=pl.lit(None, waits.schema["lock_word"]))
    bench.runtime.frames.replace(key, frames | {"semaphore_wait": bare})
    made = pin_of(bench, incident, artifact)
    more = waits.with_columns(lock_word=pl.lit(7, waits.schema["lock_word"]))
    bench.runtime.frames.replace(key, frames | {"semaphore_wait": more})
    again(bench, incident)
    assert listed(bench, incident) == made


def test_nodes_and_series_are_held_too(case: tuple[Bench, str, dict[str, Any]]) -> None:
    """A node at a moment, a finding, a series: each has a value; what is nowhere says so."""
    bench, incident, _ = case
    url = f"/api/v1/incidents/{incident}"
    graph = bench.site.admin.get(f"{url}/waits").json()
    wanted = [
        ("wait_node", {"at": graph["at"] or "2020-01-01T00:00:00Z", "node": "no-such"}, "no such"),
        ("finding", {"node": "no-such"}, "this finding no longer matches"),
        ("series", {"series": ["no.such"], "start": "2020-01-01T00:00:00Z"}, "no.such: no samples"),
    ]
    if graph["at"] and graph["nodes"]:
        node = graph["nodes"][0]
        wanted.append(("wait_node", {"at": graph["at"], "node": node["id"]}, node["label"]))
    for kind, locator, words in wanted:
        body = {"kind": kind, "title": "x", "locator": locator, "view": f"/incidents/{incident}/w"}
        made = bench.site.admin.post(f"{url}/pins", json=body)
        assert made.status_code == 201, made.text
        assert made.json()["value"].startswith(words)
    hostile = {"at": "0001-01-01T00:00:00Z", "node": "\x00" * 50, "target": "]["}
    body = {
        "kind": "wait_edge",
        "title": "x",
        "locator": hostile,
        "view": "/incidents/%ff?open=%00",
    }
    assert bench.site.admin.post(f"{url}/pins", json=body).status_code == 201
    again(bench, incident)
    pins = bench.site.admin.get(f"{url}/pins").json()
    assert [pin["stale"] for pin in pins] == [False] * len(pins)


def test_every_kind_turns_stale_when_another_reading_says_something_else(
    case: tuple[Bench, str, dict[str, Any]],
) -> None:
    """Lines, rows, stacks and spans by their lines; nodes and edges by their moment; a series and
    a span by their window. Testimony never: nothing is read there."""
    bench, incident, artifact = case
    client, url = bench.site.admin, f"/api/v1/incidents/{incident}"
    rows = "".join(f"2026-11-20T22:00:{n:02}Z,{n}\n" for n in range(20))
    bench.site.upload(incident, "m.csv", f"time,threads_running\n{rows}".encode())
    bench.work(BOTH)
    (series,) = (
        item["id"] for item in client.get(f"{url}/series").json() if "threads" in item["id"]
    )
    graph = client.get(f"{url}/waits").json()
    edge = next(item for item in graph["edges"] if item.get("waited_s") is not None)
    lines = pin_of(bench, incident, artifact)["locator"]
    place = {name: lines[name] for name in ("artifact", "line_first", "line_last")}
    window = {"series": [series], "start": "2026-11-20T22:00:05Z", "end": "2026-11-20T22:00:09Z"}
    node = {"at": graph["at"], "node": edge["source"]}
    made: dict[str, str] = {}

    def keep(name: str, kind: str, locator: dict[str, Any], **more: str) -> None:
        body = {
            "kind": kind,
            "title": name,
            "locator": locator,
            "view": f"/incidents/{incident}/x",
        }
        answer = client.post(f"{url}/pins", json=body | more)
        assert answer.status_code == 201, answer.text
        made[name] = answer.json()["id"]

    for kind in ("lines", "row", "stack", "span"):
        keep(kind, kind, place)
    keep("node", "wait_node", node)
    keep("edge", "wait_edge", node | {"target": edge["target"]})
    keep("series", "series", window)
    keep("span of a series", "span", window)
    keep("quiet window", "series", window | {"end": "2026-11-20T22:00:06Z"})
    keep("testimony", "statement", {}, evidence_kind="testimony", excerpt="it was slow")

    key, frames = frames_of(bench, artifact)
    later = frames["semaphore_wait"].with_columns(pl.col("waited_s") + 1000.0)
    bench.runtime.frames.replace(key, frames | {"semaphore_wait": later})
    items = client.get(f"{url}/artifacts").json()["items"]
    other, samples = frames_of(bench, next(item for item in items if item["path"] == "m.csv"))
    changed = samples["sample"].with_columns(
        pl.when(pl.col("value") == 8).then(99.0).otherwise(pl.col("value")).alias("value")
    )
    bench.runtime.frames.replace(other, samples | {"sample": changed})
    again(bench, incident)
    now = {item["id"]: item for item in client.get(f"{url}/pins").json()}
    stale = {name: now[item]["stale"] for name, item in made.items()}
    assert stale == {name: name not in ("quiet window", "testimony") for name in made}
    for name, item in made.items():
        if stale[name]:
            assert now[item]["now_value"] != now[item]["value"], name


def test_a_pin_that_was_touched_in_a_bundle_is_stale_where_it_arrives(
    case: tuple[Bench, str, dict[str, Any]],
) -> None:
    """Its words or its hash: what is read there says something else, and both are shown."""
    bench, incident, artifact = case
    value = pin_of(bench, incident, artifact)["value"]
    bundle = bench.site.admin.get(f"/api/v1/incidents/{incident}/bundle").content
    twins: dict[str, dict[str, str | None]] = {}
    kinds: tuple[dict[str, str | None], ...] = (
        {},
        {"value": "waits 7 s"},
        {"value_hash": "0" * 64},
        {"value_hash": None},
    )
    for fields in kinds:
        made = touched(bundle, {"work/pins.jsonl": with_fields(fields)})
        answer = bench.site.admin.post("/api/v1/incidents/import", content=made)
        twins[answer.json()["id"]] = fields
    bench.work(BOTH)
    for twin, fields in twins.items():
        arrived = listed(bench, twin)
        overview = bench.site.admin.get(f"/api/v1/incidents/{twin}/overview").json()
        assert arrived["stale"] is bool(fields) is bool(overview["stale_pins"])
        assert arrived["value"] == fields.get("value", value)
        assert arrived["now_value"] == (value if fields else None)
