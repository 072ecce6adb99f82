"""PDF and DOCX: pages, numbers, contents, vectors; text never becomes markup; same in, same out."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import docx
import msgspec
import pytest
from msgspec import structs
from pypdf import PdfReader

from pileup.report.document import Document, Figure, GraphDrawing, GraphNode, Source
from pileup.report.release import stamped
from pileup.report.render import pdf, word_document
from pileup.report.render.html import render_html
from pileup.report.render.markdown import render_markdown
from pileup.report.render.pdf import NotTypeset, render_pdf
from pileup.report.render.word_document import render_docx
from tests.report.case import CASE, document

HOSTILE = (
    '#set text(red) #eval("1") $x$ @label <a> *b* _c_ `d` \\ // /* \\u{41} #read("/etc/passwd") '
    "</w:t> ]]> & \x00\x0b \u202e "
)
WORLD = "**结账**服务停顿了 トランザクション توقفت ไทย\n\nخدمة الدفع 390"
LONG = "select " + ", ".join(f"very_long_column_name_{i}" for i in range(80)) + " from t"


@pytest.fixture(scope="module")
def made() -> Document:
    hostile = (
        f"{HOSTILE}\n\n{WORLD}\n\n```\n{LONG}\n```\n\n| a | b |\n|---|---|\n| {'x' * 400} | 1 |\n"
    )
    case = replace(CASE, title=f"Stall {HOSTILE}", sections={"summary": hostile})
    return document(case)


@pytest.fixture(scope="module")
def pages(made: Document) -> list[str]:
    reader = PdfReader(io.BytesIO(render_pdf(made)))
    return [page.extract_text().replace("\u200b", "") for page in reader.pages]


def test_pdf_has_contents_numbers_and_captions(pages: list[str]) -> None:
    """A title page with contents, 'n of m' on each page, figures and tables numbered."""
    assert "Contents" in pages[0]
    assert "Contributing factors" in pages[0]
    for number, page in enumerate(pages, start=1):
        assert f"{number} of {len(pages)}" in page
    whole = "\n".join(pages)
    for words in ("Figure 1.", "Figure 2.", "Figure 3.", "Table 1.", "Sources"):
        assert words in whole


def test_markup_in_texts_stays_text(pages: list[str]) -> None:
    """Nothing of the typesetter's language runs, and nothing breaks it."""
    whole = "".join(pages)
    assert "#set text(red)" in whole
    assert '#read("/etc/passwd")' in whole
    assert "root:" not in whole


def test_letters_of_the_world_are_shown_or_said_to_be_missing(pages: list[str]) -> None:
    """Chinese, Japanese and Arabic by our own fonts; what no font has is counted at the end."""
    whole = "".join("".join(pages).split())
    assert "结账服务停顿了" in whole
    assert "トランザクション" in whole
    assert "Charactersthatthisfilecannotshow" in whole
    assert "Thai(3)" in whole


def test_pictures_are_vectors_and_nothing_leaves_the_page(made: Document) -> None:
    """No raster image in the PDF; the long statement wraps within the margins."""
    reader = PdfReader(io.BytesIO(render_pdf(made)))
    for page in reader.pages:
        resources = page.get("/Resources", {})
        objects = resources.get("/XObject", {}) if resources else {}
        for item in objects.values():
            assert item.get_object()["/Subtype"] != "/Image"
        right = float(page.mediabox.width) - 40
        found: list[float] = []
        page.extract_text(
            visitor_text=lambda text, cm, tm, _f, _s, found=found: (
                found.append(cm[0] * tm[4] + cm[4]) if text.strip() else None
            )
        )
        assert all(x < right for x in found)


def test_the_same_document_gives_the_same_bytes(made: Document) -> None:
    """An approved release is exported the same each time, whatever the clock says."""
    assert render_pdf(made) == render_pdf(made)
    assert render_docx(made) == render_docx(made)


