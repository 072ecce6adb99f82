"""Read the evidence that live blocks of a report show on demand: tables, and symptoms per run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pileup.analysis.compare.table_changes import weight
from pileup.analysis.evidence import table_diff
from pileup.analysis.evidence.table_diff import NotComparable, RowChange, TableData
from pileup.analysis.reasoning.predicates import Prose
from pileup.report.case import (
    ReportCellChange,
    ReportSymptom,
    ReportTable,
    ReportTableChanges,
)
from pileup.storage.artifacts.artifacts import Artifact, Artifacts
from pileup.storage.database import Unit
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.reasoning.experiments import Experiments
from pileup.storage.reasoning.symptoms import Symptoms
from pileup.views.artifacts.tables import KIND, stored_tables
from pileup.views.reasoning.symptoms import answered_symptoms, symptoms_of_run

_FEW = 10
_MOST_CELLS = 4
"""Cells shown of a row that only one table has."""
"""So many added and gone rows come before the changed cells; more of them come after."""
_SHORTEST = 8
"""Characters of a SHA-256 that name an artifact."""


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """Tables and symptoms of one incident."""

    unit: Unit
    frames: FrameStore
    placed: PlacedStore
    incident_id: str

    def find_table(self, artifact: str, name: str | None) -> ReportTable | None:
        """Return a table by artifact (start of the SHA-256, path or file name) and name.

        Without a name: the artifact's first table.
        """
        for candidate in self._artifacts_named(artifact):
            for table in stored_tables(self.frames, candidate):
                if name is None or table.ref.name == name:
                    data = table.data
                    return ReportTable(
                        artifact=candidate.sha256,
                        path=candidate.path,
                        name=table.ref.name,
                        columns=tuple(data.columns),
                        rows=data.rows,
                        numeric=tuple(table_diff.is_numeric(data, c) for c in data.columns),
                        line_first=table.ref.line_first,
                        line_last=table.ref.line_last,
                    )
        return None

    def symptoms(self) -> tuple[ReportSymptom, ...]:
        """Answer every symptom from the incident, and from each run that has artifacts."""
        known = Symptoms(self.unit).of_incident(self.incident_id)
        if not known:
            return ()
        by_run: dict[int, dict[str, bool | None]] = {}
        for experiment in Experiments(self.unit).of_incident(self.incident_id):
            answers = symptoms_of_run(self.unit, self.frames, experiment)
            if not answers and any(not isinstance(each.predicate, Prose) for each in known):
                continue  # the run has no artifact that was read
            by_run[experiment.number] = {answer.symptom_id: answer.holds for answer in answers}
        return tuple(
            ReportSymptom(
                words=symptom.words,
                incident=symptom.incident.holds if symptom.incident else None,
                runs=tuple((run, by_run[run].get(symptom.id)) for run in sorted(by_run)),
            )
            for symptom in answered_symptoms(self.placed, self.incident_id, known)
        )

    def _artifacts_named(self, text: str) -> list[Artifact]:
        """List the artifacts with tables that a SHA-256, a path or a file name means."""
        if not text:
            return []
        return [
            artifact
            for artifact in Artifacts(self.unit).of_incident(self.incident_id)
            if artifact.records.get(KIND)
            and (
                artifact.path == text
                or artifact.name == text
                or (len(text) >= _SHORTEST and artifact.sha256.startswith(text.lower()))
            )
        ]


def _whole_row(row: RowChange, columns: Sequence[str]) -> list[ReportCellChange]:
    """List the first cells of a row that only one of the tables has."""
    cells = [
        ReportCellChange(row.key, f"{column} (row {row.state})", cell.before, cell.after, None)
        for column, cell in zip(columns, row.cells, strict=True)
        if (cell.before or cell.after or "0") != "0"
    ]
    return cells[:_MOST_CELLS] or [ReportCellChange(row.key, f"row {row.state}", None, None, None)]


def compare_tables(before: ReportTable, after: ReportTable) -> ReportTableChanges:
    """Compare two tables by their key columns; raises ValueError when there are none."""
    try:
        difference = table_diff.compare(
            TableData(before.columns, before.rows), TableData(after.columns, after.rows)
        )
    except NotComparable as error:
        raise ValueError(str(error)) from None
    changed = [
        (
            weight(cell.ratio),
            ReportCellChange(row.key, column, cell.before, cell.after, cell.change),
        )
        for row in difference.rows
        if row.state == "changed"
        for column, cell in zip(difference.columns, row.cells, strict=True)
        if cell.before != cell.after
    ]
    changed.sort(key=lambda pair: pair[0], reverse=True)
    cells = [cell for _, cell in changed]
    whole = [
        change
        for row in difference.rows
        if row.state in ("added", "gone")
        for change in _whole_row(row, difference.columns)
    ]
    return ReportTableChanges(
        keys=difference.keys,
        added=difference.count("added"),
        gone=difference.count("gone"),
        changed=difference.count("changed"),
        cells=tuple([*whole, *cells] if len(whole) <= _FEW else [*cells, *whole]),
    )
