"""Uploads: multipart and tus; every byte stored once, before anybody is answered."""

from __future__ import annotations

import base64
import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.support.site import Site, open_site, settings_for


def metadata(**values: str) -> str:
    return ",".join(f"{k} {base64.b64encode(v.encode()).decode()}" for k, v in values.items())


def begin(site: Site, incident: str, size: int, **values: str) -> str:
    headers = {"Upload-Length": str(size), "Upload-Metadata": metadata(**values)}
    made = site.admin.post(f"/api/v1/incidents/{incident}/uploads", headers=headers)
    assert made.status_code == 201, made.text
    return made.headers["Location"]


def append(client: TestClient, location: str, offset: int, chunk: bytes) -> object:
    headers = {
        "Upload-Offset": str(offset),
        "Content-Type": "application/offset+octet-stream",
        "Tus-Resumable": "1.0.0",
    }
    return client.patch(location, headers=headers, content=chunk)


def blobs(site: Site) -> list[Path]:
    return [path for path in site.settings.blobs_dir.rglob("*") if path.is_file()]


def test_one_file_is_stored_under_its_hash(site: Site) -> None:
    """The blob has the bytes, and the artifact waits for a worker."""
    content = os.urandom(300_000)
    artifact = site.upload(site.incident(), "dir/status.txt", content)
    assert artifact["sha256"] == hashlib.sha256(content).hexdigest()
    assert artifact["state"] == "queued"
    (blob,) = blobs(site)
    assert blob.name == artifact["sha256"]
    assert blob.read_bytes() == content


def test_many_files_with_their_paths(site: Site) -> None:
    """A path field names the file after it."""
    incident = site.incident()
    parts = []
    for name in ("a", "b"):
        parts += [("path", (None, f"pt-stalk/{name}.txt")), ("file", (f"{name}.txt", name))]
    made = site.admin.post(f"/api/v1/incidents/{incident}/artifacts", files=parts)
    assert made.status_code == 201, made.text
    assert [item["path"] for item in made.json()["items"]] == ["pt-stalk/a.txt", "pt-stalk/b.txt"]


def test_the_same_file_twice_is_one_artifact(site: Site) -> None:
    """Whatever its name; the second name is remembered."""
    incident = site.incident()
    first = site.upload(incident, "a.txt", b"same")
    second = site.upload(incident, "b.txt", b"same")
    assert first["id"] == second["id"]
    assert second["also_at"] == ["b.txt"]
    assert len(site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]) == 1
    assert site.upload(site.incident(), "c.txt", b"same")["id"] != first["id"]
    assert len(blobs(site)) == 1


def test_the_same_file_at_the_same_time(site: Site) -> None:
    """Eight uploads race; one artifact and one blob come out, and nobody gets an error."""
    incident = site.incident()
    content = os.urandom(100_000)
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda n: site.upload(incident, f"{n}.txt", content)["id"], range(8)))
    assert len(set(ids)) == 1
    assert len(blobs(site)) == 1


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "..\\..\\boot.ini", "/absolute", "nul\x00name", "a\nb", "", "…" * 3000],
)
def test_names_cannot_hurt(site: Site, name: str) -> None:
    """A name is only shown; it never becomes a path on our disk."""
    incident = site.incident()
    location = begin(site, incident, 4, filename=name or "x", path=name)
    done = append(site.admin, location, 0, b"body")
    assert done.status_code == 204, done.text
    (artifact,) = site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    assert ".." not in artifact["path"].split("/")
    assert not artifact["path"].startswith("/")
    assert artifact["path"].isprintable()
    assert 0 < len(artifact["path"]) <= 1100
    assert len(blobs(site)) == 1


