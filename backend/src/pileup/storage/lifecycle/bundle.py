"""Bundles: an incident as one archive, with its artifacts, people's work, and the report.

A zip with ``manifest.json``, ``artifacts/<sha-256>``, ``work/<table>.jsonl``, ``people.jsonl``,
``mappings.jsonl`` (column mappings that people set) and members that the caller adds for reading
without Pileup (report, analysis). An import creates the same incident under new ids and derives
the derived data again. A bundle is an untrusted file: sizes, names, hashes and references are
checked, and nothing is stored of a refused one.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

import msgspec
from sqlalchemy import select
from sqlalchemy.exc import DataError, IntegrityError

from pileup import __version__
from pileup.formats.metrics.parts import csv_mapping
from pileup.numerals import grouped
from pileup.storage import models
from pileup.storage.artifacts.blob_holds import hold_blobs
from pileup.storage.artifacts.mappings import Mappings
from pileup.storage.audit import Actor, record
from pileup.storage.database import Database, Unit, clean
from pileup.storage.errors import Overtaken, Refused, TooLarge
from pileup.storage.files.blobs import BlobStore
from pileup.storage.incidents.incidents import Incident, Incidents
from pileup.storage.incidents.members import Members
from pileup.storage.lifecycle.bundle_checks import CheckRow, check_rows
from pileup.storage.lifecycle.bundle_rows import (
    UNREPORTED,
    VERBATIM,
    Arrival,
    Row,
    export_rows,
    named_people,
    tables,
)
from pileup.storage.lifecycle.bundle_signature import (
    MANIFEST,
    MEMBER,
    check_signature,
    digest,
    read_signature,
    sign_manifest,
)
from pileup.storage.numbering import raise_counters
from pileup.storage.queue.jobs import Jobs
from pileup.storage.reports.approvals import signature_state
from pileup.storage.signing import Signature, Signer, verify

FORMAT = "pileup-bundle"
VERSION = 1

_DOCUMENT = frozenset(
    ["schema", "incident", "title", "facts", "template", "version", "made_at", "engine", "zone"]
) | {"sections", "sources"}
"""Fields of every frozen report."""
_SHA256 = re.compile(r"\b[0-9a-f]{12,64}\b")
"""A hash, or its beginning as reports print it."""
_MOST_LINE = 16 << 20
_MOST_TABLE = 512 << 20
_MOST_MANIFEST = 16 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an import."""

    artifact_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Copy:
    """What travels in place of a file that may not leave as it is."""

    path: Path
    sha256: str
    bytes: int
    passwords: int
    why: str

    def line(self, path: str) -> dict[str, Any]:
        """Return its line of the manifest."""
        return {
            "path": path,
            "sha256": self.sha256,
            "passwords": self.passwords,
            "what": self.why,
        }


@dataclass(frozen=True, slots=True)
class Redaction:
    """What a bundle replaces: passwords always, and what whoever exports it chose."""

    kinds: Sequence[str]
    """Chosen ones; with any, the bundle is for reading only and has no files."""
    copies: Callable[[dict[str, list[Row]]], dict[str, Copy]]
    """Takes the rows by member before anything else is made; returns copies by SHA-256."""
    change: Callable[[dict[str, list[Row]], frozenset[str]], dict[str, list[Row]]]
    """Takes the rows by member and the names of their columns, and returns them redacted."""
    extras: Callable[[], Mapping[str, bytes]]
    """Returns further members for reading without Pileup, such as the report."""


