"""The whole report as one Markdown file, with numbered footnotes to raw lines."""

from __future__ import annotations

from datetime import UTC, datetime

from pileup.report.case import SECTION_TITLES, Case
from pileup.report.notes import Note, number_notes
from pileup.report.prefill import body


def render_markdown(case: Case, now: datetime) -> str:
    """Title, facts, every section, sources."""
    text, notes = number_notes(case, sections_markdown(case))
    sources = "\n".join(_source(case, note) for note in notes)
    return f"{head_markdown(case, now)}\n{text}\n## Sources\n\n{sources or 'None cited.'}\n"


def head_markdown(case: Case, now: datetime) -> str:
    facts = [
        f"Service: {case.service}" if case.service else "",
        f"Severity: {case.severity}" if case.severity else "",
        f"Status: {case.status}",
        f"Owner: {case.owner}",
        f"Exported: {now.astimezone(UTC):%Y-%m-%d %H:%M UTC}",
    ]
    return f"# {case.title}\n\n" + " · ".join(filter(None, facts)) + "\n"


def sections_markdown(case: Case) -> str:
    return "\n".join(
        f"## {title}\n\n{body(case, key).strip()}\n" for key, title in SECTION_TITLES.items()
    )


def _source(case: Case, note: Note) -> str:
    link = f" <{case.link(note.view)}>" if note.view else ""
    lines = [f"[^{note.number}]: {note.text}{link}"]
    if note.excerpt:
        lines += ["", *(f"        {line}" for line in note.excerpt.splitlines())]
    return "\n".join(lines)
