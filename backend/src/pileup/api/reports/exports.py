"""Routes for the report as a file, and for what a redacted export would replace."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Response

from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.report.redaction.redactor import KINDS
from pileup.report.render.pdf import NotTypeset
from pileup.views.reports.export import (
    ExportChoices,
    Format,
    Paper,
    RedactionCount,
    export_report,
    redaction_counts,
)

router = APIRouter(tags=["reports"])

Sections = Annotated[
    str | None, Query(max_length=2000, description="Keys of sections, with commas; absent: all.")
]
Redact = Annotated[
    str,
    Query(
        max_length=100,
        description=f"What to replace by tokens: a profile's name, or {', '.join(KINDS)}.",
    ),
]
ReleaseId = Annotated[
    str | None, Query(max_length=60, description="A release; absent: the current draft.")
]

_ALL = ",".join(KINDS)

MEDIA: dict[Format, str] = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


@router.get("/incidents/{incident_id}/report/export", response_class=Response)
def export(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    as_: Annotated[Format, Query(alias="format")] = "html",
    sections: Sections = None,
    redact: Redact = "",
    zone: Annotated[str, Query(max_length=60)] = "UTC",
    paper: Paper = "a4",
    release: ReleaseId = None,
) -> Response:
    """Export the whole report as a file."""
    settings = services.settings
    try:
        file = export_report(
            unit,
            incident,
            services.stores,
            ExportChoices(as_, sections, redact, zone, paper, release),
            url=settings.url,
            ui=settings.built_ui,
        )
    except NotTypeset as error:
        raise ApiError(422, "The PDF was not made", str(error)) from error
    return Response(
        file.data,
        media_type=MEDIA[as_],
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='')}",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "Cache-Control": "no-store",
        },
    )


@router.get("/incidents/{incident_id}/report/redaction")
def preview_redaction(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    redact: Redact = _ALL,
    sections: Sections = None,
    release: ReleaseId = None,
) -> list[RedactionCount]:
    """Count what a redacted export would replace, and list the first values."""
    choices = ExportChoices(sections=sections, redact=redact, release=release)
    return redaction_counts(unit, incident, services.stores, choices)
