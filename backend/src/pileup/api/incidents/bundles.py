"""Routes that export an incident as one archive and import it elsewhere."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from pileup.analysis.contract import Analysis, encode
from pileup.api.auth import Caller
from pileup.api.bodies import STREAMED
from pileup.api.csv_rows import RedactorDep
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.incidents.imported_rows import check_row
from pileup.numerals import grouped
from pileup.report.redaction.redactor import Redactor
from pileup.storage.errors import TooLarge
from pileup.storage.files.objects import disk_words
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incidents import Incident
from pileup.storage.lifecycle.bundle import Limits, Redaction, read_bundle, write_bundle
from pileup.views.reports.export import draft_files, redacted

router = APIRouter(tags=["bundles"], max_body_size=STREAMED)

MEDIA = "application/zip"
_BODY = {
    "requestBody": {
        "required": True,
        "content": {MEDIA: {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get(
    "/incidents/{incident_id}/bundle",
    response_class=FileResponse,
    responses={200: {"content": {MEDIA: {"schema": {"type": "string", "format": "binary"}}}}},
)
def export_bundle(
    incident: IncidentDep, services: ServicesDep, unit: UnitDep, redactor: RedactorDep
) -> FileResponse:
    """Export artifacts, people's work, analysis and report as one zip that can be imported.

    A redacted one has no artifacts and no releases, and cannot be imported.
    """
    settings = services.settings
    files = draft_files(
        unit,
        incident,
        services.stores,
        url=settings.url,
        ui=settings.built_ui,
        redactor=redactor,
    )
    extras = {f"report/{name}": data for name, data in files.items()}
    document = Analyses(unit).document(incident.id)
    if document is not None and (analysis := _analysis(document, redactor)) is not None:
        extras["analysis.json"] = analysis
    redaction = None
    if not redactor.only_passwords:
        redaction = Redaction(
            redactor.kinds, lambda rows, columns: redacted(rows, redactor, columns)
        )
    folder = services.settings.home / "tmp"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with disk_words(folder):
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".zip", delete=False) as bundle_file:
            path = Path(bundle_file.name)
        try:
            write_bundle(
                unit, services.blobs, incident.id, path, extras, services.signer, redaction
            )
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    name = f"{redactor.text(incident.title)}.pileup.zip".replace("/", "-")
    return FileResponse(
        path,
        media_type=MEDIA,
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"},
        background=BackgroundTask(path.unlink, missing_ok=True),
    )


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


@router.post("/incidents/import", status_code=201, openapi_extra=_BODY)
async def import_bundle(request: Request, caller: Caller, services: ServicesDep) -> Incident:
    """Create an incident from the bundle in the request's body; workers parse its artifacts."""
    settings = services.settings
    folder = settings.home / "tmp"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with disk_words(folder), tempfile.TemporaryFile(dir=folder) as body:
        received = 0
        async for chunk in request.stream():
            received += len(chunk)
            if received > settings.max_upload_bytes:
                raise TooLarge(
                    f"A bundle of more than {grouped(settings.max_upload_bytes)} bytes is "
                    "refused (PILEUP_MAX_UPLOAD_BYTES)."
                )
            await run_in_threadpool(body.write, chunk)
        body.seek(0)
        return await run_in_threadpool(
            read_bundle,
            services.database,
            services.blobs,
            cast(BinaryIO, body),
            caller.actor,
            Limits(settings.max_upload_bytes, settings.max_expanded_bytes),
            services.signer.key,
            check_row,
        )
