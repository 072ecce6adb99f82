"""Collect the absolute times that a file of local times may meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pileup.analysis.clock.metrics_hosts import MONITORING
from pileup.analysis.evidence.evidence import EvidenceArtifact
from pileup.analysis.evidence.spans import joined

Range = tuple[int, int]
_HOUR = 3600 * 1_000_000
_LEAST = 3
"""Fewest absolute times that make a range."""


class UtcRanges:
    """Ranges (µs) of absolute times, by folder of the recording and host.

    Times more than an hour apart are two ranges: a file that lies between them meets neither.
    """

    def __init__(
        self,
        artifacts: Sequence[EvidenceArtifact],
        spans: Mapping[str, Mapping[str, tuple[int, int, int]]],
        folder_of: Mapping[str, str],
        host_of: Mapping[str, str | None],
    ) -> None:
        self._found: dict[str | None, list[tuple[str | None, bool, Range]]] = {}
        for artifact in artifacts:
            sha = artifact.sha256
            first, last, count = spans.get(sha, {}).get("utc", (0, 0, 0))
            if count < _LEAST:
                continue
            is_export = MONITORING.search(artifact.format or "") is not None
            for folder in (folder_of[sha], None):
                row = host_of.get(sha), is_export, (first, last)
                self._found.setdefault(folder, []).append(row)

    def of(self, folder: str | None, host: str | None) -> Iterator[list[Range]]:
        """Yield the ranges in a folder (None: in all) of a host and of none, then of exporters.

        An exporter may call the same server by another name. For no host: those of all hosts.
        """
        rows = self._found.get(folder, [])
        yield _joined(span for name, _, span in rows if host is None or name in (host, None))
        if host is not None:
            yield _joined(
                span for name, export, span in rows if export and name not in (host, None)
            )


def _joined(ranges: Iterable[Range]) -> list[Range]:
    return joined(ranges, over=_HOUR)


__all__ = ["UtcRanges"]
