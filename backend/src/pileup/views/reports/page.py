"""Render the draft for the editor: sections as HTML, with the lines that each block comes from."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import escape

from pileup.report.case import Case
from pileup.report.compose import DraftSection, draft, draft_of_text
from pileup.report.document import Block, Code, Figure, Table, Trouble
from pileup.report.render.figures import PORTRAIT
from pileup.report.render.html import render_blocks
from pileup.report.text.templates import template

_SOURCE = re.compile(r'href="#source-(\d+)"')
_KINDS: tuple[tuple[type, Literal["figure", "table", "code", "problem"]], ...] = (
    (Figure, "figure"),
    (Table, "table"),
    (Code, "code"),
    (Trouble, "problem"),
)


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A block of a section as readers see it."""

    first: int
    """First line of its source in the text, 1-based."""
    last: int
    kind: Literal["text", "figure", "table", "code", "problem"]
    html: str


@dataclass(frozen=True, slots=True)
class PageNote:
    """A source that the text of a section names."""

    label: str
    number: int
    """As printed in the document."""
    text: str
    link: str | None
    """A path within Pileup; None: the source is gone."""
    stale: bool


@dataclass(frozen=True, slots=True)
class PageSection:
    key: str
    text: str
    """The Markdown that the lines of the blocks count in."""
    blocks: list[PageBlock]
    notes: list[PageNote]


def report_page(case: Case) -> list[PageSection]:
    """Render every section of the template, numbered through the document."""
    return [_section(section) for section in draft(case)]


def section_page(case: Case, key: str, text: str) -> PageSection:
    """Render one section as if its text were saved; for a key outside of the template, it alone."""
    if key not in {part.key for part in template(case.template).parts}:
        return _section(draft_of_text(case, text))
    changed = dataclasses.replace(case, sections={**case.sections, key: text})
    return next(_section(section) for section in draft(changed) if section.key == key)


def _section(section: DraftSection) -> PageSection:
    by_number = {str(note.number): note for note in section.notes}

    def linked(match: re.Match[str]) -> str:
        note = by_number[match[1]]
        target = f' href="{escape(note.view)}"' if note.view else ""
        return f'title="{escape(note.text)}"{target}'

    return PageSection(
        key=section.key,
        text=section.text,
        blocks=[
            PageBlock(
                passage.first,
                passage.last,
                _kind(passage.blocks),
                _SOURCE.sub(linked, render_blocks(passage.blocks, width=PORTRAIT)),
            )
            for passage in section.passages
        ],
        notes=[
            PageNote(note.label, note.number, note.text, note.view, note.stale)
            for note in section.notes
        ],
    )


def _kind(blocks: Sequence[Block]) -> Literal["text", "figure", "table", "code", "problem"]:
    for block_type, name in _KINDS:
        if any(isinstance(block, block_type) for block in blocks):
            return name
    return "text"
