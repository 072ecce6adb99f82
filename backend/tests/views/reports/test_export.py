"""The case and the exported report of an incident, without a server or a request."""

from __future__ import annotations

from pathlib import Path

import pytest

from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound, Refused
from pileup.storage.files.blobs import BlobStore
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.malware import Scanner
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.files.upload_bytes import FolderUploads
from pileup.storage.incidents.incidents import Incident, Incidents
from pileup.storage.reasoning.hypotheses import Hypotheses
from pileup.storage.signing import new_signer
from pileup.views.reports.case import build_case
from pileup.views.reports.export import ExportChoices, export_report, redaction_counts
from pileup.views.reports.releases import draft_differs, release_diff, submit_release
from pileup.views.stores import Stores


@pytest.fixture
def incident(unit: Unit, ann: Actor) -> Incident:
    return Incidents(unit).create(ann, "Stalled at noon", service="orders")


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    return Stores(
        BlobStore(tmp_path / "blobs", min_free_bytes=0),
        FrameStore(tmp_path / "frames"),
        PlacedStore(tmp_path / "placed"),
        FolderUploads(tmp_path / "uploads"),
        Scanner(None),
    )


def test_a_case_holds_the_work_of_people(
    unit: Unit, ann: Actor, incident: Incident, stores: Stores
) -> None:
    Hypotheses(unit).create(
        incident.id,
        statement="A report query held the lock",
        falsifier="",
        confidence=60,
        finding_id=None,
        by=ann,
    )
    case = build_case(unit, incident, stores)
    assert case.title == "Stalled at noon"
    assert [hypothesis.statement for hypothesis in case.hypotheses] == [
        "A report query held the lock"
    ]
    assert case.analysis is None
    assert case.lanes == ()


def test_a_report_is_exported_without_a_request(
    unit: Unit, incident: Incident, stores: Stores
) -> None:
    def export(choices: ExportChoices) -> str:
        file = export_report(unit, incident, stores, choices, url="https://pileup.example", ui=None)
        assert file.name == f"stalled-at-noon-postmortem.{choices.format}"
        assert isinstance(file.data, str)
        return file.data

    assert "Stalled at noon" in export(ExportChoices(format="md"))
    assert "<html" in export(ExportChoices(format="html"))
    with pytest.raises(Refused):
        export(ExportChoices(format="md", zone="Nowhere/Never"))
    with pytest.raises(Refused):
        export(ExportChoices(format="md", redact="everything"))
    with pytest.raises(NotFound):
        export(ExportChoices(format="md", release="none"))


def test_a_redacted_export_counts_each_kind(unit: Unit, incident: Incident, stores: Stores) -> None:
    counts = redaction_counts(unit, incident, stores, ExportChoices(redact="sql,hosts"))
    assert [count.kind for count in counts] == ["sql", "hosts"]


def test_a_release_freezes_the_draft(
    unit: Unit, ann: Actor, incident: Incident, stores: Stores
) -> None:
    signer = new_signer()
    assert draft_differs(unit, incident, [], stores)
    release = submit_release(unit, incident, "first", stores, signer, by=ann)
    assert release.number == 1
    assert not draft_differs(unit, incident, [release], stores)
    changes = release_diff(unit, incident, release.id, "draft", stores)
    assert {section.change for section in changes} == {"same"}