_ELSEWHERE = """
import sys, time
now, local = time.time, time.localtime
time.time = lambda: now() + 400 * 86_400  # another day
time.localtime = lambda at=None: local(time.time() if at is None else at)
import msgspec
from tests.report.test_paper import digests
from pileup.report.document import Document
print(*digests(msgspec.json.decode(sys.stdin.buffer.read(), type=Document)))
"""


def digests(made: Document) -> list[str]:
    """Return a hash of each export of a document."""
    exports = [render_pdf(made), render_docx(made), render_html(made), render_markdown(made)]
    done = [each if isinstance(each, bytes) else each.encode() for each in exports]
    return [hashlib.sha256(each).hexdigest() for each in done]


def test_the_same_document_gives_the_same_bytes_elsewhere(made: Document) -> None:
    """In another process, on another day, in another zone, with another order of sets."""
    elsewhere = {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7", "LANG": "C"}
    ran = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE],
        input=msgspec.json.encode(made),
        env=os.environ | elsewhere,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=True,
    )
    assert ran.stdout.decode().split() == digests(made)


def test_paper_and_zone(made: Document) -> None:
    letter = PdfReader(io.BytesIO(render_pdf(made, paper="letter"))).pages[0].mediabox
    assert (round(letter.width), round(letter.height)) == (612, 792)


def test_release_stands_on_the_title_page(made: Document) -> None:
    sealed = stamped(made, state="approved", number=3, sha256="ab" * 32, approved_by=["Bob, today"])
    first = PdfReader(io.BytesIO(render_pdf(sealed))).pages[0].extract_text().replace("\u200b", "")
    assert "Release 3 (approved)" in first
    assert "ab" * 32 in first.replace("\n", "")
    assert "Bob, today" in first


