"""An incident as one archive: out, in again, and the same; a bundle is a stranger's file."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from pileup.storage import models
from pileup.storage.lifecycle.bundle_rows import STAYS, exported_columns, tables
from pileup.storage.lifecycle.bundle_signature import sign_manifest
from pileup.storage.signing import new_signer
from tests.support.bundles import touched
from tests.support.postgres import PostgresForTests
from tests.worker.argued import argue, bare
from tests.worker.conftest import BOTH, Bench, Read, copied, open_bench, read_here

pytestmark = read_here

UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
SHORT = re.compile(r"(\[\^pin-|::pin\{id=\\*\")[0-9a-f-]+")
"""Ids of pins as texts name them: they follow too, which another test looks at."""


@pytest.fixture(scope="module")
def argued_sample(
    read_sample: Read, postgres_server: PostgresForTests, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Read]:
    """Hot-row with people's work of every kind in it, in an idle installation."""
    home = tmp_path_factory.mktemp("argued") / "home"
    shutil.copytree(read_sample.home, home)
    database = postgres_server.copy_of(read_sample.database)
    with open_bench(home, postgres_server.url(database)) as bench:
        argue(bench, read_sample.incident)
    yield Read(home, database, read_sample.incident)
    postgres_server.drop(database)


@pytest.fixture
def argued(
    argued_sample: Read, postgres_server: PostgresForTests, tmp_path: Path
) -> Iterator[tuple[Bench, str]]:
    """A bench with a copy of it, and the incident's id."""
    with copied(argued_sample, postgres_server, tmp_path / "home") as bench:
        yield bench, argued_sample.incident


@pytest.fixture(scope="module")
def argued_bundle(
    argued_sample: Read, postgres_server: PostgresForTests, tmp_path_factory: pytest.TempPathFactory
) -> bytes:
    """The bundle of it, exported once."""
    home = tmp_path_factory.mktemp("exported") / "home"
    with copied(argued_sample, postgres_server, home) as bench:
        return export(bench, argued_sample.incident)


def export(bench: Bench, incident: str) -> bytes:
    answer = bench.site.admin.get(f"/api/v1/incidents/{incident}/bundle")
    assert answer.status_code == 200, answer.text
    return answer.content


def imported(bench: Bench, bundle: bytes) -> Any:
    return bench.site.admin.post("/api/v1/incidents/import", content=bundle)


