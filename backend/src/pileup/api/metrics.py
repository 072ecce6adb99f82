"""Metrics in the text format of Prometheus: requests of this installation, and its work.

What processes count themselves is kept by prometheus_client; several processes of one `serve` share
files in PROMETHEUS_MULTIPROC_DIR. What the database knows is read at each scrape, once and not per
process.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from pileup import __version__
from pileup.api.deps import Services
from pileup.storage.database import Unit
from pileup.storage.queue.jobs import Jobs
from pileup.storage.queue.workers import Workers

_OWN = CollectorRegistry()
_REQUESTS = Counter(
    "pileup_http_requests", "Requests answered.", ("method", "route", "status"), registry=_OWN
)
_SECONDS = Histogram(
    "pileup_http_request_seconds",
    "Time until the answer began.",
    ("method", "route"),
    registry=_OWN,
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
_REFUSED = Counter("pileup_http_refused", "Requests refused as too busy.", registry=_OWN)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def count_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count one request; route: its template, so that ids do not become labels."""
    method = method if method in _METHODS else "other"
    _REQUESTS.labels(method, route, str(status)).inc()
    _SECONDS.labels(method, route).observe(seconds)
    if status == 503:
        _REFUSED.inc()


def render(services: Services, unit: Unit) -> bytes:
    """Return every metric of the installation, as this process knows it."""
    own = _OWN
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        own = CollectorRegistry()
        MultiProcessCollector(own)  # type: ignore[no-untyped-call]
    installation = CollectorRegistry()
    installation.register(_Installation(services, unit))
    return generate_latest(own) + generate_latest(installation)


class _Installation:
    """What the database and the disk say at this moment."""

    def __init__(self, services: Services, unit: Unit) -> None:
        self._services = services
        self._unit = unit

    def collect(self) -> Iterator[Metric]:
        """Yield the gauges of work, workers and disk."""
        waiting = GaugeMetricFamily(
            "pileup_jobs", "Jobs, by kind and state.", labels=("kind", "state")
        )
        for (kind, state), number in Jobs(self._unit).open_by_kind().items():
            waiting.add_metric((kind, state), number)
        yield waiting
        yield GaugeMetricFamily(
            "pileup_job_longest_wait_seconds",
            "How long the job that waits longest has been due.",
            value=Jobs(self._unit).longest_wait_s(),
        )
        workers = Workers(self._unit).presence(self._services.worker_silence)
        yield GaugeMetricFamily("pileup_workers", "Workers alive.", value=len(workers.names))
        disk = shutil.disk_usage(self._services.settings.home)
        yield GaugeMetricFamily("pileup_disk_free_bytes", "Free disk of the data.", value=disk.free)
        reserve = self._services.settings.min_free_bytes
        yield GaugeMetricFamily(
            "pileup_disk_reserve_bytes", "Uploads are refused below this.", value=reserve
        )
        build = GaugeMetricFamily("pileup_build_info", "The program.", labels=("version",))
        build.add_metric((__version__,), 1)
        yield build
