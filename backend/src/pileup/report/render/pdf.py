"""Render the report as PDF with typst and our own fonts (``fonts/``), offline, figures as vectors.

Texts reach typst as data (one JSON value) and are placed, never evaluated. typst cannot be stopped
from within, so it runs in a separate process that is killed after ``TIMEOUT_S``; there is at most
one per ``_ROOM`` place at a time, and its input is bounded.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec

from pileup.report.document import (
    Block,
    Bullets,
    Document,
    Figure,
    Quote,
    Runs,
    Table,
    as_plain,
    plain,
)
from pileup.report.render.column_widths import column_letters
from pileup.report.render.figures import LANDSCAPE, draw, page_width
from pileup.report.render.keep_together import is_whole, with_next
from pileup.report.render.scripts import has_kana, is_rtl, unbroken, unseen
from pileup.report.render.zone import named
from pileup.report.text.templates import PLAIN, kind

Paper = Literal["a4", "letter"]

TIMEOUT_S = 60
MAX_BYTES = 24 * 1024 * 1024
"""Limit of the data passed to typst; a report of 2 000 sources with excerpts has some 4 MB."""
_ROOM = threading.BoundedSemaphore(2)
_LONG = 18
"""Words longer than this many letters get break opportunities."""
_LINE = 96
"""Width of a table across a portrait page in letters, without the space between columns."""
_PAPERS = {"a4": "a4", "letter": "us-letter"}


class NotTypeset(Exception):  # noqa: N818  (named after what happened, as in storage/errors.py)
    """The PDF could not be rendered; the message says why and what to do."""


def render_pdf(document: Document, *, paper: Paper = "a4", kicker: str = "") -> bytes:
    """Render the whole report; the same document gives the same bytes.

    Raises NotTypeset when the report is too large, takes too long, or typst rejects it.
    """
    data = json.dumps(_data(document, paper, kicker), ensure_ascii=False).encode()
    if len(data) > MAX_BYTES:
        raise NotTypeset(
            f"the report has {len(data) // 2**20} MiB of text and figures, over the "
            f"{MAX_BYTES // 2**20} MiB that are typeset; export fewer sections, or as HTML"
        )
    with _ROOM:
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pileup.report.render.typeset"],
                input=data,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise NotTypeset(
                f"typesetting took longer than {TIMEOUT_S} s and was ended; export fewer sections"
            ) from error
    if done.returncode != 0 or not done.stdout.startswith(b"%PDF"):
        text = done.stderr.decode("utf-8", "replace").strip()[-400:]
        raise NotTypeset(f"the typesetter refused the report: {text or 'it ended without a word'}")
    return done.stdout


def _data(document: Document, paper: Paper, kicker: str) -> dict[str, Any]:
    made = datetime.fromisoformat(document.made_at)
    zone = named(document.zone)
    at = made.astimezone(zone)
    facts = [(name, value, False) for name, value in document.facts]
    facts.append(("Version", document.version, False))
    facts.append(("Written", f"{at:%Y-%m-%d %H:%M} {at:%Z}", False))
    facts.append(("Times in", document.zone, False))
    if document.redacted is not None:
        kinds = ", ".join(kind.kind for kind in document.redacted) or "nothing"
        facts.append(("Redacted", kinds, False))
    facts.append(("Incident", document.incident, True))
    texts = list(_texts(as_plain(document.sections)))
    texts += [document.title, *(value for _, value in document.facts)]
    if document.cover is not None:
        texts += [document.cover.story, *document.cover.points]
    texts += [text for source in document.sources for text in (source.text, source.excerpt or "")]
    asian = ["Noto Sans SC", "Noto Sans JP"]
    return {
        "paper": _PAPERS[paper],
        "asian": asian[::-1] if any(map(has_kana, texts)) else asian,
        "unseen": [f"{script} ({many})" for script, many in unseen(texts)],
        "title": _broken(document.title),
        "version": document.version,
        "kicker": kicker or kind(document.template),
        "brief": document.template in PLAIN,
        "foot": f"Pileup {document.engine}",
        "date": [made.year, made.month, made.day, made.hour, made.minute, made.second],
        "facts": facts,
        "cover": None
        if document.cover is None
        else {
            "story": _broken(document.cover.story),
            "points": [_broken(point) for point in document.cover.points],
        },
        "sections": [
            {
                "title": _broken(section.title),
                "blocks": _blocks(section.blocks, zone, top=True),
            }
            for section in document.sections
        ],
        "sources": [
            {
                "number": source.number,
                "text": _broken(source.text),
                "excerpt": _broken(source.excerpt) if source.excerpt else None,
                "link": source.link,
                "artifact": source.artifact[:16] if source.artifact else None,
            }
            for source in document.sources
        ],
        "redacted": None
        if document.redacted is None
        else [msgspec.to_builtins(kind) for kind in document.redacted],
    }


def _texts(node: Any) -> Iterator[str]:
    """Yield every text in the blocks of the sections."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for name, value in node.items():
            if name != "markdown":
                yield from _texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value)


