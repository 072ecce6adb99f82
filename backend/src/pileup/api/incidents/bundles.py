"""Routes that export an incident as one archive and import it elsewhere."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import BinaryIO, cast
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from pileup.api.auth import Caller
from pileup.api.bodies import STREAMED
from pileup.api.csv_rows import RedactorDep
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.incidents.imported_rows import check_row
from pileup.numerals import grouped
from pileup.storage.errors import TooLarge
from pileup.storage.files.objects import disk_words
from pileup.storage.incidents.incidents import Incident
from pileup.storage.lifecycle.bundle import Limits, read_bundle
from pileup.views.reports import bundle

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

    No password leaves: `manifest.json` lists under `removed` the files that had one. A bundle that
    is redacted further has no artifacts and no releases, and cannot be imported.
    """
    settings = services.settings
    folder = settings.home / "tmp"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with disk_words(folder):
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".zip", delete=False) as bundle_file:
            path = Path(bundle_file.name)
        try:
            bundle.export_bundle(
                unit,
                incident,
                services.stores,
                path,
                redactor,
                services.signer,
                url=settings.url,
                ui=settings.built_ui,
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
