"""Every export of one document with every kind of block, markup and styles included, as agreed.

The document has what an export treats differently from the rest: letters from right to left, long
words, links that are no addresses, notes side by side, a list within a list, wide tables. Pictures
have agreed texts of their own (test_golden.py), so only a digest stands for them here. A change
that alters an export rewrites the files with ``pytest --bless``, and its review reads them.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pileup.report import document as d
from pileup.report.render import pdf
from pileup.report.render.html import render_html
from pileup.report.render.markdown import render_markdown
from pileup.report.render.word_document import render_docx
from tests.report.test_facts import Facts, drawings_of
from tests.support.agreed import check_agreed

_FOLDER = Path(__file__).parent / "golden"


def _runs(*texts: str) -> d.Runs:
    return [d.Run(text) for text in texts]


def _looks() -> Iterator[d.Runs]:
    yield _runs("plain & <b>markup</b>\nsecond line\x00\x0b")
    yield [
        d.Run("all of them", bold=True, italic=True, strike=True, code=True),
        d.Run("code", code=True),
    ]
    yield [d.Run(note=1), d.Run(note=2), d.Run("between"), d.Run(note=1)]
    for address in (
        *("https://example.test/?a=1&b=2", "HTTP://EXAMPLE.TEST", "mailto:a@example.test"),
        *("/incidents/i1", "#source-1", "javascript:alert(1)", "ftp://example.test"),
    ):
        yield [d.Run("a link to ", code=True), d.Run(address, href=address)]
    yield _runs("خدمة الدفع 390")
    yield _runs("トランザクション ไทย", "mutex_enter_inline(buf_pool->LRU_list_mutex)" + "x" * 40)
    yield []


def _paragraph(text: str) -> d.Paragraph:
    return d.Paragraph(_runs(text))


def _lists() -> Iterator[d.Block]:
    for ordered, start in ((False, 1), (True, 1), (True, 7)):
        deepest = d.Bullets([[_paragraph("third level")]], ordered)
        inner = d.Bullets([[_paragraph("second level"), deepest]], not ordered)
        items: list[list[d.Block]] = [
            [_paragraph("first")],
            [_paragraph("with a list"), inner, d.Code("with code")],
        ]
        yield d.Bullets(items, ordered, start)
    yield d.Bullets([[_paragraph(f"item {number}")] for number in range(30)])


def _tables() -> Iterator[d.Block]:
    sides = itertools.cycle(("left", "right", "center"))

    def table(columns: int, rows: int, words: str, number: int | None) -> d.Table:
        return d.Table(
            [_runs(f"head {at}") if at else [] for at in range(columns)],
            [[_runs(f"{row}.{at} {words}") for at in range(columns)] for row in range(rows)],
            [next(sides) for _ in range(columns)],  # type: ignore[misc]
            _runs(f"Caption {number}") if number else [],
            number,
        )

    for number, (columns, rows, words) in enumerate(
        ((2, 2, ""), (3, 13, "words"), (7, 2, "x"), (8, 2, "x"), (3, 2, "a long text " * 9)), 1
    ):
        yield table(columns, rows, words, number)
    yield table(2, 1, "without a number", None)
    yield d.Table([_runs("only a head")], [], ["left"])


def _figures() -> Iterator[d.Block]:
    sweep = d.SweepDrawing(
        "machines",
        "queries (1/s)",
        [
            d.SweepSeries(
                "build: old",
                [d.SweepRunPoint(1, 8, 90.0, "typed"), d.SweepRunPoint(2, 64, 12.5, "", "failed")],
                (8, 64),
            ),
            d.SweepSeries("build: patched", [d.SweepRunPoint(3, 64, None, "", "did not fail")]),
        ],
    )
    outcomes = d.SweepDrawing(
        "machines", "", [d.SweepSeries("", [d.SweepRunPoint(1, 8, None, "", "failed")])]
    )
    graph = d.GraphDrawing("2026-11-20T22:19:52Z", "x", [d.GraphNode("a", "a", "thread", 0)], [])
    many = [d.GraphNode(f"n{at}", f"node {at}", "thread", at, at) for at in range(9)]
    deep = structs.replace(graph, nodes=many, edges=[("n1", "n0", "waits_for")])
    for number, drawing in enumerate((*drawings_of(Facts()), sweep, outcomes, graph, deep), 1):
        yield d.Figure(drawing, _runs(f"Figure {number}"), "<alt>", number, tabled=number == 2)
    yield d.Quote([d.Figure(sweep, _runs("Quoted"), "in a quote", 20), _paragraph("quoted")])
    yield d.Bullets([[d.Figure(outcomes, _runs("Listed"), "in a list", 21)]])


def _document() -> d.Document:
    blocks: list[d.Block] = [
        *map(d.Paragraph, _looks()),
        *(block for level in (3, 4, 6) for block in (d.Heading(level, _runs("A heading")),)),
        *_lists(),
        d.Quote([_paragraph("quoted"), d.Code("quoted code"), _paragraph("last")]),
        d.Code("a line\n\n  indented\twith a tab </pre>"),
        d.Rule(),
        d.Trouble("nothing to show <here>"),
        d.Heading(3, _runs("Before a table")),
        *_tables(),
    ]
    sections = [
        d.Section("summary", "Summary & more", "", blocks),
        d.Section("figures", "Figures", "", list(_figures())),
        d.Section("empty", "Nothing", "", []),
    ]
    sources = [
        d.Source(1, "dump.txt:1-2", "a raw line </script>\nanother", "/i/1", "4f" * 32),
        d.Source(2, "said Ann", None, "https://example.test"),
    ]
    return d.Document(
        1, "i1", "A title & <more>", [("Service", "checkout"), ("Severity", "sev2")],
        "full", "draft", "2026-11-23T23:30:05+00:00", "0.1", "Asia/Tokyo", sections, sources,
        d.Cover("What happened.", ["What it cost.", "What the team concluded."]),
        [d.RedactedKind("hosts", 2, 5), d.RedactedKind("users", 1, 1)],
    )  # fmt: skip


def _bare() -> d.Document:
    made = _document()
    return structs.replace(
        made, template="executive", sections=[], sources=[], cover=None, redacted=None, zone="UTC"
    )


def _digest(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    return hashlib.sha256(data).hexdigest()[:12]


def _html(made: d.Document) -> str:
    viewer = "const a = '</script><!--'"
    page = render_html(made) + render_html(made, viewer=viewer)
    page = re.sub(r"<svg.*?</svg>", lambda found: f"<svg {_digest(found[0])}>", page, flags=re.S)
    page = re.sub(r"(?<=<style>).*?(?=</style>)", lambda found: _digest(found[0]), page, flags=re.S)
    return page.replace("><", ">\n<")


def _docx(made: d.Document) -> str:
    found = []
    with zipfile.ZipFile(io.BytesIO(render_docx(made))) as archive:
        for part in archive.infolist():
            found.append(f"==== {part.filename} {part.date_time} {part.compress_type}")
            if re.search(r"document\.xml|header|footer|core|rels/doc", part.filename):
                text = re.sub(r' xmlns:\w+="[^"]*"', "", archive.read(part).decode())
                found.append(re.sub(r"(</w:p>|</w:tblGrid>|/>(?=<Rel))", r"\1\n", text))
            elif part.filename == "word/styles.xml":
                found.append(_digest(archive.read(part)))
    return "\n".join(found) + "\n"


def _typst(made: d.Document) -> str:
    data = pdf._data(made, "a4", "")
    lines = [f"{name} = {_line(value)}" for name, value in data.items() if name != "sections"]
    for section in data["sections"]:
        lines += [f"# {section['title']}", *map(_line, section["blocks"])]
    return "\n".join(lines) + "\n"


def _line(value: Any) -> str:
    return re.sub(
        r'"svg": "(?:[^"\\]|\\.)*"',
        lambda found: f'"svg": {_digest(found[0])}',
        json.dumps(value, ensure_ascii=False),
    )


@pytest.mark.parametrize(
    ("name", "export"),
    [("md", render_markdown), ("html", _html), ("docx", _docx), ("typst", _typst)],
)
def test_an_export(
    name: str, export: Callable[[d.Document], str], request: pytest.FixtureRequest
) -> None:
    text = f"{export(_document())}\n======== nothing in it\n{export(_bare())}"
    bless = bool(request.config.getoption("--bless"))
    check_agreed(text, _FOLDER / f"every-block.{name}.txt", bless=bless)
