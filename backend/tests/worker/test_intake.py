"""Archives and files come to a named end state, whatever strangers put into them."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import itertools
import lzma
import tarfile
import zipfile
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import zstandard
from fastapi.testclient import TestClient

from pileup.storage.queue.jobs import Job, Jobs
from pileup.worker import expansion
from pileup.worker.intake import read_artifact
from tests.worker.conftest import Bench


def tar(members: dict[str, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def listing(bench: Bench, incident: str) -> dict[str, dict[str, Any]]:
    answer = bench.site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()
    return {item["path"]: item for item in answer["items"]}


def load(bench: Bench, name: str, content: bytes) -> dict[str, dict[str, Any]]:
    incident = bench.site.incident()
    bench.site.upload(incident, name, content)
    bench.work()
    return listing(bench, incident)


MEMBERS = {"dir/a.txt": b"alpha nothing known\n", "dir/b.txt": b"beta nothing known\n"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.zip", zipped(MEMBERS)),
        ("x.tar", tar(MEMBERS, "w")),
        ("x.tar.gz", tar(MEMBERS)),
        ("x.tar.bz2", tar(MEMBERS, "w:bz2")),
        ("x.tar.xz", tar(MEMBERS, "w:xz")),
        ("x.tar.zst", zstandard.ZstdCompressor().compress(tar(MEMBERS, "w"))),
        ("wrongly-named.txt", tar(MEMBERS)),
    ],
    ids=lambda item: item if isinstance(item, str) else "packed",  # gzip's bytes hold the time
)
def test_archives_expand(bench: Bench, name: str, content: bytes) -> None:
    """Each member is an artifact with the path inside, below the archive."""
    found = load(bench, name, content)
    assert found[name]["state"] == "expanded"
    for path, text in MEMBERS.items():
        member = found[f"{name}/{path}"]
        assert member["parent_id"] == found[name]["id"]
        assert member["bytes"] == len(text)
        assert member["state"] == "unknown_format"
        raw = bench.site.admin.get(f"/api/v1/artifacts/{member['id']}/raw").json()
        assert raw["lines"] == [text.decode().strip()]


@pytest.mark.parametrize(
    ("suffix", "packed"),
    [
        ("gz", gzip.compress(MEMBERS["dir/a.txt"])),
        ("bz2", bz2.compress(MEMBERS["dir/a.txt"])),
        ("xz", lzma.compress(MEMBERS["dir/a.txt"])),
        ("zst", zstandard.ZstdCompressor().compress(MEMBERS["dir/a.txt"])),
    ],
    ids=lambda item: item if isinstance(item, str) else "packed",
)
def test_single_compressed_files(bench: Bench, suffix: str, packed: bytes) -> None:
    """The plain file below it has the name without the suffix."""
    found = load(bench, f"logs/a.txt.{suffix}", packed)
    assert set(found) == {f"logs/a.txt.{suffix}", f"logs/a.txt.{suffix}/a.txt"}


@pytest.fixture
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time of each part be over after its first member."""
    clock = SimpleNamespace(monotonic=itertools.count(-1e9).__next__)
    monkeypatch.setattr(expansion, "PART_S", 0.0)
    monkeypatch.setattr(expansion, "time", clock)


def test_nested_archives_to_a_depth(make_bench: Any) -> None:
    """Two levels are opened when two are allowed; the third is kept and says why."""
    bench = make_bench(max_archive_depth=2)
    innermost = tar({"deep.txt": b"deep\n"})
    found = load(bench, "1.tgz", tar({"2.tgz": tar({"3.tgz": innermost})}))
    assert found["1.tgz/2.tgz"]["state"] == "expanded"
    third = found["1.tgz/2.tgz/3.tgz"]
    assert third["state"] == "failed"
    assert "2 levels" in third["error"]


