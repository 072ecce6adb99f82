"""Render the report as DOCX: headings, table of contents, captions, page numbers, PNG figures.

The table of contents is a field: it lists the sections, and Word adds the page numbers, which only
Word knows, when the field is updated.
The same document gives the same bytes: the archive's times are those of the document.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any

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
    plain,
)
from pileup.report.render.column_widths import column_letters
from pileup.report.render.figures import draw, page_width
from pileup.report.render.keep_together import is_whole, with_next
from pileup.report.render.pdf import Paper
from pileup.report.render.scripts import FONTS, has_rtl, is_rtl, unbroken
from pileup.report.render.zone import named
from pileup.report.text.templates import PLAIN, kind

if TYPE_CHECKING:
    from docx.document import Document as WordDocument
    from docx.text.paragraph import Paragraph as WordParagraph

_PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
_MARGIN_MM = 22.0
_LINE, _PADDING = 106, 4
"""Width of a table across a page in letters, and the padding of a cell in letters."""
_BAD = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 65534, 65535], "�")
"""Characters that XML cannot contain."""


def render_docx(document: Document, *, paper: Paper = "a4") -> bytes:
    """Render the whole report for a word processor."""
    import docx  # with lxml some 100 ms: only an export pays them
    from docx.shared import Mm

    word = docx.Document()
    width, height = _PAPERS[paper]
    page = word.sections[0]
    page.page_width, page.page_height = Mm(width), Mm(height)
    page.left_margin = page.right_margin = Mm(_MARGIN_MM)
    page.top_margin = page.bottom_margin = Mm(_MARGIN_MM)
    _styles(word)
    _header(word, document)
    writer = _Writer(word, document, width - 2 * _MARGIN_MM)
    writer.title()
    for section in document.sections:
        word.add_heading(_xml(section.title), 1)
        writer.blocks(section.blocks)
    writer.sources()
    made = datetime.fromisoformat(document.made_at)
    properties = word.core_properties
    properties.title = _xml(document.title)[:255]
    properties.author = properties.last_modified_by = "Pileup"
    properties.comments = document.version[:255]
    properties.created = properties.modified = made.replace(tzinfo=None)
    raw = io.BytesIO()
    word.save(raw)
    return _still(raw.getvalue(), made)


class _Writer:
    def __init__(self, word: WordDocument, document: Document, room_mm: float) -> None:
        self._word = word
        self._document = document
        self._room = room_mm
        self._zone = named(document.zone)

    def title(self) -> None:
        """Write title, story, facts and contents."""
        from docx.enum.text import WD_BREAK

        document = self._document
        self._word.add_paragraph(kind(self._document.template), style="Caption")
        self._word.add_paragraph(_xml(document.title), style="Title")
        if document.cover is not None and document.template not in PLAIN:
            self._word.add_paragraph(_xml(document.cover.story), style="Subtitle")
            for point in document.cover.points:
                self._word.add_paragraph(_xml(point), style="List Bullet")
        made = datetime.fromisoformat(document.made_at).astimezone(self._zone)
        facts = [
            *document.facts,
            ("Version", document.version),
            ("Written", f"{made:%Y-%m-%d %H:%M} {made:%Z}"),
            ("Times in", document.zone),
            ("Incident", document.incident),
        ]
        table = self._word.add_table(rows=0, cols=2)
        for name, value in facts:
            cells = table.add_row().cells
            cells[0].text, cells[1].text = _xml(name), _xml(value)
        self._word.add_paragraph("Contents", style="TOC Heading")
        titles = [*(section.title for section in document.sections), "Sources"]
        _field(self._word.add_paragraph(), 'TOC \\o "1-2" \\h \\z \\u', *titles)
        self._word.add_paragraph().add_run().add_break(WD_BREAK.PAGE)

    def blocks(self, blocks: Sequence[Block], depth: int = 0) -> None:
        for block, leads in with_next(blocks):
            self.block(block, depth, keep=leads)

    def block(self, block: Block, depth: int = 0, *, keep: bool = False) -> None:
        """Write one block. keep: on the page of the next block."""
        word = self._word
        match block:
            case Paragraph():
                paragraph = word.add_paragraph()
                paragraph.paragraph_format.keep_with_next = keep
                self._runs(paragraph, block.runs)
            case Heading():
                self._runs(word.add_heading("", min(block.level - 1, 4)), block.runs)
            case Code():
                word.add_paragraph(_xml(block.text), style="Raw lines")
            case Rule():
                word.add_paragraph("⁂").alignment = _align("center")
            case Trouble():
                word.add_paragraph().add_run(_xml(block.text)).italic = True
            case Quote():
                for item in block.blocks:
                    if isinstance(item, Paragraph):
                        self._runs(word.add_paragraph(style="Quote"), item.runs)
                    else:
                        self.block(item, depth)
            case Bullets():
                self._list(block, depth)
            case Table():
                self._table(block)
            case Figure():
                self._figure(block)

    def sources(self) -> None:
        """Write the numbered sources and the redaction section."""
        self._word.add_heading("Sources", 1)
        for source in self._document.sources:
            paragraph = self._word.add_paragraph()
            paragraph.paragraph_format.keep_with_next = bool(source.excerpt)
            paragraph.add_run(f"[{source.number}] ").bold = True
            _bookmark(paragraph, f"source_{source.number}", source.number)
            runs = [Run(source.text, href=source.link)]
            if source.artifact:
                runs.append(Run(f"  SHA-256 {source.artifact[:16]}", code=True))
            self._runs(paragraph, runs)
            if source.excerpt:
                self._word.add_paragraph(_xml(source.excerpt), style="Raw lines")
        if not self._document.sources:
            self._word.add_paragraph("None cited.")
        if self._document.redacted is not None:
            self._word.add_heading("Redaction", 1)
            self._word.add_paragraph(
                "In this copy values were replaced by tokens; the same value has the same token "
                "throughout."
            )
            for kind in self._document.redacted:
                self._word.add_paragraph(
                    f"{kind.kind}: {kind.counted()}",
                    style="List Bullet",
                )

    def _list(self, block: Bullets, depth: int) -> None:
        base = "List Number" if block.ordered else "List Bullet"
        style = base if depth == 0 else f"{base} {min(depth + 1, 3)}"
        together = is_whole(block)
        for item in block.items:
            for child in item:
                if isinstance(child, Paragraph):
                    paragraph = self._word.add_paragraph(style=style)
                    paragraph.paragraph_format.keep_together = True
                    paragraph.paragraph_format.keep_with_next = together and (
                        item is not block.items[-1]
                    )
                    self._runs(paragraph, child.runs)
                else:
                    self.block(child, depth + 1)

    def _table(self, block: Table) -> None:
        """Write a table as one XML text: cell by cell, python-docx needs minutes for 2 000 rows."""
        from docx.oxml import parse_xml
        from docx.oxml.ns import nsdecls

        if block.number is not None:
            self._caption("Table", block.number, block.caption, keep=True)
        twips = self._room / 25.4 * 1440
        shares = [
            n + _PADDING for n, _ in column_letters(block, _LINE - _PADDING * len(block.head))
        ]
        widths = [round(twips * n / sum(shares)) for n in shares]
        grid = "".join(f'<w:gridCol w:w="{n}"/>' for n in widths)
        xml = [
            f"<w:tbl {nsdecls('w', 'r')}>",
            '<w:tblPr><w:tblStyle w:val="Reporttable"/><w:tblW w:type="pct" w:w="5000"/>',
            '<w:tblLayout w:type="fixed"/></w:tblPr>',
            f"<w:tblGrid>{grid}</w:tblGrid>",
            "<w:tr><w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>",
            *self._cells(block.head, block.align, widths, bold=True, keep=True),
            "</w:tr>",
        ]
        together = is_whole(block)
        for row in block.rows:
            xml += [
                "<w:tr><w:trPr><w:cantSplit/></w:trPr>",
                *self._cells(row, block.align, widths, keep=together and row is not block.rows[-1]),
                "</w:tr>",
            ]
        xml.append("</w:tbl>")
        after = self._word.add_paragraph(style="After table")
        after._p.addprevious(parse_xml("".join(xml)))

    def _cells(
        self,
        cells: list[Runs],
        align: list[Any],
        widths: list[int],
        *,
        bold: bool = False,
        keep: bool = False,
    ) -> list[str]:
        """Build the XML of a row's cells. keep: on the page of the next row."""
        text = "<w:keepNext/>" if keep else ""
        return [
            f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>'
            f'<w:p><w:pPr><w:pStyle w:val="Cell"/>{text}<w:jc w:val="{side}"/></w:pPr>'
            f"{self._inner(runs, bold=bold, small=True)}</w:p></w:tc>"
            for runs, side, width in zip(cells, align, widths, strict=False)
        ]

    def _figure(self, block: Figure) -> None:
        from docx.shared import Mm

        width = page_width(block.drawing)
        svg = draw(block.drawing, block.alt, width=width, zone=self._zone)
        shown = self._word.add_picture(io.BytesIO(png(svg)), width=Mm(self._room))
        shown._inline.docPr.set("descr", _xml(block.alt)[:1000])
        self._word.paragraphs[-1].paragraph_format.keep_with_next = True
        self._caption("Figure", block.number or 0, block.caption)

    def _caption(self, word: str, number: int, runs: Runs, *, keep: bool = False) -> None:
        paragraph = self._word.add_paragraph(style="Caption")
        paragraph.paragraph_format.keep_with_next = keep
        paragraph.add_run(f"{word} ").bold = True
        _field(paragraph, f"SEQ {word} \\* ARABIC", str(number))
        paragraph.add_run(". ").bold = True
        self._runs(paragraph, runs)

    def _runs(self, paragraph: WordParagraph, runs: Runs) -> None:
        from docx.oxml import parse_xml
        from docx.oxml.ns import nsdecls

        if is_rtl(plain(runs)):
            paragraph._p.get_or_add_pPr().append(parse_xml(f"<w:bidi {nsdecls('w')}/>"))
        inner = self._inner(runs)
        for made in parse_xml(f"<w:p {nsdecls('w', 'r')}>{inner}</w:p>"):
            paragraph._p.append(made)

    def _inner(self, runs: Runs, *, bold: bool = False, small: bool = False) -> str:
        """Build the XML of runs, with a comma between two notes. small: in a table cell."""
        out: list[str] = []
        for before, run in zip([None, *runs], runs, strict=False):
            if run.note is not None and before is not None and before.note is not None:
                out.append(_r(['<w:vertAlign w:val="superscript"/>'], ", "))
            out.append(self._run(run, bold=bold, small=small))
        return "".join(out)

    def _run(self, run: Run, *, bold: bool = False, small: bool = False) -> str:
        """Build the XML of one run; a note or a link becomes a hyperlink."""
        look = ['<w:rStyle w:val="Mono"/>'] if run.code else []
        look += ["<w:b/>"] if run.bold or bold else []
        look += ["<w:i/>"] if run.italic else []
        look += ["<w:strike/>"] if run.strike else []
        size = ['<w:sz w:val="15"/>'] if run.code and small else []
        if run.note is not None:
            look += ['<w:color w:val="0B58A8"/>', '<w:vertAlign w:val="superscript"/>']
            return (
                f'<w:hyperlink w:anchor="source_{run.note}">{_r(look, str(run.note))}</w:hyperlink>'
            )
        if run.href and run.href.startswith(("http://", "https://", "mailto:")):
            look += ['<w:color w:val="0B58A8"/>', *size]
            return (
                f'<w:hyperlink r:id="{self._relation(run.href)}">{_r(look, run.text)}</w:hyperlink>'
            )
        return _r(look + size, run.text)

    def _relation(self, address: str) -> str:
        from docx.opc.constants import RELATIONSHIP_TYPE

        return self._word.part.relate_to(
            _xml(address), RELATIONSHIP_TYPE.HYPERLINK, is_external=True
        )


