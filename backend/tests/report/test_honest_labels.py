"""No export takes a typed value for a computed one, or a late prediction for a locked one."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.analysis import contract as c
from pileup.report.case import Case, ReportAnnotation, ReportMeasure
from pileup.report.compose import blocks_of
from pileup.report.document import ConfidenceDrawing, Figure
from pileup.report.text.prefill import prefill
from pileup.report.text.templates import TEMPLATES
from pileup.report.text.wording import recorded_words
from tests.report.case import ANALYSIS, CASE, NOW, document
from tests.report.exports import EXPORTS

RUN = CASE.experiments[0]
SOURCES = ("typed", "imported", "computed")
VALUES = {"typed": 71113.0, "imported": 72227.0, "computed": 73331.0}


def measured(standing: str, *, sweep: str) -> Case:
    """Two runs with a value of each source, as a sweep or on their own."""
    measures = tuple(ReportMeasure(f"{s} value", VALUES[s], "ms", s) for s in SOURCES)
    runs = [
        replace(RUN, number=n, standing=standing, measures=measures, sweep=sweep,
                parameters={"tables": str(n)} if sweep else {})
        for n in (1, 2)
    ]  # fmt: skip
    return replace(CASE, experiments=tuple(runs))


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub("[\\\\\u202f\u200b]", "", text))


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("sweep", ["", "commit mutex"])
def test_each_value_carries_its_source_in_every_export(export: str, sweep: str) -> None:
    """Wherever the number is printed, the next words say where it comes from."""
    text = flat(EXPORTS[export](document(measured("locked", sweep=sweep))))
    for source in SOURCES:
        places = [m.end() for m in re.finditer(f"{VALUES[source]:.0f}", text)]
        assert places, (export, source)
        for place in places:
            after = text[place : place + 40]
            assert re.match(rf"( ms)? ?\( ?{source}", after), (export, source, after)


@pytest.mark.parametrize("export", EXPORTS)
def test_a_late_prediction_says_so_in_every_export(export: str) -> None:
    late = flat(EXPORTS[export](document(measured("recorded_after", sweep=""))))
    assert late.count("recorded after the run") >= 4  # the table, the sections and the caption
    assert "locked" not in late
    early = flat(EXPORTS[export](document(measured("locked", sweep=""))))
    assert "recorded after the run" not in early


@pytest.mark.parametrize("export", EXPORTS)
def test_a_late_prediction_says_so_in_a_ticket(export: str) -> None:
    """The page for a vendor's tracker has the experiments too."""
    case = replace(measured("recorded_after", sweep=""), template="vendor-bug")
    late = flat(EXPORTS[export](document(case)))
    assert "recorded after the run" in late
    assert "locked" not in late


TEMPLATE_IDS = [template.id for template in TEMPLATES]


@settings(max_examples=40, deadline=None)
@given(
    standing=st.sampled_from(["none", "open", "locked", "recorded_after"]),
    template=st.sampled_from(TEMPLATE_IDS),
    verdict=st.sampled_from(["match", "partial", "miss", "not_measurable", None]),
    sweep=st.sampled_from(["", "load"]),
)
def test_no_section_says_locked_of_what_was_not(
    standing: str, template: str, verdict: str | None, sweep: str
) -> None:
    """In any template, with any verdict."""
    case = measured(standing, sweep=sweep)
    runs = tuple(replace(run, verdict=verdict) for run in case.experiments)
    text = flat(EXPORTS["markdown"](document(replace(case, experiments=runs, template=template))))
    assert ("locked" in text) == (standing == "locked" and RUN.prediction in text)
    assert "measured:" not in text
    if standing == "recorded_after" and RUN.prediction in text:
        assert text.count(f"{RUN.prediction} (recorded after the run)") == text.count(
            RUN.prediction
        )


def finding(name: str, title: str, score: float) -> c.FindingDoc:
    return c.FindingDoc(
        id=name, title=title, category="latch", score=score, why="seen.", evidence=[],
        against=[], applies_to_version="unknown", fixed_in=["-", "will not be fixed"],
        mitigations=[], experiment=None, references=[],
    )  # fmt: skip


FINDINGS = [finding("free-pages", "Free list empty", 0.5), finding("ahi", "AHI latch", 0.45)]


def concluded(finding_id: str | None) -> Case:
    h3 = replace(CASE.hypotheses[0], label="H3", confidence=97, finding_id=finding_id)
    h2 = replace(h3, label="H2", statement="The free list is empty", status="refuted")
    runs = (
        replace(RUN, number=7, hypothesis="H3", verdict="match"),
        replace(RUN, number=4, hypothesis="H2", verdict="miss", standing="recorded_after"),
    )
    analysis = c.Analysis(**{**_fields(ANALYSIS), "findings": FINDINGS})
    return replace(CASE, analysis=analysis, hypotheses=(h2, h3), experiments=runs)


def _fields(analysis: c.Analysis) -> dict[str, object]:
    return {name: getattr(analysis, name) for name in analysis.__struct_fields__}


