"""A case made by hand becomes Markdown and one HTML file; strangers' text stays text."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pileup.analysis.contract import FindingDoc
from pileup.report.case import Case, ReportMeasure
from pileup.report.compose import blocks_of, compose
from pileup.report.document import (
    Code,
    Document,
    Figure,
    Quote,
    Table,
    Trouble,
    decode,
    encode,
    plain,
)
from pileup.report.render.html import render_blocks, render_html
from pileup.report.render.markdown import render_markdown
from pileup.report.render.zone import in_zone
from pileup.report.text.cover import cover
from pileup.report.text.live_blocks import BLOCKS
from pileup.report.text.markdown_blocks import directives
from pileup.report.text.prefill import prefill
from pileup.report.text.source_notes import Notes, Quotations
from pileup.report.text.sweeps import sweeps
from pileup.report.text.templates import TEMPLATES, TITLES, template
from tests.report.case import CASE, NOW, PIN, document

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "report-blocks.md"
EMPTY = Case(
    id="i2",
    title="Empty",
    severity=None,
    service="",
    status="open",
    owner="ann",
    created_at=NOW,
    analysis=None,
)


def test_every_claim_leads_to_numbered_raw_lines() -> None:
    """The blocker's evidence and the pin become notes with the raw excerpt."""
    text = render_markdown(document())
    assert "[^4f2a9c01-812-830]" not in text
    assert "[^1]: dump.txt, lines 812–830 <http://localhost:8710/incidents/i1/artifacts" in text
    assert "raw 4f2a 812-830" in text
    assert "301 waiters behind trx 42 (dump.txt, lines 812–830)" in text
    for part in template("database-pileup").parts:
        if part.key != "lessons":  # only people can write it
            assert f"## {part.title}\n" in text


def test_html_is_self_contained_and_inert() -> None:
    """No script, no request to anywhere, strangers' markup escaped, figures numbered in order."""
    html = render_html(document())
    assert "<script" not in html
    assert "script-src 'none'" in html
    assert not re.search(r'(?:src|href)="(?!#|http://localhost:8710/incidents/)', html)
    assert "Clicks stall &amp; &lt;b&gt;more&lt;/b&gt;" in html
    assert re.findall(r"<b>Figure (\d)\.</b>", html) == ["1", "2", "3"]
    assert 'id="source-1"' in html
    assert 'href="#source-1"' in html