def _r(look: list[str], text: str) -> str:
    look = [*look, "<w:rtl/>"] if has_rtl(text) else look
    lines = "<w:br/>".join(
        f'<w:t xml:space="preserve">{escape(line)}</w:t>' for line in _xml(text).split("\n")
    )
    return f"<w:r>{'<w:rPr>' + ''.join(look) + '</w:rPr>' if look else ''}{lines}</w:r>"


def png(svg: str) -> bytes:
    """Render an SVG picture as PNG at twice its size, with the report's own fonts."""
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=2,
            background="#ffffff",
            skip_system_fonts=True,
            font_dirs=[str(FONTS)],
            sans_serif_family="Inter",
            monospace_family="JetBrains Mono",
        )
    )


def _styles(word: WordDocument) -> None:
    """Add our styles to those of python-docx's template."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.oxml.ns import qn
    from docx.shared import Pt, RGBColor

    ink, grey = RGBColor(0x1C, 0x20, 0x24), RGBColor(0x60, 0x64, 0x6C)

    def font(style: Any, name: str, size: float, colour: Any = ink) -> None:
        style.font.name, style.font.size, style.font.color.rgb = name, Pt(size), colour
        fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
        for script in ("w:ascii", "w:hAnsi", "w:eastAsia", "w:cs"):
            fonts.set(qn(script), name)
        for theme in ("w:asciiTheme", "w:hAnsiTheme", "w:eastAsiaTheme", "w:cstheme"):
            if fonts.get(qn(theme)) is not None:
                del fonts.attrib[qn(theme)]

    styles = word.styles
    font(styles["Normal"], "Georgia", 10.5)
    styles["Normal"].paragraph_format.space_after = Pt(6)
    font(styles["Title"], "Arial", 24)
    for level, size in ((1, 15), (2, 12), (3, 11), (4, 10.5)):
        font(styles[f"Heading {level}"], "Arial", size)
    font(styles["TOC Heading"], "Arial", 12)
    font(styles["Caption"], "Arial", 8.5, grey)
    styles["Caption"].font.bold = False
    raw = styles.add_style("Raw lines", WD_STYLE_TYPE.PARAGRAPH)
    font(raw, "Consolas", 8)
    raw.paragraph_format.left_indent = Pt(9)
    font(styles.add_style("Mono", WD_STYLE_TYPE.CHARACTER), "Consolas", 9)
    cell = styles.add_style("Cell", WD_STYLE_TYPE.PARAGRAPH)
    font(cell, "Arial", 8)
    cell.paragraph_format.space_after = Pt(1)
    after = styles.add_style("After table", WD_STYLE_TYPE.PARAGRAPH)
    font(after, "Arial", 6)
    table = styles.add_style("Report table", WD_STYLE_TYPE.TABLE)
    table.element.append(_table_lines())


def _table_lines() -> Any:
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    return parse_xml(
        f"<w:tblPr {nsdecls('w')}><w:tblBorders>"
        '<w:top w:val="single" w:sz="8" w:color="1C2024"/>'
        '<w:bottom w:val="single" w:sz="8" w:color="1C2024"/>'
        '<w:insideH w:val="single" w:sz="4" w:color="D9D9E0"/></w:tblBorders></w:tblPr>'
    )


def _header(word: WordDocument, document: Document) -> None:
    section = word.sections[0]
    section.different_first_page_header_footer = True
    head = section.header.paragraphs[0]
    head.style = "Caption"
    head.text = _xml(f"{document.title[:100]} · {document.version}")
    for footer in (section.footer, section.first_page_footer):
        paragraph = footer.paragraphs[0]
        paragraph.style = "Caption"
        paragraph.alignment = _align("right")
        _field(paragraph, "PAGE", "1")
        paragraph.add_run(" of ")
        _field(paragraph, "NUMPAGES", "1")


def _field(paragraph: WordParagraph, instruction: str, *shown: str) -> None:
    """Add a field that Word computes; ``shown``, one line each, is displayed until then."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    run = paragraph.add_run()

    def mark(kind: str) -> None:
        char = OxmlElement("w:fldChar")
        char.set(qn("w:fldCharType"), kind)
        run._r.append(char)

    mark("begin")
    text = OxmlElement("w:instrText")
    text.set(qn("xml:space"), "preserve")
    text.text = instruction
    run._r.append(text)
    mark("separate")
    for line, name in enumerate(shown):
        if line:
            run.add_break()
        run.add_text(_xml(name))
    mark("end")


def _bookmark(paragraph: WordParagraph, name: str, number: int) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    for tag in ("w:bookmarkStart", "w:bookmarkEnd"):
        mark = OxmlElement(tag)
        mark.set(qn("w:id"), str(number))
        if tag == "w:bookmarkStart":
            mark.set(qn("w:name"), name)
        paragraph._p.append(mark)


def _align(side: str) -> Any:
    from docx.enum.text import WD_ALIGN_PARAGRAPH

    return getattr(WD_ALIGN_PARAGRAPH, side.upper())


def _xml(text: str) -> str:
    return unbroken(text).translate(_BAD).encode("utf-8", "replace").decode()


def _still(data: bytes, made: datetime) -> bytes:
    """Rewrite the archive with the document's time on every member, in name order."""
    out = io.BytesIO()
    at = (max(made.year, 1980), made.month, made.day, made.hour, made.minute, made.second)
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        names = source.namelist()
        names.sort(key=lambda name: (name != "[Content_Types].xml", name))
        for name in names:
            info = zipfile.ZipInfo(name, at)
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, source.read(name))
    return out.getvalue()