def members(bundle: bytes) -> dict[str, str]:
    """Its texts, with ids by their order of appearance and without what tells of the export."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        texts = {
            name: archive.read(name).decode()
            for name in sorted(archive.namelist())
            if not name.startswith(("artifacts/", "report/"))
        }
    del texts["manifest.json"], texts["signature.json"]
    texts["work/audit.jsonl"] = "\n".join(
        line for line in texts["work/audit.jsonl"].splitlines() if "incident.imported" not in line
    )
    seen: dict[str, str] = {}
    plain = {}
    for name, text in texts.items():
        text = SHORT.sub(r"\1", text)
        named = UUID.sub(lambda found: seen.setdefault(found[0], f"id-{len(seen) + 1}"), text)
        plain[name] = re.sub(r'"elapsed_s": [^,\n]+', "", named)
    return plain


def changed(bundle: bytes, **replaced: str | bytes | None) -> bytes:
    """The bundle with members replaced, or taken out (None)."""
    new_by_path = {name.replace("__", "/").replace("_dot_", "."): v for name, v in replaced.items()}
    return touched(bundle, {name: lambda _, new=new: new for name, new in new_by_path.items()})


@pytest.mark.on_turn(1, 2)
def test_a_bundle_gives_the_same_incident_back(
    argued: tuple[Bench, str], argued_bundle: bytes
) -> None:
    """Out, in, read again, out: equal, ids aside; with every kind of work that was put in."""
    bench, incident = argued
    first = argued_bundle
    answer = imported(bench, first)
    assert answer.status_code == 201, answer.text
    twin = answer.json()["id"]
    assert twin != incident
    bench.work(BOTH)
    again = members(export(bench, twin))
    before = members(first)
    assert again.keys() == before.keys()
    for name in before:
        old, new = before[name].splitlines(), again[name].splitlines()
        if name == "work/incidents.jsonl":
            old = [re.sub(r'"updated_at": "[^"]+"', "", line) for line in old]
            new = [re.sub(r'"updated_at": "[^"]+"', "", line) for line in new]
        if name == "work/audit.jsonl":  # what the bundle claims is marked as such
            rows = [json.loads(line) for line in new]
            assert {row["detail"].pop("imported_by") for row in rows} == {"admin"}
            for row in rows:
                row["user_name"] = row["user_name"].removesuffix(" (imported by admin)")
            new = [json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows]
        assert new == old, name
    for table in ("pins", "hypotheses", "evidence", "confidence_steps", "experiments", "symptoms"):
        assert before[f"work/{table}.jsonl"], table
    (copy,) = bench.site.admin.get(f"/api/v1/incidents/{twin}/experiments").json()
    (was,) = bench.site.admin.get(f"/api/v1/incidents/{incident}/experiments").json()
    for name in ("sweep", "parameters", "computed", "verdict", "observation", "prediction"):
        assert copy[name], name
        assert copy[name] == was[name], name
    symptoms = bench.site.admin.get(f"/api/v1/incidents/{twin}/symptoms").json()
    assert [symptom["words"] for symptom in symptoms] == [
        "mysql.Threads_running above 9",
        "a restart helps for an hour",
    ]


@pytest.mark.on_turn(1, 3)
def test_numbers_travel_and_those_left_at_home_stay_taken(argued: tuple[Bench, str]) -> None:
    """E2 is E2 there too though E1 and E3 were withdrawn; the next is E4. Before there were
    numbers they were counted by age; a number that nobody can have is refused."""
    bench, incident = argued
    client = bench.site.admin
    (first,) = client.get(f"/api/v1/incidents/{incident}/pins").json()
    again = {name: first[name] for name in ("kind", "title", "view")}
    where = ("artifact", "line_first", "line_last")
    again["locator"] = {name: first["locator"][name] for name in where}
    made = [client.post(f"/api/v1/incidents/{incident}/pins", json=again).json() for _ in "23"]
    for gone in (first, made[1]):
        assert client.delete(f"/api/v1/pins/{gone['id']}").status_code == 204

    def labels(bundle: bytes) -> list[str]:
        answer = imported(bench, bundle)
        assert answer.status_code == 201, answer.text
        base = f"/api/v1/incidents/{answer.json()['id']}"
        pins = client.get(f"{base}/pins").json()
        copy = again | {"view": f"{base.removeprefix('/api/v1')}/artifacts"}
        pins.append(client.post(f"{base}/pins", json=copy).json())
        return [pin["label"] for pin in pins]

    bundle = export(bench, incident)
    # the first pin is still spoken of by the ledger and the report, and stays at home all the same
    assert labels(bundle) == ["E2", "E4"]

    def rows(name: str) -> list[dict[str, Any]]:
        with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
            return [json.loads(line) for line in archive.read(name).decode().splitlines()]

    def without(name: str, *keys: str, **put: int) -> str:
        kept = [{k: v for k, v in row.items() if k not in keys} | put for row in rows(name)]
        return "\n".join(json.dumps(row) for row in kept)

    last = ("last_pin", "last_hypothesis", "last_experiment")
    old = changed(
        bundle,
        work__pins_dot_jsonl=without("work/pins.jsonl", "number"),
        work__hypotheses_dot_jsonl=without("work/hypotheses.jsonl", "number"),
        work__incidents_dot_jsonl=without("work/incidents.jsonl", *last),
    )
    assert labels(old) == ["E1", "E2"]
    for number in (0, 2_000_000):
        strange = without("work/pins.jsonl", number=number)
        answer = imported(bench, changed(bundle, work__pins_dot_jsonl=strange))
        assert answer.status_code == 422, number
        assert "numbers its pins" in answer.json()["detail"]


def test_ids_in_addresses_and_texts_lead_to_the_new_rows(
    argued: tuple[Bench, str], argued_bundle: bytes
) -> None:
    """A pin opens the new incident, and the report names the new pin."""
    bench, incident = argued
    twin = imported(bench, argued_bundle).json()["id"]
    client = bench.site.admin
    (pin,) = client.get(f"/api/v1/incidents/{twin}/pins").json()
    assert pin["view"].startswith(f"/incidents/{twin}/artifacts?artifact=")
    assert incident not in json.dumps(pin)
    sections = client.get(f"/api/v1/incidents/{twin}/report").json()["sections"]
    summary = next(section for section in sections if section["key"] == "summary")
    for named in (f"pin:{pin['id']}", f"[^pin-{bare(pin)}]", f'::pin{{id="{bare(pin)}"}}'):
        assert named in summary["body_md"]
    shown = client.get(f"/api/v1/incidents/{twin}/report/export?format=md").text
    assert "no longer part of the incident" not in shown


def test_every_table_of_an_incident_travels_or_has_a_reason() -> None:
    """A new table cannot be forgotten: it travels by its keys, or somebody says why not."""
    known = {table.name for table in tables()} | set(STAYS)
    # what lets anybody in never travels: a bundle could bring a token of whoever imports it
    secrets = {"token", "token_hash", "csrf", "password_hash", "secret", "private"}
    assert [t.name for t in tables() if secrets & set(t.c.keys())] == []
    # nor does the key that makes the tokens of redaction, or a hold that only admins set
    gone = {"redaction_key", "held_at", "held_for"}
    assert [t.name for t in tables() if gone & {c.name for c in exported_columns(t)}] == []
    installation = {
        "users", "sessions", "sign_in_links", "tokens", "workers", "table_mappings",
    }  # fmt: skip
    everything = set(models.Base.metadata.tables)
    loose = everything - known - installation
    assert not {name for name in loose if "incident_id" in models.Base.metadata.tables[name].c}
    assert known <= everything
    travelling = {table.name for table in tables()}
    for table in tables():  # or an import would look for a row that is not in the bundle
        refers = {key.column.table.name for key in table.foreign_keys}
        assert refers <= travelling | {"users"}, table.name


@pytest.mark.parametrize(
    "broken, why",
    [
        (b"not a zip", "no bundle"),
        (b"PK\x03\x04" + b"\x00" * 40, "no bundle"),
    ],
)
def test_what_is_no_bundle_is_refused(bench: Bench, broken: bytes, why: str) -> None:
    answer = imported(bench, broken)
    assert answer.status_code == 422
    assert why in answer.json()["detail"]


def test_a_damaged_bundle_leaves_nothing(argued: tuple[Bench, str], argued_bundle: bytes) -> None:
    """Changed bytes, foreign references, unknown columns, a second incident: each is a sentence."""
    bench, _ = argued
    with zipfile.ZipFile(io.BytesIO(argued_bundle)) as archive:
        sha = next(n for n in archive.namelist() if n.startswith("artifacts/"))
        pins = archive.read("work/pins.jsonl").decode()
        evidence = json.loads(archive.read("work/evidence.jsonl").decode().splitlines()[0])
        incidents = archive.read("work/incidents.jsonl").decode()
        manifest = json.loads(archive.read("manifest.json"))
    stranger = evidence | {"pin_id": "00000000-0000-7000-8000-000000000000"}
    pin = json.loads(pins.splitlines()[0])
    cases: list[tuple[dict[str, str | bytes | None], str]] = [
        ({sha.replace("/", "__"): b"other bytes"}, "was changed"),
        ({sha.replace("/", "__"): None}, "no bytes"),
        ({"work__evidence_dot_jsonl": json.dumps(stranger)}, "does not have"),
        ({"work__pins_dot_jsonl": json.dumps(pin | {"colour": "red"})}, "newer one"),
        ({"work__pins_dot_jsonl": json.dumps(pin | {"created_at": "soon"})}, "created_at"),
        ({"work__pins_dot_jsonl": json.dumps(pin | {"title": 7})}, "title"),
        (
            {"work__pins_dot_jsonl": json.dumps(pin | {"kind": "nonsense"})},
            "line 1 of the bundle: pins.kind",
        ),
        ({"work__pins_dot_jsonl": "{"}, "line 1"),
        ({"work__incidents_dot_jsonl": incidents * 2}, "exactly one"),
        ({"manifest_dot_json": json.dumps(manifest | {"version": 2})}, "version"),
        ({"manifest_dot_json": None}, "manifest.json"),
    ]
    client = bench.site.admin
    count = len(client.get("/api/v1/incidents").json()["items"])
    for replaced, why in cases:
        answer = imported(bench, changed(argued_bundle, **replaced))
        assert answer.status_code == 422, (replaced.keys(), answer.text)
        assert why in answer.json()["detail"], (why, answer.json()["detail"])
    assert len(client.get("/api/v1/incidents").json()["items"]) == count


def test_nobody_is_made_to_have_said_something(
    argued: tuple[Bench, str], argued_bundle: bytes
) -> None:
    """A contributor's import names people by accounts that cannot sign in; an admin's matches."""
    bench, _ = argued
    contributor = bench.site.client("contributor")
    theirs = contributor.post("/api/v1/incidents/import", content=argued_bundle).json()["id"]
    ours = imported(bench, argued_bundle).json()["id"]
    admin = bench.site.admin.get("/api/v1/session").json()["user"]
    owners = {
        which: bench.site.admin.get(f"/api/v1/incidents/{which}/hypotheses").json()[0]["history"]
        for which in (theirs, ours)
    }
    assert owners[ours][0]["by"] == owners[theirs][0]["by"] == admin["name"]
    users = bench.site.admin.get("/api/v1/users").json()
    stand_ins = [u for u in users if u["name"] == admin["name"] and u["disabled"]]
    assert len(stand_ins) == 1
    with zipfile.ZipFile(io.BytesIO(argued_bundle)) as archive:
        rows = {
            name: json.loads(archive.read(f"work/{name}.jsonl").decode().splitlines()[0])
            for name in ("incidents", "pins", "hypotheses")
        }
    unlisted = contributor.get("/api/v1/session").json()["user"]
    rating = {
        "id": "00000000-0000-7000-8000-000000000001",
        "incident_id": rows["incidents"]["id"],
        "pin_id": rows["pins"]["id"],
        "hypothesis_id": rows["hypotheses"]["id"],
        "by_id": unlisted["id"],
        "by_name": "whoever",
        "rating": "CC",
        "at": rows["pins"]["created_at"],
    }
    forged = changed(argued_bundle, work__ratings_dot_jsonl=json.dumps(rating))
    answer = contributor.post("/api/v1/incidents/import", content=forged)
    assert answer.status_code == 201, answer.text
    with bench.site.database.unit() as unit:
        raters = set(unit.session.scalars(select(models.Rating.by_id)))
    assert raters
    assert unlisted["id"] not in raters


@pytest.mark.on_turn(2, 3)
def test_a_forged_release_is_refused(argued: tuple[Bench, str]) -> None:
    """The hash is computed again, and the document is a report."""
    bench, incident = argued
    made = bench.site.admin.post(f"/api/v1/incidents/{incident}/releases", json={})
    assert made.status_code == 201, made.text
    bundle = export(bench, incident)
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        frozen = json.loads(archive.read("work/releases.jsonl").decode().splitlines()[0])
    forged = frozen | {"document": frozen["document"].replace("1", "2")}
    empty = frozen | {"document": "{}", "sha256": hashlib.sha256(b"{}").hexdigest()}
    for row, words in ((forged, "was changed"), (empty, "no report")):
        member = changed(bundle, work__releases_dot_jsonl=json.dumps(row))
        answer = imported(bench, member)
        assert answer.status_code == 422, answer.text
        assert words in answer.json()["detail"]


def test_what_a_bundle_claims_is_no_act_of_this_installation(
    argued: tuple[Bench, str], argued_bundle: bytes
) -> None:
    bench, _ = argued
    with zipfile.ZipFile(io.BytesIO(argued_bundle)) as archive:
        row = json.loads(archive.read("work/audit.jsonl").decode().splitlines()[0])
    forged = row | {"action": "forged.claim", "user_name": "Ada Admin"}
    claiming = changed(argued_bundle, work__audit_dot_jsonl=json.dumps(forged))
    here = imported(bench, claiming).json()["id"]
    everything = bench.site.admin.get("/api/v1/audit").json()
    assert "forged.claim" not in {entry["action"] for entry in everything}
    activity = bench.site.admin.get(f"/api/v1/incidents/{here}/activity").json()
    (claim,) = [entry for entry in activity if entry["action"] == "forged.claim"]
    assert claim["user_name"].startswith("Ada Admin (imported by ")
    listed = bench.site.admin.get("/api/v1/audit/filters").json()
    assert claim["user_name"] not in listed["people"]
    assert "forged" not in listed["kinds"]
    assert listed["people"]


@pytest.mark.on_turn(1, 3)
def test_a_redacted_bundle_is_for_reading_only(argued: tuple[Bench, str]) -> None:
    """No bytes of artifacts, no pictures, no frozen documents, no values; and it says so."""
    bench, incident = argued
    site = bench.site
    site.admin.post(f"/api/v1/incidents/{incident}/releases", json={})
    words = {"body": "on 10.9.8.7: update t set a = 'Zx81-secret'", "target": "incident"}
    site.admin.patch(f"/api/v1/incidents/{incident}", json={"title": "10.9.8.7 stalls"})
    site.admin.post(
        f"/api/v1/incidents/{incident}/annotations",
        json={"start": "2026-11-20T22:19:50Z", "text": words["body"]},
    )
    url = f"/api/v1/incidents/{incident}/bundle"
    answer = site.admin.get(url, params={"redact": "sql,hosts,users,addresses"})
    assert answer.status_code == 200, answer.text
    assert "10.9.8.7" not in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    for name, text in texts.items():
        assert "Zx81" not in text, name
        assert "10.9.8.7" not in text, name
    manifest = json.loads(texts["manifest.json"])
    assert manifest["redacted"] == ["passwords", "sql", "hosts", "users", "addresses"]
    assert not [name for name in texts if name.startswith(("artifacts/", "work/release"))]
    assert {"analysis.json", "report/report.md", "work/pins.jsonl"} <= set(texts)
    assert all(json.loads(line)["title"] for line in texts["work/pins.jsonl"].splitlines())
    refused = imported(bench, answer.content)
    assert refused.status_code == 422
    assert "redacted" in refused.json()["detail"]


@pytest.mark.on_turn(1, 3)
def test_an_approval_of_another_document_is_refused(argued: tuple[Bench, str]) -> None:
    bench, incident = argued
    made = bench.site.admin.post(f"/api/v1/incidents/{incident}/releases", json={}).json()
    bundle = export(bench, incident)
    approval = {
        "release_id": made["id"], "by_id": "00000000-0000-7000-8000-00000000000a",
        "by_name": "Ada Admin", "at": "2026-11-23T01:00:00+00:00",
        "sha256": made["sha256"],
    }  # fmt: skip
    for sha256, status in (("0" * 64, 422), (made["sha256"], 201)):
        row = json.dumps(approval | {"sha256": sha256})
        answer = imported(bench, changed(bundle, work__release_approvals_dot_jsonl=row))
        assert answer.status_code == status, answer.text
    here = answer.json()["id"]
    (release,) = bench.site.admin.get(f"/api/v1/incidents/{here}/releases").json()["releases"]
    (shown,) = release["approvals"]
    assert shown["by"].startswith("Ada Admin (imported by ")


def test_a_bundle_that_unpacks_to_too_much_is_refused(
    make_bench: Callable[..., Bench],
) -> None:
    """Before anything is unpacked."""
    bench = make_bench(max_expanded_bytes=1000)
    incident = bench.site.incident()
    bench.site.upload(incident, "big.txt", b"x" * 5000)
    answer = imported(bench, export(bench, incident))
    assert answer.status_code == 413, answer.text
    assert "PILEUP_MAX_EXPANDED_BYTES" in answer.json()["detail"]


NEW_COLUMNS = {
    "experiments": ("predicted_at", "ran_from", "ran_to", "ran_precision", "host", "build",
                    "cores", "dataset"),
    "confidence_steps": ("happened_at", "happened_precision"),
    "annotations": ("kind", "precision"),
}  # fmt: skip
"""Columns that bundles of the first release lack."""


def test_a_bundle_of_the_first_release_is_imported(
    argued: tuple[Bench, str], argued_bundle: bytes
) -> None:
    """Without the newer columns and tables: things happened when they were recorded."""
    bench, _ = argued

    def older(names: tuple[str, ...]) -> Callable[[bytes], str]:
        def strip(content: bytes) -> str:
            rows = [json.loads(line) for line in content.splitlines()]
            kept = [{k: v for k, v in row.items() if k not in names} for row in rows]
            return "".join(json.dumps(row) + "\n" for row in kept)

        return strip

    changes: dict[str, Any] = {
        f"work/{table}.jsonl": older(names) for table, names in NEW_COLUMNS.items()
    }
    for table in ("measurements", "symptom_answers"):
        changes[f"work/{table}.jsonl"] = lambda _: None
    answer = imported(bench, touched(argued_bundle, changes))
    assert answer.is_success, answer.text
    base = f"/api/v1/incidents/{answer.json()['id']}"
    (claim,) = bench.site.admin.get(f"{base}/hypotheses").json()
    assert [step["happened_at"] for step in claim["history"]] == [None] * len(claim["history"])
    (run,) = bench.site.admin.get(f"{base}/experiments").json()
    assert (run["prediction_standing"], run["ran_precision"]) == ("locked", "exact")
    assert [value["source"] for value in run["measures"]] == ["typed"]


@pytest.mark.on_turn(1, 3)
def test_a_signed_bundle_says_who_made_it(argued: tuple[Bench, str]) -> None:
    """Its own bundle, a stranger's and an unsigned one arrive as such; a changed one does not."""
    bench, incident = argued
    bundle = export(bench, incident)
    other = new_signer()
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        manifest = archive.read("manifest.json")
    stranger = touched(bundle, {"signature.json": lambda _: sign_manifest(other, manifest)})
    unsigned = touched(bundle, {})
    for arriving, by in (
        (bundle, "this installation"), (stranger, other.fingerprint), (unsigned, "nobody"),
    ):  # fmt: skip
        answer = imported(bench, arriving)
        assert answer.status_code == 201, answer.text
        trail = bench.site.admin.get(f"/api/v1/incidents/{answer.json()['id']}/activity").json()
        (entry,) = [item for item in trail if item["action"] == "incident.imported"]
        assert entry["detail"]["signed_by"] == by
    keep: dict[str, Any] = {"signature.json": bytes, "report/report.md": lambda text: text + b"x"}
    damaged = (b"{}", b"[", b'{"key": 7, "signature": "x"}')
    for changes, why in (
        (keep, "changed"), *(({"signature.json": lambda _, b=b: b}, "damaged") for b in damaged),
    ):  # fmt: skip
        answer = imported(bench, touched(bundle, changes))
        assert (answer.status_code, why in answer.json()["detail"]) == (422, True), answer.text


