"""Traces by OpenTelemetry: requests, the jobs that they cause, and the workers that run them.

Off by default, and then a span costs one look at a flag. PILEUP_TRACES_ENDPOINT names a collector
that takes OTLP over HTTP; the extra ``pileup[traces]`` brings the SDK. FastAPI makes the spans of
requests itself. A job carries the trace of the request that queued it in its row
(``current``), so the worker's span is part of that trace, on whichever machine it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import TYPE_CHECKING

import structlog
from opentelemetry import propagate, trace
from opentelemetry.trace import SpanKind, Status, StatusCode

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import Span, SpanProcessor, TracerProvider

    from pileup.settings import Settings

log = structlog.get_logger()

_PARENT = "traceparent"
_PRIVATE = ("url.query", "client.address")
"""Attributes that a collector does not get: sign-in links and addresses of people."""

_providers: list[TracerProvider] = []


def configure(settings: Settings, service: str) -> TracerProvider | None:
    """Send traces of this process where the settings say; None: it has no traces.

    service: "pileup-api" or "pileup-worker". Call it after a fork: a thread sends the spans.
    """
    if _providers:
        return _providers[0]
    if not settings.traces_endpoint:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        log.error(
            "traces.off",
            why="PILEUP_TRACES_ENDPOINT is set and the OpenTelemetry SDK is not installed; "
            "install pileup[traces]",
        )
        return None
    endpoint = settings.traces_endpoint.rstrip("/")
    if not endpoint.endswith("/v1/traces"):
        endpoint += "/v1/traces"
    exporter = OTLPSpanExporter(endpoint=endpoint)
    return start(service, settings.traces_share, BatchSpanProcessor(exporter))


def start(service: str, share: float, processor: SpanProcessor) -> TracerProvider:
    """Trace this process from now on; share: of the requests that no other service traces."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    class Discreet(SpanProcessor):
        def on_start(self, span: Span, parent_context: object = None) -> None:  # noqa: ARG002
            for name in _PRIVATE:
                if span.attributes and name in span.attributes:
                    span.set_attribute(name, "")

    facts = {"service.name": service, "service.version": metadata.version("pileup")}
    provider = TracerProvider(
        sampler=ParentBased(TraceIdRatioBased(share)), resource=Resource.create(facts)
    )
    provider.add_span_processor(Discreet())
    provider.add_span_processor(processor)
    _providers.append(provider)
    return provider


def stop() -> None:
    """Send what is left, and trace no more."""
    while _providers:
        _providers.pop().shutdown()


def current() -> str | None:
    """Return the trace that runs here, as a header would carry it; None: none does."""
    if not _providers:
        return None
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    return carrier.get(_PARENT)


@contextmanager
def span(name: str, parent: str | None, **attributes: str | int) -> Iterator[None]:
    """Record what the block does, as part of the trace ``parent``; an exception marks it."""
    if not _providers:
        yield
        return
    context = propagate.extract({_PARENT: parent} if parent else {})
    tracer = _providers[0].get_tracer("pileup")
    with tracer.start_as_current_span(
        name,
        context,
        SpanKind.CONSUMER,
        {f"pileup.{key}": each for key, each in attributes.items()},
    ):
        yield


def fail(why: str) -> None:
    """Mark the span that runs here as failed."""
    if _providers:
        trace.get_current_span().set_status(Status(StatusCode.ERROR, why))
