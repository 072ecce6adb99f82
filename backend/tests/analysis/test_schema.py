"""The published schema is the document's own."""

from __future__ import annotations

import json

import jsonschema

from pileup.analysis import analyse
from pileup.analysis.contract import encode, json_schema
from tests.analysis.frames import evidence, gauge
from tests.conftest import REPOSITORY

PUBLISHED = REPOSITORY / "docs" / "analysis.schema.json"


def test_the_published_schema_is_fresh() -> None:
    """Refresh it with scripts/write_analysis_schema.py."""
    assert json.loads(PUBLISHED.read_text()) == json_schema()


def test_a_document_keeps_to_it() -> None:
    gathered = evidence({"m": [gauge("metric.threads_running", [2.0] * 30 + [90.0] * 30)]})
    document = json.loads(encode(analyse(gathered)))
    jsonschema.validate(document, json_schema())
