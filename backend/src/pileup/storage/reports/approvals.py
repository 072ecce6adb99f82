"""Approvals of releases: the statement that is signed, and what its signature proves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pileup.storage.audit import Actor
from pileup.storage.models import ReleaseApproval
from pileup.storage.signing import Signature, Signer, State, verify


@dataclass(frozen=True, slots=True)
class Approval:
    by: str
    at: datetime
    note: str
    statement: str | None = None
    signature: Signature | None = None

    def state(self, sha256: str, key: str = "") -> State:
        """Return the state of the signature; ``sha256`` is that of the release."""
        return signature_state(
            {
                "by_name": self.by,
                "at": self.at.isoformat(),
                "statement": self.statement,
                "signature": self.signature.value if self.signature else None,
                "signed_by": self.signature.key if self.signature else None,
            },
            sha256,
            key,
        )


def approval_row(
    release_id: str, sha256: str, note: str, signer: Signer, by: Actor
) -> ReleaseApproval:
    """Return the signed row of an approval that happens now."""
    at = datetime.now(UTC)
    facts = {"at": at.isoformat(), "by": by.name, "by_id": by.id, "sha256": sha256}
    statement = json.dumps(facts, ensure_ascii=False, sort_keys=True)
    signature = signer.sign("approval", statement.encode())
    return ReleaseApproval(
        release_id=release_id,
        by_id=by.id or "",
        by_name=by.name,
        sha256=sha256,
        statement=statement,
        signature=signature.value,
        signed_by=signature.key,
        note=note,
        at=at,
    )


def read_approval(row: ReleaseApproval) -> Approval:
    """Return an approval as its release shows it."""
    signed = row.signature is not None and row.signed_by is not None
    signature = Signature(str(row.signed_by), str(row.signature)) if signed else None
    return Approval(row.by_name, row.at, row.note, row.statement, signature)


def signature_state(row: Mapping[str, Any], sha256: str, key: str = "") -> State:
    """Return the state of the signature of an approval, in a row of the table or of a bundle.

    Besides the signature, what was signed must be what the row says: this name (an imported row
    adds by whom), this time and this document. key: as for ``verify``.
    """
    values = [row.get(name) for name in ("statement", "signature", "signed_by")]
    if values == [None, None, None]:
        return "unsigned"
    statement, value, signed_by = map(str, values)
    state = verify(Signature(signed_by, value), "approval", statement.encode(), key)
    return state if state == "changed" or _says(statement, row, sha256) else "changed"


def _says(statement: str, row: Mapping[str, Any], sha256: str) -> bool:
    try:
        facts = json.loads(statement)
        at = datetime.fromisoformat(facts["at"]) == datetime.fromisoformat(str(row.get("at")))
        name = str(row.get("by_name"))
        by = name == facts["by"] or name.startswith(f"{facts['by']} (imported by ")
    except (KeyError, TypeError, ValueError):
        return False
    return at and by and facts.get("sha256") == sha256
