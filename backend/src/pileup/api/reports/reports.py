"""The report: sections of the chosen template, checks, preview, and what can be inserted."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import Field

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, RevisionDep, ServicesDep, UnitDep
from pileup.api.schema import In, Out
from pileup.report import checks
from pileup.report.compose import blocks_of
from pileup.report.render.figures import PORTRAIT
from pileup.report.render.html import render_blocks
from pileup.report.text import templates
from pileup.report.text.prefill import body
from pileup.report.text.templates import TEMPLATES, TITLES
from pileup.storage.errors import NotFound, Refused
from pileup.storage.reports.releases import Releases
from pileup.storage.reports.reports import Reports
from pileup.views.case import build_case

router = APIRouter(tags=["reports"])
previews = APIRouter(tags=["reports"])
"""Saves nothing: for viewers too."""

SectionKey = Annotated[str, Path(max_length=40)]
Body = Annotated[str, Field(max_length=200_000)]


class ReportSection(Out):
    key: str
    title: str
    prompt: str
    """What the section is to say."""
    required: bool
    body_md: str
    prefilled: bool
    """True while nobody has edited it: it follows the case."""
    revision: int
    """0 when it was never edited; send it as If-Match."""


class ReportCheck(Out):
    rule: checks.Rule
    level: Literal["warning", "note"]
    section: str | None
    """None: it is about the incident's actions."""
    line: int | None
    """1-based, within the section's text."""
    text: str


class KeptSection(Out):
    """A written section that the chosen template lacks: kept, not exported."""

    key: str
    title: str


class ReportTemplate(Out):
    id: str
    title: str
    purpose: str
    sections: list[str]
    """Their titles."""


class Insertable(Out):
    """Something that a section can show: the text to insert, and what it is called."""

    kind: Literal["pin", "figure", "table"]
    title: str
    detail: str
    text: str


class Report(Out):
    template: str
    template_revision: int
    """Send it as If-Match when choosing another."""
    templates: list[ReportTemplate]
    sections: list[ReportSection]
    kept: list[KeptSection]
    updated_at: datetime | None
    checks: list[ReportCheck]
    insertable: list[Insertable]


class SectionText(In):
    body_md: Body


class TemplateChoice(In):
    template: Annotated[str, Field(max_length=40)]


class ChosenTemplate(Out):
    template: str
    revision: int


class Preview(Out):
    html: str


@router.get("/incidents/{incident_id}/report")
def get_report(incident: IncidentDep, services: ServicesDep, unit: UnitDep) -> Report:
    """Every section, edited or proposed from the case, and what a reviewer would remark."""
    case = build_case(unit, incident, services.placed, services.blobs)
    saved = Reports(unit).sections(incident.id)
    chosen = templates.template(case.template)
    own = {part.key for part in chosen.parts}
    pins = [
        Insertable(
            kind="pin",
            title=pin.title,
            detail="stale" if pin.stale else (pin.path or "pin"),
            text=f"[^pin-{pin.id.replace('-', '')}]",
        )
        for pin in case.pins
    ]
    return Report(
        template=chosen.id,
        template_revision=Releases(unit).choice(incident.id).revision,
        templates=[
            ReportTemplate(
                id=one.id,
                title=one.title,
                purpose=one.purpose,
                sections=[part.title for part in one.parts],
            )
            for one in TEMPLATES
        ],
        sections=[
            ReportSection(
                key=part.key,
                title=part.title,
                prompt=part.prompt,
                required=part.required,
                body_md=body(case, part.key),
                prefilled=part.key not in saved,
                revision=saved[part.key].revision if part.key in saved else 0,
            )
            for part in chosen.parts
        ],
        kept=[
            KeptSection(key=key, title=TITLES.get(key, key))
            for key, text in saved.items()
            if key not in own and text.body_md.strip()
        ],
        updated_at=max((s.updated_at for s in saved.values()), default=None),
        checks=[
            ReportCheck(rule=c.rule, level=c.level, section=c.section, line=c.line, text=c.text)
            for c in checks.check(case)
        ],
        insertable=[*_FIGURES, *pins],
    )


@router.put("/incidents/{incident_id}/report/template")
def choose_template(
    incident: IncidentDep,
    choice: TemplateChoice,
    unit: UnitDep,
    caller: Caller,
    revision: RevisionDep,
) -> ChosenTemplate:
    """Another template; no text is lost: those of other templates are kept."""
    if choice.template not in {one.id for one in TEMPLATES}:
        known = ", ".join(one.id for one in TEMPLATES)
        raise Refused(f"There is no template {choice.template!r}; there are: {known}.", "template")
    made = Releases(unit).choose_template(
        incident.id, choice.template, revision=revision, by=caller.actor
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
        incident.id, _known(key), text.body_md, revision=revision, by=caller.actor
    )
    chosen = templates.template(Releases(unit).choice(incident.id).template or "")
    part = next((one for one in chosen.parts if one.key == key), None)
    return ReportSection(
        key=key,
        title=part.title if part else TITLES[key],
        prompt=part.prompt if part else "",
        required=part.required if part else False,
        body_md=saved.body_md,
        prefilled=False,
        revision=saved.revision,
    )


@previews.post("/incidents/{incident_id}/report/preview")
def preview(
    incident: IncidentDep, text: SectionText, services: ServicesDep, unit: UnitDep
) -> Preview:
    """One text as it will look, with its live blocks; strangers' markup stays text."""
    case = build_case(unit, incident, services.placed, services.blobs)
    return Preview(html=render_blocks(blocks_of(case, text.body_md), width=PORTRAIT))


def _known(key: str) -> str:
    if key not in TITLES:
        raise NotFound(f"The report has no section {key!r}; it has: {', '.join(TITLES)}.")
    return key


def _insertable(kind: Literal["figure", "table"], name: str, title: str, detail: str) -> Insertable:
    return Insertable(kind=kind, title=title, detail=detail, text=f"::{name}")


_FIGURES = [
    _insertable("figure", "lane", "Timeline lanes", "what moved most, the stall shaded"),
    _insertable("figure", "waits", "Wait graph", "who waited for whom at the worst moment"),
    _insertable("figure", "confidence", "Confidence", "the team's confidence over time"),
    _insertable("figure", "matrix", "Matrix", "evidence against hypotheses"),
    _insertable("table", "timeline", "Timeline table", "what happened when"),
    _insertable("table", "experiments", "Experiments", "predicted, observed, verdict"),
    _insertable("table", "actions", "Actions", "owner, date, verified by"),
]
