"""Render the report as one HTML file that opens from disk, loads nothing and works without scripts.

Everything that people or machines wrote is escaped. With a viewer (the built
frontend/src/features/report/viewer) figures become interactive: the file contains their data as
JSON, and allows the one script by its hash alone. Without scripts the static pictures and their
table alternatives remain.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup, escape

from pileup.report.document import (
    Block,
    Bullets,
    Code,
    Document,
    Figure,
    Heading,
    LanesDrawing,
    Paragraph,
    Quote,
    Rule,
    Runs,
    Table,
    Trouble,
)
from pileup.report.render.column_widths import column_letters
from pileup.report.render.figure_tables import alternative_table
from pileup.report.render.figures import SCREEN, draw
from pileup.report.render.scripts import unbroken
from pileup.report.render.sessions_figure import CLASS_COLOURS
from pileup.report.render.time_scale import is_cut
from pileup.report.render.zone import named
from pileup.report.text.templates import PLAIN, kind

_ENVIRONMENT = Environment(
    loader=PackageLoader("pileup.report.render", "pages"),
    autoescape=select_autoescape(default=True, default_for_string=True),
    trim_blocks=True,
    lstrip_blocks=True,
)
_DARK = (
    ("#1c2024", "var(--ink)"),
    ("#60646c", "var(--grey)"),
    ("#d9d9e0", "var(--hair)"),
    ("#ffffff", "var(--paper)"),
    ("#fff", "var(--paper)"),
    ("#fdf3dd", "var(--band)"),
    ("#b35c00", "var(--waiting)"),
    ("#c4320a", "var(--holding)"),
    ("#0072b2", "var(--line)"),
    ("#d55e00", "#ff8f4a"),
    ("#c7e6dc", "#1f5f4d"),
    ("#e3f2ed", "#173d33"),
    ("#fbe3d3", "#4d2c18"),
    ("#f5c3a5", "#86431d"),
    ("#f0f0f3", "#2b2d31"),
    *((light, dark) for light, dark in CLASS_COLOURS.values() if light != "#0072b2"),
)
"""Colours of the figures, and their counterparts on a dark screen."""
_STYLE_HASH = "STYLE_HASH"
"""In the policy of the page, before everything that people wrote."""
_LINE = 110
"""Width of a table across the page, in letters."""
_LINKS = ("http://", "https://", "mailto:", "/", "#")


def render_html(document: Document, *, viewer: str | None = None) -> str:
    """Render the whole page; ``viewer`` is the script that makes its figures interactive."""
    zone = named(document.zone)
    script = None
    if viewer is not None:
        script = viewer.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    allowed = _csp_hash(script) if script is not None else "'none'"
    made = datetime.fromisoformat(document.made_at).astimezone(zone)
    page = _ENVIRONMENT.get_template("report.html.jinja").render(
        document=document,
        kind=kind(document.template),
        brief=document.template in PLAIN,
        written=f"{made:%Y-%m-%d %H:%M} {made:%Z}",
        sections=[
            {
                "key": section.key,
                "title": section.title,
                "html": render_blocks(section.blocks, zone),
            }
            for section in document.sections
        ],
        data=Markup(_data(document)) if script is not None else None,  # noqa: S704  (escaped there)
        script=Markup(script) if script is not None else None,  # noqa: S704  (our own, built)
        dark_colours=_DARK,
        script_source=Markup(allowed),  # noqa: S704  (a hash)
    )
    style = page.partition("<style>")[2].partition("</style>")[0]
    return page.replace(_STYLE_HASH, _csp_hash(style), 1)


def render_blocks(blocks: Sequence[Block], zone: tzinfo = UTC, *, width: int = SCREEN) -> Markup:
    """Render blocks as safe HTML, for the page and (with narrower figures) the editor's preview."""
    return Markup("\n").join(_block(block, zone, width) for block in blocks)


def _block(block: Block, zone: tzinfo, width: int) -> Markup:
    match block:
        case Paragraph():
            return _tag("p", _runs(block.runs))
        case Heading():
            return _tag(f"h{block.level}", _runs(block.runs))
        case Code():
            return Markup("<pre>{}</pre>").format(block.text)
        case Rule():
            return Markup("<hr>")
        case Trouble():
            return Markup('<p class="trouble">{}</p>').format(block.text)
        case Quote():
            return _tag("blockquote", render_blocks(block.blocks, zone, width=width))
        case Bullets():
            items = Markup().join(_tag("li", _item(item, zone, width)) for item in block.items)
            if not block.ordered:
                return _tag("ul", items)
            return Markup('<ol start="{}">{}</ol>').format(block.start, items)
        case Table():
            return _table(block, None)
        case Figure():
            return _figure(block, zone, width)