def test_the_summary_leads_with_the_conclusion_of_the_team() -> None:
    """Its experiments and the refuted alternative follow, then the ranking that differs."""
    page = prefill(concluded("ahi"), "summary")
    order = [
        "**Conclusion of the team (97%):** H3 An idle transaction holds the row.",
        "Experiment 7 matched the prediction.",
        "- H2 The free list is empty.",
        "Experiment 4 (prediction recorded after the run) missed the prediction.",
        "Stall from 22:19:49 UTC for 55 s.",
        "**Likely cause by the artifacts alone:** Free list empty",
        "The team disagrees with this ranking: its conclusion H3 is number 2",
    ]
    places = [page.index(words) for words in order]
    assert places == sorted(places)
    assert page.startswith(order[0])
    assert "disagrees" not in prefill(concluded("free-pages"), "summary")
    assert "is not linked to a finding" in prefill(concluded(None), "summary")
    fixes = prefill(concluded("ahi"), "mitigations")
    assert fixes.startswith("AHI latch:\n\n- Fix: will not be fixed.")


def test_without_a_conclusion_the_likely_cause_leads_as_before() -> None:
    page = prefill(replace(concluded(None), hypotheses=()), "summary")
    assert page.startswith("Stall from 22:19:49 UTC for 55 s.")
    assert "**Likely cause:** Free list empty" in page


@pytest.mark.parametrize("failed", ["yes", "no", "failed", "not_failed", None])
def test_how_a_run_failed_is_a_sentence_of_its_own(failed: str | None) -> None:
    """D22: an observation without a full stop does not run into the next sentence."""
    run = replace(RUN, observation="the rate fell", failed_same_way=failed)
    page = prefill(replace(CASE, experiments=(run,)), "experiments")
    words = {"yes": " It failed the same way.", "no": " It failed differently.",
             "failed": " It failed.", "not_failed": " It did not fail.", None: ""}  # fmt: skip
    assert f" — matched the prediction.{words[failed]}\n" in page


def test_a_chart_of_confidence_takes_either_time() -> None:
    steps = tuple(
        replace(step, at=NOW.replace(day=day), recorded_at=NOW)
        for day, step in zip((1, 8), CASE.hypotheses[0].history, strict=True)
    )
    case = replace(CASE, hypotheses=(replace(CASE.hypotheses[0], history=steps),))
    places = []
    for block in ("::confidence", '::confidence{time="recorded"}'):
        (figure,) = blocks_of(case, block)
        assert isinstance(figure, Figure)
        assert isinstance(figure.drawing, ConfidenceDrawing)
        places.append([at for at, _ in figure.drawing.lines[0].steps])
    assert places[0] != places[1]
    assert f"recorded {NOW:%Y-%m-%d %H:%M} UTC" in prefill(case, "hypotheses")


LATER = datetime(2026, 12, 3, 7, 41, tzinfo=UTC)
"""When everything of ``written_later`` was recorded."""


def written_later(recorded_at: datetime | None) -> Case:
    """A story whose every step has its own time, and was recorded then or afterwards."""
    steps = tuple(
        replace(step, at=NOW.replace(day=1 + at), recorded_at=recorded_at)
        for at, step in enumerate(CASE.hypotheses[0].history)
    )
    run = replace(
        RUN, began=NOW.replace(day=5), ended=NOW.replace(day=6), begin_recorded=recorded_at,
        end_recorded=recorded_at, environment=(("host", "db-77"), ("cores", "96")),
        standing="recorded_after" if recorded_at else "locked",
    )  # fmt: skip
    notes = [
        ReportAnnotation(NOW.replace(day=7 + at), None, f"{kind} of ann", "ann", kind,
                         recorded_at=recorded_at)
        for at, kind in enumerate(("note", "decision", "symptom"))
    ]  # fmt: skip
    return replace(
        CASE,
        hypotheses=(replace(CASE.hypotheses[0], history=steps),),
        experiments=(run,),
        annotations=tuple(notes[:2]),
        noticed=tuple(notes[2:]),
    )


@pytest.mark.parametrize("export", EXPORTS)
def test_every_step_says_in_every_export_when_it_happened_and_when_it_was_recorded(
    export: str,
) -> None:
    """Confidence, the beginning and end of a run, its prediction, notes, decisions, symptoms."""
    late = flat(EXPORTS[export](document(written_later(LATER))))
    live = flat(EXPORTS[export](document(written_later(None))))
    for text in (late, live):
        for words in (
            "30% (ann, 2026-11-01 09:00 UTC", "80% (bob, 2026-11-02 09:00 UTC",
            "2026-11-05 09:00 UTC to 2026-11-06 09:00 UTC, on host db-77, cores 96",
            "2026-11-07 09:00:00", "note of ann", "2026-11-08 09:00:00", "Decision: decision of",
            "2026-11-09 09:00:00", "Noticed: symptom of ann", "Experiment 1 begins",
        ):  # fmt: skip
            assert words in text, words
    recorded = "recorded 2026-12-03 07:41 UTC"
    # two steps, the conclusion, the run, its beginning and end, a note, a decision, a symptom
    assert late.count(recorded) == 9
    assert "(recorded after the run)" in late
    assert "recorded 2026" not in live
    assert "recorded after" not in live


@pytest.mark.parametrize("minutes", [0, 59])
def test_what_is_recorded_within_the_hour_is_recorded_as_it_happened(minutes: int) -> None:
    assert recorded_words(NOW, NOW + timedelta(minutes=minutes)) == ""
    assert recorded_words(NOW, NOW + timedelta(hours=1)) == "recorded 2026-11-21 10:00 UTC"
