"""Pins, hypotheses, experiments and report sections on a real database."""

from __future__ import annotations

from typing import Any

import pytest

from pileup.storage import models
from pileup.storage.audit import Actor, entries
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict, NotFound, Refused, StaleRevision
from pileup.storage.reasoning.experiments import Experiments
from pileup.storage.reasoning.hypotheses import Hypotheses, HypothesisRecord
from pileup.storage.reasoning.pins import PinRecord, Pins
from pileup.storage.reports.reports import Reports
from pileup.storage.texts.live_texts import Texts

SHA = "ab" * 32


def incident(unit: Unit, title: str = "stall") -> str:
    row = models.Incident(title=title)
    unit.session.add(row)
    unit.session.flush()
    return row.id


def artifact(unit: Unit, incident_id: str) -> models.Artifact:
    row = models.Artifact(incident_id=incident_id, path="dump.txt", sha256=SHA, bytes=1)
    unit.session.add(row)
    unit.session.flush()
    return row


def pin(unit: Unit, incident_id: str, by: Actor, **locator: Any) -> PinRecord:
    return Pins(unit).create(
        incident_id,
        kind="lines",
        title="301 waiters",
        locator={"artifact": SHA, "line_first": 812, "line_last": 830, **locator},
        view=f"/incidents/{incident_id}/artifacts?line=812",
        excerpt="---TRANSACTION 42\x00",
        by=by,
    )


def hypothesis(unit: Unit, incident_id: str, by: Actor) -> HypothesisRecord:
    return Hypotheses(unit).create(
        incident_id,
        statement="An idle transaction holds the row",
        falsifier="waiters stay after it ends",
        confidence=30,
        finding_id=None,
        by=by,
    )


def test_confidence_is_a_ledger(unit: Unit, ann: Actor) -> None:
    """Each step keeps who, why and the pin; the first opinion makes a proposal active."""
    case = incident(unit)
    made = hypothesis(unit, case, ann)
    seen = pin(unit, case, ann)
    after = Hypotheses(unit).set_confidence(
        made.id, confidence=80, reason="the dump names it", pin_id=seen.id, by=ann
    )
    assert [(s.confidence, s.by, s.reason) for s in after.history] == [
        (30, "ann", "proposed"),
        (80, "ann", "the dump names it"),
    ]
    assert after.history[-1].pin_id == seen.id
    assert (after.status, after.confidence) == ("active", 80)


def test_refuting_needs_a_pin(unit: Unit, ann: Actor) -> None:
    """No pin, no refutation; the last pin of a refuted hypothesis cannot be taken off."""
    case = incident(unit)
    made = hypothesis(unit, case, ann)
    store = Hypotheses(unit)
    with pytest.raises(Refused, match="needs at least one pin"):
        store.edit(made.id, {"status": "refuted"}, revision=made.revision, by=ann)
    held = store.add_evidence(
        made.id, pin_id=pin(unit, case, ann).id, side="against", note="", by=ann
    )
    refuted = store.edit(made.id, {"status": "refuted"}, revision=held.revision, by=ann)
    assert refuted.status == "refuted"
    assert refuted.history[-1].reason == "now refuted"
    with pytest.raises(Conflict, match="only pin"):
        store.remove_evidence(made.id, refuted.evidence[0].id, by=ann)


def test_second_writer_gets_the_current_record(unit: Unit, ann: Actor) -> None:
    """Two people edit revision 1: the second gets a conflict, with what the first saved."""
    case = incident(unit)
    made = hypothesis(unit, case, ann)
    store = Hypotheses(unit)
    store.edit(made.id, {"statement": "first"}, revision=1, by=ann)
    with pytest.raises(StaleRevision) as caught:
        store.edit(made.id, {"statement": "second"}, revision=1, by=ann)
    assert isinstance(caught.value.current, HypothesisRecord)
    assert caught.value.current.statement == "first"


def test_withdrawn_pin_flags_its_hypotheses(unit: Unit, ann: Actor) -> None:
    """The pin leaves the evidence and the hypothesis says that it needs a review."""
    case = incident(unit)
    made = hypothesis(unit, case, ann)
    seen = pin(unit, case, ann)
    Hypotheses(unit).add_evidence(made.id, pin_id=seen.id, side="for", note="", by=ann)
    Pins(unit).withdraw(seen.id, by=ann)
    unit.session.expire_all()
    after = Hypotheses(unit).get(made.id)
    assert after.needs_review
    assert after.evidence == ()
    assert Pins(unit).of_incident(case) == []
    with pytest.raises(NotFound):
        Pins(unit).withdraw(seen.id, by=ann)


