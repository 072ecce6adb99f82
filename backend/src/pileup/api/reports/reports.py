"""Routes for the report: sections of the template, checks, preview, insertable blocks."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.storage.reports.releases import Releases
from pileup.storage.reports.reports import Reports
from pileup.views.reports.case import build_case
from pileup.views.reports.page import PageSection, report_page, section_page
from pileup.views.reports.screen import (
    Report,
    ReportSection,
    edited_section,
    known_section,
    known_template,
    report_screen,
)

router = APIRouter(tags=["reports"])
previews = APIRouter(tags=["reports"])
"""Saves nothing: for viewers too."""

SectionKey = Annotated[str, Path(max_length=40)]
Body = Annotated[str, Field(max_length=200_000)]


class SectionText(In):
    body_md: Body


class PreviewText(SectionText):
    section: Annotated[str, Field(max_length=40)] = ""
    """Key of the section, for the numbers of its sources and figures; empty: the text alone."""


class TemplateChoice(In):
    template: Annotated[str, Field(max_length=40)]


class ChosenTemplate(Out):
    template: str
    revision: int


@router.get("/incidents/{incident_id}/report")
@by_version()
def get_report(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> Report:
    """Return every section, edited or proposed from the case, and the remarks of the checks."""
    case = build_case(unit, incident, services.stores)
    return report_screen(unit, incident, case)


@router.get("/incidents/{incident_id}/report/page")
@by_version()
def get_report_page(
    incident: IncidentDep, services: ServicesDep, unit: UnitDep
) -> list[PageSection]:
    """Return the whole draft as readers see it, section by section."""
    return report_page(build_case(unit, incident, services.stores))


@router.put("/incidents/{incident_id}/report/template")
def choose_template(
    incident: IncidentDep,
    choice: TemplateChoice,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> ChosenTemplate:
    """Choose another template; the texts of other templates are kept."""
    made = Releases(unit).choose_template(
        incident.id, known_template(choice.template), revision=revision, by=caller.actor
    )
    return ChosenTemplate(template=choice.template, revision=made.revision)


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
        incident.id, known_section(key), text.body_md, revision=revision, by=caller.actor
    )
    return edited_section(unit, incident.id, saved)


@previews.post("/incidents/{incident_id}/report/preview")
def preview(
    incident: IncidentDep, text: PreviewText, services: ServicesDep, unit: UnitDep
) -> PageSection:
    """Render one text with its live blocks; markup in it stays text."""
    case = build_case(unit, incident, services.stores)
    return section_page(case, text.section, text.body_md)
