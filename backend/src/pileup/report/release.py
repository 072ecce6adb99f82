"""Prepare a document for export: select sections, add addresses and release facts, compare."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import structs

from pileup.report.document import (
    Block,
    Bullets,
    Document,
    Figure,
    Heading,
    Paragraph,
    Quote,
    Runs,
    Section,
    Table,
)

MOST_LINES = 3000
"""Longer sections are not compared by line: difflib is quadratic in the worst case."""


def only(document: Document, keys: Collection[str] | None) -> Document:
    """Keep only these sections; numbers of figures and sources do not change."""
    if keys is None:
        return document
    sections = [section for section in document.sections if section.key in keys]
    cited = {number for section in sections for number in _cited(section.blocks)}
    return structs.replace(
        document,
        sections=sections,
        sources=[source for source in document.sources if source.number in cited],
    )


def linked(document: Document, address: str, incident: str) -> Document:
    """Turn the paths of sources into addresses of the incident on this server.

    A release is frozen with paths: the server may move, and a bundle gives the incident another id.
    """
    home = f"/incidents/{document.incident}/"

    def to(link: str | None) -> str | None:
        _, text, rest = (link or "").partition(home)
        return f"{address}/incidents/{incident}/{rest}" if text else link

    sources = [structs.replace(source, link=to(source.link)) for source in document.sources]
    return structs.replace(document, sources=sources)


def stamped(
    document: Document, *, state: str, number: int, sha256: str, approved_by: Sequence[str]
) -> Document:
    """Add a release's hash, approvers, number and state to its document."""
    word = {"approved": "approved", "in_review": "in review", "withdrawn": "withdrawn"}[state]
    facts = [*document.facts, ("Document hash", f"SHA-256 {sha256}")]
    if approved_by:
        facts.append(("Approved by", "; ".join(approved_by)))
    version = f"Release {number} ({word}) · {sha256[:12]}"
    return structs.replace(document, version=version, facts=facts)


@dataclass(frozen=True, slots=True)
class SectionDiff:
    key: str
    title: str
    change: Literal["added", "gone", "changed", "same"]
    lines: tuple[tuple[str, str], ...]
    """('+', '-' or ' ', text); empty for equal sections."""


def diff(before: Document, after: Document) -> list[SectionDiff]:
    """Compare two versions section by section, in the order of the later version."""
    old = {section.key: section for section in before.sections}
    new = {section.key: section for section in after.sections}
    out = [_section(old.get(section.key), section) for section in after.sections]
    out += [_section(section, None) for section in before.sections if section.key not in new]
    return out


def same_content(item: Document, other: Document) -> bool:
    """Return whether a reader sees the same content, apart from dates, versions and addresses."""

    def seen(document: Document) -> tuple[object, ...]:
        sources = [structs.replace(source, link=None) for source in document.sources]
        return document.title, document.template, document.sections, sources

    return seen(item) == seen(other)


def _section(old: Section | None, new: Section | None) -> SectionDiff:
    shown = new or old
    assert shown is not None
    if old is None or new is None:
        mark = "+" if old is None else "-"
        lines = tuple((mark, line) for line in _text(shown)[:MOST_LINES])
        return SectionDiff(shown.key, shown.title, "added" if old is None else "gone", lines)
    if old.blocks == new.blocks and old.markdown == new.markdown:
        return SectionDiff(new.key, new.title, "same", ())
    a, b = _text(old), _text(new)
    if len(a) > MOST_LINES or len(b) > MOST_LINES:
        cut = (("-", f"{len(a)} lines"), ("+", f"{len(b)} lines, too many to compare"))
        return SectionDiff(new.key, new.title, "changed", cut)
    lines = tuple(_compared(a, b))
    if all(mark == " " for mark, _ in lines):
        lines = (("~", "The text is the same; the measurements in its live blocks changed."),)
    return SectionDiff(new.key, new.title, "changed", lines)


def _compared(a: list[str], b: list[str]) -> Iterator[tuple[str, str]]:
    for word, a1, a2, b1, b2 in difflib.SequenceMatcher(None, a, b).get_opcodes():
        if word == "equal":
            yield from ((" ", line) for line in a[a1:a2])
        else:
            yield from (("-", line) for line in a[a1:a2])
            yield from (("+", line) for line in b[b1:b2])


def _text(section: Section) -> list[str]:
    return section.markdown.splitlines()


def _cited(blocks: Sequence[Block]) -> Iterator[int]:
    for block in blocks:
        match block:
            case Paragraph() | Heading():
                yield from _notes(block.runs)
            case Quote():
                yield from _cited(block.blocks)
            case Bullets():
                for item in block.items:
                    yield from _cited(item)
            case Figure():
                yield from _notes(block.caption)
            case Table():
                yield from _notes(block.caption)
                for row in [block.head, *block.rows]:
                    for cell in row:
                        yield from _notes(cell)


def _notes(runs: Runs) -> Iterator[int]:
    return (run.note for run in runs if run.note is not None)