def test_a_viewer_is_allowed_by_its_hash_and_the_data_cannot_end_its_element() -> None:
    """One script, and figures' data that holds </script> as text."""
    html = render_html(document(), viewer="draw('</script>')")
    assert html.count("</script>") == 2
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/=]{44}'", html)
    style = re.search("<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}';" in html
    assert " style=" not in html
    data = html.split('id="pileup-figures">')[1].split("</script>")[0]
    assert "<" not in data
    assert "trx 42" in data


def test_a_paste_without_a_stall_names_its_cause_once() -> None:
    assert CASE.analysis is not None
    title = "A long statement (or its rollback)"
    found = FindingDoc(
        id="f", title=title, category="row_locks", score=0.6, why="seen.", evidence=[], against=[],
        applies_to_version="unknown", fixed_in=[], mitigations=[], experiment=None, references=[],
    )  # fmt: skip
    cause = f"Likely cause: {title}."
    headline = msgspec.structs.replace(
        CASE.analysis.headline, verdict="waits", text=f"3 sessions wait. {cause}", cause=cause
    )
    analysis = msgspec.structs.replace(
        CASE.analysis, stalls=[], episodes=[], findings=[found], headline=headline
    )
    summary = prefill(replace(CASE, analysis=analysis, hypotheses=()), "summary")
    assert summary.count(title) == 1
    assert "3 sessions wait.[^" in summary


def test_edited_section_wins_and_unknown_source_is_said() -> None:
    """What a person wrote is exported as written; a dead reference is visible, not dropped."""
    case = replace(CASE, sections={"summary": "Mine.[^00000000-1-2]\n"})
    text = render_markdown(document(case))
    assert "## Summary\n\nMine.[^1]" in text
    assert "is no longer part of the incident" in text


def test_empty_case_still_exports() -> None:
    """Nothing analysed, nothing argued: every section says so."""
    made = document(EMPTY)
    assert "Nothing has been analysed yet" in render_markdown(made)
    assert "<svg" not in render_html(made)
    assert prefill(EMPTY, "hypotheses") == "No hypotheses recorded.\n"


def test_preview_drops_markup() -> None:
    """Raw HTML typed into a section is shown as text; dangerous links lose their target."""
    typed = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) **b** [c](https://x.example/)"
    html = render_blocks(blocks_of(CASE, typed))
    assert "<img" not in html
    assert "javascript:" not in re.sub(r">[^<]*<", "><", html)
    assert "<strong>b</strong>" in html
    assert 'href="https://x.example/"' in html


@pytest.mark.parametrize("item", TEMPLATES, ids=lambda item: item.id)
def test_every_template_exports(item: object) -> None:
    """Its required sections are all there, with a word where nothing is written yet."""
    chosen = template(getattr(item, "id", ""))
    made = document(replace(CASE, template=chosen.id))
    shown = {section.key for section in made.sections}
    assert {part.key for part in chosen.parts if part.required} <= shown
    assert render_markdown(made)
    assert decode(encode(made)) == made


def test_a_document_is_the_same_bytes_each_time() -> None:
    """What a release is hashed by."""
    assert encode(document()) == encode(document())


def test_live_blocks_stand_for_the_case() -> None:
    """Each kind is what it says; several in one paragraph are several blocks."""
    typed = (
        f'::pin{{id="{PIN.id[:13]}"}}\n::lane\n::waits{{caption="Trx 42 did it"}}\n\n::confidence'
        "\n\n::experiments\n\n::actions\n\n::timeline"
    )
    blocks = blocks_of(CASE, typed)
    kinds = [type(block) for block in blocks]
    assert kinds == [Quote, Figure, Figure, Figure, Table, Table, Table]
    graph = blocks[2]
    assert isinstance(graph, Figure)
    assert plain(graph.caption) == "Trx 42 did it"
    numbers = [b.number for b in blocks if isinstance(b, Figure | Table)]
    assert numbers == [1, 2, 3, 1, 2, 3]


def test_the_appendix_names_a_file_without_its_archive_unless_two_share_the_name() -> None:
    """A collector's path fills a page; what tells two apart stays."""
    assert CASE.analysis is not None
    (first, *_) = CASE.analysis.artifacts
    paths = ("a.tar.gz/pt/2026-df", "a.tar.gz/pt/2026-ps", "b.tar.gz/pt/2026-ps")
    several = [msgspec.structs.replace(first, path=path) for path in paths]
    analysis = msgspec.structs.replace(CASE.analysis, artifacts=several)
    page = prefill(replace(CASE, analysis=analysis), "appendix")
    assert "| `2026-df` |" in page
    assert "| `a.tar.gz/pt/2026-ps` |" in page
    assert "| `b.tar.gz/pt/2026-ps` |" in page


def test_a_sweep_is_a_table_of_its_parameters() -> None:
    """Two parameters: a pivot, 4 before 16; one: a list. A lone run is no sweep."""
    runs = [
        replace(
            CASE.experiments[0],
            number=n,
            sweep="tables",
            parameters={"tables": tables, "build": build},
            measures=() if value is None else (ReportMeasure("latency", value, "ms", "typed"),),
            verdict="match" if value is not None else None,
            failed_same_way=None,
            state="finished" if value is not None else "planned",
        )
        for n, (tables, build, value) in enumerate(
            [
                ("16", "original", 96.0),
                ("4", "original", 31.0),
                ("4", "patched", None),
                ("8", "patched", None),
            ],
            start=1,
        )
    ]
    figure, pivot = sweeps(runs)
    assert isinstance(figure, Figure)
    said = [[plain(cell) for cell in row] for row in [pivot.head, *pivot.rows]]
    assert said == [
        ["tables", "build: original", "build: patched"],
        ["4", "31 (typed), match", "open"],
        ["8", "not run", "open"],
        ["16", "96 (typed), match", "not run"],
    ]
    _, listed = sweeps([replace(r, parameters={"tables": r.parameters["tables"]}) for r in runs])
    assert [[plain(cell) for cell in row] for row in listed.rows] == [
        ["2, 3", "4", "31 (typed)", "1 match, 1 open"],
        ["4", "8", "", "open"],
        ["1", "16", "96 (typed)", "match"],
    ]
    computed = (ReportMeasure("latency", 80.0, "ms", "computed"),)
    again = replace(runs[0], number=5, measures=computed, verdict="miss")
    _, pivot = sweeps([*runs, again])
    assert plain(pivot.rows[2][1]) == "88 (80 to 96; 2 runs; typed, computed), 1 match, 1 miss"
    assert sweeps(runs[:1]) == []
    assert len(blocks_of(replace(CASE, experiments=tuple(runs)), "::experiments")) == 3


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("::nothing", "There is no block"),
        ('::lane{colour="red"}', "has no “colour”"),
        ('::lane{from="yesterday"}', "is not a time"),
        ('::waits{at="later"}', "is not a time"),
        ("::pin", "needs id"),
        ('::pin{id="ffffffffffff"}', "no longer part"),
        ("::matrix", "no rated evidence"),
    ],
)
def test_a_block_that_cannot_be_shown_says_why(typed: str, said: str) -> None:
    """In its place, and never silently dropped."""
    (block,) = blocks_of(CASE, typed)
    assert isinstance(block, Trouble)
    assert said in block.text


