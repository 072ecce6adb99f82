"""One list of facts, every export: each word of a document is in each of its forms, in order.

The document has every kind of block, and a word of its own in every field that holds text, so a
row, a raw line, a label or a caption that an export leaves out is missed by name.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

import pytest
from msgspec import structs

from pileup.report import document as d
from pileup.report import ticket
from pileup.report.redaction.document_redaction import redact
from pileup.report.redaction.redactor import KINDS, Redactor
from tests.report.exports import EXPORTS

_HOUR = 3_600_000.0
_BEGIN = 1795213140000.0


class Facts:
    """Gives a new word each time, and remembers where it was put."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.text: list[str] = []
        """Must be in every export, in this order."""
        self.captions: list[str] = []
        """Must be in every export; above what they name or below it."""
        self.drawn: list[str] = []
        """Labels within figures: a picture in DOCX."""

    def word(self) -> str:
        word = f"Fact{next(self._numbers):03d}"
        self.text.append(word)
        return word

    def caption(self) -> d.Runs:
        self.captions.append(f"Fact{next(self._numbers):03d}")
        return [d.Run(self.captions[-1])]

    def label(self) -> str:
        label = f"Mark{next(self._numbers):03d}"
        self.drawn.append(label)
        return label

    def runs(self) -> d.Runs:
        return [
            d.Run(self.word() + " "),
            d.Run(self.word(), bold=True),
            d.Run(" "),
            d.Run(self.word(), italic=True),
            d.Run(" "),
            d.Run(self.word(), strike=True),
            d.Run(" "),
            d.Run(self.word(), code=True),
            d.Run(" "),
            d.Run(self.word(), href="https://example.test/page"),
            d.Run(note=1),
        ]


def _blocks(facts: Facts) -> Iterator[d.Block]:
    yield d.Paragraph(facts.runs())
    yield d.Heading(3, facts.runs())
    for ordered in (False, True):
        items: list[list[d.Block]] = [
            [d.Paragraph(facts.runs())],
            [d.Paragraph(facts.runs()), d.Bullets([[d.Paragraph(facts.runs())]])],
            [d.Paragraph(facts.runs()), d.Code(facts.word())],
        ]
        yield d.Bullets(items, ordered=ordered, start=3 if ordered else 1)
    yield d.Quote([d.Paragraph(facts.runs()), d.Paragraph([d.Run(facts.word())])])
    yield d.Code(f"{facts.word()}\n  {facts.word()} </pre><script>\n\n{facts.word()}")
    yield d.Rule()
    for numbered in (False, True):
        caption = facts.caption() if numbered else []
        yield d.Table(
            [[d.Run(facts.word())] for _ in range(3)],
            [[[d.Run(facts.word())] for _ in range(3)] for _ in range(40)],
            ["left", "right", "center"],
            caption,
            1 if numbered else None,
        )
    yield d.Trouble(facts.word())
    for number, drawing in enumerate(drawings_of(facts), 1):
        yield d.Figure(drawing, facts.caption(), "a picture", number)


def drawings_of(facts: Facts) -> Iterator[d.Drawing]:
    times = [_BEGIN + at * 10_000 for at in range(6)]
    yield d.SessionsDrawing(
        times,
        [
            d.ClassBand("working", facts.label(), 0.25, [2.0, 2.0, 3.0, 1.0, 0.0, 2.0]),
            d.ClassBand("row_lock", facts.label(), 0.75, [0.0, 0.0, 30.0, 31.0, 0.0, 0.0]),
        ],
        [(_BEGIN + 20_000, _BEGIN + 40_000)],
        [(_BEGIN + 42_000, _BEGIN + 48_000)],
        [
            d.SessionsMark(_BEGIN, facts.label()),
            d.SessionsMark(_BEGIN + 21_000, facts.label()),
            d.SessionsMark(_BEGIN + 40_000, facts.label()),
        ],
        [900.0, 880.0, 3.0, None, 4000.0, 900.0],
        "statements",
    )
    points = [(_BEGIN + at * 1000, None if at == 5 else float(at)) for at in range(60)]
    yield d.LanesDrawing(
        [d.Lane(facts.label(), "threads", points), d.Lane(facts.label(), "ms", points)],
        [(_BEGIN + 10_000, _BEGIN + 20_000), (_BEGIN + 40_000, None)],
    )
    yield d.GraphDrawing(
        "2026-11-20T22:19:52Z",
        "a headline",
        [
            d.GraphNode("a", facts.label(), "thread", 0, 12, root=True),
            d.GraphNode("b", facts.label(), "group", 1, members=12),
            d.GraphNode("c", facts.label(), "latch", 1, inferred=True),
        ],
        [("b", "a", "waits_for"), ("c", "a", "held_by")],
    )
    yield d.ConfidenceDrawing(
        [d.ConfidenceLine(facts.label(), [(_BEGIN, 30), (_BEGIN + _HOUR, 80)]) for _ in range(2)]
    )
    yield d.MatrixDrawing(
        [d.MatrixColumn("a hypothesis", facts.label(), 1.5, 0.5) for _ in range(2)],
        [d.MatrixRow(facts.label(), "pin", ["CC", "II"], 2.0) for _ in range(3)],
    )
    yield d.DeadlockDrawing(
        [
            d.DeadlockTransaction(
                facts.label(), facts.label(), [d.DeadlockStepBox(facts.label(), facts.label())] * 2
            )
            for _ in range(2)
        ],
        [d.DeadlockWaitArrow(0, 1, 0), d.DeadlockWaitArrow(1, 0, 0)],
    )