def test_too_large_and_too_slow_are_said(made: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounded in size and in time, in words that tell what to do."""
    size = len(json.dumps(pdf._data(made, "a4", ""), ensure_ascii=False).encode())
    monkeypatch.setattr(pdf, "MAX_BYTES", size)
    assert render_pdf(made)
    monkeypatch.setattr(pdf, "MAX_BYTES", size - 1)
    with pytest.raises(NotTypeset, match="export fewer sections"):
        render_pdf(made)
    monkeypatch.undo()
    monkeypatch.setattr(pdf, "TIMEOUT_S", 0.001)
    with pytest.raises(NotTypeset, match="took longer"):
        render_pdf(made)
    monkeypatch.undo()
    monkeypatch.setattr(pdf.sys, "executable", "false")
    with pytest.raises(NotTypeset, match="refused the report: it ended without a word"):
        render_pdf(made)


def test_docx_has_real_headings_contents_captions_and_pictures(made: Document) -> None:
    """What a word processor needs to make an outline, a table of contents and page numbers."""
    data = render_docx(made)
    opened = docx.Document(io.BytesIO(data))
    headings = [p.text for p in opened.paragraphs if p.style and p.style.name == "Heading 1"]
    assert headings[:2] == ["Summary", "Impact"]
    assert headings[-1] == "Sources"
    captions = [p.text for p in opened.paragraphs if p.style and p.style.name == "Caption"]
    assert any(text.startswith("Figure 1. ") for text in captions)
    assert any(text.startswith("Table 1. ") for text in captions)
    assert len(opened.inline_shapes) == 3
    xml = zipfile.ZipFile(io.BytesIO(data)).read("word/document.xml").decode()
    assert 'TOC \\o "1-2"' in xml
    contents = next(p for p in opened.paragraphs if p.text.startswith("Summary\n"))
    assert contents.text.split("\n") == headings, "a line each until Word computes it"
    assert "#set text(red)" in xml
    assert 'w:anchor="source_1"' in xml
    assert 'w:name="source_1"' in xml
    assert xml.count("<w:bidi/>") == 1  # the paragraph that begins in Arabic
    assert "<w:rtl/>" in xml
    grids = re.findall(r"<w:tblGrid>(.*?)</w:tblGrid>", xml)
    assert all('w:w="' in column for grid in grids for column in grid.split("/>")[:-1])
    footer = zipfile.ZipFile(io.BytesIO(data)).read("word/footer1.xml").decode()
    assert "NUMPAGES" in footer


def test_what_belongs_together_stays_on_one_page() -> None:
    """The line before a list, the items of a short list, the head of a table; not a long list."""
    body = "For:\n\n- one\n- two\n\nAfter.\n\n" + "\n".join(f"- item {i}" for i in range(20))
    opened = docx.Document(
        io.BytesIO(render_docx(document(replace(CASE, sections={"summary": body}))))
    )
    kept = {p.text: bool(p.paragraph_format.keep_with_next) for p in opened.paragraphs}
    assert [kept[text] for text in ("For:", "one", "two", "item 3")] == [True, True, False, False]
    source = next(p for p in opened.paragraphs if p.text.startswith("[1] "))
    assert source.paragraph_format.keep_with_next
    heads = [table.rows[0].cells[0].paragraphs[0] for table in opened.tables[1:]]
    assert all(head.paragraph_format.keep_with_next for head in heads)


@pytest.mark.parametrize("rows", [3, 14])
def test_a_tall_wide_graph_shares_its_page_with_its_heading(made: Document, rows: int) -> None:
    depths = [0, 1, 2, 3, 4, *([1] * rows)]
    nodes = [
        GraphNode(id=str(number), label=f"{number}", kind="session", depth=depth, blocks_total=3)
        for number, depth in enumerate(depths)
    ]
    drawing = GraphDrawing(at="2026-11-20T22:17:13Z", headline="", nodes=nodes, edges=[])
    figure = Figure(drawing=drawing, alt="A graph", caption=[], number=99)
    section = structs.replace(made.sections[0], blocks=[figure])
    alone = structs.replace(made, sections=[section])
    pages = PdfReader(io.BytesIO(render_pdf(alone))).pages
    assert all(page.mediabox.width < page.mediabox.height for page in pages)
    (shown,) = [text for page in pages if "Figure 99" in (text := page.extract_text())]
    assert section.title in shown


@pytest.mark.parametrize("many", [10, 15, 20])
def test_a_last_page_is_not_nearly_empty(made: Document, many: int) -> None:
    """Of so many sources one alone would be on the last page: all move closer together."""
    excerpt = "\n".join(f"line {number}" for number in range(12))
    sources = [Source(number=i + 1, text="A file", excerpt=excerpt) for i in range(many)]
    short = structs.replace(document(CASE), sections=made.sections[1:2], sources=sources)
    *_, last = PdfReader(io.BytesIO(render_pdf(short))).pages
    assert last.extract_text().count("line 0") > 1


def test_an_executive_report_is_one_page_without_raw_lines() -> None:
    brief = document(replace(CASE, template="executive"))
    (page,) = PdfReader(io.BytesIO(render_pdf(brief))).pages
    text = page.extract_text()
    assert "What remains at risk" in text
    assert "Contents" not in text
    assert not any(source.excerpt for source in brief.sources)


def test_pictures_in_docx_are_twice_their_size() -> None:
    picture = word_document.png(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 20"></svg>'
    )
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(picture[16:20]) == 20


def _rows_by_page(rows: int) -> list[list[int]]:
    """Return which rows of a table of that many rows each page of the report holds."""
    table = "| row | word |\n|---|---|\n" + "".join(f"| row{i}. | w |\n" for i in range(rows))
    made = document(replace(CASE, sections={"summary": table}))
    pages = [page.extract_text() for page in PdfReader(io.BytesIO(render_pdf(made))).pages]
    found = [[int(i) for i in re.findall(r"\brow(\d+)\.", page)] for page in pages]
    return [page for page in found if page]


def test_the_last_row_of_a_table_is_never_alone_on_a_page() -> None:
    """A table with a row more than its page has room for takes two rows to the next."""
    fit = len(_rows_by_page(90)[0])
    assert fit < 88
    assert [len(page) for page in _rows_by_page(fit + 1)] == [fit - 1, 2]