def test_every_block_and_argument_is_documented() -> None:
    """The reference page has a heading per block and names each argument."""
    page = PAGE.read_text()
    for name, block in BLOCKS.items():
        section = page.split(f"## `::{name}`")[1].split("\n## ")[0]
        for argument in block.arguments:
            assert f"`{argument}`" in section, (name, argument)


def test_a_caption_behind_a_table_numbers_it() -> None:
    """'Table: …' becomes the caption; a table without one has no number."""
    captioned, bare = blocks_of(CASE, "|a|\n|-|\n|1|\n\nTable: It rose.\n\n|b|\n|-|\n|2|")
    assert isinstance(captioned, Table)
    assert isinstance(bare, Table)
    assert (plain(captioned.caption), captioned.number, bare.number) == ("It rose.", 1, None)


def test_times_move_to_the_zone_but_raw_lines_do_not() -> None:
    """22:19:49 UTC is 23:19:49 in Berlin in November; the excerpt stays."""
    case = replace(
        CASE,
        sections={
            "summary": "At 2026-11-20 22:19:49 UTC, from 22:19 UTC.[^4f2a9c01-1-2] "
            "Nov 20 22:19:50 UTC 2026, 99:19 UTC."
        },
        excerpt=lambda *_: "2026-11-20 22:19:49 UTC",
    )
    made = in_zone(document(case), "Europe/Berlin")
    text = render_markdown(made)
    assert "At 2026-11-20 23:19:49 +01:00, from 23:19 +01:00." in text
    assert "Nov 20 22:19:50 UTC 2026, 99:19 UTC." in text
    assert "        2026-11-20 22:19:49 UTC" in text
    assert ">23:19:" in render_html(made)


_AWKWARD = r"""1\. not *a* list `x|y` \<b\> \# h

*all **of** it*, ***both** then* one, **~~then~~ bold** and * no emphasis *"""


def test_markdown_survives_a_second_reading() -> None:
    """Marks in names are escaped: reading the export again gives the same words."""
    case = replace(CASE, sections={"summary": _AWKWARD})
    made = document(case)
    text = render_markdown(made).split("## Summary\n\n")[1].split("\n\n## ")[0]
    again = compose(replace(CASE, sections={"summary": text}), NOW)
    assert again.sections[0].blocks == made.sections[0].blocks


def test_titles_name_every_section_once() -> None:
    assert isinstance(document(), Document)
    assert {part.key for item in TEMPLATES for part in item.parts} == TITLES.keys()


@given(first=st.integers(1, 900), length=st.integers(1, 60))
def test_a_note_quotes_the_first_lines_and_says_that_more_follow(first: int, length: int) -> None:
    last = first + length - 1
    lines = [f"line {number}" for number in range(first, last + 1)]
    assert CASE.analysis is not None
    sha = CASE.analysis.artifacts[0].sha256
    case = replace(CASE, excerpt=lambda *_: "\n".join(lines))
    note = Notes(case).find(f"{sha[:8]}-{first}-{last}")
    shown = (note.excerpt or "").split("\n")
    more = [f"… {length - 12} more lines"] if len(shown) < length else []
    assert shown == [*lines[: 12 if more else None], *more]
    assert len(shown) <= 13


