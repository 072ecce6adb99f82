"""Releases of a bundle: their hashes, their signatures, and their figures computed again."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from pileup.cli.checking import releases
from pileup.cli.checking.comparison import Compared
from pileup.cli.checking.releases import Frozen
from pileup.report.document import fingerprint
from pileup.storage.signing import Signer, new_signer
from tests.cli.checking.bundles import Row, bundle_of, written


@pytest.fixture(scope="module")
def signer() -> Signer:
    return new_signer()


def release(number: int, document: str = "{}", **more: Any) -> Row:
    sha = fingerprint(document.encode())
    return {"id": f"r{number}", "number": number, "document": document, "sha256": sha} | more


def signed(row: Row, signer: Signer) -> Row:
    made = signer.sign("release", row["sha256"].encode())
    return row | {"signature": made.value, "signed_by": made.key}


def test_documents_have_their_hashes() -> None:
    bundle = bundle_of(
        releases=[release(1, "a"), release(2, "é") | {"sha256": "0123456789abcdef0"}]
    )
    wrong = ["release 2 is not the document with the SHA-256 0123456789abcdef…"]
    assert releases.hashes(bundle) == Compared("releases, by their SHA-256", wrong, 2)
    assert releases.hashes(bundle_of()) == Compared("releases, by their SHA-256", [], 0)


def test_signatures_of_releases(signer: Signer) -> None:
    """Without a key each may be absent; with a key each must be there, and be by that key."""
    other = new_signer()
    rows = [
        signed(release(1), signer),
        release(2),
        signed(release(3), signer) | {"sha256": "x"},
        signed(release(4), other),
        release(5) | {"signature": "abc", "signed_by": ""},
        release(6) | {"signature": "", "signed_by": signer.key},
    ]
    bundle = bundle_of(releases=rows)
    what = "releases, by their signature"
    changed = "release 3 has the signature of another document"
    absent = [f"release {number} is not signed" for number in (2, 5, 6)]
    assert releases.signatures(bundle, "") == Compared(what, [changed], 6, absent)
    foreign = f"release 4 is signed by another key: {other.fingerprint}"
    wrong = [absent[0], changed, foreign, *absent[1:]]
    for key in (signer.key, signer.fingerprint):
        assert releases.signatures(bundle, key) == Compared(what, wrong, 6, [])


def test_signatures_of_approvals(signer: Signer) -> None:
    shas = {number: release(number, f"{number}")["sha256"] for number in (1, 2)}

    def approval(number: int, by: str, signed_sha: str | None = None) -> Row:
        row = {"release_id": f"r{number}", "by_name": by, "at": "2026-11-20T22:00:00+00:00"}
        if signed_sha is None:
            return row
        facts = {"by": by, "at": row["at"], "sha256": signed_sha}
        statement = json.dumps(facts)
        made = signer.sign("approval", statement.encode())
        return row | {"statement": statement, "signature": made.value, "signed_by": made.key}

    bundle = bundle_of(
        releases=[release(2, "2"), release(1, "1")],
        release_approvals=[
            approval(1, "Ann", shas[1]),
            approval(2, "Bo", shas[1]),
            approval(2, "Cy"),
        ],
    )
    what = "approvals, by their signature"
    changed = "the approval of release 2 by Bo has the signature of another one"
    absent = "the approval of release 2 by Cy is not signed"
    assert releases.approvals(bundle, "") == Compared(what, [changed], 3, [absent])
    foreign = f"the approval of release 1 by Ann is signed by another key: {signer.fingerprint}"
    assert releases.approvals(bundle, "SHA256:x") == Compared(
        what, [foreign, changed, absent], 3, []
    )


def test_a_copy_without_members(tmp_path: Path) -> None:
    members = {"a": b"1", "work/releases.jsonl": b"2", "z": b"3" * 100_000}
    path = written(tmp_path / "case.zip", members)
    copy = releases.without(path, releases.MEMBERS, tmp_path)
    assert copy == tmp_path / "without.zip"
    with zipfile.ZipFile(copy) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {"a": b"1", "z": b"3" * 100_000}


# ---- computed again --------------------------------------------------------------------------

SHA, OTHER_SHA = "a" * 64, "b" * 64
ID = "01234567-89ab-7cde-8f01-{:012}"


def work(*shas: str) -> str:
    rows = {
        "incidents": [{"id": "i", "title": "stall"}],
        "artifacts": [{"id": f"a{n}", "sha256": sha} for n, sha in enumerate(shas)],
        "pins": [],
    }
    return json.dumps({"people": [], "rows": rows})


def test_what_each_release_was_made_from_is_imported(tmp_path: Path) -> None:
    """In the order of the rows; one without its work or its files says why not."""
    path = written(
        tmp_path / "case.zip", {f"artifacts/{SHA}": b"x", f"artifacts/{OTHER_SHA}": b"y"}
    )
    audit = [{"at": "2026-11-20T22:00:00"}, {"at": "2026-11-20T22:00:01"}, {"at": "2026-11-20T21"}]
    document = json.dumps({"engine": "4.5"})
    made = {"made_at": "2026-11-20T22:00:00"}
    bundle = bundle_of(
        path,
        releases=[
            release(3, document, work=work(OTHER_SHA, SHA, SHA), **made),
            release(1, document, work=None, **made),
            release(2, "{}", work=work(SHA, "c" * 64, "d" * 64), **made),
        ],
        audit=audit,
    )
    sent: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.read())
        return httpx.Response(201, json={"id": f"i{len(sent)}"})

    with httpx.Client(transport=httpx.MockTransport(answer), base_url="http://room") as client:
        first, second, third = releases.put_all(client, bundle, tmp_path)
    assert first.then is not None
    assert (first.number, first.document, first.engine) == (3, document, "4.5")
    assert (first.incident, first.why) == ("i1", "")
    assert first.then.path == tmp_path / "release-3.zip"
    assert first.then.artifacts == [SHA, OTHER_SHA]
    assert first.then.rows("audit") == [audit[0], audit[2]]
    assert first.then.rows("incidents") == [{"id": "i", "title": "stall"}]
    assert sent == [first.then.path.read_bytes()]
    why = "it was frozen before the work of that day was kept with it"
    assert second == Frozen(1, document, "4.5", None, "", why)
    why = "2 of the artifacts that it was made from left the incident since"
    assert third == Frozen(2, "{}", "None", None, "", why)


def report(title: str = "T", **more: Any) -> dict[str, Any]:
    """A frozen report with every kind of block; its ids are new ones each time."""
    blocks = [
        {"type": "text", "text": "see " + more.get("id", ID.format(1))},
        {"type": "quote", "text": "q"},
        {"type": "figure", "number": 2, "drawing": {"type": "lanes", "points": [1, 2]}},
        {"type": "figure", "number": 3, "drawing": {"type": "graph"}},
        {"type": "figure", "number": 4, "drawing": {"type": "pie"}},
        {"type": "table", "number": 5, "rows": [["a", None]]},
        {"type": "code"},
        {"type": "list"},
        {"type": "trouble"},
        {"type": "figure", "number": None, "drawing": {"type": "confidence"}},
        {"type": "figure", "number": 0, "drawing": {"type": "matrix"}},
    ]
    source = {"number": 1, "text": "t", "excerpt": "e", "artifact": "a", "other": "not compared"}
    document = {
        "title": title,
        "template": "sre",
        "facts": {"n": 3},
        "engine": "5",
        "made": "never compared",
        "sections": [{"title": "S", "blocks": blocks, "markdown": "md"}],
        "sources": [source],
    }
    return document | more


def test_every_place_of_a_document_has_a_name() -> None:
    assert dict(releases._content(report())) == {
        "title": "T",
        "template": "sre",
        "facts/n": 3,
        "“S”, block 1 (text)/type": "text",
        "“S”, block 1 (text)/text": "see id-1",
        "“S”, block 2 (quoted pin)/type": "quote",
        "“S”, block 2 (quoted pin)/text": "q",
        "“S”, block 3 (figure 2, timeline)/type": "figure",
        "“S”, block 3 (figure 2, timeline)/number": 2,
        "“S”, block 3 (figure 2, timeline)/drawing/type": "lanes",
        "“S”, block 3 (figure 2, timeline)/drawing/points/0": 1,
        "“S”, block 3 (figure 2, timeline)/drawing/points/1": 2,
        "“S”, block 4 (figure 3, wait graph)/type": "figure",
        "“S”, block 4 (figure 3, wait graph)/number": 3,
        "“S”, block 4 (figure 3, wait graph)/drawing/type": "graph",
        "“S”, block 5 (figure 4, pie)/type": "figure",
        "“S”, block 5 (figure 4, pie)/number": 4,
        "“S”, block 5 (figure 4, pie)/drawing/type": "pie",
        "“S”, block 6 (table 5)/type": "table",
        "“S”, block 6 (table 5)/number": 5,
        "“S”, block 6 (table 5)/rows/0/0": "a",
        "“S”, block 7 (raw lines)/type": "code",
        "“S”, block 8 (list)/type": "list",
        "“S”, block 9 (empty block)/type": "trouble",
        "“S”, block 10 (figure, confidence)/type": "figure",
        "“S”, block 10 (figure, confidence)/drawing/type": "confidence",
        "“S”, block 11 (figure 0, matrix)/type": "figure",
        "“S”, block 11 (figure 0, matrix)/number": 0,
        "“S”, block 11 (figure 0, matrix)/drawing/type": "matrix",
        "“S”, its text": "md",
        "source 1/text": "t",
        "source 1/excerpt": "e",
        "source 1/artifact": "a",
    }


def room(now: dict[str, Any], pins: list[Row]) -> httpx.Client:
    def answer(request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if request.method == "POST":
            assert (path, request.read()) == ("/incidents/i/releases", b"{}")
            return httpx.Response(201, json={"id": "new"})
        return httpx.Response(
            200,
            json={
                "/releases/new/document": now,
                "/incidents/i/pins": pins,
                "/incidents/i/experiments": [],
            }[path],
        )

    return httpx.Client(transport=httpx.MockTransport(answer), base_url="http://room")


WHAT = "numbers and lines inside releases, computed again"


def frozen(tmp_path: Path, document: dict[str, Any], engine: str = "5") -> Frozen:
    path = written(tmp_path / "release-1.zip", {})
    pins = [
        {"number": 1, "title": "p", "stale": False, "value": "1", "now_value": None}
        | {"locator": None, "excerpt": None},
        {"number": 2, "title": "q", "stale": True, "value": "1", "now_value": "2"}
        | {"locator": None, "excerpt": None},
    ]
    return Frozen(1, json.dumps(document), engine, bundle_of(path, pins=pins), "i")


PINS: list[Row] = [
    {"label": "E2", "title": "q", "stale": True, "value": "1", "now_value": "2"},
    {"label": "E1", "title": "p", "stale": False, "value": "1", "now_value": None},
    {"label": "E9", "title": "z", "stale": False, "value": "1", "now_value": None},
]
STALE = "release 1, E2 q: stale, so what it was pinned with ('1') is from another parse"


def test_a_release_computed_again(tmp_path: Path) -> None:
    item = frozen(tmp_path, report(), engine="4")
    with room(report(id=ID.format(2), engine="6"), PINS) as client:
        found = releases.compared(client, [item])
    assert found == Compared(WHAT, [], 33 + 2, [STALE])  # another engine alone is no difference


ADDED = (("new", 1), ("other", 2))


def test_a_release_that_is_another_one_names_each_place(tmp_path: Path) -> None:
    now = report("U", facts={"n": 3, "new": 1, "other": 2}, template=None)
    pins = [PINS[0] | {"now_value": "3"}]
    wrong = [
        "release 1, title: 'T' then, 'U' computed again",
        "release 1, template: 'sre' then, nothing computed again",
    ]
    added = {f"release 1, facts/{name}: nothing then, {n} computed again" for name, n in ADDED}
    with room(now, pins) as client:
        found = releases.compared(client, [frozen(tmp_path, report())])
    assert list(found.differing)[:2] == wrong
    assert set(found.differing[2:4]) == added
    assert found.differing[-1] == "release 1, 2 pins became 1"
    assert found.unknown == [STALE]
    with room(now, PINS) as client:
        other = releases.compared(client, [frozen(tmp_path, report(), engine="4")])
    assert other.differing[:3] == ["release 1 was made by Pileup 4, this is 5", *wrong]
    assert set(other.differing[3:]) == added
    assert other.total == 34 + 2


def test_a_release_that_cannot_be_computed_is_counted() -> None:
    item = Frozen(7, json.dumps(report()), "5", None, "", "why not.")
    with room({}, []) as client:
        found = releases.compared(client, [item])
    assert found == Compared(WHAT, [], 0, ["release 7: 33 numbers and lines: why not."])