def write_bundle(
    unit: Unit,
    blobs: BlobStore,
    incident_id: str,
    to: Path,
    signer: Signer,
    redaction: Redaction,
) -> None:
    """Write the incident to ``to``, signed, without passwords; its manifest says what was removed.

    A release whose document holds a password is left out, since its text is under a hash. A
    bundle with chosen kinds leaves out the bytes of artifacts, pictures, and all releases.

    Raises:
        NotFound: there is no such incident, or the bytes of an artifact are gone.
    """
    work = list(export_rows(unit, incident_id))
    members = {
        "people": named_people(unit, work),
        "mappings": Mappings(unit).of_incident(incident_id),
    } | {f"work/{name}": rows for name, rows in work}
    Incidents(unit).get(incident_id)
    copies = redaction.copies(members)
    members, left_out = _redacted(members, redaction)
    rename = _Renaming(copies)
    removed = {
        "files": [copies[sha].line(row["path"]) for sha, row in _artifacts(members, copies)],
        "releases": left_out,
    }
    members = {name: [rename.row(name, row) for row in rows] for name, rows in members.items()}
    shas = sorted({sha for sha, _ in _artifacts(members)})
    written = {f"{name}.jsonl": _lines(rows).encode() for name, rows in members.items()}
    written |= {name: rename.content(name, content) for name, content in redaction.extras().items()}
    files = shas if not redaction.kinds else []
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "made_by": f"pileup {__version__}",
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "incident": {"id": incident_id, "title": members["work/incidents"][0]["title"]},
        "artifacts": shas,
        "rows": {
            name.removeprefix("work/"): len(rows)
            for name, rows in members.items()
            if name.startswith("work/")
        },
        "members": {name: digest(content) for name, content in written.items()}
        | {f"artifacts/{sha256}": sha256 for sha256 in files},
        "removed": removed,
    }
    if redaction.kinds:
        manifest["redacted"] = list(redaction.kinds)
    head = json.dumps(manifest, indent=2).encode() + b"\n"
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        archive.writestr(MANIFEST, head)
        archive.writestr(MEMBER, sign_manifest(signer, head))
        for name, content in written.items():
            archive.writestr(name, content)
        for sha256 in files:
            _write_file(archive, sha256, rename.source(sha256) or blobs.path(sha256))


def _artifacts(
    members: Mapping[str, list[Row]], among: Collection[str] | None = None
) -> Iterator[tuple[str, Row]]:
    """Yield the rows of artifacts by SHA-256; with ``among``, of these files only."""
    for row in members["work/artifacts"]:
        if among is None or row["sha256"] in among:
            yield row["sha256"], row


def _write_file(archive: zipfile.ZipFile, sha256: str, path: Path) -> None:
    with path.open("rb") as source, archive.open(f"artifacts/{sha256}", "w") as member:
        shutil.copyfileobj(source, member, 1 << 20)


class _Renaming:
    """Puts the hashes of the copies where rows and reports name those of the originals."""

    def __init__(self, copies: Mapping[str, Copy]) -> None:
        self._copies = copies
        self.old = {copy.sha256: old for old, copy in copies.items()}
        """SHA-256 of a copy to that of its original."""
        self._by_beginning = {old[:12]: (old, copy.sha256) for old, copy in copies.items()}

    def source(self, sha256: str) -> Path | None:
        """Return the copy with this hash; None when it is that of an original."""
        old = self.old.get(sha256)
        return self._copies[old].path if old else None

    def row(self, member: str, row: Row) -> Row:
        """Return a row of a member; text under a hash stays."""
        if not self._copies:
            return row
        table = member.removeprefix("work/")
        kept = {name: value for name, value in row.items() if f"{table}.{name}" in VERBATIM}
        new: Row = json.loads(self._text(json.dumps(row)), object_hook=self._with_size)
        return new | kept

    def _with_size(self, named: dict[str, Any]) -> dict[str, Any]:
        """Return an object, in which a file that is a copy now has the copy's size."""
        old = self.old.get(str(named.get("sha256")))
        return named | {"bytes": self._copies[old].bytes} if old and "bytes" in named else named

    def content(self, name: str, content: bytes) -> bytes:
        """Return a text member."""
        if not self._copies:
            return content
        text = self._text(content.decode())
        if name.endswith(".json"):
            text = json.dumps(json.loads(text, object_hook=self._with_size))
        return text.encode()

    def _text(self, text: str) -> str:
        def new(match: re.Match[str]) -> str:
            found = match[0]
            old, copied = self._by_beginning.get(found[:12], ("", ""))
            return copied[: len(found)] if old.startswith(found) else found

        return _SHA256.sub(new, text)


