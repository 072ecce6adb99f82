"""Find the column mapping that a person set for a table, by its header."""

from __future__ import annotations

import msgspec

from pileup.formats.metrics import csv_table, metric_csv
from pileup.formats.metrics.parts import csv_mapping
from pileup.formats.metrics.parts.csv_mapping import Mapping
from pileup.formats.parsed import Parsed
from pileup.formats.reading.text import LineReader
from pileup.formats.tables import result_set
from pileup.storage.artifacts.artifacts import Artifact
from pileup.storage.artifacts.mappings import Mappings
from pileup.worker.runtime import Runtime

_TABLES = (None, metric_csv.NAME, csv_table.NAME, result_set.NAME)


def find_mapping(runtime: Runtime, artifact: Artifact) -> Mapping | None:
    """Return the mapping for this file; None when nobody set one."""
    if artifact.format_given not in (None, csv_table.NAME):
        return None
    with runtime.database.unit() as unit:
        remembered = Mappings(unit).find(
            csv_mapping.keys_in(_head(runtime, artifact), artifact.sha256)
        )
    return msgspec.convert(remembered.mapping, Mapping) if remembered else None


def mapping_key(
    runtime: Runtime, artifact: Artifact, parsed: Parsed, mapping: Mapping | None
) -> str | None:
    """Return the key of the table's mapping, whether one is stored or not; None: no table."""
    if mapping is not None:
        return csv_mapping.mapping_key(mapping.header, artifact.sha256)
    if parsed.format not in _TABLES or not artifact.bytes:
        return None
    guess = csv_mapping.guess(_head(runtime, artifact).split("\n")).mapping
    return (
        csv_mapping.mapping_key(guess.header, artifact.sha256) if len(guess.columns) > 1 else None
    )


def _head(runtime: Runtime, artifact: Artifact) -> str:
    with runtime.blobs.open(artifact.sha256) as blob:
        return LineReader(blob).head
