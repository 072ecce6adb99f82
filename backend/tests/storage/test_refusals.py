"""What the repositories refuse: the error, which decides the HTTP status, and its sentence."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pytest
from sqlalchemy import event
from sqlalchemy.orm import ORMExecuteState

from pileup.storage import models
from pileup.storage.accounts import guest_links, identities, list_views
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.guest_links import GuestLinks
from pileup.storage.accounts.identities import Identities
from pileup.storage.accounts.list_views import ListViews
from pileup.storage.accounts.passwords import check_password
from pileup.storage.accounts.second_factors import SecondFactors
from pileup.storage.accounts.teams import Teams
from pileup.storage.artifacts.artifacts import Artifacts, Reading
from pileup.storage.artifacts.uploads import Uploads
from pileup.storage.audit import MACHINE, Actor
from pileup.storage.database import Database, Unit, with_driver
from pileup.storage.encryption import Keys
from pileup.storage.errors import (
    Conflict,
    Damaged,
    InUse,
    NoSpace,
    NotFound,
    Refused,
    StaleRevision,
    StorageError,
    TooLarge,
)
from pileup.storage.files.blobs import Blob, BlobStore
from pileup.storage.files.objects import FolderObjects, disk_words
from pileup.storage.files.upload_bytes import FolderUploads
from pileup.storage.incidents.annotations import Annotations
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.incidents.members import Members
from pileup.storage.incidents.stall_corrections import StallCorrections, StallTimes
from pileup.storage.incidents.webhooks import Webhooks
from pileup.storage.lifecycle import bundle, bundle_rows
from pileup.storage.lifecycle.bin import Bin
from pileup.storage.lifecycle.bundle import Limits, read_bundle
from pileup.storage.lifecycle.retention import Retention
from pileup.storage.lifecycle.samples import read_sample
from pileup.storage.reasoning import measurements, symptoms
from pileup.storage.reasoning.comments import Comments
from pileup.storage.reasoning.experiments import Experiments
from pileup.storage.reasoning.hypotheses import Hypotheses
from pileup.storage.reasoning.measurements import NewMeasurement
from pileup.storage.reasoning.pins import Pins
from pileup.storage.reasoning.ratings import Ratings
from pileup.storage.reasoning.symptoms import Symptoms
from pileup.storage.reports.releases import Releases
from pileup.storage.signing import new_signer
from pileup.storage.texts import crdt
from pileup.storage.texts.live_texts import Texts

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
SHA = "ab" * 32


class IsRefused(Protocol):
    def __call__(self, kind: type[Exception], words: str) -> AbstractContextManager[None]: ...


@pytest.fixture
def unit(postgres_url: str, tmp_path: Path) -> Iterator[Unit]:
    database = Database(postgres_url, keys=Keys(None, tmp_path / "secret.key"))
    with database.unit() as unit:
        yield unit
    database.close()


@pytest.fixture
def refused(unit: Unit) -> IsRefused:
    """Return a context whose content raises this error with these words; its rows are undone."""

    @contextmanager
    def refused(kind: type[Exception], words: str) -> Iterator[None]:
        point = unit.session.begin_nested()
        with pytest.raises(kind, match=re.escape(words)) as raised:
            yield
        assert raised.type is kind
        point.rollback()

    return refused


@pytest.fixture
def case(unit: Unit) -> str:
    return _added(unit, models.Incident(title="stall"))


def _added(unit: Unit, row: Any) -> str:
    unit.session.add(row)
    unit.session.flush()
    return str(row.id)


def test_accounts(unit: Unit, ann: Actor, refused: IsRefused) -> None:
    user = str(ann.id)
    link = Accounts(unit).create_link(HOUR, user)
    row = unit.session.get(models.User, user)
    assert row is not None
    row.disabled = True
    with refused(Refused, "the account of ann is disabled"):
        Accounts(unit).redeem_link(link, None, None, None)
    with refused(Refused, "a password has at most 1000 characters"):
        check_password("violet stapler " * 70)
    with refused(Conflict, "the password was changed at the same moment"):
        Accounts(unit).change_profile(
            user, name=None, password_hash="new", known_hash="another", session=None
        )
    with refused(Conflict, "there is no second factor to confirm: begin again"):
        SecondFactors(unit).confirm(user, "123456")
    teams = Teams(unit)
    team = teams.create("storage").id
    for name in (" ", "x" * 101):
        with refused(Refused, "the name of a team has 1 to 100 characters"):
            teams.create(name)
    assert teams.create("x" * 100).name == "x" * 100
    with refused(NotFound, "there is no such user"):
        teams.set_member(team, "none", lead=False)
    with refused(NotFound, "this user is no member of the team"):
        teams.remove_member(team, user)
    with refused(NotFound, "there is no such team"):
        teams.delete("none")


def test_more_of_an_account_than_is_kept(
    unit: Unit, ann: Actor, refused: IsRefused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_views, "MOST", 2)
    views = ListViews(unit, str(ann.id))
    for name in ("a", "b", "b"):
        views.keep(name, "status=open")
    with refused(Refused, "You have 2 saved views; delete one first."):
        views.keep("c", "status=open")
    monkeypatch.setattr(identities, "_MOST_OF_CLIENT", 1)
    monkeypatch.setattr(identities, "_MOST", 2)
    attempts = Identities(unit)
    attempts.begin("10.0.0.1", "/")
    with refused(Conflict, "too many sign-ins are under way"):
        attempts.begin("10.0.0.1", "/")
    attempts.begin("10.0.0.2", "/")
    with refused(Conflict, "too many sign-ins are under way"):
        attempts.begin("10.0.0.3", "/")


def test_guest_links(
    unit: Unit, ann: Actor, case: str, refused: IsRefused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guest_links, "_MOST", 1)
    links, soon = GuestLinks(unit), datetime.now(UTC) + HOUR
    for name in ("", "x" * 201):
        with refused(Refused, "name whom the link is for, in 1 to 200 characters"):
            links.create(ann, case, name, soon)
    made, _ = links.create(ann, case, "x" * 200, soon)
    with refused(Refused, "the incident has 1 guest links already: revoke some"):
        links.create(ann, case, "vendor", soon)
    links.revoke(case, made.id)
    with refused(NotFound, "the incident has no such guest link"):
        links.revoke(case, made.id)


def test_incidents(unit: Unit, ann: Actor, case: str, refused: IsRefused) -> None:
    incidents, retention = Incidents(unit), Retention(unit)
    with refused(NotFound, "there is no such incident"):
        incidents.delete(ann, "none")
    with refused(Refused, "service has at most 300 characters"):
        incidents.create(ann, "stall", service="x" * 301)
    assert incidents.create(ann, "stall", service="x" * 300).service == "x" * 300
    with refused(Conflict, "this incident is under no legal hold"):
        retention.release(case, by=ann)
    with refused(NotFound, "there is no such incident"):
        retention.hold("none", "audit", by=ann)
    for reason in (" ", "x" * 501):
        with refused(Refused, "a reason has 1 to 500 characters"):
            retention.hold(case, reason, by=ann)
    retention.hold(case, "audit", by=ann)
    with refused(Conflict, "this incident is under a legal hold (audit); admins release it"):
        incidents.delete(ann, case)
    with refused(NotFound, "there is no such team"):
        retention.set_days("none", 30, by=ann)
    team = Teams(unit).create("storage").id
    with refused(Refused, "a retention has 1 to "):
        retention.set_days(team, 0, by=ann)
    members = Members(unit)
    with refused(NotFound, "there is no such incident"):
        members.access("none")
    for who in ({}, {"user_id": "none"}, {"user_id": ann.id, "team_id": team}):
        with refused(Refused, "name one user or one team that exists"):
            members.add(ann, case, "viewer", **who)
    with refused(NotFound, "This incident is not in the bin."):
        Bin(unit).restore_incident(case, by=ann)


def test_notes_times_and_webhooks(unit: Unit, ann: Actor, case: str, refused: IsRefused) -> None:
    notes = Annotations(unit)
    for end in (NOON, NOON - HOUR):
        with refused(Refused, "The range ends before it begins."):
            notes.create(case, NOON, end, "failover", by=ann)
    note = notes.create(case, NOON, None, "failover", by=ann)
    with refused(StaleRevision, "Somebody changed this note meanwhile."):
        notes.edit(note.id, {"text": "x"}, revision=note.revision + 1, by=ann)
    ends = "The stall ends before it begins."
    for what, times in (
        (ends, StallTimes(NOON, NOON, None, None)),
        (ends, StallTimes(NOON, NOON - HOUR, None, None)),
        ("The baseline ends before it begins.", StallTimes(NOON, None, NOON - HOUR, NOON - HOUR)),
        ("The baseline ends before it begins.", StallTimes(None, None, NOON, NOON - HOUR)),
        ("A baseline needs both its start and its end.", StallTimes(NOON, None, NOON, None)),
        ("A baseline needs both its start and its end.", StallTimes(NOON, None, None, NOON)),
        ("The baseline reaches into the stall", StallTimes(NOON, None, NOON - HOUR, NOON + SECOND)),
    ):
        with refused(Refused, what):
            StallCorrections(unit).put(case, None, NOON, times, revision=0, by=ann)
    for times in (
        StallTimes(NOON, NOON + SECOND, NOON - HOUR, NOON),
        StallTimes(None, NOON, NOON - HOUR, NOON + HOUR),
    ):
        kept = StallCorrections(unit).put(case, None, NOON, times, revision=0, by=ann)
        assert StallCorrections(unit).reset(kept.id, by=ann) == case
    hooks = Webhooks(unit)
    hook, _ = hooks.create("https://example.org/in", ["report.approved"], by=ann)
    with refused(NotFound, "There is no such webhook."):
        hooks.delete("none", by=ann)
    with refused(NotFound, "There is no such delivery of this webhook."):
        hooks.redeliver(hook.id, "none", by=ann)


NOT_RECOGNISED = Reading(
    *("unknown_format", None, None, None, None, None, (), {}),
    *(None, None, None, [], [], ()),
)


def test_artifacts(unit: Unit, ann: Actor, case: str, refused: IsRefused) -> None:
    artifacts = Artifacts(unit)
    with refused(NotFound, "there is no such artifact, or it was deleted"):
        artifacts.store_expansion("none", "zip", "", [])
    with refused(NotFound, "there is no such artifact, or it was deleted"):
        artifacts.store_reading("none", NOT_RECOGNISED)
    with refused(NotFound, "there is no such upload; it was cancelled, or never begun"):
        Uploads(unit).remove("none")

    def file() -> str:
        return _added(unit, models.Artifact(incident_id=case, path="dump.txt", sha256=SHA, bytes=1))

    first = file()
    with refused(Refused, "state cannot be set"):
        artifacts.change(ann, first, {"state": "parsed"})
    artifacts.delete(ann, first)
    file()
    with refused(Conflict, "The same file was uploaded again meanwhile: it is already there."):
        Bin(unit).restore(case, "artifact", first, by=ann)


def test_pins_ratings_and_comments(unit: Unit, ann: Actor, case: str, refused: IsRefused) -> None:
    pin = partial(Pins(unit).create, kind="lines", title="x", view="/", excerpt="", by=ann)
    mine = pin(case, locator={"artifact": SHA, "line_first": 1, "line_last": 2})
    other = pin(_added(unit, models.Incident(title="other")), locator={"artifact": SHA})
    with refused(NotFound, "There is no such pin; it may have been withdrawn."):
        Pins(unit).get("none")
    with refused(NotFound, "There is no such pin."):
        Pins(unit).restore("none", by=ann)
    rate = partial(Ratings(unit).rate, case, mine.id)
    with refused(NotFound, "There is no such hypothesis in this incident."):
        rate("none", "consistent", by=ann)
    hypothesis = Hypotheses(unit).create(
        case, statement="a", falsifier="b", confidence=None, finding_id=None, by=ann
    )
    with refused(Refused, "Only people can rate."):
        rate(hypothesis.id, "consistent", by=MACHINE)
    with refused(NotFound, "There is no such evidence on this hypothesis."):
        Hypotheses(unit).remove_evidence(hypothesis.id, "none", by=ann)
    with refused(Refused, "A comment needs text."):
        Comments(unit).create(case, f"hypothesis:{hypothesis.id}", " \n", by=ann)
    run = Experiments(unit).create(case, {"title": "smaller pool", "prediction": {}}, by=ann)
    with refused(Refused, "That pin belongs to another incident."):
        Experiments(unit).attach_pin(run.id, other.id, by=ann)


def test_experiments(
    unit: Unit, ann: Actor, case: str, refused: IsRefused, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Experiments(unit)
    with refused(Refused, "That hypothesis is not part of this incident."):
        runs.create(case, {"title": "a", "hypothesis_id": "none"}, by=ann)
    metric: dict[str, Any] = {"metric": "threads_running"}
    half = metric | {"op": "falls", "falsifier_op": ">"}
    for prediction, words in (
        (metric, "The prediction about threads_running is incomplete"),
        (metric | {"op": "<"}, "The prediction about threads_running is incomplete"),
        (half, "What falsifies the prediction needs a sign and a value."),
    ):
        run = runs.create(case, {"title": "a", "prediction": prediction}, by=ann)
        with refused(Refused, words):
            runs.start(run.id, by=ann)
    run = runs.create(case, {"title": "a", "prediction": metric | {"op": "falls"}}, by=ann)
    runs.start(run.id, by=ann)
    with refused(Conflict, "This experiment is already started."):
        runs.start(run.id, by=ann)
    with refused(NotFound, "There is no such measurement in this run."):
        runs.remove_measurement(run.id, "none", by=ann)
    monkeypatch.setattr(measurements, "MOST", 2)
    add = partial(measurements.add_measurements, unit.session, run.id, source="typed", by=ann)
    for value in (float("nan"), float("inf")):
        with refused(Refused, "tps is no number: leave it out instead."):
            add(values=[NewMeasurement("tps", value)])
    add(values=[NewMeasurement("tps", 1.0)] * 2)
    with refused(Refused, "A run has at most 2 measurements."):
        add(values=[NewMeasurement("tps", 1.0)])


def test_symptoms(
    unit: Unit, ann: Actor, case: str, refused: IsRefused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symptoms, "MOST", 1)
    made = Symptoms(unit).create(case, {"kind": "prose", "text": "checkout fails"}, by=ann)
    with refused(Refused, "An incident has at most 1 symptoms that people wrote."):
        Symptoms(unit).create(case, {"kind": "prose", "text": "cart fails"}, by=ann)
    with refused(NotFound, "There is no such experiment in the incident of this symptom."):
        Symptoms(unit).answer(made.id, "none", True, "", by=ann)


def test_releases(unit: Unit, ann: Actor, case: str, refused: IsRefused) -> None:
    releases = Releases(unit)
    document = {"document": "{}", "sha256": SHA, "work": "", "note": ""}
    submit = partial(releases.submit, case, **document, signer=new_signer(), by=ann)
    with refused(Conflict, "Somebody sent a release to review at the same moment. Try again."):
        submit(2)
    made = submit(1)
    releases.withdraw(made.id, "too early", by=ann)
    with refused(Conflict, "Release 1 is withdrawn; only one in review is withdrawn."):
        releases.withdraw(made.id, "again", by=ann)


def test_texts(unit: Unit, case: str, refused: IsRefused, monkeypatch: pytest.MonkeyPatch) -> None:
    with refused(NotFound, "note"):
        Texts(unit).state(case, "note")
    document = crdt.opened(crdt.seeded("a"), [])
    monkeypatch.setattr(crdt, "MAX_STATE", 10)
    with refused(TooLarge, "This text was edited so much that it takes no more"):
        crdt.rewrite(document, "b")

    class PanicException(BaseException):
        pass

    def panic(*_: object) -> None:
        raise PanicException

    monkeypatch.setattr(crdt.Doc, "apply_update", panic)
    with refused(Refused, "The update is damaged."):
        crdt.take_in(document, b"odd bytes")


def test_folders_and_addresses(tmp_path: Path, refused: IsRefused) -> None:
    with refused(Refused, f"{tmp_path} has no folder `artifacts`"):
        read_sample(tmp_path)
    (tmp_path / "sample.yaml").write_text("- a list\n")
    with refused(Refused, "is not a mapping of title, description"):
        read_sample(tmp_path)
    with refused(StorageError, "the database address begins with 'mysql'; PostgreSQL is the only"):
        with_driver("mysql://root@localhost/x")


def test_files(tmp_path: Path, refused: IsRefused) -> None:
    blobs = BlobStore(tmp_path / "blobs")
    stored = blobs.store(io.BytesIO(b"evidence"), 100).sha256
    blobs.path(stored).write_bytes(b"evidencf")
    with refused(Damaged, f"the stored bytes of {stored[:12]} in {blobs.place} are damaged"):
        blobs.path(stored)
    uploads = FolderUploads(tmp_path / "uploads")
    with (
        refused(NotFound, "the bytes of this upload are gone; start it again"),
        uploads.append("none"),
    ):
        pass
    uploads.create("one")
    uploads.remove("one")
    with refused(NotFound, "the bytes of this upload are gone; start it again"):
        uploads.keep("one", blobs)
    with refused(NotFound, f"none is not in {tmp_path}"):
        next(FolderObjects(tmp_path).chunks("none"))
    for number in (errno.ENOSPC, errno.EDQUOT):
        with refused(NoSpace, f"the disk that holds {tmp_path} is full"), disk_words(tmp_path):
            raise OSError(number, "")
    with refused(PermissionError, "Errno 13"), disk_words(tmp_path):
        raise OSError(errno.EACCES, "")


def test_an_upload_has_one_writer(tmp_path: Path, refused: IsRefused) -> None:
    uploads = FolderUploads(tmp_path)
    uploads.create("one")
    with (
        uploads.append("one") as first,
        refused(InUse, "another request is appending to this upload"),
        uploads.append("one"),
    ):
        pass
    assert first.offset == 0
    with uploads.append("one"):  # the lock ends with the request
        pass


def test_an_artifact_deleted_while_it_is_sent_again(
    postgres_url: str, unit: Unit, ann: Actor, case: str, refused: IsRefused
) -> None:
    """Between finding that the folder has these bytes, and locking the artifact that has them."""
    blob = Blob(SHA, 1)
    there, _ = Artifacts(unit).add(case, "dump.txt", blob, ann)
    unit.session.commit()
    database = Database(postgres_url)
    with database.unit() as other:

        def delete_first(statement: ORMExecuteState) -> None:
            if "FOR UPDATE" in str(statement.statement) and there.id not in deleted:
                deleted.append(there.id)
                Artifacts(other).delete(ann, there.id)
                other.session.commit()

        deleted: list[str] = []
        event.listen(unit.session, "do_orm_execute", delete_first)
        with refused(NotFound, "the artifact was deleted this moment; send it again"):
            Artifacts(unit).add(case, "dump.txt", blob, ann)
    database.close()


def _bundle(**members: Any) -> io.BytesIO:
    """Make a bundle: rows by member name with _ for /, or the bytes of a member."""
    made = io.BytesIO()
    incident = {"id": "i", "title": "stall"}
    given = {
        "manifest.json": {"format": "pileup-bundle", "version": 1, "incident": incident},
        "work/incidents.jsonl": [incident],
    } | {
        name.replace("_jsonl", ".jsonl").replace("work_", "work/"): v for name, v in members.items()
    }
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in given.items():
            if isinstance(content, dict):
                content = json.dumps(content)
            elif isinstance(content, list):
                content = "".join(f"{json.dumps(row)}\n" for row in content)
            archive.writestr(name, content)
    return made


def _release(**more: Any) -> list[dict[str, Any]]:
    document = more.get("document", "{}")
    sha256 = hashlib.sha256(str(document).encode()).hexdigest()
    return [{"id": "r", "number": 3, "document": document, "sha256": sha256} | more]


def _artifact(sha256: str, size: int) -> list[dict[str, Any]]:
    return [{"id": "f", "sha256": sha256, "bytes": size, "depth": 0}]


def _mapping(role: str) -> list[dict[str, Any]]:
    columns = [{"role": role, "name": "x"}]
    return [{"mapping": {"delimiter": ",", "columns": columns}, "key": "k"}]


BUNDLES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"manifest.json": {"format": "zip"}}, Refused, "its manifest.json names another format"),
    ({"people_jsonl": b"[1]\n"}, Refused, "people.jsonl line 1 of the bundle is not a row"),
    ({"people_jsonl": [{"id": "p"}]}, Refused, "has a person without id or name"),
    (
        {"work_artifacts_jsonl": _artifact(SHA, 1), f"artifacts/{SHA}": b"x"},
        Refused,
        f"The artifact {SHA} of the bundle was changed: its bytes have the hash",
    ),
    (
        {
            "work_artifacts_jsonl": _artifact(hashlib.sha256(b"x").hexdigest(), 2),
            f"artifacts/{hashlib.sha256(b'x').hexdigest()}": b"x",
        },
        Refused,
        "of the bundle has another length than its row says",
    ),
    (
        {"work_releases_jsonl": [{"id": "r", "number": 3}]},
        Refused,
        "Release 3 of the bundle has no",
    ),
    (
        {"work_releases_jsonl": _release(document="{")},
        Refused,
        "Release 3 of the bundle has a damaged document",
    ),
    (
        {"mappings_jsonl": _mapping("time")},
        Refused,
        "mappings.jsonl line 1 of the bundle is no mapping of columns: say which columns hold",
    ),
    ({"work_pins_jsonl": [{"title": "x"}]}, Refused, "pins.id of the bundle is None, and not"),
    ({"work_pins_jsonl": [{"id": "a"}] * 4}, Refused, "more than 3 rows of pins"),
    ({"people_jsonl": b"x" * 501}, TooLarge, "people.jsonl of the bundle has 501 bytes"),
]


def test_bundles(
    postgres_url: str, tmp_path: Path, refused: IsRefused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "_MOST_TABLE", 500)
    monkeypatch.setattr(bundle_rows, "_MOST_ROWS", 3)
    database, blobs = Database(postgres_url), BlobStore(tmp_path / "blobs")
    limits = Limits(1 << 20, 1 << 20)
    for members, kind, words in BUNDLES:
        with refused(kind, words):
            read_bundle(
                database, blobs, _bundle(**members), MACHINE, limits, "", lambda _table, _row: None
            )
    with database.unit() as unit:
        assert Incidents(unit).ids() == []
    database.close()