def _redacted(
    members: dict[str, list[Row]], redaction: Redaction
) -> tuple[dict[str, list[Row]], list[int]]:
    """Return the redacted rows, and the numbers of the releases that are left out."""
    releases = members.get("work/releases", [])
    if redaction.kinds:
        members = {name: [_without_picture(row) for row in rows] for name, rows in members.items()}
    columns = frozenset(column for rows in members.values() for row in rows for column in row)
    done = redaction.change(members, columns | members.keys())
    verbatim = {
        row["id"]
        for row, after in zip(releases, done.get("work/releases", []), strict=True)
        if row["document"] == after["document"] and not redaction.kinds
    }
    for name, key in (("work/releases", "id"), ("work/release_approvals", "release_id")):
        if redaction.kinds:
            done.pop(name, None)
        elif name in done:
            kept = zip(members[name], done[name], strict=True)
            done[name] = [_signed(row, after) for row, after in kept if after[key] in verbatim]
    return done, [row["number"] for row in releases if row["id"] not in verbatim]


def _signed(row: Row, after: Row) -> Row:
    """Return a row without its signature where redaction changed what was signed."""
    if all(after.get(name) == row.get(name) for name in ("by_name", "statement")):
        return after
    return after | dict.fromkeys(("statement", "signature", "signed_by"))


def _without_picture(row: Row) -> Row:
    return {**row, "picture": None} if row.get("picture") else row


def collect_work(unit: Unit, incident_id: str) -> dict[str, Any]:
    """Return people's work in an incident, as far as a report shows it, for a release.

    ``people`` and ``rows`` (table to rows), like the members of a bundle.
    """
    work = [(name, rows) for name, rows in export_rows(unit, incident_id) if name not in UNREPORTED]
    for name, rows in work:
        if name == "pins":
            for row in rows:
                row["picture"] = None  # large, and no report draws it
    return {"people": named_people(unit, work), "rows": dict(work)}


def write_work(work: str, artifacts: zipfile.ZipFile, to: Path) -> list[str]:
    """Write a release's work as a bundle, with the bytes from the bundle that contains the release.

    Returns: the artifacts that the report was made from and whose bytes are missing; with one of
    them nothing is written.
    """
    content = json.loads(work)
    rows = content["rows"]
    shas = sorted({row["sha256"] for row in rows["artifacts"]})
    gone = sorted(set(shas) - {name.removeprefix("artifacts/") for name in artifacts.namelist()})
    if gone:
        return gone
    (incident,) = rows["incidents"]
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "incident": {"id": incident["id"], "title": incident["title"]},
    }
    with zipfile.ZipFile(to, "w", allowZip64=True) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        archive.writestr("people.jsonl", _lines(content["people"]))
        for name, values in rows.items():
            archive.writestr(f"work/{name}.jsonl", _lines(values))
        for sha256 in shas:
            member = f"artifacts/{sha256}"
            with artifacts.open(member) as source, archive.open(member, "w") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)
    return []


def read_bundle(
    database: Database,
    blobs: BlobStore,
    source: IO[bytes],
    by: Actor,
    limits: Limits,
    own_key: str,
    check_row: CheckRow,
) -> Incident:
    """Import a bundle as a new incident; workers parse its artifacts.

    The bytes are stored first, then everything else appears in one transaction. People are matched
    by their address when an admin imports; otherwise, and where nobody has the address, an account
    that cannot sign in carries the name, so that no user is credited with another person's words.
    A signed bundle that was changed is refused; the audit trail says who signed it.

    own_key: the public key of this installation.
    check_row: returns the field of a row that the API would refuse, and why.

    Raises:
        Refused: it is no bundle, a newer one, or damaged; the sentence says where.
    """
    try:
        with zipfile.ZipFile(source) as archive:
            return _read(database, blobs, archive, by, limits, own_key, check_row)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise Refused(f"This is no bundle, or a damaged one: {error}.") from error
    except (Overtaken, IntegrityError, DataError) as error:
        reason = str(error.__cause__).splitlines()[0]
        raise Refused(f"The bundle's rows do not fit together: {reason}.") from error


