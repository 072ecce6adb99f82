"""A trace goes from the request through the row of the job to the worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sqlalchemy import select

from pileup import tracing
from pileup.settings import Settings
from pileup.storage import models
from pileup.worker.runtime import make_runtime
from pileup.worker.work import run
from tests.support.site import open_site, settings_for

CALLER = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def exported() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    tracing.start("test", 1.0, SimpleSpanProcessor(exporter))
    yield exporter
    tracing.stop()


def test_a_worker_continues_the_trace_of_the_request(
    exported: InMemorySpanExporter, tmp_path: Path, postgres_url: str
) -> None:
    with open_site(settings_for(tmp_path, postgres_url)) as site:
        incident = site.incident()
        answer = site.admin.post(
            f"/api/v1/incidents/{incident}/artifacts?link=secret",
            files={"file": ("note.txt", b"nothing to parse")},
            headers={"traceparent": f"00-{CALLER}-b7ad6b7169203331-01"},
        )
        assert answer.status_code == 201, answer.text
        with site.database.unit() as unit:
            job = unit.session.scalars(select(models.Job.id).filter_by(kind="artifact")).one()
        run(make_runtime(site.settings), job)
    spans = {span.name: span for span in exported.get_finished_spans()}
    request = spans["POST /api/v1/incidents/{incident_id}/artifacts"]
    work = spans["job artifact"]
    for span in (request, work):
        assert format(span.context.trace_id, "032x") == CALLER
    assert work.parent is not None
    assert work.parent.span_id in {span.context.span_id for span in spans.values()} - {
        work.context.span_id
    }
    assert work.attributes is not None
    assert work.attributes["pileup.incident_id"] == incident
    assert all("secret" not in str(span.attributes) for span in spans.values())


def test_without_an_endpoint_nothing_is_traced() -> None:
    assert tracing.configure(Settings(traces_endpoint=None), "test") is None
    assert tracing.current() is None
    with tracing.span("job", None):
        assert tracing.current() is None
