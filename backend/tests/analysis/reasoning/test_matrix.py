"""The matrix by construction: small tables whose answer is known by thought."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from pileup.analysis.reasoning.discriminate import Named, Try, leading_pair, next_steps
from pileup.analysis.reasoning.matrix import (
    Cells,
    Column,
    Matrix,
    Rating,
    Row,
    brier,
    consensus,
    disagreement,
    evaluate,
    nearest,
)
from tests.support.cpu import growth

H1, H2, H3 = Column("h1"), Column("h2"), Column("h3")


def table(**rows: str) -> tuple[list[Row], Cells]:
    """e1='CC I -' is one row: a letter per hypothesis, - is blank."""
    cells: dict[tuple[str, str], list[Rating]] = {}
    for row, text in rows.items():
        for at, letters in enumerate(text.split(), start=1):
            given = [] if letters == "-" else letters.split("/")
            cells[row, f"h{at}"] = given  # type: ignore[assignment]
    return [Row(row) for row in rows], cells


def made(**rows: str) -> Matrix:
    listed, cells = table(**rows)
    return evaluate(listed, [H1, H2], cells)


def test_what_contradicts_counts_and_what_supports_does_not() -> None:
    """Heuer's rule: three CC do not outweigh one I; supporters only break a tie."""
    found = made(e1="CC C", e2="CC N", e3="CC N", e4="I N")
    assert (found.scores["h1"].inconsistency, found.scores["h2"].inconsistency) == (1.0, 0.0)
    assert found.leaders == ("h2",)
    tied = made(e1="I I", e2="CC C")
    assert tied.leaders == ("h1",)
    assert (tied.scores["h1"].rank, tied.scores["h2"].rank) == (1, 2)


def test_equal_hypotheses_share_the_lead() -> None:
    found = made(e1="C C")
    assert found.leaders == ("h1", "h2")
    assert found.scores["h1"].rank == found.scores["h2"].rank == 1


def test_weights_are_credibility_times_relevance() -> None:
    """High and high doubles, low and low halves, high and low cancels."""
    assert Row("e", "high", "high").weight == pytest.approx(2.0)
    assert Row("e", "low", "low").weight == pytest.approx(0.5)
    assert Row("e", "high", "low").weight == pytest.approx(1.0)
    assert Row("e", "normal", "high").weight == pytest.approx(math.sqrt(2))
    found = evaluate([Row("e1", "low", "low")], [H1], {("e1", "h1"): ["II"]})
    assert found.scores["h1"].inconsistency == pytest.approx(1.0)


def test_sums_that_are_equal_on_paper_tie() -> None:
    """sqrt 2 + sqrt 2 in two orders is one number: rounding does not make a leader."""
    rows = [Row(f"e{n}", "high" if n % 2 else "low", "normal") for n in range(9)]
    cells: Cells = {(row.id, h): ["I"] for row in rows for h in ("h1", "h2")}
    assert evaluate(rows[::-1], [H1, H2], cells).leaders == ("h1", "h2")


def test_not_applicable_and_blank_count_nothing_but_differ_in_coverage() -> None:
    """NA is an answer, a blank is not; the one with less evidence looks better and it shows."""
    found = made(e1="I NA", e2="C -")
    assert found.scores["h1"].coverage == 1.0
    assert found.scores["h2"].coverage == 0.5
    assert found.coverage == 0.75
    assert found.scores["h2"].rank is None
    assert found.leaders == ("h1",)


def test_nothing_rated_has_no_leader() -> None:
    found = made(e1="- -")
    assert found.leaders == ()
    assert found.turns == ()
    assert found.coverage == 0.0
    assert evaluate([], [], {}).coverage is None


def test_a_refuted_hypothesis_keeps_its_score_and_cannot_lead() -> None:
    rows, cells = table(e1="C I")
    found = evaluate(rows, [Column("h1", closed=True), H2], cells)
    assert found.scores["h1"].rank == 1
    assert found.leaders == ("h2",)


def test_diagnosticity_is_the_spread_over_hypotheses() -> None:
    """The same letter everywhere tells nothing; CC against II tells most."""
    found = made(e1="C C", e2="CC II", e3="C N", e4="C -")
    assert found.diagnosticity == {"e1": 0.0, "e2": 2.0, "e3": 0.5, "e4": None}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], None),
        (["NA"], None),
        (["NA", "NA", "C"], None),
        (["NA", "C"], 1.0),
        (["CC", "II"], 0.0),
        (["C", "N"], 0.5),
    ],
)
def test_consensus_is_the_mean_unless_most_say_na(
    given: list[Rating], expected: float | None
) -> None:
    assert consensus(given) == expected


def test_a_mean_between_two_letters_takes_the_one_nearer_to_neutral() -> None:
    assert [nearest(value) for value in (0.5, -0.5, 1.5, -1.5, 1.6, -2.0)] == [
        "N",
        "N",
        "C",
        "I",
        "CC",
        "II",
    ]


