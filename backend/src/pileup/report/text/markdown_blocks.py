"""Parse Markdown to blocks. Raw HTML is text, only safe links remain, live blocks are expanded.

CommonMark with tables and strikethrough, and two extensions that other programs show as text:
a paragraph ``::name{key="value"}`` is a live block (docs/reference/report-blocks.md), and a
paragraph ``Table: what it shows`` right after a table is its caption.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from pileup.report.document import (
    Block,
    Bullets,
    Code,
    Heading,
    Paragraph,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)

_MARKDOWN = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(
    ["table", "strikethrough"]
)
_PARAGRAPHS = MarkdownIt("commonmark", {"html": False}).enable("table").disable("inline")
"""Finds paragraphs without parsing what is in them, which takes most of the time."""
_REFERENCE = re.compile(r"\[\^([A-Za-z0-9][A-Za-z0-9-]*)\]")
_DIRECTIVE = re.compile(r"::([a-z][a-z_-]*)(?:\{([^{}\n]*)\})?[ \t]*")
_ARGUMENT = re.compile(r'(?<![a-z_])([a-z_]++)="([^"]*)"')
_SAFE = re.compile(r"(?:https?|mailto):|/|#", re.IGNORECASE)
_CAPTION = "Table: "
MAX_DEPTH = 12
"""Lists in quotes in lists: deeper nesting is flattened."""
_ALIGN: dict[str, Literal["right", "center"]] = {
    "text-align:right": "right",
    "text-align:center": "center",
}


@dataclass(frozen=True, slots=True)
class Directive:
    """A live block as typed."""

    name: str
    arguments: dict[str, str]
    line: int
    """1-based, within its text."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The lines of a text that belong together, and the blocks that they become."""

    first: int
    """1-based, within its text."""
    last: int
    blocks: list[Block]


def parse(
    markdown: str, note: Callable[[str], int], live: Callable[[Directive], list[Block]]
) -> list[Block]:
    """Parse one text to blocks.

    note: returns the number of the source that a reference [^label] names.
    live: expands a directive to blocks.
    """
    return [block for passage in passages(markdown, note, live) for block in passage.blocks]


def passages(
    markdown: str, note: Callable[[str], int], live: Callable[[Directive], list[Block]]
) -> list[Passage]:
    """Parse one text as ``parse`` does, with the lines of each passage."""
    return _captioned(_Reader(_MARKDOWN.parse(markdown), note, live).passages())


def directives(markdown: str) -> Iterator[Directive]:
    """Yield the live blocks of a text, in order."""
    for token in _PARAGRAPHS.parse(markdown) if "::" in markdown else ():
        if token.type == "inline":
            yield from _directives(token)


def _directives(token: Token) -> list[Directive]:
    """Parse a paragraph that consists of directives; empty when it contains anything else."""
    if not token.content.startswith("::"):
        return []
    first = (token.map or [0])[0] + 1
    parsed: list[Directive] = []
    for offset, line in enumerate(token.content.split("\n")):
        match = _DIRECTIVE.fullmatch(line.strip())
        if match is None:
            return []
        arguments = dict(_ARGUMENT.findall(match[2] or ""))
        parsed.append(Directive(match[1], arguments, first + offset))
    return parsed