def _read(
    database: Database,
    blobs: BlobStore,
    archive: zipfile.ZipFile,
    by: Actor,
    limits: Limits,
    own_key: str,
    check_row: CheckRow,
) -> Incident:
    manifest = _manifest(archive)
    total = sum(member.file_size for member in archive.infolist())
    if total > limits.total_bytes:
        raise TooLarge(
            f"The bundle unpacks to {grouped(total)} bytes, and at most "
            f"{grouped(limits.total_bytes)} are taken (PILEUP_MAX_EXPANDED_BYTES)."
        )
    blobs.check_space(total)
    signed_by = _signed_by(archive, own_key)
    work = {table.name: _rows(archive, f"work/{table.name}.jsonl") for table in tables()}
    people = _rows(archive, "people.jsonl")
    mappings = _mappings(_rows(archive, "mappings.jsonl"), work["artifacts"])
    old_id = _only(work["incidents"], manifest)
    check_rows(work, check_row)
    _check_releases(work.get("releases", ()), work.get("release_approvals", ()))
    _store_artifacts(archive, blobs, work["artifacts"], limits)
    with database.unit() as unit:
        hold_blobs(unit, blobs, {str(row["sha256"]) for row in work["artifacts"]})
        arrival = Arrival(unit, _people(unit, people, by), by.name)
        for name, rows in work.items():
            arrival.assign_ids(name, rows)
        for name, rows in work.items():
            arrival.insert(name, rows)
        incident_id = arrival.new_id_for(old_id)
        Mappings(unit).import_rows(by, mappings, incident_id)
        raise_counters(unit.session, incident_id)
        if by.id and work["incidents"][0].get("visibility") == "private":
            Members(unit).add(by, incident_id, "lead", user_id=by.id)
        for artifact in arrival.artifacts:
            Jobs(unit).enqueue("artifact", artifact, incident_id, requester=by.id)
        record(
            unit,
            by,
            "incident.imported",
            incident_id=incident_id,
            target=incident_id,
            made_at=str(manifest.get("made_at"))[:40],
            made_by=str(manifest.get("made_by"))[:80],
            signed_by=signed_by,
        )
        return Incidents(unit).get(incident_id)


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        with archive.open("manifest.json") as stream:
            manifest = json.loads(stream.read(_MOST_MANIFEST))
    except (KeyError, ValueError) as error:
        raise Refused(
            f"This is no bundle of Pileup: its manifest.json is missing or damaged ({error})."
        ) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise Refused("This is no bundle of Pileup: its manifest.json names another format.")
    if "redacted" in manifest:
        raise Refused(
            "This bundle was redacted, for reading only: it has no artifacts. Import one that was "
            "exported without redaction."
        )
    if manifest.get("version") != VERSION:
        raise Refused(
            f"The bundle is of version {manifest.get('version')!r} and this Pileup reads "
            f"{VERSION}: update Pileup, or export it again there."
        )
    return manifest


def _rows(archive: zipfile.ZipFile, name: str) -> list[Row]:
    try:
        member = archive.getinfo(name)
    except KeyError:
        return []  # a table newer than the bundle
    if member.file_size > _MOST_TABLE:
        raise TooLarge(f"{name} of the bundle has {grouped(member.file_size)} bytes.")
    rows: list[Row] = []
    with archive.open(member) as stream:
        for number in range(1, 10**9):
            line = stream.readline(_MOST_LINE)
            if not line:
                break
            try:
                row = json.loads(line)
            except ValueError as error:
                raise Refused(f"{name} line {number} of the bundle is damaged: {error}.") from None
            if not isinstance(row, dict):
                raise Refused(f"{name} line {number} of the bundle is not a row.")
            rows.append(row)
    return rows


def _store_artifacts(
    archive: zipfile.ZipFile, blobs: BlobStore, rows: list[Row], limits: Limits
) -> None:
    names = set(archive.namelist())
    for sha256 in sorted({str(row.get("sha256")) for row in rows}):
        if f"artifacts/{sha256}" not in names:
            raise Refused(f"The bundle has no bytes for the artifact {sha256[:80]!r}.")
        with archive.open(f"artifacts/{sha256}") as stream:
            blob = blobs.store(cast("Any", stream), limits.artifact_bytes)
        if blob.sha256 != sha256:
            raise Refused(
                f"The artifact {sha256} of the bundle was changed: its bytes have the hash "
                f"{blob.sha256}."
            )
        for row in rows:
            if row.get("sha256") == sha256 and row.get("bytes") != blob.bytes:
                raise Refused(
                    f"The artifact {sha256} of the bundle has another length than its row says."
                )


