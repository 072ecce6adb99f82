"""Freeze, list and compare releases of the report."""

from __future__ import annotations

import json

from msgspec.structs import replace

from pileup.report.document import Document, decode, encode, fingerprint
from pileup.report.redaction.document_redaction import redact
from pileup.report.redaction.redactor import Redactor
from pileup.report.release import SectionDiff, diff, same_content
from pileup.storage.audit import Actor
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound
from pileup.storage.incidents.incidents import Incident
from pileup.storage.lifecycle.bundle import collect_work
from pileup.storage.reports.releases import ReleaseRecord, Releases
from pileup.storage.signing import Signer
from pileup.views.reports.export import draft_document, redacted
from pileup.views.stores import Stores


def draft_differs(
    unit: Unit,
    incident: Incident,
    releases: list[ReleaseRecord],
    stores: Stores,
) -> bool:
    """Check whether the draft differs from the newest release not withdrawn; True if none."""
    newest = next((release for release in releases if release.state != "withdrawn"), None)
    if newest is None:
        return True
    draft = _draft(unit, incident, stores)
    return not same_content(decode(Releases(unit).get(newest.id)[1]), draft)


def submit_release(
    unit: Unit,
    incident: Incident,
    note: str,
    stores: Stores,
    signer: Signer,
    *,
    by: Actor,
) -> ReleaseRecord:
    """Freeze the draft, without passwords, and send it to review; approval applies to it."""
    releases = Releases(unit)
    number = releases.next_number(incident.id)
    draft = _draft(unit, incident, stores, version=f"Release {number}")
    frozen = encode(draft)
    work = redacted(collect_work(unit, incident.id), _no_passwords())
    return releases.submit(
        incident.id,
        number,
        frozen.decode(),
        fingerprint(frozen),
        json.dumps(work, ensure_ascii=False, sort_keys=True),
        note,
        signer,
        by=by,
    )


def release_diff(
    unit: Unit,
    incident: Incident,
    before: str,
    after: str,
    stores: Stores,
) -> list[SectionDiff]:
    """Compare two versions, each the id of a release or "draft", section by section."""

    def document(version: str) -> Document:
        if version == "draft":
            return _draft(unit, incident, stores)
        release, stored = Releases(unit).get(version)
        if release.incident_id != incident.id:
            raise NotFound("This incident has no such release.")
        return decode(stored)

    return diff(document(before), document(after))


def _draft(unit: Unit, incident: Incident, stores: Stores, *, version: str = "draft") -> Document:
    """Return the draft without passwords, with its Markdown: what is frozen leaves as it is."""
    draft = draft_document(unit, incident, stores, version=version)
    redactor = _no_passwords()
    done = redact(draft, redactor)
    sections = [
        replace(after, markdown=redactor.text(before.markdown, count=False))
        for before, after in zip(draft.sections, done.sections, strict=True)
    ]
    return replace(done, sections=sections)


def _no_passwords() -> Redactor:
    return Redactor((), b"", in_place=True)