def test_a_restored_pin_takes_back_what_its_withdrawal_did(unit: Unit, ann: Actor) -> None:
    """And nothing else: another withdrawn pin, evidence removed, and a review meanwhile count."""
    case = incident(unit)
    made = hypothesis(unit, case, ann)
    seen, other = pin(unit, case, ann), pin(unit, case, ann)
    store, pins = Hypotheses(unit), Pins(unit)
    for item in (seen, other):
        held = store.add_evidence(made.id, pin_id=item.id, side="for", note="", by=ann)

    def needed() -> bool:
        unit.session.expire_all()
        return store.get(made.id).needs_review

    for order in ((seen, other), (other, seen)):
        for item in (seen, other):
            pins.withdraw(item.id, by=ann)
        pins.restore(order[0].id, by=ann)
        assert needed()  # the other is still away
        pins.restore(order[1].id, by=ann)
        assert not needed()
    assert store.get(made.id).evidence == held.evidence
    assert store.get(made.id).history == held.history

    pins.withdraw(seen.id, by=ann)
    store.set_confidence(made.id, confidence=10, reason="without it", pin_id=None, by=ann)
    assert not needed()
    pins.restore(seen.id, by=ann)
    assert needed()  # that review did not know it

    store.set_confidence(made.id, confidence=20, reason="with it", pin_id=None, by=ann)
    pins.withdraw(seen.id, by=ann)
    store.remove_evidence(made.id, held.evidence[1].id, by=ann)
    pins.restore(seen.id, by=ann)
    assert needed()  # evidence went meanwhile, which no restore brings back

    store.set_confidence(made.id, confidence=30, reason="seen", pin_id=None, by=ann)
    store.remove_evidence(made.id, held.evidence[0].id, by=ann)
    pins.withdraw(seen.id, by=ann)
    pins.restore(seen.id, by=ann)
    assert needed()  # it was flagged before


def test_pin_is_stale_when_its_artifact_has_left(unit: Unit, ann: Actor) -> None:
    """Excluding the artifact makes the pin stale, never silently changed; text keeps no NUL."""
    case = incident(unit)
    row = artifact(unit, case)
    seen = pin(unit, case, ann)
    assert not seen.stale
    assert Pins(unit).unanswered(case) == 0
    assert seen.excerpt == "---TRANSACTION 42�"
    row.excluded = True
    unit.session.flush()
    assert Pins(unit).get(seen.id).stale
    assert Pins(unit).unanswered(case) == 1


def test_prediction_is_locked_by_the_start(unit: Unit, ann: Actor) -> None:
    """Before the start it can change, afterwards it cannot; finishing keeps what was seen."""
    case = incident(unit)
    store = Experiments(unit)
    made = store.create(
        case, {"title": "Kill it", "change": "KILL 390", "prediction": {"text": ""}}, by=ann
    )
    with pytest.raises(Refused, match="before you start"):
        store.start(made.id, by=ann)
    edited = store.edit(
        made.id, {"prediction": {"text": "waiters < 20"}}, revision=made.revision, by=ann
    )
    with pytest.raises(Conflict, match="Start the experiment first"):
        store.finish(
            made.id, observation={}, verdict="match", failed_same_way=None, conclusion="", by=ann
        )
    started = store.start(made.id, by=ann)
    assert started.locked_at is not None
    with pytest.raises(Conflict, match="locked"):
        store.edit(
            made.id, {"prediction": {"text": "waiters < 200"}}, revision=started.revision, by=ann
        )
    same = store.edit(
        made.id,
        {"prediction": edited.prediction, "risk": "one session lost"},
        revision=started.revision,
        by=ann,
    )
    assert same.risk == "one session lost"
    done = store.finish(
        made.id,
        observation={"text": "12 waiters", "value": 12.0},
        verdict="match",
        failed_same_way="no",
        conclusion="confirmed",
        by=ann,
    )
    assert (done.state, done.verdict, done.observation) == (
        "finished",
        "match",
        {"text": "12 waiters", "value": 12.0},
    )


def test_experiments_are_numbered_and_take_only_their_incidents_artifacts(
    unit: Unit, ann: Actor
) -> None:
    """1, 2 within an incident; another incident's artifact is refused."""
    case, other = incident(unit), incident(unit, "other")
    store = Experiments(unit)
    first, second = (
        store.create(case, {"title": title, "change": "", "prediction": {}}, by=ann)
        for title in ("a", "b")
    )
    assert (first.number, second.number) == (1, 2)
    mine, foreign = artifact(unit, case), artifact(unit, other)
    attached = store.attach_artifacts(first.id, [mine.id], by=ann)
    assert [a.path for a in attached.artifacts] == ["dump.txt"]
    with pytest.raises(Refused, match="not part of this incident"):
        store.attach_artifacts(first.id, [foreign.id], by=ann)


def test_every_text_of_a_section_is_kept(unit: Unit, ann: Actor) -> None:
    """Two saves leave two revisions; a save from an old revision is refused with the current."""
    case = incident(unit)
    reports = Reports(unit)
    first = reports.save(case, "summary", "one", revision=0, by=ann)
    reports.save(case, "summary", "two", revision=first.revision, by=ann)
    with pytest.raises(StaleRevision):
        reports.save(case, "summary", "three", revision=first.revision, by=ann)
    assert reports.sections(case)["summary"].body_md == "two"
    texts = Texts(unit)
    kept = [
        texts.version_text(case, "report/summary", v.id)
        for v in texts.versions(case, "report/summary")
    ]
    assert sorted(kept) == ["one", "two"]


def test_audit_names_who_did_what(unit: Unit, ann: Actor) -> None:
    """Every change of human work is in the trail."""
    case = incident(unit)
    hypothesis(unit, case, ann)
    pin(unit, case, ann)
    unit.session.flush()
    assert [(e.user_name, e.action) for e in entries(unit, case)] == [
        ("ann", "pin.created"),
        ("ann", "hypothesis.created"),
    ]
