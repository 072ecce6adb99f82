"""Send all rows behind a table as a CSV download, streamed while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated

from fastapi import Depends
from fastapi.responses import StreamingResponse

from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.reports.exports import Redact
from pileup.report.redaction.redactor import Redactor
from pileup.views.csv_rows import Row, redacted_csv
from pileup.views.reports.export import redaction_kinds
from pileup.views.reports.known import redactor_for


def redactor(
    incident: IncidentDep, services: ServicesDep, unit: UnitDep, redact: Redact = ""
) -> Redactor:
    """Return the redactor of the incident for the chosen kinds."""
    kinds = redaction_kinds(unit, redact)
    return redactor_for(unit, services.placed, incident.id, kinds)


RedactorDep = Annotated[Redactor, Depends(redactor)]


def csv_answer(
    name: str, read: Callable[[], tuple[Sequence[str], Iterable[Row]]], redactor: Redactor
) -> StreamingResponse:
    """Stream the redacted rows as a download named ``name``.csv.

    read: returns columns and rows; called twice where more than passwords is redacted.
    """
    return StreamingResponse(
        redacted_csv(read, redactor),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f"attachment; filename={name}.csv"},
    )
