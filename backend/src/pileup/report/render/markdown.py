"""Render the report as one Markdown file with numbered notes, and figures as tables.

Markdown has no pictures of its own: a figure is its caption and its table alternative, so that a
diff of two exports shows what changed.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import takewhile

from pileup.report.document import (
    Block,
    Bullets,
    Code,
    Document,
    Figure,
    Heading,
    Paragraph,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
    Trouble,
)
from pileup.report.render.figure_tables import alternative_table
from pileup.report.text.templates import PLAIN

_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>|"})


def _written(document: Document) -> str:
    return f"{datetime.fromisoformat(document.made_at).astimezone(UTC):%Y-%m-%d %H:%M UTC}"


def render_markdown(document: Document) -> str:
    """Render title, facts, sections and sources."""
    facts = [f"{name}: {value}" for name, value in document.facts]
    facts += [f"Version: {document.version}", f"Written: {_written(document)}"]
    parts = [f"# {_plain(document.title)}"]
    if document.cover is not None and document.template not in PLAIN:
        parts.append(f"**{_plain(document.cover.story)}**")
        if document.cover.points:
            parts.append("\n".join(f"- {_plain(point)}" for point in document.cover.points))
    parts.append(_plain(" · ".join(facts)))
    for section in document.sections:
        parts.append(f"## {_plain(section.title)}")
        parts += [_block(block) for block in section.blocks]
    parts.append("## Sources")
    parts += [
        _source(source.number, source.text, source.link, source.excerpt)
        for source in document.sources
    ]
    if not document.sources:
        parts.append("None cited.")
    if document.redacted is not None:
        parts.append("## Redaction")
        parts += [f"- {kind.kind}: {kind.counted()}" for kind in document.redacted]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return _start(_runs(block.runs))
        case Heading():
            return f"{'#' * block.level} {_runs(block.runs)}"
        case Code():
            fence = "```"
            while fence in block.text:
                fence += "`"
            return f"{fence}\n{block.text}\n{fence}"
        case Rule():
            return "---"
        case Trouble():
            return f"*{_plain(block.text)}*"
        case Quote():
            inner = "\n\n".join(_block(item) for item in block.blocks)
            return "\n".join(f"> {line}".rstrip() for line in inner.split("\n"))
        case Bullets():
            return "\n".join(
                _item(f"{block.start + index}." if block.ordered else "-", item)
                for index, item in enumerate(block.items)
            )
        case Table():
            return _table(block)
        case Figure():
            caption = f"**Figure {block.number}.** {_runs(block.caption)}"
            if block.tabled:
                return caption
            return f"{caption}\n\n{_table(alternative_table(block.drawing))}"


def _item(mark: str, blocks: list[Block]) -> str:
    text = "\n\n".join(_block(block) for block in blocks)
    pad = " " * (len(mark) + 1)
    return f"{mark} " + text.replace("\n", f"\n{pad}")


def _table(table: Table) -> str:
    rule = {"left": "---", "right": "--:", "center": ":-:"}
    lines = [
        "| " + " | ".join(_cell(cell) for cell in table.head) + " |",
        "|" + "|".join(rule[name] for name in table.align) + "|",
        *("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in table.rows),
    ]
    caption = f"\n\n**Table {table.number}.** {_runs(table.caption)}" if table.caption else ""
    return "\n".join(lines) + caption


def _cell(runs: Runs) -> str:
    return _runs(runs, cell=True).replace("\n", " ")


def _runs(runs: Runs, *, cell: bool = False) -> str:
    """Write runs of text; a mark that several of them carry encloses them all.

    Blanks stay outside of marks, as no reader takes "*this *" for emphasis.
    """
    out: list[str] = []
    is_open: list[str] = []
    blanks = ""
    for at, run in enumerate(runs):
        text, lead, trail = _run(run, cell=cell), "", ""
        if not (run.code or run.note is not None or run.href):
            core = text.strip()
            lead, _, trail = text.partition(core) if core else (text, "", "")
            text = core
        blanks += lead
        if text:
            wanted = _marks(run)
            while not {*is_open} <= {*wanted}:
                out.append(is_open.pop())
            new = [mark for mark in wanted if mark not in is_open]
            new.sort(key=lambda mark: -_length(runs[at:], mark))
            out += [blanks, *new, text]
            is_open += new
            blanks = ""
        blanks += trail
    return "".join([*out, *reversed(is_open), blanks])


def _run(run: Run, *, cell: bool) -> str:
    """Write one run without its marks."""
    if run.note is not None:
        return f"[^{run.note}]"
    if run.code:
        ticks = "``" if "`" in run.text else "`"
        pad = " " if run.text.startswith("`") or run.text.endswith("`") else ""
        escaped = run.text.replace("|", "\\|") if cell else run.text
        return f"{ticks}{pad}{escaped}{pad}{ticks}"
    text = _plain(run.text)
    return f"[{text}]({run.href})" if run.href else text


def _marks(run: Run) -> list[str]:
    """List the marks that a run carries; code and references have none."""
    if run.code or run.note is not None:
        return []
    marks = (("*", run.italic), ("**", run.bold), ("~~", run.strike))
    return [mark for mark, is_on in marks if is_on]


def _length(runs: Runs, mark: str) -> int:
    """Count the runs from the first on that carry a mark without a break."""
    return sum(1 for _ in takewhile(lambda run: mark in _marks(run), runs))


def _plain(text: str) -> str:
    return text.translate(_SPECIAL)


def _start(line: str) -> str:
    """Escape a line whose first character would make it a heading, a list or a quote."""
    head = line.lstrip()
    if head[:1] in "#+-=~" or (head[:9].split(".", 1)[0].isdecimal() and "." in head[:9]):
        number, dot, rest = head.partition(".")
        return f"{number}\\{dot}{rest}" if number.isdecimal() else f"\\{head}"
    return line


def _source(number: int, text: str, link: str | None, excerpt: str | None) -> str:
    lines = [f"[^{number}]: {_plain(text)}" + (f" <{link}>" if link else "")]
    if excerpt:
        lines += ["", *(f"        {line}" for line in excerpt.splitlines())]
    return "\n".join(lines)
