"""The whole report as one self-contained HTML file: opens offline, runs no script, loads nothing.

Query text and notes are strangers' text: Markdown is rendered without raw HTML and sanitised.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import nh3
from jinja2 import Environment, PackageLoader, select_autoescape
from markdown_it import MarkdownIt
from markupsafe import Markup

from pileup.report.case import SECTION_TITLES, Case
from pileup.report.figures import confidence_figure, graph_figure, timeline_figure
from pileup.report.notes import number_notes
from pileup.report.prefill import body, when

_MARKDOWN = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(
    ["table", "strikethrough"]
)
_NUMBERED = re.compile(r"\[\^(\d+)\]")
_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "sup"),
}
_ENVIRONMENT = Environment(
    loader=PackageLoader("pileup.report", "templates"),
    autoescape=select_autoescape(default=True),
    trim_blocks=True,
    lstrip_blocks=True,
)


def render_fragment(markdown: str) -> str:
    """One Markdown text as safe HTML: for the editor's preview and the sections."""
    html = _MARKDOWN.render(markdown)
    html = _NUMBERED.sub(r'<sup><a href="#source-\1">\1</a></sup>', html)
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "td": {"style"}, "th": {"style"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )


def render_html(case: Case, now: datetime) -> str:
    """The report with numbered figures and its sources."""
    marker = "\n\n<!--pileup-section-->\n\n"
    numbered, notes = number_notes(case, marker.join(body(case, key) for key in SECTION_TITLES))
    bodies = dict(zip(SECTION_TITLES, numbered.split(marker), strict=True))
    figures = _figures(case)
    sections = [
        {
            "key": key,
            "title": title,
            "html": Markup(render_fragment(bodies[key])),  # noqa: S704 (sanitised by nh3)
            "figures": [f for f in figures if f["section"] == key],
        }
        for key, title in SECTION_TITLES.items()
    ]
    return _ENVIRONMENT.get_template("report.html.jinja").render(
        case=case,
        exported=f"{now.astimezone(UTC):%Y-%m-%d %H:%M UTC}",
        sections=sections,
        notes=[
            {
                "number": note.number,
                "text": note.text,
                "excerpt": note.excerpt,
                "link": case.link(note.view) if note.view else None,
            }
            for note in notes
        ],
    )


def _figures(case: Case) -> list[dict[str, object]]:
    drawn = [
        ("timeline", timeline_figure(case.lanes, _stall_spans(case)), _timeline_caption(case)),
        (
            "what_happened",
            graph_figure(case.graph) if case.graph else "",
            _graph_caption(case),
        ),
        (
            "hypotheses",
            confidence_figure(case.hypotheses),
            "Confidence in each hypothesis over time.",
        ),
    ]
    kept = [(section, svg, caption) for section, svg, caption in drawn if svg]
    return [
        {"section": section, "number": number, "svg": Markup(svg), "caption": caption}  # noqa: S704 (escaped by figures.py)
        for number, (section, svg, caption) in enumerate(kept, start=1)
    ]


def _graph_caption(case: Case) -> str:
    if case.graph is None:
        return ""
    return f"{case.graph.headline} Snapshot of {when(case.graph.at)}; dashed boxes are inferred."


def _timeline_caption(case: Case) -> str:
    spans = _stall_spans(case)
    shaded = "the stall is shaded." if spans else "no stall was detected."
    return f"What moved most, one value per pixel at most, UTC; {shaded}"


def _stall_spans(case: Case) -> list[tuple[float, float]]:
    if case.analysis is None:
        return []
    return [
        (_ms(s.onset), _ms(s.end) if s.end else float("inf"))
        for s in case.analysis.stalls
        if s.kind == "stall"
    ]


def _ms(iso: str) -> float:
    return datetime.fromisoformat(iso.replace("Z", "+00:00")).timestamp() * 1000