def test_tus_resumes_where_it_broke(site: Site) -> None:
    """HEAD tells the offset; a wrong one is refused; the last byte makes the artifact."""
    incident = site.incident()
    content = os.urandom(50_000)
    location = begin(site, incident, len(content), filename="x.csv", path="metrics/x.csv")
    first = append(site.admin, location, 0, content[:20_000])
    assert first.headers["Upload-Offset"] == "20000"
    (waiting,) = site.admin.get(f"/api/v1/incidents/{incident}/uploads").json()
    assert (waiting["received"], waiting["bytes"]) == (20_000, 50_000)
    assert append(site.admin, location, 0, content).status_code == 409
    head = site.admin.head(location)
    assert (head.headers["Upload-Offset"], head.headers["Upload-Length"]) == ("20000", "50000")
    last = append(site.admin, location, 20_000, content[20_000:])
    assert last.status_code == 204
    artifact = site.admin.get(f"/api/v1/artifacts/{last.headers['X-Artifact-Id']}").json()
    assert artifact["sha256"] == hashlib.sha256(content).hexdigest()
    assert artifact["path"] == "metrics/x.csv"
    assert site.admin.get(f"/api/v1/incidents/{incident}/uploads").json() == []
    assert list(site.settings.uploads_dir.iterdir()) == []
    again = append(site.admin, location, 50_000, b"")
    assert again.headers["X-Artifact-Id"] == last.headers["X-Artifact-Id"]


def test_tus_survives_a_restart(postgres_url: str, tmp_path: Path) -> None:
    """Another process continues the upload."""
    settings = settings_for(tmp_path / "home", postgres_url)
    with open_site(settings) as before:
        incident = before.incident()
        location = begin(before, incident, 10, filename="x")
        append(before.admin, location, 0, b"12345")
    with open_site(settings.model_copy()) as after:
        assert after.admin.head(location).headers["Upload-Offset"] == "5"
        assert append(after.admin, location, 5, b"67890").status_code == 204


def test_tus_refuses_more_than_announced(site: Site) -> None:
    """Nothing beyond the announced length is kept."""
    location = begin(site, site.incident(), 4, filename="x")
    assert append(site.admin, location, 0, b"12345").status_code == 413
    assert site.admin.head(location).headers["Upload-Offset"] == "0"


def test_tus_can_be_cancelled(site: Site) -> None:
    """The bytes are gone, and so is the row."""
    location = begin(site, site.incident(), 4, filename="x")
    append(site.admin, location, 0, b"12")
    assert site.admin.delete(location).status_code == 204
    assert site.admin.head(location).status_code == 404
    assert list(site.settings.uploads_dir.iterdir()) == []


def test_an_empty_file_is_an_artifact(site: Site) -> None:
    """By tus it is finished at once."""
    incident = site.incident()
    headers = {"Upload-Length": "0", "Upload-Metadata": metadata(filename="empty")}
    made = site.admin.post(f"/api/v1/incidents/{incident}/uploads", headers=headers)
    assert made.headers["X-Artifact-Id"]


def test_limits_are_said(postgres_url: str, tmp_path: Path) -> None:
    """A file over the limit is refused with the limit, and nothing of it stays."""
    settings = settings_for(tmp_path / "home", postgres_url, max_upload_bytes=1024**2)
    with open_site(settings) as site:
        url = f"/api/v1/incidents/{site.incident()}"
        big = b"x" * (1024**2 + 1)
        answer = site.admin.post(f"{url}/artifacts", files={"file": ("big", big)})
        assert answer.status_code == 413
        assert "1 MiB" in answer.json()["detail"]
        headers = {"Upload-Length": str(len(big))}
        assert site.admin.post(f"{url}/uploads", headers=headers).status_code == 413
        assert blobs(site) == []


def test_a_full_disk_is_said(postgres_url: str, tmp_path: Path) -> None:
    """507 with what to do, before a byte is taken."""
    settings = settings_for(tmp_path / "home", postgres_url, min_free_bytes=2**60)
    with open_site(settings) as site:
        url = f"/api/v1/incidents/{site.incident()}/artifacts"
        answer = site.admin.post(url, files={"file": ("a", b"b")})
        assert answer.status_code == 507
        assert "Free some space" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("multipart/form-data", b"", 415),
        ("multipart/form-data; boundary=x", b"nonsense", 400),
        (f"multipart/form-data; boundary={'x' * 500}", b"nonsense", 400),
        ("multipart/form-data; boundary=x", b"", 400),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ncut of',
            400,
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\nv\r\n--x--\r\n',
            422,
        ),
        ("multipart/form-data; boundary=x", b"--x--\r\n", 422),
    ],
)
def test_broken_bodies_are_refused(site: Site, content_type: str, body: bytes, status: int) -> None:
    """With a sentence, and without a trace on disk."""
    url = f"/api/v1/incidents/{site.incident()}/artifacts"
    answer = site.admin.post(url, content=body, headers={"Content-Type": content_type})
    assert answer.status_code in (status, 400, 422), answer.text
    assert answer.json()["detail"]
    assert blobs(site) == []


