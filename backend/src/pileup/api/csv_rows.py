"""Send all rows behind a table as a CSV download, streamed while they are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fastapi.responses import StreamingResponse

from pileup.views.csv_rows import Row, csv_text


def csv_answer(name: str, columns: Sequence[str], rows: Iterable[Row]) -> StreamingResponse:
    """Stream the rows as a download named ``name``.csv."""
    return StreamingResponse(
        csv_text(columns, rows),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f"attachment; filename={name}.csv"},
    )