def _item(blocks: list[Block], zone: tzinfo, width: int) -> Markup:
    if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
        return _runs(blocks[0].runs)
    return render_blocks(blocks, zone, width=width)


def _table(table: Table, name: str | None) -> Markup:
    caption = Markup()
    named = Markup(' aria-label="{}"').format(name) if name else Markup()
    if table.number is not None:
        caption = Markup("<caption><b>Table {}.</b> {}</caption>").format(
            table.number, _runs(table.caption)
        )
    looks = [
        f"{align} short" if is_short else align
        for align, (_, is_short) in zip(table.align, column_letters(table, _LINE), strict=True)
    ]
    head = Markup().join(
        # The corner of a table has no words, and heads nothing.
        Markup('<{0} class="{1}">{2}</{0}>').format("th" if cell else "td", look, _runs(cell))
        for cell, look in zip(table.head, looks, strict=True)
    )
    body = Markup("\n").join(
        _tag(
            "tr",
            Markup().join(
                Markup('<td class="{}">{}</td>').format(look, _runs(cell))
                for cell, look in zip(row, looks, strict=False)
            ),
        )
        for row in table.rows
    )
    return Markup(
        '<div class="table"><table{}>{}<thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>'
    ).format(named, caption, head, body)


def _figure(figure: Figure, zone: tzinfo, width: int) -> Markup:
    svg = Markup(draw(figure.drawing, figure.alt, width=width, zone=zone))  # noqa: S704  (escaped by figures.py)
    return Markup(
        '<figure id="figure-{0}" data-figure="{0}"><div class="drawing">{1}</div>'
        "<figcaption><b>Figure {0}.</b> {2}</figcaption>"
        "<details><summary>As a table</summary>{3}</details></figure>"
    ).format(
        figure.number,
        svg,
        _runs(figure.caption),
        _table(alternative_table(figure.drawing, zone), f"Data of figure {figure.number}"),
    )


def _runs(runs: Runs) -> Markup:
    out: list[Markup] = []
    for before, run in zip([None, *runs], runs, strict=False):
        if run.note is not None:
            if before is not None and before.note is not None:
                out.append(Markup("<sup>, </sup>"))
            out.append(Markup('<sup><a href="#source-{0}">{0}</a></sup>').format(run.note))
            continue
        text = Markup(escape(unbroken(run.text)).replace("\n", Markup("<br>")))  # noqa: S704  (escaped)
        for on, tag in (
            (run.code, "code"),
            (run.italic, "em"),
            (run.bold, "strong"),
            (run.strike, "s"),
        ):
            text = _tag(tag, text) if on else text
        if run.href and run.href.lower().startswith(_LINKS):
            text = Markup('<a href="{}" rel="noopener noreferrer">{}</a>').format(run.href, text)
        out.append(text)
    return Markup().join(out)


def _tag(name: str, inner: Markup) -> Markup:
    return Markup("<{0}>{1}</{0}>").format(Markup(name), inner)  # noqa: S704  (our own names)


def _data(document: Document) -> str:
    """Encode the viewer's data as JSON that cannot close its script element.

    A timeline that leaves gaps out keeps its static picture: the viewer has no such axis.
    """
    figures: dict[str, Any] = {}
    for section in document.sections:
        for figure in _figures(section.blocks):
            if not (isinstance(figure.drawing, LanesDrawing) and is_cut(figure.drawing.lanes)):
                figures[str(figure.number)] = msgspec.to_builtins(figure.drawing)
    text = json.dumps({"zone": document.zone, "figures": figures}, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _figures(blocks: Sequence[Block]) -> list[Figure]:
    figures: list[Figure] = []
    for block in blocks:
        if isinstance(block, Figure):
            figures.append(block)
        elif isinstance(block, Quote):
            figures += _figures(block.blocks)
        elif isinstance(block, Bullets):
            for item in block.items:
                figures += _figures(item)
    return figures


def _csp_hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
