"""Every lock of the source has a test that fails without it.

While another transaction holds the row, an operation that locks it must wait in the very SELECT
that reads it (later, in its UPDATE, it would already have decided by an old row), or must pass it
over where it says SKIP LOCKED. A lock that is not in the table fails the first test.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from psycopg.errors import LockNotAvailable
from sqlalchemy import event, inspect, select, text, update
from sqlalchemy.engine import Engine, ExceptionContext
from sqlalchemy.exc import OperationalError

from pileup.storage import audit, encryption, migrate, models
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.guesses import Guesses
from pileup.storage.accounts.second_factors import SecondFactors
from pileup.storage.accounts.sessions import Sessions
from pileup.storage.accounts.teams import Teams
from pileup.storage.advisory_locks import AdvisoryLock, lock, lock_shared
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.artifacts.blob_holds import hold_blobs, lock_out_holders
from pileup.storage.audit import Actor
from pileup.storage.database import Database, Unit
from pileup.storage.encryption import Keys
from pileup.storage.errors import Contended
from pileup.storage.files.blobs import Blob
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.incidents.webhooks import Webhooks
from pileup.storage.lifecycle.bin import Bin
from pileup.storage.lifecycle.retention import Retention
from pileup.storage.queue.jobs import Jobs
from pileup.storage.queue.turns import Quota
from pileup.storage.queue.workers import Workers
from pileup.storage.reasoning.hypotheses import Hypotheses
from pileup.storage.reasoning.pins import Pins
from pileup.storage.reasoning.ratings import Ratings
from pileup.storage.reasoning.symptoms import Symptoms
from pileup.storage.reports.actions import Actions
from pileup.storage.reports.redaction import RedactionProfiles
from pileup.storage.reports.releases import Releases
from pileup.storage.signing import new_signer, open_signer, replace_key
from pileup.storage.texts.live_texts import Texts
from tests.support.refusals import SOURCE, tree_of

SHA = "ab" * 32
LEASE = timedelta(minutes=1)
OLD = datetime(2020, 1, 1, tzinfo=UTC)
ELSEWHERE = {
    "runtime/home.py lock flock": "runtime/test_refusals.py::test_a_data_folder",
    "storage/files/upload_bytes.py FolderUploads.append flock": (
        "storage/test_refusals.py::test_an_upload_has_one_writer"
    ),
}
"""Locks of files, and the test of each."""


def locks_of_the_source() -> Iterator[str]:
    """Yield 'path function kind' of every place that locks; the second of a function has a 2."""
    count: Counter[str] = Counter()
    for path in sorted(SOURCE.rglob("*.py")):
        if "migrations" in path.parts or path.name == "advisory_locks.py":
            continue
        if any(word in path.read_text() for word in ("for_update", "dvisory_", "flock", "lock=")):
            for name in _locks_in(tree_of(path), path.relative_to(SOURCE).as_posix(), ""):
                count[name] += 1
                yield name if count[name] == 1 else f"{name} {count[name]}"


def _locks_in(node: ast.AST, path: str, inside: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        name = inside
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            name = f"{inside}.{child.name}" if inside else child.name
        elif isinstance(child, ast.Call) and (kind := _kind(child)):
            yield f"{path} {inside} {kind}"
        yield from _locks_in(child, path, name)


def _kind(call: ast.Call) -> str | None:
    called = ast.unparse(call.func).rpartition(".")[2]
    named = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    if called == "with_for_update":
        return "skips" if "skip_locked" in named else "row"
    if named.get("with_for_update") or (called != "field" and named.get("lock") == "True"):
        return "row"
    if called in ("lock", "lock_shared", "try_lock") and "AdvisoryLock" in ast.unparse(call):
        return called
    if called == "flock" or "advisory" in called:
        return called
    return None


@dataclass
class Scene:
    """One row of everything that is locked, committed."""

    url: str
    ann: Actor
    case: str
    ids: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.ids[name]


Operation = Callable[[Unit, Scene], Any]
Held = tuple[type[models.Base], str] | AdvisoryLock | Operation
"""Row, as model and name of its id in the scene; an advisory lock; or what the other one does."""


def _keys() -> Keys:
    return Keys(None, Path("/nonexistent/secret.key"))


def _seed_late(unit: Unit, scene: Scene) -> None:
    """Seed a text that another transaction has seeded since this one looked."""
    get, first = unit.session.get, iter([lambda *_, **__: None])
    unit.session.get = lambda *key, **how: next(first, get)(*key, **how)  # type: ignore[method-assign]
    Texts(unit)._row(scene.case, "note", "x")


ROWS: dict[str, tuple[Held, Operation]] = {
    "storage/reasoning/pins.py Pins.resolve row": (
        (models.Pin, "pin"),
        lambda u, s: Pins(u).resolve(s["pin"], accept=True, reason="", by=s.ann),
    ),
    "storage/visibility.py find_visible row": (
        (models.Symptom, "symptom"),
        lambda u, s: Symptoms(u).delete(s["symptom"], by=s.ann),
    ),
    "storage/reasoning/symptoms.py Symptoms._row row": (
        (models.Symptom, "symptom"),
        lambda u, s: Symptoms(u).delete(s["symptom"], by=s.ann),
    ),
    "storage/reasoning/pins.py Pins.revalue row": (
        (models.Pin, "pin"),
        lambda u, s: Pins(u).revalue(s.case, {}),
    ),
    "storage/reasoning/reviews.py _users row": (
        (models.Hypothesis, "hypothesis"),
        lambda u, s: Pins(u).withdraw(s["pin"], by=s.ann),
    ),
    **dict.fromkeys(
        (
            "storage/reasoning/ratings.py Ratings.weigh row",
            "storage/reasoning/ratings.py Ratings._pin row",
        ),
        (
            (models.Pin, "pin"),
            lambda u, s: Ratings(u).weigh(
                s.case, s["pin"], credibility="high", relevance="high", revision=0, by=s.ann
            ),
        ),
    ),
    "storage/incidents/webhooks.py Webhooks.redeliver row": (
        (models.WebhookDelivery, "delivery"),
        lambda u, s: Webhooks(u).redeliver(s["webhook"], s["delivery"], by=s.ann),
    ),
    "storage/incidents/webhooks.py Webhooks.record_answer row": (
        (models.WebhookDelivery, "delivery"),
        lambda u, s: Webhooks(u).record_answer(s["delivery"], 200, ""),
    ),
    "storage/incidents/webhooks.py Webhooks._row row": (
        (models.Webhook, "webhook"),
        lambda u, s: Webhooks(u).delete(s["webhook"], by=s.ann),
    ),
    "storage/incidents/incidents.py Incidents.change row": (
        (models.Incident, "case"),
        lambda u, s: Incidents(u).change(s.ann, s.case, 1, {"title": "x"}),
    ),
    "storage/incidents/incidents.py Incidents.delete row": (
        (models.Incident, "case"),
        lambda u, s: Incidents(u).delete(s.ann, s.case),
    ),
    "storage/queue/jobs.py Jobs.request_analysis row": (
        (models.Incident, "case"),
        lambda u, s: Jobs(u).request_analysis(s.case, 0),
    ),
    "storage/queue/jobs.py Jobs.claim row": (
        (models.Job, "queued"),
        lambda u, s: Jobs(u).claim(s["queued"], "me", LEASE, lambda _: False),
    ),
    "storage/queue/jobs.py Jobs._ours row": (
        (models.Job, "running"),
        lambda u, s: Jobs(u).postpone(s["job"], 1),
    ),
    "storage/encryption.py _stored row": (
        (models.Webhook, "webhook"),
        lambda u, s: list(encryption._stored(u.session)),
    ),
    "storage/signing.py replace_key row": (
        (models.SigningKey, "signing_key"),
        lambda u, s: replace_key(u, s.ann),
    ),
    "storage/texts/live_texts.py Texts.lock row": (
        (models.LiveText, "case"),
        lambda u, s: Texts(u).lock(s.case, "note"),
    ),
    "storage/texts/live_texts.py Texts._row row": (
        (models.LiveText, "case"),
        lambda u, s: Texts(u)._row(s.case, "note"),
    ),
    "storage/texts/live_texts.py Texts._row row 2": ((models.LiveText, "case"), _seed_late),
    "storage/reports/actions.py Actions._row row": (
        (models.ActionItem, "action"),
        lambda u, s: Actions(u).delete(s["action"], by=s.ann),
    ),
    "storage/reports/releases.py Releases.choose_template row": (
        (models.ReportChoice, "case"),
        lambda u, s: Releases(u).choose_template(s.case, "x", revision=0, by=s.ann),
    ),
    "storage/reports/releases.py Releases._row row": (
        (models.Release, "release"),
        lambda u, s: Releases(u).withdraw(s["release"], "x", by=s.ann),
    ),
    "storage/reports/redaction.py RedactionProfiles.save row": (
        (models.RedactionProfile, "vendor"),
        lambda u, s: RedactionProfiles(u).save("vendor", [], by=s.ann),
    ),
    "storage/accounts/second_factors.py SecondFactors.confirm row": (
        (models.SecondFactor, "ann"),
        lambda u, s: SecondFactors(u).confirm(s["ann"], "123456"),
    ),
    "storage/accounts/second_factors.py SecondFactors.accepts row": (
        (models.SecondFactor, "ann"),
        lambda u, s: SecondFactors(u).accepts(s["ann"], "123456"),
    ),
    "storage/artifacts/artifacts.py Artifacts._known row": (
        (models.Artifact, "artifact"),
        lambda u, s: Artifacts(u).add(s.case, "dump.txt", Blob(SHA, 1), s.ann),
    ),
    "storage/lifecycle/bin.py Bin.restore row": (
        (models.Pin, "pin"),
        lambda u, s: Bin(u).restore(s.case, "pin", s["pin"], by=s.ann),
    ),
    "storage/lifecycle/bin.py Bin.restore_incident row": (
        (models.Incident, "case"),
        lambda u, s: Bin(u).restore_incident(s.case, by=s.ann),
    ),
    "storage/lifecycle/retention.py Retention.set_days row": (
        (models.Team, "team"),
        lambda u, s: Retention(u).set_days(s["team"], 3, by=s.ann),
    ),
    "storage/lifecycle/retention.py Retention._incident row": (
        (models.Incident, "case"),
        lambda u, s: Retention(u).hold(s.case, "audit", by=s.ann),
    ),
    "storage/queue/turns.py heads lock": (
        AdvisoryLock.TURNS,
        lambda u, s: Jobs(u).take("me", LEASE, Quota(1, 1)),
    ),
    "storage/queue/turns.py first_due lock": (
        AdvisoryLock.TURNS,
        lambda u, s: (
            Workers(u).beat("worker", "1", 3),
            Jobs(u).enqueue("analyse", s.case, s.case),
            Jobs(u).take("me", LEASE),
        ),
    ),
    "storage/encryption.py open_encryption lock": (
        AdvisoryLock.SECRET_KEY,
        lambda u, s: encryption.open_encryption(u.session, _keys()),
    ),
    "storage/encryption.py forget_secrets lock": (
        AdvisoryLock.SECRET_KEY,
        lambda u, s: encryption.forget_secrets(u.session, _keys()),
    ),
    "storage/migrate.py upgrade lock": (
        AdvisoryLock.MIGRATIONS,
        lambda u, s: migrate.upgrade(f"{s.url}&options=-clock_timeout%3D20ms"),
    ),
    "storage/accounts/accounts.py Accounts.change_user lock": (
        AdvisoryLock.FIRST_ADMIN,
        lambda u, s: Accounts(u).change_user(s["ann"], role="viewer"),
    ),
    "storage/accounts/accounts.py Accounts.redeem_link lock": (
        AdvisoryLock.FIRST_ADMIN,
        lambda u, s: Accounts(u).redeem_link("x", None, None, None),
    ),
    "storage/artifacts/blob_holds.py hold_blobs lock_shared": (
        AdvisoryLock.BLOBS,
        lambda u, s: hold_blobs(u, None, ()),  # type: ignore[arg-type]  # none is looked for
    ),
    "storage/audit.py record_once pg_advisory_xact_lock": (
        lambda u, s: audit.record_once(u, s.ann, "incident.opened", incident_id=s.case),
        lambda u, s: audit.record_once(u, s.ann, "incident.opened", incident_id=s.case),
    ),
}
SKIPS: dict[str, tuple[tuple[type[models.Base], str], Operation, Any]] = {
    "storage/queue/jobs.py Jobs.abandoned skips": (
        (models.Job, "running"),
        lambda u, s: Jobs(u).abandoned(lambda _: True),
        [],
    ),
    "storage/queue/turns.py _first_due skips": (
        (models.Job, "queued"),
        lambda u, s: Jobs(u).take("me", LEASE),
        None,
    ),
    "storage/accounts/accounts.py Accounts._mark_used skips": (
        (models.Token, "token"),
        lambda u, s: bool(Accounts(u).by_tokens([s["token_secret"]])),
        True,
    ),
    "storage/accounts/sessions.py Sessions._mark_used skips": (
        (models.Session, "session"),
        lambda u, s: Sessions(u).find(s["session_secret"], timedelta(days=9999)) is not None,
        True,
    ),
    "storage/accounts/guesses.py Guesses.add skips": (
        (models.Guess, "guess"),
        lambda u, s: Guesses(u).add("10.0.0.1", "ann"),
        None,
    ),
}
"""The row that is held, what passes it over, and what that returns."""
TRIED = "storage/artifacts/blob_holds.py lock_out_holders try_lock"


@pytest.fixture
def database(postgres_url: str, tmp_path: Path) -> Iterator[Database]:
    database = Database(postgres_url, keys=Keys(None, tmp_path / "secret.key"))
    yield database
    database.close()


@pytest.fixture
def scene(database: Database, postgres_url: str) -> Scene:
    with database.unit() as unit:
        user = Accounts(unit).create_user("ann", "ann@example.org", "admin", None)
        ann = Actor(user.id, "ann")
        case = Incidents(unit).create(ann, "stall").id
        pin = Pins(unit).create(
            case,
            kind="lines",
            title="x",
            locator={"artifact": SHA, "line_first": 1, "line_last": 2},
            view="/",
            excerpt="",
            by=ann,
        )
        hypothesis = Hypotheses(unit).create(
            case, statement="a", falsifier="b", confidence=None, finding_id=None, by=ann
        )
        Hypotheses(unit).add_evidence(hypothesis.id, pin_id=pin.id, side="for", note="", by=ann)
        token, token_secret = Accounts(unit).create_token(user.id, "t", ["read"], None)
        session = Sessions(unit).open(user, 9 * LEASE, "browser")
        hook, _ = Webhooks(unit).create("https://example.org", ["report.approved"], by=ann)
        artifact, queued = Artifacts(unit).add(case, "dump.txt", Blob(SHA, 1), ann)
        ids = {
            "case": case,
            "ann": user.id,
            "pin": pin.id,
            "hypothesis": hypothesis.id,
            "symptom": Symptoms(unit).create(case, {"kind": "prose", "text": "x"}, by=ann).id,
            "webhook": hook.id,
            "artifact": artifact.id,
            "queued": queued,
            "team": Teams(unit).create("storage").id,
            "vendor": RedactionProfiles(unit).save("vendor", [], by=ann).name,
            "token": token.id,
            "token_secret": token_secret,
            "session_secret": session.secret,
            "action": Actions(unit).create(case, {"text": "x"}, by=ann).id,
            "release": Releases(unit).submit(case, 1, "{}", SHA, "", "", new_signer(), by=ann).id,
        }
        Texts(unit).ensure(case, "note", "x")
        Releases(unit).redaction_key(case)
        SecondFactors(unit).begin(user.id, "ann")
        unit.session.execute(update(models.Pin).values(value="1", value_hash="x"))
        unit.session.execute(update(models.Session).values(last_seen_at=OLD))
        ids["session"] = unit.session.scalar(select(models.Session.id))
        ids["running"] = Jobs(unit).enqueue("analyse", case, case)
        ids["job"] = Jobs(unit).claim(ids["running"], "gone", LEASE, lambda _: False)
        delivery = models.WebhookDelivery(
            webhook_id=hook.id, incident_id=case, event="report.approved", payload={}
        )
        guess = models.Guess(client="10.0.0.1", account_hash="x", at=OLD)
        unit.session.add_all([delivery, guess])
        unit.session.flush()
        open_signer(unit)
        ids["signing_key"] = unit.session.scalar(select(inspect(models.SigningKey).primary_key[0]))
        ids |= {"delivery": delivery.id, "guess": guess.id}
    return Scene(postgres_url, ann, case, ids)


def test_every_lock_of_the_source_is_in_a_table() -> None:
    listed = [*ROWS, *SKIPS, *ELSEWHERE, TRIED]
    source = set(locks_of_the_source())
    assert not source - set(listed), "add a test that fails without the lock"
    assert not set(listed) - source, "no longer in the source"


def test_an_operation_waits_where_it_reads(database: Database, scene: Scene) -> None:
    """Not later, where it writes: by then it has decided."""
    decided = []
    for name, (held, operation) in ROWS.items():
        with database.unit() as holder:
            _hold(holder, held, scene)
            statement = _first_wait(database, operation, scene)
            holder.session.rollback()
        if not statement.startswith("SELECT") or not re.search(
            "FOR (NO KEY )?UPDATE|advisory", statement
        ):
            decided.append((name, statement))
    assert not decided


def test_an_operation_passes_over_what_another_holds(database: Database, scene: Scene) -> None:
    for name, (held, operation, expected) in SKIPS.items():
        with database.unit() as holder:
            _hold(holder, held, scene)
            assert _impatient(database, operation, scene) == expected, name
            holder.session.rollback()


def test_the_collection_waits_for_nobody_and_goes_first_for_none(
    database: Database, scene: Scene
) -> None:
    """It removes blobs only while no transaction holds them, and nobody holds them meanwhile."""
    with database.unit() as holder:
        lock_shared(holder.session, AdvisoryLock.BLOBS)
        assert _impatient(database, lambda unit, _: lock_out_holders(unit), scene) is False
    with database.unit() as collection, database.unit() as second:
        assert lock_out_holders(collection)
        assert not lock_out_holders(second)


def _hold(holder: Unit, held: Held, scene: Scene) -> None:
    """Lock what another transaction holds, or do what it does."""
    if isinstance(held, AdvisoryLock):
        lock(holder.session, held)
    elif isinstance(held, tuple):
        model, name = held
        (key, *_) = inspect(model).primary_key
        row = select(model).where(key == scene[name]).with_for_update()
        assert holder.session.scalars(row).all(), name
    else:
        held(holder, scene)


def _first_wait(database: Database, operation: Operation, scene: Scene) -> str:
    """Return the first statement of the operation that waits for a lock; empty when none does."""
    statements: list[str | None] = []

    def note(context: ExceptionContext) -> None:
        if isinstance(context.original_exception, LockNotAvailable):
            statements.append(context.statement)

    event.listen(Engine, "handle_error", note)
    try:
        _impatient(database, operation, scene)
    except (Contended, OperationalError):
        return str(statements[0])
    finally:
        event.remove(Engine, "handle_error", note)
    return ""


def _impatient(database: Database, operation: Operation, scene: Scene) -> Any:
    """Do the operation in a transaction that waits for no lock, and undo it."""
    with database.unit() as unit:
        unit.session.execute(text("set local lock_timeout = '20ms'"))
        try:
            return operation(unit, scene)
        finally:
            unit.session.rollback()