@pytest.mark.on_turn(2, 3)
def test_a_release_is_signed_and_the_signature_travels(argued: tuple[Bench, str]) -> None:
    bench, incident = argued
    client = bench.site.admin
    made = client.post(f"/api/v1/incidents/{incident}/releases", json={}).json()
    own = client.get("/api/v1/status").json()["signing"]
    assert made["signature"]["state"] == "ok"
    assert made["signature"]["fingerprint"] == own["fingerprint"]
    bundle = export(bench, incident)

    def arrived(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
        def rows(content: bytes) -> str:
            return "".join(json.dumps(change(json.loads(row))) for row in content.splitlines())

        return imported(bench, touched(bundle, {"work/releases.jsonl": rows}))

    other = new_signer()
    for change, state in (
        (lambda row: row, "ok"),
        (lambda row: row | {"signature": None, "signed_by": None}, "unsigned"),
        (lambda row: row | {
            "signature": other.sign("release", row["sha256"].encode()).value,
            "signed_by": other.key,
        }, "another key"),
    ):  # fmt: skip
        answer = arrived(change)
        assert answer.status_code == 201, answer.text
        base = f"/api/v1/incidents/{answer.json()['id']}/releases"
        (release,) = client.get(base).json()["releases"]
        assert release["signature"]["state"] == state
    for change in (
        lambda row: row | {"signed_by": other.key},
        lambda row: row | {"signature": None},
        lambda row: row | {"signature": "7"},
    ):
        answer = arrived(change)
        assert answer.status_code == 422
        assert "its signature is of another document" in answer.json()["detail"]


@pytest.mark.on_turn(0, 3)
def test_an_approval_is_signed_and_the_signature_travels(argued: tuple[Bench, str]) -> None:
    """Another name, time or document than what was signed is refused, another key is shown."""
    bench, incident = argued
    made = bench.site.admin.post(f"/api/v1/incidents/{incident}/releases", json={}).json()
    ada = bench.site.client("contributor", "Ada")
    done = ada.post(f"/api/v1/releases/{made['id']}/approve", json={"sha256": made["sha256"]})
    assert [each["signature"] for each in done.json()["approvals"]] == ["ok"]
    bundle = export(bench, incident)
    other = new_signer()

    def arrived(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
        def rows(content: bytes) -> str:
            return "".join(json.dumps(change(json.loads(row))) for row in content.splitlines())

        return imported(bench, touched(bundle, {"work/release_approvals.jsonl": rows}))

    gone = dict.fromkeys(("statement", "signature", "signed_by"))
    for change, state in (
        (lambda row: row, "ok"),
        (lambda row: row | gone, "unsigned"),
        (lambda row: row | {
            "signature": other.sign("approval", row["statement"].encode()).value,
            "signed_by": other.key,
        }, "another key"),
    ):  # fmt: skip
        answer = arrived(change)
        assert answer.status_code == 201, answer.text
        url = f"/api/v1/incidents/{answer.json()['id']}/releases"
        (release,) = bench.site.admin.get(url).json()["releases"]
        (shown,) = release["approvals"]
        assert (shown["by"], shown["signature"]) == ("Ada (imported by admin)", state)
    forged: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = (
        lambda row: row | {"by_name": "Ada Admin"},
        lambda row: row | {"at": "2026-01-01T00:00:00+00:00"},
        lambda row: row | {"statement": row["statement"].replace("Ada", "Eve"), "by_name": "Eve"},
        lambda row: row | {"statement": None},
        lambda row: row | {"signature": other.sign("release", b"x").value},
    )
    for change in forged:
        answer = arrived(change)
        assert answer.status_code == 422, answer.text
        assert "its signature is of another one" in answer.json()["detail"]


WRONG: dict[str, Any] = {
    "null": None, "number": 7, "negative": -1, "huge": 10**30, "text": "x", "empty": "",
    "long": "x" * 300_000, "script": "\"><script>alert(1)</script>", "control": "a\x00b\x1b[2J",
    "half": "\ud800", "list": [[]], "object": {"a": {"b": "c"}}, "true": True,
    "future": "9998-12-31T23:59:59+00:00", "past": "0001-01-01T00:00:00+00:00",
    "no zone": "2026-11-20T22:19:47", "foreign": "00000000-0000-7000-8000-000000000000",
    "address": "javascript:alert(1)", "elsewhere": "//evil.example/x", "float": 1e308,
}  # fmt: skip
"""What a field of a bundle is replaced with, by the name of the attack."""
SCREENS = (
    "", "/pins", "/hypotheses", "/experiments", "/symptoms", "/actions", "/marks", "/report",
    "/releases", "/activity", "/views", "/artifacts", "/overview", "/matrix", "/queue",
    "/episodes", "/report/export?format=html", "/findings", "/texts/summary/versions",
)  # fmt: skip


def attacks(bundle: bytes) -> list[tuple[str, int, str, str]]:
    """Every (member, line, field, attack) on the first two rows of each table."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        rows = {
            name: [json.loads(line) for line in archive.read(name).decode().splitlines()[:2]]
            for name in archive.namelist()
            if name.endswith(".jsonl")
        }
    return [
        (name, line, field, attack)
        for name, listed in rows.items()
        for line, row in enumerate(listed)
        for field in row
        for attack in WRONG
    ]


def attacked(bundle: bytes, member: str, line: int, field: str, attack: str) -> bytes:
    def change(content: bytes) -> str:
        rows = [json.loads(row) for row in content.splitlines()]
        rows[line][field] = WRONG[attack]
        return "".join(json.dumps(row) + "\n" for row in rows)

    return touched(bundle, {member: change})


@pytest.mark.seeds(1, 6)
@pytest.mark.on_turn(2, 3)
def test_any_field_of_a_bundle_may_be_wrong(
    argued: tuple[Bench, str], seed: int, argued_bundle: bytes
) -> None:
    """It is refused with a sentence, or harmless: no screen of the new incident fails."""
    bench, _ = argued
    client = bench.site.admin
    cases = random.Random(seed).sample(attacks(argued_bundle), 25)
    cases.append(("work/view_links.jsonl", 0, "view", "elsewhere"))
    cases.append(("work/artifacts.jsonl", 0, "parent_id", "foreign"))
    cases.append(("work/artifacts.jsonl", 0, "depth", "number"))
    cases.append(("work/incidents.jsonl", 0, "title", "long"))
    for case in cases:
        answer = imported(bench, attacked(argued_bundle, *case))
        assert answer.status_code in (201, 422), (case, answer.text)
        if answer.status_code == 422:
            assert "bundle" in answer.json()["detail"], (case, answer.text)
            continue
        for screen in SCREENS:
            shown = client.get(f"/api/v1/incidents/{answer.json()['id']}{screen}")
            assert shown.status_code < 500, (case, screen, shown.text)
