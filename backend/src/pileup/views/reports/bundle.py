"""Write an incident as a bundle: its files without passwords, its rows, its analysis and report."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from pileup.analysis.contract import Analysis, encode
from pileup.report.redaction.document_redaction import Leak
from pileup.report.redaction.plain_redaction import learn_plain
from pileup.report.redaction.redactor import Redactor
from pileup.storage.database import Unit
from pileup.storage.errors import Refused
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incidents import Incident
from pileup.storage.lifecycle.bundle import Copy, Redaction, write_bundle
from pileup.storage.lifecycle.bundle_rows import Row
from pileup.storage.signing import Signer
from pileup.views.reports.bundle_files import BundleFiles
from pileup.views.reports.export import draft_files, redacted
from pileup.views.stores import Stores


def export_bundle(
    unit: Unit,
    incident: Incident,
    stores: Stores,
    to: Path,
    redactor: Redactor,
    signer: Signer,
    *,
    url: str,
    ui: Path | None,
) -> None:
    """Write the bundle to ``to``; copies of files are beside it meanwhile.

    Without chosen kinds passwords of files and rows are masked in place, so that lines, columns
    and quoted lines still fit each other. Raises Refused when a value is left.
    """
    masking = Redactor((), b"", redactor.known, in_place=True)
    rows_redactor = masking if redactor.only_passwords else redactor

    def extras() -> Mapping[str, bytes]:
        files = draft_files(unit, incident, stores, url=url, ui=ui, redactor=redactor)
        members = {f"report/{name}": data for name, data in files.items()}
        document = Analyses(unit).document(incident.id)
        if document is not None and (analysis := _analysis(document, redactor)) is not None:
            members["analysis.json"] = analysis
        return members

    with tempfile.TemporaryDirectory(dir=to.parent, prefix="bundle-") as folder:

        def copies(rows: dict[str, list[Row]]) -> dict[str, Copy]:
            learn_plain(rows, rows_redactor)
            if not redactor.only_passwords:
                return {}
            for row in rows["work/artifacts"]:
                stores.scanner.check(stores.blobs.path(row["sha256"]), row["path"])
            try:
                files = BundleFiles(stores.blobs, Path(folder), masking)
                return files.copies(rows["work/artifacts"])
            except Leak as error:
                raise Refused(str(error), "redact") from error

        redaction = Redaction(
            () if redactor.only_passwords else redactor.kinds,
            copies,
            lambda rows, columns: redacted(rows, rows_redactor, columns),
            extras,
        )
        write_bundle(unit, stores.blobs, incident.id, to, signer, redaction)


def _analysis(document: dict[str, Any], redactor: Redactor) -> bytes | None:
    """Return the redacted analysis as JSON; None for one that an earlier version wrote.

    Where only passwords go, nothing has to know its fields.
    """
    if redactor.only_passwords:
        return msgspec.json.format(msgspec.json.encode(redacted(document, redactor)), indent=1)
    try:
        analysis = msgspec.convert(document, Analysis)
    except msgspec.ValidationError:
        return None
    return msgspec.json.format(encode(redacted(analysis, redactor)), indent=1)