def _check_releases(releases: Iterable[Row], approvals: Iterable[Row]) -> None:
    """Compute the hash of each frozen document again, and compare it with what was approved."""
    hashes: dict[Any, str] = {}
    for row in releases:
        name = f"Release {row.get('number')} of the bundle"
        document = row.get("document")
        if not isinstance(document, str):
            raise Refused(f"{name} has no document.")
        sha256 = hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest()
        if sha256 != row.get("sha256"):
            raise Refused(f"{name} was changed: its document has the hash {sha256}.")
        try:
            content = json.loads(document)
        except ValueError as error:
            raise Refused(f"{name} has a damaged document: {error}.") from None
        missing = _DOCUMENT - content.keys() if isinstance(content, dict) else _DOCUMENT
        if missing:
            raise Refused(f"{name} has no report as its document: {min(missing)} is missing.")
        _check_release_signature(name, row, sha256)
        hashes[row.get("id")] = sha256
    for row in approvals:
        if row.get("sha256") != hashes.get(row.get("release_id")):
            raise Refused("An approval of the bundle names another document than its release has.")
        if signature_state(row, str(row["sha256"])) == "changed":
            raise Refused("An approval of the bundle was changed: its signature is of another one.")


def _check_release_signature(name: str, row: Row, sha256: str) -> None:
    value, key = row.get("signature"), row.get("signed_by")
    if value is None and key is None:
        return
    signature = Signature(str(key), str(value))
    if verify(signature, "release", sha256.encode()) != "ok":
        raise Refused(f"{name} was changed: its signature is of another document.")


def _signed_by(archive: zipfile.ZipFile, own_key: str) -> str:
    """Return who signed the bundle, for the audit trail; raises Refused for a changed one."""
    state, problem = check_signature(archive, artifacts=False)
    if state == "changed":
        raise Refused(f"The bundle was changed after it was signed: {problem}.")
    signature = read_signature(archive)
    if signature is None:
        return "nobody"
    return "this installation" if signature.key == own_key else signature.fingerprint


def _mappings(rows: list[Row], artifacts: list[Row]) -> list[Row]:
    """Check the column mappings of a bundle: they are for its own artifacts only."""
    files = {csv_mapping.mapping_key(None, str(row.get("sha256"))) for row in artifacts}
    for number, row in enumerate(rows, start=1):
        where = f"mappings.jsonl line {number} of the bundle"
        try:
            mapping = msgspec.convert(row.get("mapping"), csv_mapping.Mapping)
        except msgspec.ValidationError as error:
            raise Refused(f"{where} is no mapping of columns: {error}.") from None
        if problems := csv_mapping.find_problems(mapping):
            raise Refused(f"{where} is no mapping of columns: {problems[0][1]}.")
        keys = files if mapping.header is None else {csv_mapping.mapping_key(mapping.header, "")}
        if row.get("key") not in keys or row.get("header") != mapping.header:
            raise Refused(f"{where} does not fit the columns of its key.")
    return rows


def _people(unit: Unit, people: list[Row], by: Actor) -> dict[str, str | None]:
    """Return the id here for each person's id in the bundle."""
    importer = unit.session.get(models.User, by.id) if by.id else None
    trusted = by.id is None or (importer is not None and importer.role == "admin")
    here: dict[str, str | None] = {}
    for person in people:
        old, name, email = person.get("id"), person.get("name"), person.get("email")
        if not isinstance(old, str) or not isinstance(name, str) or not name.strip():
            raise Refused("people.jsonl of the bundle has a person without id or name.")
        user_id = None
        if trusted and isinstance(email, str):
            user_id = unit.session.scalar(select(models.User.id).where(models.User.email == email))
        here[old] = user_id or _name_only_account(unit, clean(name)[:200])
    return here


def _name_only_account(unit: Unit, name: str) -> str:
    """Create an account that only carries a name, and return its id."""
    known = unit.session.scalar(
        select(models.User.id).where(
            models.User.name == name,
            models.User.email.is_(None),
            models.User.password_hash.is_(None),
            models.User.disabled,
        )
    )
    if known is not None:
        return known
    row = models.User(name=name, email=None, role="viewer", password_hash=None, disabled=True)
    unit.session.add(row)
    unit.session.flush()
    return row.id


def _only(rows: list[Row], manifest: dict[str, Any]) -> str:
    incident = manifest.get("incident")
    if len(rows) != 1 or not isinstance(incident, dict) or rows[0].get("id") != incident.get("id"):
        raise Refused("A bundle holds exactly one incident, the one that its manifest names.")
    return str(rows[0]["id"])


def _lines(rows: list[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