@settings(max_examples=12, deadline=None)
@given(
    spans=st.lists(st.tuples(st.integers(1, 40), st.integers(1, 9)), min_size=1, max_size=8),
    pinned=st.lists(st.tuples(st.integers(1, 40), st.integers(1, 9)), max_size=3),
)
@example(spans=[(5, 1), (3, 8)], pinned=[])
@example(spans=[(3, 8), (5, 1)], pinned=[(4, 2)])
def test_no_excerpt_appears_twice(
    spans: list[tuple[int, int]], pinned: list[tuple[int, int]]
) -> None:
    """A shorter excerpt within a longer one is quoted once, whichever comes first."""
    assert CASE.analysis is not None
    sha = CASE.analysis.artifacts[0].sha256
    text = "".join(f"Seen.[^{sha[:8]}-{first}-{first + more}] " for first, more in spans)
    pins = tuple(
        replace(
            PIN,
            id=f"{n:08x}-0000-7000-8000-000000000000",
            artifact=sha,
            excerpt=None,
            line_first=first,
            line_last=first + more,
        )
        for n, (first, more) in enumerate(pinned, start=1)
    )
    quotes = "".join(f'\n\n::pin{{id="{pin.id}"}}\n' for pin in pins)
    case = replace(
        CASE,
        pins=pins,
        template="vendor-bug",
        sections={part.key: "-" for part in template("vendor-bug").parts}
        | {"bug_summary": text + quotes},
        excerpt=lambda _, first, last: "\n".join(f"{'x' * n};" for n in range(first, last + 1)),
    )
    made = compose(case, NOW)
    blocks = [block for section in made.sections for block in section.blocks]
    quoted = [
        code.text
        for quote in blocks
        if isinstance(quote, Quote)
        for code in quote.blocks
        if isinstance(code, Code)
    ]
    shown = quoted + [each.excerpt for each in made.sources if each.excerpt is not None]
    sources = shown[len(quoted) :]
    for at, excerpt in enumerate(shown):
        others = sources if at < len(quoted) else [*shown[:at], *shown[at + 1 :]]
        assert not any(f"\n{excerpt}\n" in f"\n{other}\n" for other in others)
    for first, _ in spans:
        # two long excerpts that differ in one line at an end are the same one
        kept = {f"{'x' * first};", f"{'x' * (first + 1)};"}
        assert any(kept & {*excerpt.split("\n")} for excerpt in shown), "and none is lost"


def test_excerpts_that_are_alike_are_quoted_twice_and_counted() -> None:
    assert CASE.analysis is not None
    sha = CASE.analysis.artifacts[0].sha256[:8]
    wait = "--Thread {} waits at row0ins.cc line {}\nS-lock on RW-latch\nlast read in file x.cc"
    notes = Notes(replace(CASE, excerpt=lambda _, first, last: wait.format(first, last)))
    for label in ("10-12", "20-22", "30-32", "40-42-50-52-60-62"):
        notes.number(f"{sha}-{label}")
    first, second, third, fourth = notes.listed(Quotations())
    assert first.excerpt == wait.format(10, 12)
    assert second.excerpt == wait.format(20, 22)
    assert (third.excerpt, fourth.excerpt) == (None, None)
    assert third.text.endswith("(like note 1, not quoted)")
    folded = notes.find(f"{sha}-40-42-50-52-60-62").excerpt
    assert folded == f"{wait.format(40, 42)}\n… 6 more lines like these"


def test_live_blocks_are_found_wherever_a_paragraph_is() -> None:
    text = """
Words ::no, and `::code`

::lanes{run="a"}

> ::quoted{x="1"}
> ::waits

- ::listed

| ::cell | b |
|--|--|
| *::no* | ::last |

    ::indented

```
::fenced
```
"""
    found = [(each.name, each.line) for each in directives(text)]
    assert found == [
        ("lanes", 4),
        ("quoted", 6),
        ("waits", 7),
        ("listed", 9),
        ("cell", 11),
        ("last", 13),
    ]
    assert not list(directives("Words: nothing live"))


def test_the_names_of_a_lane_may_have_blanks_around_them() -> None:
    asked: list[tuple[str, ...]] = []

    def draw(series: tuple[str, ...], _start: object, _end: object) -> tuple[()]:
        asked.append(series)
        return ()

    blocks_of(replace(CASE, draw_lanes=draw), '::lane{series=" a.b ;c; ;"}')
    assert asked == [("a.b", "c")]


def test_a_cover_begins_with_what_happened_below_the_conclusion() -> None:
    """The story and what it cost, at most four points; without a conclusion the story is above."""
    costs = ["It cost a.", "It cost b.", "It cost c.", "It cost d."]
    analysis: Any = SimpleNamespace(
        headline=SimpleNamespace(story="It stalled.", text=""),
        story=SimpleNamespace(impact=SimpleNamespace(sentences=costs)),
        findings=[],
    )
    assert any(hypothesis.status == "supported" for hypothesis in CASE.hypotheses)
    case = replace(CASE, analysis=analysis)
    concluded, alone = cover(case), cover(replace(case, hypotheses=()))
    assert concluded is not None
    assert alone is not None
    assert concluded.story.startswith("The team concluded: ")
    assert concluded.points == ["It stalled.", *costs[:3]]
    assert (alone.story, alone.points) == ("It stalled.", costs)
