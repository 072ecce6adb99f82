"""The report as a file: Markdown, one HTML file, PDF, DOCX; redacted, in a zone, on a paper.

An approved release is exported from its frozen document: same choices, same bytes.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Response

from pileup.api.deps import IncidentDep, Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import Out
from pileup.report.compose import compose
from pileup.report.document import Document, decode
from pileup.report.redaction.document_redaction import redact
from pileup.report.redaction.redactor import KINDS, Redactor
from pileup.report.release import linked, only, stamped
from pileup.report.render.html import render_html
from pileup.report.render.markdown import render_markdown
from pileup.report.render.pdf import NotTypeset, render_pdf
from pileup.report.render.word_document import render_docx
from pileup.report.render.zone import in_zone, named
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound, Refused
from pileup.storage.incidents.incidents import Incident
from pileup.storage.reports.redaction import RedactionProfiles
from pileup.storage.reports.releases import Releases
from pileup.views.case import build_case, known_names

router = APIRouter(tags=["reports"])

VIEWER = "report-viewer.js"
"""In the folder of the built UI: what makes the figures of the HTML interactive."""
EXAMPLES = 12
_ALL = ",".join(KINDS)

Format = Literal["md", "html", "pdf", "docx"]
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
    str | None, Query(max_length=60, description="A release; absent: the draft as it stands.")
]

MEDIA: dict[Format, str] = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


class RedactionExample(Out):
    value: str
    token: str
    occurrences: int


class RedactionCount(Out):
    kind: Literal["sql", "hosts", "users", "addresses"]
    values: int
    occurrences: int
    examples: list[RedactionExample]
    """The most frequent ones."""


@router.get("/incidents/{incident_id}/report/export", response_class=Response)
def export(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    as_: Annotated[Format, Query(alias="format")] = "html",
    sections: Sections = None,
    redact: Redact = "",
    zone: Annotated[str, Query(max_length=60)] = "UTC",
    paper: Literal["a4", "letter"] = "a4",
    release: ReleaseId = None,
) -> Response:
    """The whole report as a file."""
    document = _document(services, unit, incident, release)
    document = only(document, _keys(sections))
    document = linked(document, services.settings.url, incident.id)
    kinds = _kinds(unit, redact)
    if kinds:
        document, _ = _redacted(services, unit, incident, document, kinds)
    document = in_zone(document, _zone(zone))
    try:
        data = _rendered(services, document, as_, paper)
    except NotTypeset as error:
        raise ApiError(422, "The PDF was not made", str(error)) from error
    name = f"{_slug(document)}-postmortem.{as_}"
    return Response(
        data,
        media_type=MEDIA[as_],
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
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
    """What a redacted export would replace: how many values, how often, and the first of them."""
    kinds = _kinds(unit, redact)
    document = only(_document(services, unit, incident, release), _keys(sections))
    _, redactor = _redacted(services, unit, incident, document, kinds)
    found = redactor.replaced()
    return [
        RedactionCount(
            kind=kind,  # type: ignore[arg-type]  # one of KINDS
            values=sum(one.kind == kind for one in found),
            occurrences=sum(one.occurrences for one in found if one.kind == kind),
            examples=[
                RedactionExample(value=one.value, token=one.token, occurrences=one.occurrences)
                for one in found
                if one.kind == kind
            ][:EXAMPLES],
        )
        for kind in kinds
    ]


def _document(
    services: Services, unit: Unit, incident: Incident, release_id: str | None
) -> Document:
    if release_id is None:
        return compose(
            build_case(unit, incident, services.placed, services.blobs), datetime.now(UTC)
        )
    release, document = Releases(unit).get(release_id)
    if release.incident_id != incident.id:
        raise NotFound("This incident has no such release.")
    return stamped(
        decode(document),
        state=release.state,
        number=release.number,
        sha256=release.sha256,
        approved_by=[f"{one.by}, {one.at:%Y-%m-%d %H:%M UTC}" for one in release.approvals],
    )


def _redacted(
    services: Services, unit: Unit, incident: Incident, document: Document, kinds: list[str]
) -> tuple[Document, Redactor]:
    key = Releases(unit).redaction_key(incident.id)
    redactor = Redactor(kinds, key, known_names(unit, services.placed, incident.id))
    return redact(document, redactor), redactor


def _rendered(
    services: Services, document: Document, as_: Format, paper: Literal["a4", "letter"]
) -> str | bytes:
    match as_:
        case "md":
            return render_markdown(document)
        case "html":
            return render_html(document, viewer=viewer_script(services.settings.built_ui))
        case "pdf":
            return render_pdf(document, paper=paper)
        case "docx":
            return render_docx(document, paper=paper)


def viewer_script(ui: Path | None) -> str | None:
    """What makes the figures interactive; None when the UI was not built with it."""
    if ui is None:
        return None
    path = ui / VIEWER
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError:
        return None


@lru_cache(maxsize=2)
def _read(path: Path, _: int) -> str:
    return path.read_text(encoding="utf-8")


def _keys(sections: str | None) -> set[str] | None:
    return None if sections is None else {one.strip() for one in sections.split(",")}


def _kinds(unit: Unit, redact: str) -> list[str]:
    """The kinds of a profile of this name, else those that are named."""
    profiles = RedactionProfiles(unit)
    if (profile := profiles.find(redact.strip())) is not None:
        return profile.kinds
    kinds = [one.strip() for one in redact.split(",") if one.strip()]
    for one in kinds:
        if one not in KINDS:
            known = ", ".join([*KINDS, *(profile.name for profile in profiles.all())])
            raise Refused(f"There is no redaction {one!r}; there are: {known}.", "redact")
    return kinds


def _zone(zone: str) -> str:
    try:
        named(zone)
    except ValueError as error:
        raise Refused(f"{error}.", "zone") from error
    return zone


def _slug(document: Document) -> str:
    return re.sub(r"[^a-z0-9]+", "-", document.title.lower()).strip("-")[:60] or "incident"