@pytest.fixture(scope="module")
def facts() -> Facts:
    return Facts()


@pytest.fixture(scope="module")
def document(facts: Facts) -> d.Document:
    title = facts.word()
    cover = d.Cover(facts.word(), [facts.word() for _ in range(4)])
    pairs = [(facts.word(), facts.word()) for _ in range(3)]
    sections = []
    for number in range(2):
        name = facts.word()
        blocks = list(_blocks(facts)) if number == 0 else [d.Paragraph(facts.runs())]
        sections.append(d.Section(f"s{number}", name, "", blocks))
    sources = [
        d.Source(number, facts.word(), f"{facts.word()}\n{facts.word()} </pre><script>")
        for number in (1, 2)
    ]
    return d.Document(
        1, "i1", title, pairs, "full", "draft", "2026-11-23T10:00:00+00:00", "0.1", "UTC",
        sections, sources, cover,
    )  # fmt: skip


@pytest.mark.parametrize("export", EXPORTS)
def test_every_fact_is_in_every_export_in_its_order(
    export: str, document: d.Document, facts: Facts
) -> None:
    text = EXPORTS[export](document)
    missing = [word for word in facts.text + facts.captions if word not in text]
    assert not missing, f"{export} leaves out {missing}"
    body = [word for word in facts.text if text.count(word) == 1]  # contents repeat titles
    assert len(body) > len(facts.text) - 10
    places = [text.index(word) for word in body]
    swapped = [
        pair
        for pair, (a, b) in zip(itertools.pairwise(body), itertools.pairwise(places), strict=True)
        if a > b
    ]
    assert not swapped, f"{export} has another order: {swapped}"
    if export in {"html", "pdf"}:
        left_out = [label for label in facts.drawn if label not in text]
        assert not left_out, f"{export} does not draw {left_out}"


def test_redaction_keeps_every_fact_that_it_need_not_hide(document: d.Document) -> None:
    sources = [structs.replace(source, link="/raw/1") for source in document.sources]
    known = structs.replace(document, sources=sources)
    assert redact(known, Redactor([], b"k")) == known
    hidden = EXPORTS["html"](redact(known, Redactor(KINDS, b"k")))  # without addresses
    word = re.compile(r"(?:Fact|Mark)\d+")
    assert word.findall(hidden) == word.findall(EXPORTS["html"](document))


# ---- the page for a ticket -------------------------------------------------------------------


def _page(facts: Facts, words: Callable[[], str]) -> list[ticket.Block]:
    return [
        ticket.Block(
            words(),
            [words() for _ in range(lines)],
            [facts.word() for _ in range(3 if rows else 0)],  # our own words: never hidden
            [[words() for _ in range(3)] for _ in range(rows)],
        )
        for lines, rows in ((2, 3), (0, 3), (2, 0), (0, 1))
    ]


def _words_of(page: Sequence[ticket.Block]) -> list[str]:
    return [
        word
        for block in page
        for word in (block.title, *block.lines, *block.columns, *itertools.chain(*block.rows))
    ]


@pytest.mark.parametrize("form", [ticket.text, ticket.markdown, ticket.html])
@pytest.mark.parametrize("kinds", [(), KINDS])
def test_every_fact_is_in_every_form_of_the_page_in_its_order(
    form: Callable[[Sequence[ticket.Block]], str], kinds: Sequence[str]
) -> None:
    facts = Facts()
    page = _page(facts, facts.word)
    written = form(ticket.redacted(page, Redactor(kinds, b"k")))
    assert form(page) == written
    body = written.partition("</title>")[2] or written
    assert re.findall(r"Fact\d+", body) == _words_of(page)


def test_every_text_of_the_page_is_redacted() -> None:
    """Wherever it stands, and wherever else the same value does."""
    facts = Facts()
    numbers = itertools.count(1)
    page = _page(facts, lambda: f"db{next(numbers):03d}.example.internal")
    hidden = ticket.redacted(page, Redactor(["hosts"], b"k"))
    assert [word for word in _words_of(hidden) if not word.startswith(("host-", "Fact"))] == []
    assert len(set(_words_of(hidden))) == len(_words_of(page))
    assert [len(block.rows) for block in hidden] == [len(block.rows) for block in page]
