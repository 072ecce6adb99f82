"""No way out of an incident carries a password: bundles, reports, CSV, comparisons, releases.

The original of a file stays where it is, for those who may read the incident.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pileup.cli.checking.bundle import Bundle
from pileup.cli.checking.comparison import analyses, pages, reports
from pileup.report.redaction import masked_files
from pileup.report.redaction.redactor import Redactor
from pileup.views.reports import bundle_files
from tests.conftest import REPOSITORY
from tests.worker.conftest import BOTH, Bench

LOG = """2026-11-20T22:19:40.100000Z\t7 Connect\troot@localhost on shop using Socket
2026-11-20T22:19:41.100000Z\t7 Query\tGRANT ALL ON *.* TO 'u'@'%' IDENTIFIED BY 'S3cr3tGrant'
2026-11-20T22:19:42.100000Z\t7 Query\tCHANGE MASTER TO MASTER_HOST='db-9', MASTER_PASSWORD='S3cr3tMaster'
2026-11-20T22:19:43.100000Z\t7 Query\tALTER USER x IDENTIFIED BY ‘S3cr3t typographic’
2026-11-20T22:19:44.100000Z\t7 Query\t/* mysql://svc:S3cr3tUrl@db-7/shop */ SELECT 1
2026-11-20T22:19:45.100000Z\t8 Query\tSELECT 2 FROM t WHERE note = 'S3cr3tMaster'
2026-11-20T22:19:46.100000Z\t7 Query\tSET PASSWORD FOR 'u'@'h' = 'S3cr3tCut
"""  # noqa: E501
REPLICATION = """2026-11-20T22:19:47.100000Z 12 [ERROR] [MY-010584] [Repl] Replica SQL: Error \
'no such user' on query. Default database: ''. Query: 'CREATE USER 'a'@'b' IDENTIFIED WITH \
'mysql_native_password' AS '*S3CR3THASH'', Error_code: MY-001396
2026-11-20T22:19:48.100000Z 0 [ERROR] [MY-010119] [Server] Aborting
"""
CONFIG = (
    "[mysqld]\nport = 3306\nmaster_password = S3cr3t with blanks\n[client]\npassword=S3cr3tCnf\n"
)
PROCESSES = (
    "  PID COMMAND\n  77 mysqldump -u root -pS3cr3tArg shop\n  78 env MYSQL_PWD=S3cr3tEnv x\n"
)
CLEAN = "[mysqld]\nport = 3307\n"


def archive(**files: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as target:
        for name, text in files.items():
            member = tarfile.TarInfo(name.replace("_", "."))
            member.size = len(text.encode())
            target.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


FILES = {
    "general.log": LOG.encode(),
    "error.log": REPLICATION.encode(),
    "etc/my.cnf": CONFIG.encode(),
    "etc/twin.cnf": CONFIG.replace("S3cr3tCnf", "S3cr3tTwo").encode(),
    "windows.cnf": CONFIG.encode("utf-16"),
    "ps.txt": PROCESSES.encode(),
    "etc.tar.gz": archive(my_cnf=CONFIG + "user=x\n", other_cnf=CLEAN),
    "clean.tar.gz": archive(clean_cnf=CLEAN + "# other\n"),
    "old.log.gz": gzip.compress(LOG.replace("22:19", "21:19").encode()),
    "sealed.7z": b"7z\xbc\xaf\x27\x1c S3cr3tSealed",
    "core": b"\x00\xff\x00SET PASSWORD = 'S3cr3tCore'\x00\xfe\x00",
}
GONE = ("S3cr3t", "S3CR3T", "typographic", "with blanks")


def left(content: bytes) -> list[str]:
    """The planted secrets in a file or in the files inside it, UTF-16 and compressed too."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as inside:
            return [name for member in inside.namelist() for name in left(inside.read(member))]
    except zipfile.BadZipFile:
        pass
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    found = [s for s in GONE if s.encode() in content or s.encode("utf-16-le") in content]
    return [repr(content[max(content.find(s.encode()) - 60, 0) :][:120]) for s in found]


@pytest.fixture
def planted(bench: Bench) -> tuple[Bench, str]:
    """An incident with a secret in every file and every text of people."""
    client = bench.site.admin
    incident = bench.site.incident("stall; password = S3cr3tTitle")
    base = f"/api/v1/incidents/{incident}"
    for path, content in FILES.items():
        bench.site.upload(incident, path, content)
    bench.work(BOTH)
    shas = {
        item["path"]: item["sha256"] for item in client.get(f"{base}/artifacts").json()["items"]
    }
    pin = {
        "kind": "lines",
        "title": "the change",
        "locator": {"artifact": shas["general.log"], "line_first": 2, "line_last": 3},
        "view": f"/incidents/{incident}/artifacts",
    }
    texts = {
        "pins": pin,
        "hypotheses": {"statement": "u has IDENTIFIED BY 'S3cr3tIdea'", "confidence": 40},
        "annotations": {"start": "2026-11-20T22:19:50Z", "text": "pwd: S3cr3tNote"},
        "actions": {"text": "replace it: --password=S3cr3tAction"},
        "comments": {"body": "token: S3cr3tComment", "target": {"kind": "incident"}},
    }
    for path, body in texts.items():
        answer = client.post(f"{base}/{path}", json=body)
        assert answer.is_success or path == "comments", (path, answer.text)
    assert client.post(f"{base}/releases", json={}).is_success
    return bench, incident


