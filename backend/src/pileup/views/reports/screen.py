"""Build the report screen: sections of the chosen template, checks, and what can be inserted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pileup.report.case import Case
from pileup.report.checks import ReportCheck, check
from pileup.report.text.cover import cover
from pileup.report.text.live_blocks import BLOCKS
from pileup.report.text.prefill import body, prefill
from pileup.report.text.templates import PLAIN, TEMPLATES, TITLES, Part, template
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound, Refused
from pileup.storage.incidents.incidents import Incident
from pileup.storage.reasoning.experiments import Experiments
from pileup.storage.reasoning.hypotheses import Hypotheses
from pileup.storage.reports.releases import Releases
from pileup.storage.reports.reports import PREFIX, Reports, SectionRecord
from pileup.views.reports.case import build_case
from pileup.views.stores import Stores


@dataclass(frozen=True, slots=True)
class ReportSection:
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


@dataclass(frozen=True, slots=True)
class KeptSection:
    """Written section that the chosen template lacks: stored, not exported."""

    key: str
    title: str


@dataclass(frozen=True, slots=True)
class ReportTemplate:
    id: str
    title: str
    purpose: str
    sections: list[str]
    """Their titles."""


@dataclass(frozen=True, slots=True)
class Insertable:
    """Block or pin that a section can show: the text to insert, and its name."""

    kind: Literal["pin", "figure", "table"]
    title: str
    detail: str
    text: str


@dataclass(frozen=True, slots=True)
class ReportCover:
    """What the first page says before everything else; it follows the case."""

    story: str
    points: list[str]


@dataclass(frozen=True, slots=True)
class Report:
    title: str
    cover: ReportCover | None
    """None: nothing has been analysed yet."""
    template: str
    template_revision: int
    """Send it as If-Match when choosing another."""
    templates: list[ReportTemplate]
    sections: list[ReportSection]
    kept: list[KeptSection]
    updated_at: datetime | None
    checks: list[ReportCheck]
    insertable: list[Insertable]


def report_screen(unit: Unit, incident: Incident, case: Case) -> Report:
    """Build every section, edited or prefilled, with the remarks of the checks."""
    saved = Reports(unit).sections(incident.id)
    chosen = template(case.template)
    first = None if chosen.id in PLAIN else cover(case)
    own = {part.key for part in chosen.parts}
    return Report(
        title=case.title,
        cover=None if first is None else ReportCover(first.story, first.points),
        template=chosen.id,
        template_revision=Releases(unit).choice(incident.id).revision,
        templates=[
            ReportTemplate(each.id, each.title, each.purpose, [part.title for part in each.parts])
            for each in TEMPLATES
        ],
        sections=[_section(case, part, saved.get(part.key)) for part in chosen.parts],
        kept=[
            KeptSection(key=key, title=TITLES.get(key, key))
            for key, text in saved.items()
            if key not in own and text.body_md.strip()
        ],
        updated_at=max((section.updated_at for section in saved.values()), default=None),
        checks=check(case),
        insertable=_insertable(case),
    )


def edited_section(unit: Unit, incident_id: str, saved: SectionRecord) -> ReportSection:
    """Build the section that a person just saved."""
    chosen = template(Releases(unit).choice(incident_id).template or "")
    part = next((part for part in chosen.parts if part.key == saved.key), None)
    return ReportSection(
        key=saved.key,
        title=part.title if part else TITLES[saved.key],
        prompt=part.prompt if part else "",
        required=part.required if part else False,
        body_md=saved.body_md,
        prefilled=False,
        revision=saved.revision,
    )


def known_section(key: str) -> str:
    """Return the key of a section; raises NotFound for one that no template has."""
    if key not in TITLES:
        raise NotFound(f"The report has no section {key!r}; it has: {', '.join(TITLES)}.")
    return key


def known_template(template_id: str) -> str:
    """Return the id of a template; raises Refused for one that does not exist."""
    known = [each.id for each in TEMPLATES]
    if template_id not in known:
        raise Refused(
            f"There is no template {template_id!r}; there are: {', '.join(known)}.", "template"
        )
    return template_id


def prefilled_text(unit: Unit, incident: Incident, key: str, stores: Stores) -> str:
    """Return the initial text of a live text, before anybody edits it.

    Raises NotFound for a key that means nothing in this incident. A new kind of text is one more
    case here.
    """
    match key.split("/"):
        case ["summary"]:
            return incident.summary
        case ["report", section] if section in TITLES:
            case_now = build_case(unit, incident, stores)
            return prefill(case_now, key.removeprefix(PREFIX))
        case ["hypothesis", hypothesis_id, "notes"]:
            if Hypotheses(unit).get(hypothesis_id).incident_id == incident.id:
                return ""
        case ["experiment", experiment_id, "conclusion"]:
            experiment = Experiments(unit).get(experiment_id)
            if experiment.incident_id == incident.id:
                return experiment.conclusion
    raise NotFound(f"This incident has no text {key!r}.")


def _section(case: Case, part: Part, saved: SectionRecord | None) -> ReportSection:
    return ReportSection(
        key=part.key,
        title=part.title,
        prompt=part.prompt,
        required=part.required,
        body_md=body(case, part.key),
        prefilled=saved is None,
        revision=saved.revision if saved else 0,
    )


def _insertable(case: Case) -> list[Insertable]:
    blocks = [
        Insertable(block.kind, block.title, block.detail, f"::{name}")
        for name, block in BLOCKS.items()
        if block.kind != "pin"
    ]
    pins = [
        Insertable(
            kind="pin",
            title=pin.title,
            detail="stale" if pin.stale else (pin.path or "pin"),
            text=f"[^pin-{pin.id.replace('-', '')}]",
        )
        for pin in case.pins
    ]
    return [*blocks, *pins]
