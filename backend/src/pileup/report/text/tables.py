"""Build tables of plain texts, for live blocks."""

from __future__ import annotations

from collections.abc import Sequence

from pileup.report.document import Run, Table


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], align: Sequence[str] | None, caption: str
) -> Table:
    """``align``: 'right' or anything else per column; None: all left."""
    return Table(
        head=[[Run(cell)] if cell else [] for cell in head],
        rows=[[[Run(cell)] if cell else [] for cell in row] for row in rows],
        align=["right" if name == "right" else "left" for name in align or ["left"] * len(head)],
        caption=[Run(caption)],
    )