def test_a_bomb_is_stopped(make_bench: Any) -> None:
    """A gigabyte of zeros in a megabyte ends in a sentence, not on our disk."""
    bench = make_bench(max_upload_bytes=50 * 1024**2, max_expanded_bytes=50 * 1024**2)
    found = load(bench, "bomb.zip", zipped({"zeros": bytes(200 * 1024**2), "ok.txt": b"fine\n"}))
    assert "bomb.zip/zeros" not in found
    detail = bench.site.admin.get(f"/api/v1/artifacts/{found['bomb.zip']['id']}").json()
    assert any("zeros" in problem["message"] for problem in detail["problems_list"])
    kept = [
        path.stat().st_size for path in bench.site.settings.blobs_dir.rglob("*") if path.is_file()
    ]
    assert max(kept) < 10 * 1024**2


@pytest.mark.usefixtures("short_parts")
def test_nesting_goes_around_no_limit(make_bench: Any) -> None:
    """All levels of an upload, and all parts of its expansion, have one budget of bytes."""
    bench = make_bench(max_expanded_bytes=100_000)
    inner = {f"{n}.zip": zipped({"zeros": b"%d" % n + bytes(40_000)}) for n in range(8)}
    found = load(bench, "outer.zip", zipped(inner))
    assert sum(each["bytes"] for each in found.values()) < 200_000
    refused = [each for each in found.values() if "unpacks to more than" in (each["error"] or "")]
    assert len(refused) >= 5


@pytest.mark.usefixtures("short_parts")
def test_quotas_bound_what_users_and_teams_keep(make_bench: Any) -> None:
    """Files, what came out of archives and announced uploads count; another user has their own."""
    bench = make_bench(user_bytes=100_000, user_files=6, team_bytes=150_000, team_files=40)
    site = bench.site
    found = load(bench, "a.zip", zipped({f"{n}": b"%d" % n + bytes(30_000) for n in range(9)}))
    assert sum(each["bytes"] for each in found.values()) < 130_000
    incident = site.incident()

    def send(client: TestClient, size: int) -> Any:
        files = {"file": ("x.txt", bytes(size - 1) + b"x")}
        return client.post(f"/api/v1/incidents/{incident}/artifacts", files=files)

    refused = send(site.admin, 40_000)
    assert (refused.status_code, refused.json()["title"]) == (413, "Over quota")
    assert "you may keep" in refused.json()["detail"]
    content = bytes(40_000 - 1) + b"x"
    assert not site.app.state.services.blobs.holds(hashlib.sha256(content).hexdigest())
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "40000"}
    begun = site.admin.post(f"/api/v1/incidents/{incident}/uploads", headers=headers)
    assert begun.status_code == 413
    ann = site.client("contributor", "ann")
    assert [send(ann, 60_000).status_code, send(ann, 50_000).status_code] == [201, 413]
    statuses = [send(ann, 100 + n).status_code for n in range(8)]
    assert (statuses.count(201), statuses.count(413)) == (5, 3)
    team = site.admin.post("/api/v1/teams", json={"name": "payments"}).json()["id"]
    member = {"team_id": team, "role": "contributor"}
    for each in site.admin.get("/api/v1/incidents").json()["items"]:
        site.admin.put(f"/api/v1/incidents/{each['id']}/members", json=member)
    answer = send(site.client("contributor", "bob"), 90_000)
    assert "the team payments may keep" in answer.json()["detail"]


def test_an_archive_in_parts_is_the_same(bench: Bench, request: pytest.FixtureRequest) -> None:
    """A part for each member, each killed once: the files and refusals are those of one job."""
    names = ("d/a", "d/same", "../evil", "b.zip", "c", "d/e")
    content = tar(dict.fromkeys(names, b"alpha\n") | {"b.zip": zipped({"deep": b"down\n"})})
    seen = []
    for parts in (False, True):
        incident = bench.site.incident()
        artifact = bench.site.upload(incident, "x.tgz", content)
        if parts:
            request.getfixturevalue("short_parts")
            assert work_and_die(bench) == 4
        bench.work()
        detail = bench.site.admin.get(f"/api/v1/artifacts/{artifact['id']}").json()
        found = listing(bench, incident).items()
        states = {path: (each["state"], each["bytes"], each["also_at"]) for path, each in found}
        seen.append((states, [problem["message"] for problem in detail["problems_list"]]))
    assert seen[0] == seen[1]
    assert len(seen[0][1]) == 1


