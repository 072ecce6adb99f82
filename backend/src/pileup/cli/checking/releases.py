"""Figures in frozen releases, computed again from the artifacts and the work of that day.

A release stores people's work at the time it was frozen (``lifecycle.bundle.collect_work``). In the
clean room that becomes a separate incident, whose report is frozen once more: its content must
equal the release.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from pileup.cli.answers import checked
from pileup.cli.checking.bundle import Bundle, Row
from pileup.cli.checking.clean_room import get, put
from pileup.cli.checking.comparison import Compared, equal, leaves, nameless, pins, quotes, short
from pileup.cli.checking.experiments import compared as experiments
from pileup.numerals import grouped
from pileup.report.document import fingerprint
from pileup.storage.lifecycle.bundle import write_work
from pileup.storage.reports.approvals import signature_state
from pileup.storage.signing import Signature, State, verify
from pileup.storage.signing import fingerprint as fingerprint_of

_FIGURES = {
    "lanes": "timeline",
    "graph": "wait graph",
    "confidence": "confidence",
    "matrix": "matrix",
}
MEMBERS = frozenset({"work/releases.jsonl", "work/release_approvals.jsonl"})
"""Of a bundle."""
_KINDS = {"quote": "quoted pin", "code": "raw lines", "list": "list", "trouble": "empty block"}


@dataclass(frozen=True, slots=True)
class Frozen:
    """One release in the clean room."""

    number: int
    document: str
    engine: str
    then: Bundle | None
    """The work that the release was made from."""
    incident: str
    """Its incident in the clean room; empty when it cannot be computed, see ``why``."""
    why: str = ""


def hashes(bundle: Bundle) -> Compared:
    """Check that each frozen document has the approved hash."""
    rows = bundle.rows("releases")
    wrong = [
        f"release {row['number']} is not the document with the SHA-256 {row['sha256'][:16]}…"
        for row in rows
        if fingerprint(row["document"].encode()) != row["sha256"]
    ]
    return Compared("releases, by their SHA-256", wrong, len(rows))


def signatures(bundle: Bundle, key: str) -> Compared:
    """Check the signature of each release; ``key`` as for ``storage.signing.verify``."""
    states = []
    for row in bundle.rows("releases"):
        value, signed_by = row.get("signature"), row.get("signed_by")
        signature = Signature(str(signed_by), str(value)) if value and signed_by else None
        state = verify(signature, "release", str(row["sha256"]).encode(), key)
        states.append((f"release {row['number']}", state, signed_by))
    return _by_state("releases, by their signature", states, "another document", key)


def approvals(bundle: Bundle, key: str) -> Compared:
    """Check the signature of each approval; ``key`` as for ``storage.signing.verify``."""
    numbers = {row["id"]: (row["number"], str(row["sha256"])) for row in bundle.rows("releases")}
    states = []
    for row in bundle.rows("release_approvals"):
        number, sha256 = numbers[row["release_id"]]
        name = f"the approval of release {number} by {row['by_name']}"
        states.append((name, signature_state(row, sha256, key), row.get("signed_by")))
    return _by_state("approvals, by their signature", states, "another one", key)


def _by_state(
    what: str, states: Sequence[tuple[str, State, object]], another: str, key: str
) -> Compared:
    """Compare signatures, each with its name, state and signer; without a key any may be absent."""
    wrong: list[str] = []
    unknown: list[str] = []
    for name, state, signed_by in states:
        match state:
            case "changed":
                wrong.append(f"{name} has the signature of {another}")
            case "another key":
                wrong.append(f"{name} is signed by another key: {fingerprint_of(str(signed_by))}")
            case "unsigned":
                (wrong if key else unknown).append(f"{name} is not signed")
            case "ok":
                pass
    return Compared(what, wrong, len(states), unknown)


def without(bundle: Path, members: Collection[str], folder: Path) -> Path:
    """Return a copy of a bundle without these members, whose change an import would refuse."""
    copy = folder / "without.zip"
    with zipfile.ZipFile(bundle) as whole, zipfile.ZipFile(copy, "w", allowZip64=True) as rest:
        for member in whole.infolist():
            if member.filename not in members:
                with whole.open(member) as source, rest.open(member.filename, "w") as target:
                    shutil.copyfileobj(source, target)
    return copy


def put_all(client: httpx.Client, bundle: Bundle, folder: Path) -> list[Frozen]:
    """Import what each release was made from; the worker begins to read."""
    return [_put(client, bundle, row, folder) for row in bundle.rows("releases")]


def _put(client: httpx.Client, bundle: Bundle, row: Row, folder: Path) -> Frozen:
    number, document, work = row["number"], row["document"], row.get("work")
    engine = str(json.loads(document).get("engine"))
    if not work:
        why = "it was frozen before the work of that day was kept with it"
        return Frozen(number, document, engine, None, "", why)
    path = folder / f"release-{number}.zip"
    with zipfile.ZipFile(bundle.path) as archive:
        gone = write_work(work, archive, path)
    if gone:
        why = f"{len(gone)} of the artifacts that it was made from left the incident since"
        return Frozen(number, document, engine, None, "", why)
    rows = json.loads(work)["rows"]
    shas = sorted({artifact["sha256"] for artifact in rows["artifacts"]})
    audit = [item for item in bundle.rows("audit") if str(item["at"]) <= str(row["made_at"])]
    then = Bundle(path, shas, None, "", "", rows | {"audit": audit})
    return Frozen(number, document, engine, then, put(client, path))


def compared(client: httpx.Client, frozen: Sequence[Frozen]) -> Compared:
    """Compare every text, number and quoted line of the releases."""
    wrong: list[str] = []
    unknown: list[str] = []
    looked = 0
    for item in frozen:
        name = f"release {item.number}"
        then = json.loads(item.document)
        if item.then is None:
            many = len(dict(_content(then)))
            unknown.append(f"{name}: {grouped(many)} numbers and lines: {item.why}")
            continue
        now = _frozen_again(client, item.incident)
        old, new = dict(_content(then)), dict(_content(now))
        parts = [
            Compared("", list(_differing(old, new)), max(len(old), len(new))),
            quotes(item.then),
            experiments(client, item.incident, item.then),
            pins(item.then, _pins_now(client, item.incident, item.then)),
        ]
        looked += sum(part.total for part in parts)
        names = [f"{name}, {line}" for part in parts for line in part.differing]
        if names and item.engine != now["engine"]:
            names.insert(0, f"{name} was made by Pileup {item.engine}, this is {now['engine']}")
        wrong += names
        unknown += [f"{name}, {line}" for part in parts for line in part.unknown]
    total = max(looked, len(wrong))
    return Compared("numbers and lines inside releases, computed again", wrong, total, unknown)


def _frozen_again(client: httpx.Client, incident: str) -> dict[str, Any]:
    made = checked(client.post(f"/incidents/{incident}/releases", json={})).json()
    document: dict[str, Any] = get(client, f"/releases/{made['id']}/document").json()
    return document


def _pins_now(client: httpx.Client, incident: str, then: Bundle) -> Bundle:
    """Return the pins of the clean room, in the order of the rows' numbers."""
    listed = {item["label"]: item for item in get(client, f"/incidents/{incident}/pins").json()}
    rows = [listed.get(f"E{row['number']}") for row in then.rows("pins")]
    return Bundle(then.path, then.artifacts, None, "", "", {"pins": [row for row in rows if row]})


