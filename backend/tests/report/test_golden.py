"""The whole text of a report in every template, of its remarks, and of the page for a ticket.

The analysis is a stored one, so that only the report's own words are looked at here. A change that
alters them rewrites the files with ``pytest --bless``, and its review reads the difference.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from pileup.analysis.contract import Analysis
from pileup.report import ticket
from pileup.report.case import (
    Case,
    ReportAction,
    ReportAnnotation,
    ReportCellChange,
    ReportEvidence,
    ReportMeasure,
    ReportSymptom,
    ReportTable,
    ReportTableChanges,
)
from pileup.report.checks import check
from pileup.report.document import (
    WHERE,
    ConfidenceDrawing,
    ConfidenceLine,
    GraphDrawing,
    GraphNode,
    Lane,
    MatrixColumn,
    MatrixDrawing,
    MatrixRow,
)
from pileup.report.render.figures import SCREEN, draw
from pileup.report.render.markdown import render_markdown
from pileup.report.text.templates import TEMPLATES
from tests.report.case import CASE, NOW, PIN, SHA, document
from tests.report.filled import empty_fields, filled
from tests.report.test_facts import Facts, drawings_of

_FOLDER = Path(__file__).parent / "golden"


@cache
def _rich() -> Case:
    """The case made by hand with a stored analysis, and rivals in every list."""
    analysis = msgspec.json.decode((_FOLDER / "analysis.json").read_bytes(), type=Analysis)
    first = CASE.experiments[0]
    (hypothesis,) = CASE.hypotheses
    measures = (
        ReportMeasure("statements", 1234.5, "1/s", "typed"),
        ReportMeasure("waiters", 12.0, "threads", "computed"),
        ReportMeasure("p95", 0.25, "s", "imported"),
    )
    return replace(
        CASE,
        analysis=analysis,
        hypotheses=(
            replace(hypothesis, label="H2", statement="A flush stalls", status="refuted"),
            replace(
                hypothesis, evidence=(*hypothesis.evidence, ReportEvidence("against", "x", PIN))
            ),
            replace(
                hypothesis, label="H3", statement="The disk is slow", status="open", confidence=None
            ),
            replace(hypothesis, label="H4", statement="A backup runs", confidence=40),
        ),
        experiments=(
            replace(first, measures=measures, ended=NOW + timedelta(minutes=5), began=NOW),
            replace(first, number=2, title="Fewer sessions", verdict="miss", standing="late"),
            *(
                replace(
                    first,
                    number=number,
                    title=f"Run {number}",
                    sweep="connections",
                    parameters={"connections": str(load)},
                    measures=(replace(measures[0], value=value),),
                    failed_same_way=failed,
                )
                for number, load, value, failed in (
                    (5, 256, 90.0, "yes"),
                    (3, 64, 900.0, "no"),
                    (4, 128, 880.0, "partly"),
                )
            ),
        ),
        annotations=(
            ReportAnnotation(NOW, None, "pager rang", "ann"),
            ReportAnnotation(NOW - timedelta(minutes=9), NOW, "failover tried", "bob", "action"),
        ),
        actions=(
            *CASE.actions,
            ReportAction("No owner", "", None, "open", None, None),
            ReportAction(
                "Upgrade", "cy", date(2026, 12, 24), "open", 2, "miss", "BUG-7", "4 weeks"
            ),
        ),
        matrix=MatrixDrawing(
            [MatrixColumn("one", "H1", 0.5, 1.0), MatrixColumn("other", "H2", 2.5, 0.5)],
            [MatrixRow("a pin", "pin", ["CC", "II"], 2.0), MatrixRow("another", "pin", ["", "NA"])],
        ),
        symptoms=lambda: (
            ReportSymptom("threads_running above 5", True, ((1, True), (2, False), (3, None))),
            ReportSymptom("no waits", None, ((1, None),)),
        ),
    )


def _written(case: Case) -> str:
    remarks = "\n".join(
        f"- {each.section} {each.line or ''} {each.rule}: {each.text}" for each in check(case)
    )
    return f"{render_markdown(document(case))}\n---\nRemarks\n\n{remarks}\n"


def _agreed(name: str, text: str, request: pytest.FixtureRequest) -> None:
    path = _FOLDER / name
    if request.config.getoption("--bless"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "if this is meant: pytest --bless"


@pytest.mark.parametrize("template", [each.id for each in TEMPLATES])
def test_the_report_in_every_template(template: str, request: pytest.FixtureRequest) -> None:
    _agreed(f"{template}.md", _written(replace(_rich(), template=template)), request)


@pytest.mark.parametrize("name", ["sparse", "calm"])
def test_an_analysis_with_little_in_it(name: str, request: pytest.FixtureRequest) -> None:
    """A stall of which nothing more is known, and no stall at all; in every template."""
    analysis = _rich().analysis
    assert analysis is not None
    kept = {"artifacts", "server", "headline", *(("stalls",) if name == "sparse" else ())}
    fields = {field.name: field for field in structs.fields(analysis) if field.name not in kept}
    empty = {
        key: None if field.default is None else []
        for key, field in fields.items()
        if isinstance(getattr(analysis, key), list) or field.default is None
    }
    case = replace(_rich(), analysis=structs.replace(analysis, **empty))
    written = (_written(replace(case, template=each.id)) for each in TEMPLATES)
    page = ticket.text(ticket.blocks(case.analysis)) if case.analysis else ""
    _agreed(f"{name}.md", "\n====\n".join((*written, page)), request)


def test_a_case_without_an_analysis(request: pytest.FixtureRequest) -> None:
    _agreed("no-analysis.md", _written(replace(_rich(), analysis=None)), request)


@pytest.mark.parametrize("form", [ticket.text, ticket.markdown, ticket.html])
def test_the_page_for_a_ticket(form: Any, request: pytest.FixtureRequest) -> None:
    analysis = _rich().analysis
    assert analysis is not None
    ending = {"text": "txt", "markdown": "md"}.get(form.__name__, form.__name__)
    _agreed(f"ticket.{ending}", form(ticket.blocks(analysis)), request)


def test_a_case_with_every_field(request: pytest.FixtureRequest) -> None:
    """What no usual analysis has at once: each field of the contract has a value somewhere."""
    analysis = filled(_rich().analysis)
    assert empty_fields(analysis) == []
    case = replace(_rich(), analysis=analysis)
    written = (_written(replace(case, template=each.id)) for each in TEMPLATES)
    page = ticket.text(ticket.blocks(analysis))
    _agreed("filled.md", "\n====\n".join((*written, page)), request)


_CONSTRUCTS = r"""# One