def work_and_die(bench: Bench) -> int:
    """Run every job, and end the process of each part before it can say how far it came."""
    deaths = 0

    def dies_once(jobs: Jobs, job: Job, resume_from: dict[str, Any]) -> bool:
        if job.attempt == 1:
            raise KeyboardInterrupt
        return go_on(jobs, job, resume_from)

    go_on = Jobs.go_on
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Jobs, "go_on", dies_once)
        while bench.queued(("artifact",)):
            try:
                bench.work_once()
            except KeyboardInterrupt:
                deaths += 1
                with bench.runtime.database.unit() as unit:
                    Jobs(unit).abandoned(lambda _: True, lambda _: False)
    return deaths


@pytest.mark.usefixtures("short_parts")
def test_archives_let_others_have_their_turn(bench: Bench) -> None:
    """Two archives are being expanded when a small file arrives: it is next but two."""
    for number in range(2):
        many = {f"{n}.txt": b"%d %d\n" % (number, n) for n in range(5)}
        bench.site.upload(bench.site.incident(), "many.zip", zipped(many))
    order = []
    for turn in range(9):
        if turn == 2:
            bench.site.upload(small := bench.site.incident(), "small.txt", b"x" * 160)
        with bench.runtime.database.unit() as unit:
            job = Jobs(unit).take("me", timedelta(minutes=1))
        assert job is not None
        read_artifact(bench.runtime, job, SimpleNamespace(follow=lambda _: None))
        order.append(job.incident_id)
    assert small in order[2:5]
    assert set(order[5:]) == set(order[:2])


@pytest.mark.usefixtures("short_parts")
def test_too_many_members(make_bench: Any) -> None:
    """The first ones are read, and the limit is said."""
    bench = make_bench(max_members=5)
    found = load(bench, "many.zip", zipped({f"{n}.txt": b"%d\n" % n for n in range(20)}))
    assert len(found) == 6
    assert found["many.zip"]["problems"] == 1


def test_hostile_members_are_refused_one_by_one(bench: Bench) -> None:
    """Traversal, absolute paths, links and devices; the honest member is read."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name in ("../../evil.txt", "/etc/passwd", "ok.txt"):
            info = tarfile.TarInfo(name)
            info.size = 4
            archive.addfile(info, io.BytesIO(b"text"))
        link = tarfile.TarInfo("link")
        link.type = tarfile.SYMTYPE
        link.linkname = "/etc/shadow"
        archive.addfile(link)
        device = tarfile.TarInfo("device")
        device.type = tarfile.CHRTYPE
        archive.addfile(device)
    found = load(bench, "evil.tar.gz", out.getvalue())
    assert set(found) == {"evil.tar.gz", "evil.tar.gz/ok.txt"}
    assert found["evil.tar.gz"]["problems"] == 4


def test_a_truncated_archive_gives_what_it_has(bench: Bench) -> None:
    """The members before the cut are there, and a problem says that it is cut."""
    import os

    content = tar({f"{n}.bin": os.urandom(50_000) for n in range(6)}, "w:gz")
    found = load(bench, "cut.tar.gz", content[: len(content) // 2])
    assert found["cut.tar.gz"]["state"] == "expanded"
    assert found["cut.tar.gz"]["problems"] >= 1
    assert 1 <= len(found) - 1 < 6


def test_a_truncated_single_file_is_read_up_to_the_cut(bench: Bench) -> None:
    """What could be unpacked is an artifact; the problem names the file, not its hash."""
    import random

    dice = random.Random(3)
    text = b"".join(b"line %d\n" % dice.getrandbits(60) for _ in range(2_000))
    found = load(bench, "notes.txt.gz", gzip.compress(text)[:-9_000])
    assert found["notes.txt.gz"]["state"] == "expanded"
    assert found["notes.txt.gz"]["problems"] == 1
    inner = found["notes.txt.gz/notes.txt"]
    assert 1_000 < inner["bytes"] < len(text)


@pytest.mark.parametrize(
    "content",
    [b"PK\x03\x04" + b"\xff" * 500, b"\x1f\x8b\x08" + b"\x00" * 60, zipped({})],
    ids=["zip", "gzip", "empty"],
)
def test_unreadable_archives_fail_in_words(bench: Bench, content: bytes) -> None:
    """Broken or empty ones."""
    (found,) = load(bench, "broken", content).values()
    assert found["state"] == "failed"
    assert "archive" in found["error"]


def test_members_that_are_the_same_are_one_in_each_folder(bench: Bench) -> None:
    """A second name in one folder is remembered; in another folder it is another capture's."""
    same = b"db-1\n"
    found = load(bench, "x.zip", zipped({"a/1": same, "a/2": same, "b/1": same}))
    assert sorted(found) == ["x.zip", "x.zip/a/1", "x.zip/b/1"]
    assert found["x.zip/a/1"]["also_at"] == ["x.zip/a/2"]
    assert {each["state"] for each in found.values()} == {"expanded", found["x.zip/a/1"]["state"]}


