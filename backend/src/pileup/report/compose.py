"""Compose the document of a case: the chosen template's sections, blocks and numbered sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from msgspec.structs import replace

from pileup import __version__
from pileup.analysis.evidence.servers import server_title
from pileup.numerals import counted
from pileup.report.case import Case
from pileup.report.document import (
    SCHEMA,
    Block,
    Bullets,
    Code,
    Document,
    Figure,
    Paragraph,
    Quote,
    Run,
    Section,
    Source,
    Table,
    Trouble,
)
from pileup.report.text.cover import cover
from pileup.report.text.live_blocks import expand
from pileup.report.text.markdown_blocks import Directive, Passage, parse, passages
from pileup.report.text.prefill import body
from pileup.report.text.source_notes import Note, Notes, Quotations, without_internals
from pileup.report.text.templates import PLAIN, Part, template
from pileup.report.text.wording import main_stall, when

MOST_ROWS = 1000
"""At most this many rows of a table are printed; the rest is counted."""
_MOST_NAMES = 8
"""At most this many contributors are named on the cover."""


def compose(
    case: Case,
    now: datetime,
    *,
    version: str = "draft",
) -> Document:
    """Compose the current draft of the report."""
    chosen = template(case.template)
    notes = Notes(case)
    made = [_section(case, part, notes) for part in chosen.parts]
    sections = numbered([section for section in made if section is not None])
    sections, shown = _quoted_once(sections, notes)
    listed = notes.listed(shown)
    if chosen.id in PLAIN:
        listed = [without_internals(note) for note in listed]
    return Document(
        schema=SCHEMA,
        incident=case.id,
        title=case.title,
        facts=_facts(case),
        template=chosen.id,
        version=version,
        made_at=now.astimezone(UTC).isoformat(timespec="seconds"),
        engine=__version__,
        zone="UTC",
        sections=sections,
        cover=cover(case),
        sources=[
            Source(
                number=note.number,
                text=note.text,
                excerpt=note.excerpt,
                link=note.view,
                artifact=note.artifact,
            )
            for note in listed
        ],
    )


def _quoted_once(sections: list[Section], notes: Notes) -> tuple[list[Section], Quotations]:
    """Leave out the raw lines of a pin that an earlier pin of the same file quotes."""
    shown = Quotations()

    def once(block: Block) -> Block:
        match block:
            case Quote(blocks=[Paragraph(runs=runs) as title, Code(text=text)]):
                file = next((notes.artifact_of(run.note) for run in runs if run.note), None)
                if shown.place_of(text, file) is not None:
                    return Quote([title, Paragraph([Run("Quoted above.", italic=True)])])
                shown.add(text, "above", file)
        return block

    once_each = [replace(section, blocks=[once(b) for b in section.blocks]) for section in sections]
    return once_each, shown


@dataclass(frozen=True, slots=True)
class DraftSection:
    """A section of the draft, with the lines of its text that each block comes from."""

    key: str
    text: str
    passages: list[Passage]
    notes: list[Note]
    """The sources that it names, in order of appearance."""


def draft(case: Case) -> list[DraftSection]:
    """Compose every section of the template for the editor, numbered as in the document."""
    return _draft(case, {part.key: body(case, part.key) for part in template(case.template).parts})


def draft_of_text(case: Case, markdown: str) -> DraftSection:
    """Compose one text alone for the editor."""
    return _draft(case, {"": markdown})[0]


def _draft(case: Case, texts: dict[str, str]) -> list[DraftSection]:
    notes = Notes(case)
    named: dict[str, dict[str, Note]] = {key: {} for key in texts}

    def read(key: str) -> list[Passage]:
        def number(label: str) -> int:
            named[key][label] = notes.find(label)
            return named[key][label].number

        def live(directive: Directive) -> list[Block]:
            return expand(case, directive, number)

        return passages(texts[key], number, live)

    found = {key: read(key) for key in texts}
    sections = numbered(
        [
            Section(key, "", "", [block for passage in each for block in passage.blocks])
            for key, each in found.items()
        ]
    )
    made = []
    for section in sections:
        blocks = iter(section.blocks)
        of_section = [
            Passage(each.first, each.last, list(islice(blocks, len(each.blocks))))
            for each in found[section.key]
        ]
        key = section.key
        made.append(DraftSection(key, texts[key], of_section, list(named[key].values())))
    return made


def blocks_of(case: Case, markdown: str) -> list[Block]:
    """Render one text alone to blocks, for the preview."""
    notes = Notes(case)
    blocks = parse(markdown, notes.number, _live(case, notes))
    return numbered([Section("", "", markdown, blocks)])[0].blocks


def _section(case: Case, part: Part, notes: Notes) -> Section | None:
    """Compose one section; None for an optional section without text."""
    text = body(case, part.key)
    blocks = parse(text, notes.number, _live(case, notes))
    if not blocks:
        if not part.required:
            return None
        blocks = [Trouble(f"Not written yet. {part.prompt}")]
    return Section(part.key, part.title, text, blocks)


def _live(case: Case, notes: Notes) -> Callable[[Directive], list[Block]]:
    def live(directive: Directive) -> list[Block]:
        return expand(case, directive, notes.number)

    return live


def _facts(case: Case) -> list[tuple[str, str]]:
    server = case.analysis.server if case.analysis else {}
    facts = [
        ("Service", case.service),
        ("When", _when(case)),
        ("Server", server_title(server.get("family"), server.get("version"))),
        ("Severity", (case.severity or "").upper()),
        ("Status", case.status),
        ("Owner", case.owner),
        ("Contributors", _contributors(case)),
    ]
    return [(name, value) for name, value in facts if value]


def _when(case: Case) -> str:
    """Write when the leading stall began and ended; '' without one."""
    stall = main_stall(case.analysis)
    if stall is None:
        return ""
    end = f"until {when(stall.end)}" if stall.end else "its end was not captured"
    return f"{when(stall.onset)}, {end}"


def _contributors(case: Case) -> str:
    """Name those beside the owner who noted or concluded something, the first one first."""
    steps = [(step.at, step.by) for each in case.hypotheses for step in each.history]
    notes = [(note.start, note.author) for note in (*case.noticed, *case.annotations)]
    ordered = dict.fromkeys(name for _, name in sorted([*steps, *notes], key=lambda pair: pair[0]))
    names = [name for name in ordered if name and name != case.owner]
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def numbered(sections: list[Section]) -> list[Section]:
    """Number figures and captioned tables through the document; cut long tables with a note."""
    numbers = {"figure": 0, "table": 0}

    def walk(block: Block) -> Block:
        match block:
            case Figure():
                numbers["figure"] += 1
                return replace(block, number=numbers["figure"])
            case Table():
                if block.caption:
                    numbers["table"] += 1
                    block = replace(block, number=numbers["table"])
                return block if len(block.rows) <= MOST_ROWS else _cut(block)
            case Quote():
                return Quote([walk(item) for item in block.blocks])
            case Bullets():
                items = [[walk(child) for child in item] for item in block.items]
                return replace(block, items=items)
        return block

    return [
        replace(section, blocks=[walk(block) for block in section.blocks]) for section in sections
    ]


def _cut(table: Table) -> Table:
    hidden = len(table.rows) - MOST_ROWS
    last = [
        [Run(f"… and {counted(hidden, 'more row')}", italic=True)],
        *([[]] * (len(table.head) - 1)),
    ]
    return replace(table, rows=[*table.rows[:MOST_ROWS], last])
