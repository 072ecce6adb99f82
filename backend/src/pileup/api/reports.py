"""The report: sections, checks, preview, and the export as Markdown or self-contained HTML."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from pileup.api.auth import Caller
from pileup.api.cases import build_case
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.schema import In, Out
from pileup.report.case import SECTION_TITLES, Case
from pileup.report.checks import check
from pileup.report.html import render_fragment, render_html
from pileup.report.markdown import render_markdown
from pileup.report.notes import number_notes
from pileup.report.prefill import body, prefill
from pileup.storage.errors import NotFound
from pileup.storage.reports import Reports

router = APIRouter(tags=["reports"])

SectionKey = Annotated[str, Path(max_length=40)]
Body = Annotated[str, Field(max_length=200_000)]


class ReportSection(Out):
    key: str
    title: str
    body_md: str
    prefilled: bool
    """True while nobody has edited it: it follows the case."""
    revision: int
    """0 when it was never edited; send it as If-Match."""


class ReportCheck(Out):
    level: Literal["warning", "note"]
    section: str
    text: str


class Report(Out):
    sections: list[ReportSection]
    updated_at: datetime | None
    checks: list[ReportCheck]


class SectionText(In):
    body_md: Body


class Preview(Out):
    html: str


class Proposal(Out):
    body_md: str


@router.get("/incidents/{incident_id}/report")
def get_report(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> Report:
    """Every section, edited or proposed from the case, and what a reviewer would remark."""
    case = build_case(services, unit, incident)
    saved = Reports(unit).sections(incident.id)
    return Report(
        sections=[
            ReportSection(
                key=key,
                title=title,
                body_md=body(case, key),
                prefilled=key not in saved,
                revision=saved[key].revision if key in saved else 0,
            )
            for key, title in SECTION_TITLES.items()
        ],
        updated_at=max((s.updated_at for s in saved.values()), default=None),
        checks=[ReportCheck(level=c.level, section=c.section, text=c.text) for c in check(case)],
    )


@router.put("/incidents/{incident_id}/report/sections/{key}")
def save_section(
    incident: IncidentDep,
    key: SectionKey,
    text: SectionText,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> ReportSection:
    """Save one section; every earlier text is kept."""
    saved = Reports(unit).save(
        incident.id, _known(key), text.body_md, revision=revision, by=caller.actor
    )
    return ReportSection(
        key=key,
        title=SECTION_TITLES[key],
        body_md=saved.body_md,
        prefilled=False,
        revision=saved.revision,
    )


@router.post("/incidents/{incident_id}/report/sections/{key}/prefill")
def propose_section(
    incident: IncidentDep, key: SectionKey, services: ServicesDep, unit: UnitDep
) -> Proposal:
    """What the case says now; nothing is saved."""
    return Proposal(body_md=prefill(build_case(services, unit, incident), _known(key)))


@router.post("/incidents/{incident_id}/report/preview")
def preview(
    incident: IncidentDep, text: SectionText, services: ServicesDep, unit: UnitDep
) -> Preview:
    """One text as it will look; strangers' markup stays text."""
    case = build_case(services, unit, incident)
    numbered, _ = number_notes(case, text.body_md)
    return Preview(html=render_fragment(numbered))


@router.get("/incidents/{incident_id}/report/export", response_class=Response)
def export(
    incident: IncidentDep,
    services: ServicesDep,
    unit: UnitDep,
    as_: Annotated[Literal["md", "html"], Query(alias="format")] = "html",
) -> Response:
    """The whole report as a file."""
    case = build_case(services, unit, incident)
    now = datetime.now(UTC)
    text, media = (
        (render_html(case, now), "text/html")
        if as_ == "html"
        else (render_markdown(case, now), "text/markdown")
    )
    name = f"{_slug(case)}-postmortem.{as_}"
    return Response(
        text,
        media_type=f"{media}; charset=utf-8",
        headers={
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
        },
    )


def _known(key: str) -> str:
    if key not in SECTION_TITLES:
        raise NotFound(f"The report has no section {key!r}; it has: {', '.join(SECTION_TITLES)}.")
    return key


def _slug(case: Case) -> str:
    return re.sub(r"[^a-z0-9]+", "-", case.title.lower()).strip("-")[:60] or "incident"
