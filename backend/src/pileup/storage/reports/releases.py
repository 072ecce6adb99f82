"""Releases of the report: frozen when sent to review, approved or withdrawn, never changed.

What reviewers see is what gets approved: the document is stored with its SHA-256 at the moment it
goes to review, and an approval names the hash that was seen.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit, clean
from pileup.storage.errors import Conflict, NotFound, Refused, StaleRevision
from pileup.storage.incidents.webhooks import announce
from pileup.storage.models import Release, ReleaseApproval, ReportChoice, User
from pileup.storage.reports.approvals import Approval, approval_row, read_approval
from pileup.storage.signing import Signature, Signer
from pileup.storage.visibility import find_visible


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    id: str
    incident_id: str
    number: int
    state: str
    sha256: str
    signature: Signature | None
    bytes: int
    note: str
    made_by: str
    made_by_id: str | None
    made_at: datetime
    decided_at: datetime | None
    approvals: tuple[Approval, ...]


@dataclass(frozen=True, slots=True)
class ChoiceRecord:
    template: str | None
    """None: nobody chose one."""
    revision: int


class Releases:
    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._session = unit.session

    def of_incident(self, incident_id: str) -> list[ReleaseRecord]:
        """List the incident's releases, newest first, without their documents."""
        rows = self._session.execute(
            select(Release, func.octet_length(Release.document))
            .where(Release.incident_id == incident_id)
            .order_by(Release.number.desc())
        ).all()
        approvals = self._approvals([row.id for row, _ in rows])
        return [_record(row, size, approvals.get(row.id, ())) for row, size in rows]

    def get(self, release_id: str) -> tuple[ReleaseRecord, str]:
        """Return one release and its document."""
        row = self._row(release_id)
        return self._read(row), row.document

    def next_number(self, incident_id: str) -> int:
        """Return the number of the next release."""
        highest = self._session.scalar(
            select(func.max(Release.number)).where(Release.incident_id == incident_id)
        )
        return (highest or 0) + 1

    def submit(
        self,
        incident_id: str,
        number: int,
        document: str,
        sha256: str,
        work: str,
        note: str,
        signer: Signer,
        *,
        by: Actor,
    ) -> ReleaseRecord:
        """Freeze and sign a document for review, with the work that it was made from.

        Only one review is open at a time: this ends the previous one.
        """
        open_one = self._session.scalar(
            select(Release).where(Release.incident_id == incident_id, Release.state == "in_review")
        )
        if open_one is not None:
            raise Conflict(f"Release {open_one.number} is in review. Approve or withdraw it first.")
        if number != self.next_number(incident_id):
            raise Conflict("Somebody sent a release to review at the same moment. Try again.")
        signature = signer.sign("release", sha256.encode())
        row = Release(
            incident_id=incident_id,
            number=number,
            document=document,
            sha256=sha256,
            signature=signature.value,
            signed_by=signature.key,
            work=work,
            note=clean(note),
            made_by_id=by.id,
            made_by=by.name,
        )
        self._session.add(row)
        self._session.flush()
        return self._publish(row, by, "release.submitted")

    def approve(
        self,
        release_id: str,
        sha256: str,
        note: str,
        signer: Signer,
        *,
        second_person: bool,
        by: Actor,
    ) -> ReleaseRecord:
        """Approve the document with this hash, and sign the approval.

        Args:
            second_person: the approver must not be the submitter, if another approver exists.
        """
        row = self._row(release_id)
        if row.state != "in_review":
            raise Conflict(f"Release {row.number} is {row.state}, not in review.")
        if row.sha256 != sha256:
            raise Refused("This is not the document that is in review. Reload it.", "sha256")
        if second_person and by.id == row.made_by_id and self._others(by):
            raise Conflict(
                "You sent this release to review, so somebody else must approve it. (An admin can "
                "turn this rule off: PILEUP_RELEASE_SECOND_PERSON=false.)"
            )
        self._session.add(approval_row(row.id, sha256, clean(note), signer, by))
        row.state = "approved"
        row.decided_at = datetime.now(UTC)
        self._session.flush()
        announce(
            self._unit,
            "report.approved",
            row.incident_id,
            id=row.id,
            number=row.number,
            sha256=row.sha256,
        )
        return self._publish(row, by, "release.approved")

    def withdraw(self, release_id: str, reason: str, *, by: Actor) -> ReleaseRecord:
        """End a review without approval; the frozen document stays for comparison."""
        row = self._row(release_id)
        if row.state != "in_review":
            raise Conflict(f"Release {row.number} is {row.state}; only one in review is withdrawn.")
        row.state = "withdrawn"
        row.decided_at = datetime.now(UTC)
        self._session.flush()
        return self._publish(row, by, "release.withdrawn", reason=reason)

    def choice(self, incident_id: str) -> ChoiceRecord:
        """Return the report settings of an incident."""
        row = self._session.get(ReportChoice, incident_id)
        return ChoiceRecord(None, 0) if row is None else ChoiceRecord(row.template, row.revision)

    def redaction_key(self, incident_id: str) -> bytes:
        """Return the key for redaction tokens; generated at first use, then always the same."""
        self._begin(incident_id)
        return bytes.fromhex(self._session.get_one(ReportChoice, incident_id).redaction_key)

    def choose_template(
        self, incident_id: str, template: str, *, revision: int, by: Actor
    ) -> ChoiceRecord:
        """Change the template; the sections' texts stay."""
        self._begin(incident_id)
        row = self._session.get_one(ReportChoice, incident_id, with_for_update=True)
        if row.revision != revision:
            raise StaleRevision(
                "Somebody chose a template meanwhile.", ChoiceRecord(row.template, row.revision)
            )
        row.template = template
        row.revision += 1
        self._session.flush()
        record(self._unit, by, "report.template", incident_id=incident_id, target=template)
        self._unit.notify(incident_id, "report", "template")
        return ChoiceRecord(row.template, row.revision)

    def _begin(self, incident_id: str) -> None:
        self._session.execute(
            insert(ReportChoice)
            .values(incident_id=incident_id, redaction_key=secrets.token_hex(32), revision=0)
            .on_conflict_do_nothing()
        )

    def _others(self, by: Actor) -> bool:
        """Return whether anybody else may approve."""
        count = self._session.scalar(
            select(func.count())
            .select_from(User)
            .where(User.id != by.id, User.disabled.is_(False), User.role != "viewer")
        )
        return bool(count)

    def _row(self, release_id: str) -> Release:
        row = find_visible(self._session, Release, release_id, lock=True)
        if row is None:
            raise NotFound("There is no such release.")
        return row

    def _approvals(self, release_ids: list[str]) -> dict[str, tuple[Approval, ...]]:
        approvals: dict[str, tuple[Approval, ...]] = {}
        rows = self._session.scalars(
            select(ReleaseApproval)
            .where(ReleaseApproval.release_id.in_(release_ids))
            .order_by(ReleaseApproval.at, ReleaseApproval.by_id)
        )
        for row in rows:
            approvals[row.release_id] = (*approvals.get(row.release_id, ()), read_approval(row))
        return approvals

    def _publish(self, row: Release, by: Actor, action: str, **detail: str) -> ReleaseRecord:
        record(
            self._unit,
            by,
            action,
            incident_id=row.incident_id,
            target=row.id,
            number=row.number,
            sha256=row.sha256,
            **detail,
        )
        self._unit.notify(row.incident_id, "report", row.id)
        return self._read(row)

    def _read(self, row: Release) -> ReleaseRecord:
        size = len(row.document.encode())
        return _record(row, size, self._approvals([row.id]).get(row.id, ()))


def _record(row: Release, size: int, approvals: tuple[Approval, ...]) -> ReleaseRecord:
    return ReleaseRecord(
        id=row.id,
        incident_id=row.incident_id,
        number=row.number,
        state=row.state,
        sha256=row.sha256,
        signature=(
            Signature(row.signed_by, row.signature) if row.signed_by and row.signature else None
        ),
        bytes=size,
        note=row.note,
        made_by=row.made_by,
        made_by_id=row.made_by_id,
        made_at=row.made_at,
        decided_at=row.decided_at,
        approvals=approvals,
    )