def test_an_unknown_file_is_kept_and_can_be_given_a_type(bench: Bench) -> None:
    """A type that does not fit fails plainly; no type lets Pileup decide again."""
    incident = bench.site.incident()
    artifact = bench.site.upload(incident, "notes.txt", b"just some words\n")
    bench.work()
    url = f"/api/v1/artifacts/{artifact['id']}"
    known = bench.site.admin.get(url).json()
    assert (known["state"], known["coverage"]) == ("unknown_format", 0.0)
    assert bench.site.admin.patch(url, json={"format": "no-such"}).status_code == 422
    (first, *_) = bench.site.admin.get("/api/v1/formats").json()
    assert bench.site.admin.patch(url, json={"format": first["name"]}).json()["state"] == "queued"
    bench.work()
    failed = bench.site.admin.get(url).json()
    assert failed["state"] == "failed"
    assert failed["format_given"] is True
    bench.site.admin.patch(url, json={"format": None})
    bench.work()
    assert bench.site.admin.get(url).json()["state"] == "unknown_format"


def test_an_empty_file_is_done(bench: Bench) -> None:
    """pt-stalk leaves such files; they are no failure."""
    (found,) = load(bench, "empty", b"").values()
    assert found["state"] == "done"


def test_reading_twice_changes_nothing(bench: Bench) -> None:
    """The same archive expanded again: the same artifacts, the same problems."""
    incident = bench.site.incident()
    artifact = bench.site.upload(incident, "x.zip", zipped(MEMBERS))
    bench.work()
    before = listing(bench, incident)
    bench.site.admin.post(f"/api/v1/artifacts/{artifact['id']}/reparse")
    bench.work()
    assert {path: item["id"] for path, item in listing(bench, incident).items()} == {
        path: item["id"] for path, item in before.items()
    }


def test_missing_bytes_are_said(bench: Bench) -> None:
    """A blob that somebody deleted fails its artifact with a sentence."""
    incident = bench.site.incident()
    artifact = bench.site.upload(incident, "x", b"content\n")
    bench.runtime.blobs.path(artifact["sha256"]).unlink()
    bench.work()
    (found,) = listing(bench, incident).values()
    assert found["state"] == "failed"
    assert "blob store" in found["error"]


def test_a_deleted_artifact_is_left_alone(bench: Bench) -> None:
    """Its job ends quietly."""
    incident = bench.site.incident()
    artifact = bench.site.upload(incident, "x.zip", zipped(MEMBERS))
    assert bench.site.admin.delete(f"/api/v1/artifacts/{artifact['id']}").status_code == 204
    bench.work()
    assert listing(bench, incident) == {}


def test_deleting_an_archive_deletes_its_members(bench: Bench) -> None:
    """And the same archive can be uploaded again."""
    incident = bench.site.incident()
    artifact = bench.site.upload(incident, "x.zip", zipped(MEMBERS))
    bench.work()
    bench.site.admin.delete(f"/api/v1/artifacts/{artifact['id']}")
    assert listing(bench, incident) == {}
    bench.site.upload(incident, "x.zip", zipped(MEMBERS))
    bench.work()
    assert len(listing(bench, incident)) == 3