def _differing(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for place in [*old, *(new.keys() - old.keys())]:
        if not equal(old.get(place), new.get(place)):
            yield f"{place}: {short(old.get(place))} then, {short(new.get(place))} computed again"


def _content(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield (place, value) of all content of the document, with ids by their order."""
    seen: dict[str, str] = {}

    def named(items: Iterator[tuple[str, Any]], place: str) -> Iterator[tuple[str, Any]]:
        for path, value in items:
            text = nameless(value, seen) if isinstance(value, str) else value
            yield f"{place}{nameless(path, seen)}", text

    for name in ("title", "template", "facts"):
        yield from named(leaves(document.get(name), name), "")
    for section in document["sections"]:
        place = f"“{section['title']}”"
        for number, block in enumerate(section["blocks"], start=1):
            yield from named(leaves(block), f"{place}, {_block(number, block)}")
        yield from named(leaves(section["markdown"]), f"{place}, its text")
    for source in document["sources"]:
        quoted = {name: source.get(name) for name in ("text", "excerpt", "artifact")}
        yield from named(leaves(quoted), f"source {source['number']}")


def _block(number: int, block: dict[str, Any]) -> str:
    """Return a label such as 'block 3 (figure 2, wait graph)'."""
    kind = str(block["type"])
    words = _KINDS.get(kind, kind)
    if block.get("number") is not None:
        words += f" {block['number']}"
    if kind == "figure":
        words += f", {_FIGURES.get(block['drawing']['type'], block['drawing']['type'])}"
    return f"block {number} ({words})"