###### Six

Setext
------

Plain *italic **both** italic* ~~struck~~ `code`, a soft
break, a hard\
break, <b>html</b>, ![a picture](https://example.test/x.png),
[^known-label] twice[^known-label].[^other]

[a](https://example.test) [b](mailto:a@example.test) [c](/incidents) [d](#x)
[e](javascript:alert(1)) [f](ftp://x)

- one
- two
  1. inner

     ```sql
     SELECT 1
     ```

7. seven
8. eight

> quoted
>
> > twice

    indented code

| left | right | centre | none |
|:--|--:|:-:|---|
| 1 | 2 | 3 | *4* |
| 5 | | 7 | 8 |

Table: what *it* shows

Table: not a caption

---

::nothing
::nothing twice
"""
_DIRECTIVES = (
    *("pin", 'pin{id="019a"}', 'pin{id="019a2b3c"}', 'pin{id="ffffffffffff"}'),
    *("lane", 'lane{series="tps; x;"}', 'lane{from="x"}', 'lane{to="2026-11-20T22:20:00Z"}'),
    *('lane{stall="1"}', 'lane{stall="9"}', 'lane{capture="x"}', 'lane{caption="Mine"}'),
    *("waits", 'waits{at="x"}', 'waits{at="2026-11-20T22:19:52Z"}', 'waits{stall="1"}'),
    *(
        "stalls",
        'stalls{caption="Mine"}',
        "deadlock",
        'deadlock{number="1"}',
        'deadlock{number="x"}',
    ),
    *("places", 'places{rows="2"}', 'places{rows="0"}', 'places{rows="1000"}', "stacks"),
    *('stacks{rows="1"}', "settings-differences", 'settings-differences{rows="1"}', "table"),
    *('table{artifact="t.tsv"}', 'table{artifact="t.tsv" rows="1" columns="b;a"}'),
    *('table-changes{before="t.tsv" after="t.tsv"}', "table-changes", "symptoms"),
    *('symptoms{caption="Mine"}', "confidence", 'confidence{time="recorded"}'),
    *('confidence{time="x"}', "matrix", "timeline", 'timeline{from="2026-11-21T09:00:00Z"}'),
    *('timeline{to="2026-11-20T22:19:52Z"}', 'timeline{from="x"}', 'timeline{stall="1"}'),
    *("experiments", "actions", 'actions{owner="x" due="y"}', "no_such{}"),
)


def _directed(case: Case) -> Case:
    """The case with every live block, each with what it accepts and what it does not."""
    table = ReportTable(
        SHA, "t.tsv", "digests", ("a", "b", "c"),
        [["x", "1", None], ["y", "22", "z"], ["x", "3", ""]], (False, True, False), 4, 7,
    )  # fmt: skip
    cells = tuple(
        ReportCellChange((key,), "b", before, after, difference)
        for key, before, after, difference in (
            ("y", "22", "2", "-20"), ("x", None, "1", None), ("z", "a", "b", None)
        )
    )  # fmt: skip
    text = "\n\n".join(f"::{directive}" for directive in _DIRECTIVES)
    return replace(
        case,
        sections={"summary": _CONSTRUCTS, "timeline": text},
        draw_lanes=lambda series, start, end: (
            Lane(f"{';'.join(series)} {start} to {end}", "1/s", [(1795213140000, 2.0)]),
        ),
        draw_graph=lambda at: case.graph and structs.replace(case.graph, at=at),
        find_table=lambda artifact, name: table if artifact == "t.tsv" and not name else None,
        compare_tables=lambda before, after: ReportTableChanges(("a",), 1, 2, 3, cells),
    )


@pytest.mark.parametrize("name", ["rich", "bare"])
def test_what_people_write(name: str, request: pytest.FixtureRequest) -> None:
    """Every construct of Markdown and every live block, where there is all to show or nothing."""
    case = _rich()
    if name == "bare":
        nothing: dict[str, Any] = dict.fromkeys(
            ("hypotheses", "experiments", "annotations", "pins", "actions", "lanes"), ()
        )
        case = replace(case, analysis=None, graph=None, matrix=None, symptoms=tuple, **nothing)
    _agreed(f"written-{name}.md", _written(_directed(case)), request)


@pytest.mark.parametrize("width", [SCREEN, 420])
def test_figures(width: int, request: pytest.FixtureRequest) -> None:
    begin = NOW.timestamp() * 1000
    confidence = ConfidenceDrawing(
        [
            ConfidenceLine("H1", [(begin, 30), (begin + 3_600_000, 80)]),
            ConfidenceLine("H2", [(begin + 60_000, 50)]),
        ]
    )
    chain = GraphDrawing(
        "2026-11-20T22:19:52Z",
        "a headline",
        [
            GraphNode("a", "trx 42", "thread", 0, 14, root=True, detail=[("user", "shop")]),
            GraphNode("b", "a latch with a name that is longer than its box", "latch", 1, 13),
            *(GraphNode(f"c{n}", f"waiter {n}", "thread", 2, inferred=n > 1) for n in range(3)),
            GraphNode("d", "waiters", "group", 2, members=10, detail=[(WHERE, "row0.cc:1 X")]),
        ],
        [("b", "a", "held_by"), ("d", "b", "waits_for"), ("a", "c0", "waits_for")]
        + [(f"c{n}", "b", "waits_for") for n in range(3)],
    )
    drawings = [*drawings_of(Facts()), confidence, chain, _rich().matrix]
    drawn = [draw(drawing, "what it shows", width=width) for drawing in drawings if drawing]
    assert len(drawn) == 9
    _agreed(f"figures-{width}.svg", "\n".join(drawn).replace("><", ">\n<") + "\n", request)