class _Reader:
    """Walks markdown-it's flat list of opening and closing tokens."""

    def __init__(
        self,
        tokens: list[Token],
        note: Callable[[str], int],
        live: Callable[[Directive], list[Block]],
    ) -> None:
        self._tokens = tokens
        self._at = 0
        self._note = note
        self._live = live

    def passages(self) -> list[Passage]:
        """Read the whole text."""
        read: list[Passage] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            first, end = token.map or (0, 0)
            read.append(Passage(first + 1, end, self._block(token, 0)))
        return read

    def blocks(self, depth: int) -> list[Block]:
        """Read blocks up to the token that closes the caller's block."""
        blocks: list[Block] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if token.nesting == -1:
                break
            blocks += self._block(token, depth)
        return blocks

    def _block(self, token: Token, depth: int) -> list[Block]:
        match token.type:
            case "paragraph_open":
                inline = self._inline()
                live = _directives(inline)
                if live:
                    return [block for directive in live for block in self._live(directive)]
                return [Paragraph(self._runs(inline))]
            case "heading_open":
                return [Heading(min(int(token.tag[1:]) + 2, 6), self._runs(self._inline()))]
            case "bullet_list_open" | "ordered_list_open":
                return self._list(token, depth)
            case "blockquote_open":
                inner = self.blocks(depth + 1)
                return inner if depth >= MAX_DEPTH else [Quote(inner)]
            case "fence" | "code_block":
                return [Code(token.content.rstrip("\n"))]
            case "table_open":
                return [self._table()]
            case "hr":
                return [Rule()]
        return []

    def _inline(self) -> Token:
        """Read the inline token of the open block, and skip the closing token."""
        token = self._tokens[self._at]
        self._at += 2
        return token

    def _list(self, opening: Token, depth: int) -> list[Block]:
        items: list[list[Block]] = []
        while self._tokens[self._at].type == "list_item_open":
            self._at += 1
            items.append(self.blocks(depth + 1))
        self._at += 1
        if depth >= MAX_DEPTH:
            return [block for item in items for block in item]
        ordered = opening.type == "ordered_list_open"
        start = int(opening.attrs.get("start", 1)) if ordered else 1
        return [Bullets(items, ordered, start)]

    def _table(self) -> Table:
        rows: list[list[Runs]] = []
        align: list[Literal["left", "right", "center"]] = []
        while (token := self._tokens[self._at]).type != "table_close":
            self._at += 1
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                align.append(_ALIGN.get(str(token.attrs.get("style", "")), "left"))
            elif token.type == "inline":
                rows[-1].append(self._runs(token))
        self._at += 1
        return Table(head=rows[0], rows=rows[1:], align=align)

    def _runs(self, inline: Token) -> Runs:
        runs: Runs = []
        look = Run()
        for token in inline.children or []:
            match token.type:
                case "strong_open":
                    look = replace(look, bold=True)
                case "strong_close":
                    look = replace(look, bold=False)
                case "em_open":
                    look = replace(look, italic=True)
                case "em_close":
                    look = replace(look, italic=False)
                case "s_open":
                    look = replace(look, strike=True)
                case "s_close":
                    look = replace(look, strike=False)
                case "link_open":
                    target = str(token.attrs.get("href", ""))
                    look = replace(look, href=target if _SAFE.match(target) else None)
                case "link_close":
                    look = replace(look, href=None)
                case "code_inline":
                    runs.append(replace(look, text=token.content, code=True))
                case "softbreak":
                    runs.append(replace(look, text=" "))
                case "hardbreak":
                    runs.append(replace(look, text="\n"))
                case "image":  # reports load nothing: the image becomes its description
                    runs.append(replace(look, text=f"[image: {token.content}]"))
                case _:
                    runs += self._noted(token.content, look)
        return _joined(runs)

    def _noted(self, text: str, look: Run) -> Iterator[Run]:
        """Split a text into runs, with its references as notes."""
        end = 0
        for match in _REFERENCE.finditer(text):
            yield replace(look, text=text[end : match.start()])
            yield Run(note=self._note(match[1]))
            end = match.end()
        yield replace(look, text=text[end:])


def _joined(runs: Runs) -> Runs:
    """Join neighbouring runs of the same style, and drop empty runs."""
    out: Runs = []
    for run in runs:
        if not run.text and run.note is None:
            continue
        if out and run.note is None and replace(out[-1], text=run.text) == run:
            out[-1] = replace(run, text=out[-1].text + run.text)
        else:
            out.append(run)
    return out


def _captioned(read: list[Passage]) -> list[Passage]:
    """Turn a paragraph 'Table: …' after a table into its caption."""
    out: list[Passage] = []
    for passage in read:
        table = out[-1].blocks[-1] if out and out[-1].blocks else None
        caption = passage.blocks[0] if len(passage.blocks) == 1 else None
        if (
            isinstance(caption, Paragraph)
            and isinstance(table, Table)
            and not table.caption
            and caption.runs
            and caption.runs[0].text.startswith(_CAPTION)
        ):
            first = replace(caption.runs[0], text=caption.runs[0].text.removeprefix(_CAPTION))
            captioned = replace(table, caption=[first, *caption.runs[1:]])
            blocks = [*out[-1].blocks[:-1], captioned]
            out[-1] = Passage(out[-1].first, passage.last, blocks)
        else:
            out.append(passage)
    return out
