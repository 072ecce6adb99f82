"""A document as text in each form it is exported in, the words in reading order."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from html import unescape

from pypdf import PdfReader

from pileup.report.document import Document
from pileup.report.render.html import render_html
from pileup.report.render.markdown import render_markdown
from pileup.report.render.pdf import render_pdf
from pileup.report.render.word_document import render_docx


def _html(made: Document) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", render_html(made)))


def _docx(made: Document) -> str:
    with zipfile.ZipFile(io.BytesIO(render_docx(made))) as archive:
        return unescape(re.sub(r"<[^>]+>", " ", archive.read("word/document.xml").decode()))


def _pdf(made: Document) -> str:
    return " ".join(page.extract_text() for page in PdfReader(io.BytesIO(render_pdf(made))).pages)


EXPORTS: dict[str, Callable[[Document], str]] = {
    "markdown": render_markdown,
    "html": _html,
    "docx": _docx,
    "pdf": _pdf,
}
