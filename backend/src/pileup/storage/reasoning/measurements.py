"""Measurements of a run: named values with units, each with where it comes from.

``source`` is typed (a person wrote it), imported (from a pasted table) or computed (from the run's
artifacts, by the server alone). Nothing turns one into another.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pileup.storage.audit import Actor
from pileup.storage.database import clean
from pileup.storage.errors import Refused
from pileup.storage.models import Measurement

Source = Literal["typed", "imported", "computed"]
MOST = 100
"""At most this many values per run."""


@dataclass(frozen=True, slots=True)
class NewMeasurement:
    name: str
    value: float
    unit: str = ""
    basis: str = ""


@dataclass(frozen=True, slots=True)
class MeasurementRecord:
    id: str
    name: str
    value: float
    unit: str
    source: Source
    basis: str
    """What it comes from: statistic and series, or the row of the pasted table; may be empty."""
    by: str
    recorded_at: datetime


def add_measurements(
    session: Session,
    experiment_id: str,
    values: Iterable[NewMeasurement],
    source: Source,
    by: Actor,
) -> None:
    """Add values of one source to a run.

    Raises:
        Refused: a value is not finite, or the run has too many.
    """
    rows = list(values)
    of_run = Measurement.experiment_id == experiment_id, Measurement.deleted_at.is_(None)
    known = session.scalar(select(func.count()).where(*of_run))
    if (known or 0) + len(rows) > MOST:
        raise Refused(f"A run has at most {MOST} measurements.", "measurements")
    for value in rows:
        if not math.isfinite(value.value):
            raise Refused(f"{value.name} is no number: leave it out instead.", "measurements")
        session.add(
            Measurement(
                experiment_id=experiment_id,
                name=clean(value.name),
                value=value.value,
                unit=clean(value.unit),
                source=source,
                basis=clean(value.basis),
                by_id=by.id,
                by_name=by.name,
            )
        )
        session.flush()  # ids sort by age, so the order of the values stays


def measurements_of(
    session: Session, experiment_ids: Iterable[str]
) -> dict[str, list[MeasurementRecord]]:
    """Map an experiment's id to its measurements, in the order in which they were recorded."""
    found: defaultdict[str, list[MeasurementRecord]] = defaultdict(list)
    for row in session.scalars(
        select(Measurement)
        .where(
            Measurement.experiment_id.in_(list(experiment_ids)), Measurement.deleted_at.is_(None)
        )
        .order_by(Measurement.id)
    ):
        found[row.experiment_id].append(
            MeasurementRecord(
                id=row.id,
                name=row.name,
                value=row.value,
                unit=row.unit,
                source=cast("Source", row.source),
                basis=row.basis,
                by=row.by_name,
                recorded_at=row.at,
            )
        )
    return found