def _blocks(blocks: Sequence[Block], zone: Any, *, top: bool = False) -> list[dict[str, Any]]:
    return [
        _block(block, zone, top=top) | ({"leads": True} if leads else {})
        for block, leads in with_next(blocks)
    ]


def _block(block: Block, zone: Any, *, top: bool = False) -> dict[str, Any]:
    """Convert a block for the typst template; only a section's own block may turn the page."""
    match block:
        case Figure():
            width = page_width(block.drawing)
            return {
                "type": "figure",
                "number": block.number,
                "caption": _runs(block.caption),
                "alt": block.alt,
                "svg": draw(block.drawing, block.alt, width=width, zone=zone),
                "wide": top and width == LANDSCAPE,
            }
        case Table():
            return {
                "type": "table",
                "number": block.number,
                "caption": _runs(block.caption),
                "align": block.align,
                "head": [_runs(cell) or None for cell in block.head],
                "rows": [[_runs(cell) for cell in row] for row in block.rows],
                "columns": _columns(block),
                "wide": top and len(block.head) > 7,
                "together": is_whole(block),
            }
        case Bullets():
            return {
                "type": "list",
                "ordered": block.ordered,
                "start": block.start,
                "items": [_blocks(item, zone) for item in block.items],
                "together": is_whole(block),
            }
        case Quote():
            return {"type": "quote", "blocks": _blocks(block.blocks, zone)}
    made: dict[str, Any] = msgspec.to_builtins(block)
    if "runs" in made:
        runs: Runs = block.runs  # type: ignore[union-attr]  # it has them
        made["runs"], made["rtl"] = _runs(runs), is_rtl(plain(runs))
    if "text" in made:
        made["text"] = _broken(made["text"])
    return made


def _runs(runs: Runs) -> list[dict[str, Any]]:
    out = []
    for run in runs:
        made: dict[str, Any] = msgspec.to_builtins(run)
        if run.note is None:
            made["text"] = _broken(run.text)
        out.append(made)
    return out


def _columns(table: Table) -> list[float]:
    """Return per column 0 for the width of its text, else its share of the rest of the line."""
    return [0 if is_short else round(n, 2) for n, is_short in column_letters(table, _LINE)]


def _broken(text: str) -> str:
    """Insert zero-width spaces into long words so that lines may break; drop control characters."""
    text = "".join(c if c >= " " or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
    text = unbroken(text.replace("\t", "    "))
    return "\n".join(" ".join(map(_word, line.split(" "))) for line in text.split("\n"))


def _word(word: str) -> str:
    if len(word) <= _LONG:
        return word
    out: list[str] = []
    since = 0
    for letter in word:
        out.append(letter)
        since += 1
        if (not letter.isalnum() and since > 3) or since >= _LONG:
            out.append("\u200b")
            since = 0
    return "".join(out)
