"""Figures: what they say of what they draw."""

from __future__ import annotations

from pileup.report.document import MatrixColumn, MatrixDrawing, MatrixRow
from pileup.report.render.figures import draw


def test_a_matrix_names_hypotheses_by_their_number_not_their_place() -> None:
    """The least contradicted stands first, and is still H3."""
    columns = [
        MatrixColumn(hypothesis="the latch", label="H3"),
        MatrixColumn(hypothesis="the disk", label="H1"),
    ]
    rows = [MatrixRow(evidence="E4 stacks", kind="observation", ratings=["CC", "I"])]
    drawing = MatrixDrawing(columns=columns, rows=rows)
    svg = draw(drawing, "matrix")
    assert svg.index(">H3<") < svg.index(">H1<")
    assert "H2" not in svg
