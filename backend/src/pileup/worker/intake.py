"""Read one artifact: identify, then expand an archive (``expansion``), or parse.

Untrusted files: bounded in size, members, depth and time there and in ``formats.reading.archive``,
so that parsers need not check. Running twice gives the same rows: existing members stay, and parse
results are replaced.
"""

from __future__ import annotations

import io
import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, BinaryIO

from celery.exceptions import SoftTimeLimitExceeded

from pileup.formats.bundle import stored_only
from pileup.formats.driver import parse_stream, parse_with_fallback
from pileup.formats.metrics import csv_table
from pileup.formats.metrics.parts.csv_mapping import Mapping
from pileup.formats.parsed import Parsed
from pileup.formats.reading import archive
from pileup.records import Problem
from pileup.storage.artifacts.artifacts import Artifact, Artifacts, Reading
from pileup.storage.errors import NotFound
from pileup.storage.files import outline
from pileup.storage.files.frames import FrameKey
from pileup.storage.queue.jobs import Job, Jobs
from pileup.worker import tables
from pileup.worker.expansion import expand
from pileup.worker.lease import LeaseKeeper
from pileup.worker.runtime import Runtime

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


def read_artifact(runtime: Runtime, job: Job, keeper: LeaseKeeper) -> None:
    """Read the artifact of this job and set one of its end states."""
    began = time.monotonic()
    with runtime.database.unit() as unit:
        try:
            artifact = Artifacts(unit).get(job.target)
        except NotFound:  # deleted since it was queued
            Jobs(unit).finish(job)
            return
    kind = archive.detect_container(runtime.blobs.path(artifact.sha256))
    if kind is not None and artifact.format_given is None:
        expand(runtime, job, artifact, kind, began)
    else:
        _parse(runtime, job, artifact, keeper)


def _parse(runtime: Runtime, job: Job, artifact: Artifact, keeper: LeaseKeeper) -> None:
    mapping = tables.find_mapping(runtime, artifact)
    parsed = _parsed(runtime, artifact, keeper, mapping)
    reading = _reading(artifact, parsed, mapped=mapping is not None)
    reading = replace(reading, table_key=tables.mapping_key(runtime, artifact, parsed, mapping))
    if parsed.format is not None:
        key = FrameKey(artifact.sha256, parsed.format, parsed.version)
        runtime.frames.replace(key, parsed.frames)
    with runtime.database.unit() as unit:
        if not Jobs(unit).finish(job):
            return  # a newer attempt has the job
        Artifacts(unit).store_reading(artifact.id, reading)
        Jobs(unit).request_analysis(job.incident_id, runtime.settings.analysis_debounce_s)


def _parsed(
    runtime: Runtime, artifact: Artifact, keeper: LeaseKeeper, mapping: Mapping | None
) -> Parsed:
    """Parse the file by the chosen format or mapping, else by its content."""
    mapped = csv_table.with_mapping(mapping) if mapping else None

    def parse_as(format_name: str | None) -> Parsed:
        with runtime.blobs.open(artifact.sha256) as blob:
            counted = _Counted(blob, artifact.bytes)
            keeper.follow(counted.progress)
            with io.BufferedReader(counted, 256 * 1024) as stream:
                return parse_stream(
                    stream,
                    name=artifact.name,
                    format=format_name,
                    chosen=mapped,
                    spill=runtime.frames.drafts(),
                )

    if artifact.format_given is not None or mapped is not None:
        return parse_as(artifact.format_given)
    return parse_with_fallback(parse_as)


def _reading(artifact: Artifact, parsed: Parsed, *, mapped: bool = False) -> Reading:
    receipt = parsed.receipt
    problems = list(parsed.problems)
    state, error = _verdict(artifact, parsed)
    if parsed.failed and error is None:
        problems.insert(0, Problem(None, parsed.failed, severity="error"))
    why = parsed.detection.why
    confidence = parsed.detection.confidence
    if artifact.format_given is not None and not mapped:
        why, confidence = "a person chose the type", 1.0
    return Reading(
        state=state,
        error=error,
        format=parsed.format,
        parser_version=parsed.version if parsed.format else None,
        confidence=confidence,
        why=why,
        candidates=parsed.detection.candidates,
        records=receipt.records,
        coverage=receipt.bytes_understood / receipt.bytes_read if receipt.bytes_read else None,
        lines=receipt.lines,
        receipt={
            "bytes_read": receipt.bytes_read,
            "lines": receipt.lines,
            "bytes_understood": receipt.bytes_understood,
            "bytes_skipped": receipt.bytes_skipped,
            "skipped": [asdict(skipped) for skipped in receipt.skipped[:1000]],
            "records": receipt.records,
        },
        sections=outline.thin_out(
            [asdict(section) for section in parsed.sections], outline.MOST_KEPT
        ),
        line_index=parsed.line_index,
        problems=problems,
    )


def _verdict(artifact: Artifact, parsed: Parsed) -> tuple[str, str | None]:
    """Return the end state, and the sentence for a failed one."""
    if parsed.crashed and SoftTimeLimitExceeded.__name__ in (parsed.failed or ""):
        raise SoftTimeLimitExceeded()  # the parser driver reports it as a defect of the parser
    something = any(parsed.receipt.records.values())
    if parsed.failed and (artifact.format_given is not None or not something):
        return "failed", parsed.failed
    if artifact.format_given not in (None, stored_only.NAME) and not something and artifact.bytes:
        return "failed", (
            f"nothing in this file could be read as {artifact.format_given}, the type that was "
            "chosen for it. Choose another one, or none to let Pileup decide"
        )
    if artifact.bytes == 0:
        return "done", None  # pt-stalk leaves empty files; there is nothing to report
    if parsed.format is None:
        return "unknown_format", None
    return ("done_with_problems" if parsed.problems or parsed.failed else "done"), None


class _Counted(io.RawIOBase):
    """A blob that counts the bytes read."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._size = size
        self._read = 0

    def progress(self) -> float | None:
        """Return the read share, 0 to 1."""
        return self._read / self._size if self._size else None

    def readable(self) -> bool:
        """Return True, for the buffer that reads it."""
        return True

    def seekable(self) -> bool:
        """Return True: the line reader may seek back."""
        return True

    def seek(self, offset: int, origin: int = io.SEEK_SET) -> int:
        """Seek; the count of bytes read stays."""
        return self._stream.seek(offset, origin)

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read into the buffer and count."""
        view = memoryview(buffer)
        data = self._stream.read(len(view))
        view[: len(data)] = data
        self._read += len(data)
        return len(data)