def test_disagreement_is_the_larger_of_two_spreads() -> None:
    """Over the letters, or over whether it applies at all."""
    assert disagreement(["C", "C"]) == 0.0
    assert disagreement(["CC", "II"]) == 2.0
    assert disagreement(["C", "NA"]) == 0.5
    found = made(e1="CC/II C/C", e2="C -")
    assert found.disagreement == {("e1", "h1"): 2.0, ("e1", "h2"): 0.0}


def test_leaving_one_out_names_the_row_that_holds_the_lead() -> None:
    """H2 leads only because E3 contradicts H1: without E3, H1 leads."""
    found = made(e1="CC N", e2="CC N", e3="I N")
    assert found.leaders == ("h2",)
    assert [(turn.row, turn.leaders) for turn in found.turns] == [("e3", ("h1",))]


def test_leaving_one_out_is_what_evaluating_without_it_gives() -> None:
    """The subtraction agrees with the whole sum, on random tables."""
    throw = random.Random(6)
    letters: list[Rating] = ["CC", "C", "N", "I", "II", "NA"]
    for _ in range(60):
        rows = [Row(f"e{n}", throw.choice(["low", "normal", "high"])) for n in range(5)]
        columns = [H1, H2, Column("h3", closed=throw.random() < 0.3)]
        cells: dict[tuple[str, str], list[Rating]] = {
            (row.id, column.id): throw.choices(letters, k=throw.randrange(3))
            for row in rows
            for column in columns
        }
        found = evaluate(rows, columns, cells)
        leaders_by_row = {turn.row: set(turn.leaders) for turn in found.turns}
        for row in rows:
            rest = [item for item in rows if item != row]
            kept = {cell: given for cell, given in cells.items() if cell[0] != row.id}
            leaders = set(evaluate(rest, columns, kept).leaders)
            changed = leaders and leaders != set(found.leaders)
            assert leaders_by_row.get(row.id) == (leaders if changed else None)


def test_a_large_matrix_takes_time_in_proportion() -> None:
    """400 pieces of evidence and 12 hypotheses, ten people, against a quarter of it."""

    def matrix(count: int) -> Callable[[], object]:
        rows = [Row(f"e{n}") for n in range(count)]
        columns = [Column(f"h{n}") for n in range(12)]
        cells: Cells = {(r.id, c.id): ["C", "I"] * 5 for r in rows for c in columns}
        return lambda: evaluate(rows, columns, cells)

    assert growth(matrix(100), matrix(400)) < 10  # 4 when linear, 16 when quadratic


def test_brier_is_the_mean_squared_miss() -> None:
    assert brier([]) is None
    assert brier([(1.0, True), (0.0, False)]) == 0.0
    assert brier([(0.5, True)]) == 0.25
    assert brier([(0.8, True), (0.3, False)]) == pytest.approx((0.04 + 0.09) / 2)


def test_next_step_asks_for_the_cell_that_could_separate() -> None:
    """E2 contradicts H1 and was not rated for H2: that cell is asked for, then the falsifiers."""
    rows, cells = table(e1="C C", e2="I -")
    matrix = evaluate(rows, [H1, H2, H3], cells)
    assert leading_pair(matrix, [H1, H2]) == ("h2", "h1")
    found = next_steps(
        matrix,
        rows,
        [H1, H2],
        {
            "h1": Named("H1", falsifier="the row is not hot"),
            "h2": Named("H2", experiments=(Try("Disable it: expect calm", "x7"),)),
        },
        {"e1": "E1", "e2": "E2"},
    )
    assert found is not None
    assert [step.kind for step in found.steps] == ["rate", "experiment", "falsifier"]
    assert [step.experiment for step in found.steps] == [None, "x7", None]
    assert [step.about for step in found.steps] == [None, "h2", "h1"]
    assert found.steps[0].text == "Rate E2 for H2: it is I for H1."
    assert found.steps[0].row == "e2"
    assert found.standing.startswith("H2 leads H1 by inconsistency 0.0 against 1.0.")
    assert "No evidence separates them" in found.standing


def test_equally_contradicted_is_not_told_as_a_lead_by_inconsistency() -> None:
    """What speaks for them ranks them then, and the sentence says so."""
    rows, cells = table(e1="CC N", e2="N C")
    found = next_steps(
        evaluate(rows, [H1, H2], cells),
        rows,
        [H1, H2],
        {"h1": Named("H1"), "h2": Named("H2")},
        {"e1": "E1", "e2": "E2"},
    )
    assert found is not None
    assert found.standing.startswith(
        "H1 and H2 are equally contradicted (0.0); H1 has more support: "
        "consistency 2.0 against 1.0."
    )


def test_next_step_names_the_row_that_separates_best() -> None:
    rows, cells = table(e1="CC II", e2="C N")
    matrix = evaluate(rows, [H1, H2], cells)
    found = next_steps(
        matrix,
        rows,
        [H1, H2],
        {"h1": Named("H1"), "h2": Named("H2")},
        {"e1": "E1", "e2": "E2"},
    )
    assert found is not None
    assert found.standing.endswith("E1 separates them best: CC for H1, II for H2.")
    assert [step.kind for step in found.steps] == ["collect"]
    assert next_steps(matrix, rows, [H1], {"h1": Named("H1")}, {}) is None
