"""Build a report as one document and write it as a file: Markdown, HTML, PDF or DOCX.

An approved release is exported from its frozen document: same choices, same bytes. Nothing here
needs a request: a worker or the command line can export a report too.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeVar, cast

from pileup.report.compose import compose
from pileup.report.document import Document, decode
from pileup.report.redaction.document_redaction import Leak, check_leaks, redact
from pileup.report.redaction.plain_redaction import redact_plain
from pileup.report.redaction.redactor import KINDS, Redactor
from pileup.report.release import linked, only, stamped
from pileup.report.render.html import render_html
from pileup.report.render.markdown import render_markdown
from pileup.report.render.pdf import render_pdf
from pileup.report.render.word_document import render_docx
from pileup.report.render.zone import in_zone, named
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound, Refused
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.incidents import Incident
from pileup.storage.reports.redaction import RedactionKind, RedactionProfiles
from pileup.storage.reports.releases import Releases
from pileup.views.reports.case import build_case
from pileup.views.reports.known import redactor_for
from pileup.views.stores import Stores

VIEWER = "report-viewer.js"
"""In the folder of the built UI: what makes the figures of the HTML interactive."""
EXAMPLES = 12

T = TypeVar("T")

Format = Literal["md", "html", "pdf", "docx"]
Paper = Literal["a4", "letter"]


@dataclass(frozen=True, slots=True)
class ExportChoices:
    """Choices for one export."""

    format: Format = "html"
    sections: str | None = None
    """Keys of sections, with commas; None: all."""
    redact: str = ""
    """Name of a redaction profile, or kinds with commas."""
    zone: str = "UTC"
    paper: Paper = "a4"
    release: str | None = None
    """Id of a release; None: the draft."""


@dataclass(frozen=True, slots=True)
class ReportFile:
    name: str
    data: str | bytes


@dataclass(frozen=True, slots=True)
class RedactionExample:
    value: str
    token: str
    occurrences: int


@dataclass(frozen=True, slots=True)
class RedactionCount:
    kind: RedactionKind
    values: int
    occurrences: int
    examples: list[RedactionExample]
    """The most frequent ones."""


def draft_document(
    unit: Unit,
    incident: Incident,
    stores: Stores,
    *,
    version: str = "draft",
) -> Document:
    """Compose the report of an incident as it is now."""
    return compose(build_case(unit, incident, stores), datetime.now(UTC), version=version)


def release_document(unit: Unit, incident_id: str, release_id: str) -> Document:
    """Return the frozen document of a release of this incident; raises NotFound."""
    release, document = Releases(unit).get(release_id)
    if release.incident_id != incident_id:
        raise NotFound("This incident has no such release.")
    return stamped(
        decode(document),
        state=release.state,
        number=release.number,
        sha256=release.sha256,
        approved_by=[
            f"{approval.by}, {approval.at:%Y-%m-%d %H:%M UTC}" for approval in release.approvals
        ],
    )


def export_report(
    unit: Unit,
    incident: Incident,
    stores: Stores,
    choices: ExportChoices,
    *,
    url: str,
    ui: Path | None,
) -> ReportFile:
    """Write the whole report as a file.

    Takes:  ``url``: the address of this installation, for the links;
            ``ui``: the folder of the built UI, whose viewer makes the figures interactive.
    Raises NotFound, Refused, and NotTypeset when the PDF cannot be made.
    """
    document = _chosen(unit, incident, stores, choices.release)
    document = only(document, _keys(choices.sections))
    document = linked(document, url, incident.id)
    kinds = redaction_kinds(unit, choices.redact)
    document = without_leak(*_redacted(unit, incident, stores.placed, document, kinds))
    document = in_zone(document, _zone(choices.zone))
    data = _rendered(document, choices.format, choices.paper, ui)
    return ReportFile(f"{_slug(document)}-postmortem.{choices.format}", data)


def redacted(
    content: T, redactor: Redactor, columns: Collection[str] = (), *, html: bool = False
) -> T:
    """Return structs or plain values redacted; raises Refused when a value is left.

    html: these are sections of a report, with HTML that ``report/render`` made.
    """
    try:
        return redact_plain(content, redactor, columns, html=html)
    except Leak as error:
        raise Refused(str(error), "redact") from error


def redaction_counts(
    unit: Unit,
    incident: Incident,
    stores: Stores,
    choices: ExportChoices,
) -> list[RedactionCount]:
    """Count what a redacted export would replace, by kind, with the most frequent values."""
    kinds = redaction_kinds(unit, choices.redact)
    chosen = _chosen(unit, incident, stores, choices.release)
    document = only(chosen, _keys(choices.sections))
    _, redactor = _redacted(unit, incident, stores.placed, document, kinds)
    replaced = redactor.replaced()
    counts = []
    for kind in kinds:
        values = [value for value in replaced if value.kind == kind]
        counts.append(
            RedactionCount(
                kind=kind,
                values=len(values),
                occurrences=sum(value.occurrences for value in values),
                examples=[
                    RedactionExample(value.value, value.token, value.occurrences)
                    for value in values[:EXAMPLES]
                ],
            )
        )
    return counts


def draft_files(
    unit: Unit,
    incident: Incident,
    stores: Stores,
    *,
    url: str,
    ui: Path | None,
    redactor: Redactor,
) -> dict[str, bytes]:
    """Write the draft as Markdown and HTML, by the name of the file."""
    document = linked(draft_document(unit, incident, stores), url, incident.id)
    document = without_leak(redact(document, redactor), redactor)
    return {
        "report.md": render_markdown(document).encode(),
        "report.html": render_html(document, viewer=_viewer_script(ui)).encode(),
    }


def _chosen(
    unit: Unit,
    incident: Incident,
    stores: Stores,
    release_id: str | None,
) -> Document:
    if release_id is None:
        return draft_document(unit, incident, stores)
    return release_document(unit, incident.id, release_id)


def _redacted(
    unit: Unit,
    incident: Incident,
    placed: PlacedStore,
    document: Document,
    kinds: list[RedactionKind],
) -> tuple[Document, Redactor]:
    redactor = redactor_for(unit, placed, incident.id, kinds)
    return redact(document, redactor), redactor


def without_leak(document: Document, redactor: Redactor) -> Document:
    """Return the document; raises Refused when a value is left in it."""
    try:
        check_leaks(document, redactor)
    except Leak as error:
        raise Refused(str(error), "redact") from error
    return document


def _rendered(document: Document, as_: Format, paper: Paper, ui: Path | None) -> str | bytes:
    match as_:
        case "md":
            return render_markdown(document)
        case "html":
            return render_html(document, viewer=_viewer_script(ui))
        case "pdf":
            return render_pdf(document, paper=paper)
        case "docx":
            return render_docx(document, paper=paper)


def _viewer_script(ui: Path | None) -> str | None:
    """Return the script of the figures; None when the UI was not built with it."""
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
    return None if sections is None else {key.strip() for key in sections.split(",")}


def redaction_kinds(unit: Unit, redact: str) -> list[RedactionKind]:
    """Return the kinds of the profile with this name, else the kinds that are named."""
    profiles = RedactionProfiles(unit)
    if (profile := profiles.find(redact.strip())) is not None:
        return profile.kinds
    kinds = [kind.strip() for kind in redact.split(",") if kind.strip()]
    for kind in kinds:
        if kind not in KINDS:
            known = ", ".join([*KINDS, *(profile.name for profile in profiles.all())])
            raise Refused(f"There is no redaction {kind!r}; there are: {known}.", "redact")
    return cast("list[RedactionKind]", kinds)


def _zone(zone: str) -> str:
    try:
        named(zone)
    except ValueError as error:
        raise Refused(f"{error}.", "zone") from error
    return zone


def _slug(document: Document) -> str:
    return re.sub(r"[^a-z0-9]+", "-", document.title.lower()).strip("-")[:60] or "incident"