def test_files_before_the_break_are_kept(site: Site) -> None:
    """The first part had arrived whole."""
    incident = site.incident()
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n%s'
    body = part % (b"a", b"whole\r\n") + part % (b"b", b"cut")
    url = f"/api/v1/incidents/{incident}/artifacts"
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    assert site.admin.post(url, content=body, headers=headers).status_code == 400
    (kept,) = site.admin.get(url).json()["items"]
    assert (kept["path"], kept["bytes"]) == ("a", 5)


def test_an_unknown_incident_takes_nothing(site: Site) -> None:
    """404, before a byte is stored."""
    url = "/api/v1/incidents/none/artifacts"
    assert site.admin.post(url, files={"file": ("a", b"b")}).status_code == 404
    assert blobs(site) == []


def test_who_may_only_read_the_incident_stores_nothing(site: Site) -> None:
    """A contributor who is a viewer here: 403, and nothing is stored."""
    url, reader = f"/api/v1/incidents/{site.incident()}", site.client("contributor")
    member = {"user_id": reader.get("/api/v1/session").json()["user"]["id"], "role": "viewer"}
    assert site.admin.put(f"{url}/visibility", json={"visibility": "private"}).status_code == 200
    assert site.admin.put(f"{url}/members", json=member).status_code == 200
    answer = reader.post(f"{url}/artifacts", files={"file": ("a", b"b")})
    assert (answer.status_code, "contributor to it" in answer.text) == (403, True)
    assert blobs(site) == []


def test_a_push_token_touches_its_own_uploads_only(site: Site) -> None:
    """It neither sees, continues nor cancels what the same user began elsewhere."""
    incident = site.incident()
    address = f"/api/v1/incidents/{incident}/uploads"
    mine, theirs = site.with_token("upload"), site.with_token("upload")
    made = {
        who: client.post(address, headers={"Upload-Length": "3"}).headers["Location"]
        for who, client in (("mine", mine), ("theirs", theirs), ("browser", site.admin))
    }
    assert [made["mine"].endswith(row["id"]) for row in mine.get(address).json()] == [True]
    bytes_sent = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    for who in ("theirs", "browser"):
        assert mine.head(made[who]).status_code == 404
        assert mine.patch(made[who], content=b"abc", headers=bytes_sent).status_code == 404
        assert mine.delete(made[who]).status_code == 404
    assert mine.patch(made["mine"], content=b"abc", headers=bytes_sent).status_code == 204
    assert len(site.admin.get(address).json()) == 2
    assert mine.get("/api/v1/session").json()["user"]["email"] is None


def test_bytes_are_appended_as_bytes(site: Site) -> None:
    """Another type of content is refused, whatever its parameters; nothing is appended."""
    location = begin(site, site.incident(), 3, filename="a.txt")
    sent = {"Upload-Offset": "0", "Tus-Resumable": "1.0.0"}
    for wrong in ("text/plain", "application/octet-stream", "x; application/offset+octet-stream"):
        answer = site.admin.patch(location, headers=sent | {"Content-Type": wrong}, content=b"abc")
        assert answer.status_code == 415, wrong
        assert answer.json()["detail"] == "send the bytes as application/offset+octet-stream"
    assert site.admin.head(location).headers["Upload-Offset"] == "0"
    given = "application/offset+octet-stream ; charset=x"
    answer = site.admin.patch(location, headers=sent | {"Content-Type": given}, content=b"ab")
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (204, "2")