def test_no_password_leaves_in_any_file(
    planted: tuple[Bench, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nor does a file where masking failed: the export fails, and names it."""
    bench, incident = planted
    client = bench.site.admin
    ids = {"incident_id": [incident]}
    listed = client.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    ids["artifact_id"] = [item["id"] for item in listed]
    (release,) = client.get(f"/api/v1/incidents/{incident}/releases").json()["releases"]
    ids["release_id"] = [release["id"]]
    seen = 0
    described = json.loads((REPOSITORY / "frontend/src/api/openapi.json").read_text())
    for path, operations in described["paths"].items():
        if "get" not in operations or not path.endswith((".csv", "export", "/bundle", "/document")):
            continue
        names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
        for one in ids.get(names[0], []) if names else [""]:
            url = path.replace(f"{{{names[0]}}}", one) if names else path
            formats = ("md", "html", "docx", "pdf") if url.endswith("report/export") else ("",)
            for form in formats:
                answer = client.get(url, params={"format": form} if form else None)
                seen += answer.is_success
                assert left(answer.content) == [], (url, form)
    assert seen >= 10
    for item in listed:  # the originals stay
        if item["path"] in FILES:
            assert bench.runtime.blobs.path(item["sha256"]).read_bytes() == FILES[item["path"]]
    monkeypatch.setattr(bundle_files, "passwords_left", lambda *_: 3)
    answer = client.get(f"/api/v1/incidents/{incident}/bundle")
    assert answer.status_code == 422
    assert "Passwords are left in general.log (3 places)" in answer.json()["detail"]
    monkeypatch.undo()
    check_bundle(bench, incident, tmp_path)


def check_bundle(bench: Bench, incident: str, folder: Path) -> None:
    """Check that it says what was removed, that its hashes are right, and that it is the case."""
    client = bench.site.admin
    content = client.get(f"/api/v1/incidents/{incident}/bundle").content
    with zipfile.ZipFile(io.BytesIO(content)) as bundle:
        manifest = json.loads(bundle.read("manifest.json"))
        files = {sha: bundle.read(f"artifacts/{sha}") for sha in manifest["artifacts"]}
        rows = [json.loads(line) for line in bundle.read("work/artifacts.jsonl").splitlines()]
        (pin,) = [json.loads(line) for line in bundle.read("work/pins.jsonl").splitlines()]
        members = {name: bundle.read(name) for name in bundle.namelist()}
    assert all(hashlib.sha256(data).hexdigest() == sha for sha, data in files.items())
    copies: dict[str, dict[str, Any]] = {row["path"]: row for row in manifest["removed"]["files"]}
    assert copies.keys() == (FILES.keys() - {"clean.tar.gz"}) | {
        "etc.tar.gz/my.cnf",
        "old.log.gz/old.log",
    }
    assert copies["general.log"]["passwords"] == 6
    assert "could not be searched" in copies["sealed.7z"]["what"]
    by_path = {row["path"]: files[row["sha256"]] for row in rows}
    assert by_path["clean.tar.gz"] == FILES["clean.tar.gz"]
    assert by_path["etc/my.cnf"] != by_path["etc/twin.cnf"]  # one folder, the same but for a secret
    for path in ("general.log", "etc/my.cnf", "core", "windows.cnf"):
        assert len(by_path[path]) == len(FILES[path]), path
    lines = by_path["general.log"].decode().splitlines()
    assert pin["excerpt"].splitlines() == lines[1:3]
    assert pin["locator"]["artifact"] == copies["general.log"]["sha256"]

    twin = client.post("/api/v1/incidents/import", content=content)
    assert twin.status_code == 201, twin.text
    bench.work(BOTH)
    url = f"/api/v1/incidents/{twin.json()['id']}"
    states = {
        item["path"]: item["state"] for item in client.get(f"{url}/artifacts").json()["items"]
    }
    before = client.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    was = {item["path"]: item["state"] for item in before}
    assert states == was
    for item in before:
        if item["path"] in copies:  # neither its hash nor the beginning of it
            named = item["sha256"][:12].encode()
            found = {name for name, data in members.items() if named in data}
            assert found <= {"work/releases.jsonl"}  # whose text is under a hash
    again = client.get(f"{url}/bundle").content
    first, second = folder / "first.zip", folder / "second.zip"
    first.write_bytes(content)
    second.write_bytes(again)
    was, now = Bundle.read(first), Bundle.read(second)
    assert analyses(was, now).differing == []
    assert reports(was.report, now.report).differing == []
    assert pages(was.html, now.html).differing == []
    with zipfile.ZipFile(io.BytesIO(again)) as bundle:
        assert [row["path"] for row in json.loads(bundle.read("manifest.json"))["removed"]["files"]
                if row["passwords"]] == []  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_blocks_of_any_size_mask_the_same(
    encoding: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = LOG * 3 + "x" * 300 + " --password=S3cr3tLong " + "y" * 300 + "\r\n" + CONFIG
    content = text.encode(encoding)
    monkeypatch.setattr(masked_files, "_TAIL", 200)
    monkeypatch.setattr(masked_files, "_MOST", 400)
    for size in (64, 97, 1000):
        monkeypatch.setattr(masked_files, "_READ", size)
        redactor = Redactor((), b"", in_place=True)
        assert masked_files.learn_passwords(io.BytesIO(content), encoding, redactor)
        done = b"".join(masked_files.masked_blocks(io.BytesIO(content), encoding, redactor))
        assert left(done) == [], size
        assert len(done) == len(content)
