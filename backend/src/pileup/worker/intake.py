"""Read one artifact: identify, then expand an archive into separate artifacts, or parse.

Untrusted files: bounded in size, members, depth and time here and in ``formats.reading.archive``,
so that parsers need not check. Running twice gives the same rows: existing members stay, and parse
results are replaced.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, BinaryIO

from celery.exceptions import SoftTimeLimitExceeded

from pileup.formats.bundle import stored_only
from pileup.formats.driver import parse_stream, parse_with_fallback
from pileup.formats.errors import ArchiveError
from pileup.formats.metrics import csv_table
from pileup.formats.metrics.parts.csv_mapping import Mapping
from pileup.formats.parsed import Parsed
from pileup.formats.reading import archive
from pileup.records import Problem
from pileup.storage.artifacts.artifacts import Artifact, Artifacts, Reading
from pileup.storage.artifacts.blob_holds import hold_blobs
from pileup.storage.artifacts.quotas import Quotas, rooms
from pileup.storage.audit import Actor
from pileup.storage.errors import NotFound, TooLarge
from pileup.storage.files import outline
from pileup.storage.files.blobs import Blob
from pileup.storage.files.frames import FrameKey
from pileup.storage.queue.jobs import Job, Jobs
from pileup.worker import tables
from pileup.worker.lease import LeaseKeeper
from pileup.worker.runtime import Runtime

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BATCH = 25
"""Members per transaction: an archive's files appear while it is still being read."""

_KIND_TITLES = {"zip": "a zip archive", "tar": "a tar archive", "compressed": "a compressed file"}


def read_artifact(runtime: Runtime, job: Job, keeper: LeaseKeeper) -> None:
    """Read the artifact of this job and set one of its end states."""
    with runtime.database.unit() as unit:
        try:
            artifact = Artifacts(unit).get(job.target)
        except NotFound:  # deleted since it was queued
            Jobs(unit).finish(job)
            return
        Artifacts(unit).progress(artifact.id, "identifying", None)
    kind = archive.detect_container(runtime.blobs.path(artifact.sha256))
    if kind is not None and artifact.format_given is None:
        _expand(runtime, job, artifact, kind)
    else:
        _parse(runtime, job, artifact, keeper)


# ---- archives


def _expand(runtime: Runtime, job: Job, artifact: Artifact, kind: str) -> None:
    settings = runtime.settings
    with runtime.database.unit() as unit:
        uploaded, members, given = Artifacts(unit).expanded_size(artifact)
        left = rooms(unit, Quotas.of(settings), job.requester, job.incident_id)
    if artifact.depth >= settings.max_archive_depth:
        _refuse(
            runtime,
            job,
            f"it is an archive inside {artifact.depth} others, and only "
            f"{settings.max_archive_depth} levels are opened (PILEUP_MAX_ARCHIVE_DEPTH). Unpack it "
            "yourself and upload what you need",
        )
        return
    limits = archive.Limits(
        total_bytes=_least(settings.max_expanded_bytes, [given + room.bytes for room in left]),
        member_bytes=settings.max_upload_bytes,
        members=_least(settings.max_members, [members + room.files for room in left]),
        depth=settings.max_archive_depth,
        uploaded_bytes=uploaded,
        given_bytes=given,
        given_members=members,
    )
    refusals: list[archive.Refusal] = []
    stored = 0
    batch: list[tuple[str, Blob]] = []
    for path, blob in _members(runtime, artifact, limits, refusals):
        stored += 1
        batch.append((path, blob))
        if len(batch) == _BATCH:
            _add(runtime, job, artifact, batch)
            batch = []
    _add(runtime, job, artifact, batch)
    problems = [
        Problem(
            None,
            f"{refusal.path}: {refusal.why}" if refusal.path else refusal.why,
            severity="error" if not refusal.path else "warning",
        )
        for refusal in refusals
    ]
    if not stored:
        why = problems[0].message if problems else "it holds no files"
        _refuse(runtime, job, f"nothing in this archive could be read: {why}", problems)
        return
    with runtime.database.unit() as unit:
        if Jobs(unit).finish(job):
            Artifacts(unit).store_expansion(
                artifact.id, "archive", f"its content is {_KIND_TITLES[kind]}", problems
            )
            Jobs(unit).request_analysis(job.incident_id, settings.analysis_debounce_s)


def _least(limit: int, others: list[float]) -> int:
    """Return the smallest limit, which is at least 1."""
    return max(int(min([limit, *others])), 1)


def _members(
    runtime: Runtime,
    artifact: Artifact,
    limits: archive.Limits,
    refusals: list[archive.Refusal],
) -> Iterator[tuple[str, Blob]]:
    """Yield path and blob of each accepted member; append the others to ``refusals``."""
    source = runtime.blobs.path(artifact.sha256)
    # A single compressed file has no name inside, and the blob's name is its hash.
    for member in archive.members(source, limits, refusals, artifact.name):
        name = member.path
        if _is_litter(name):
            continue
        try:
            runtime.blobs.check_space(member.size or 0)
            with closing(member.open()) as stream:
                blob = runtime.blobs.store(stream, limits.member_bytes)
        except (ArchiveError, TooLarge) as error:
            refusals.append(archive.Refusal(name, str(error).removeprefix(f"{name} ")))
            continue
        yield f"{artifact.path}/{name}", blob


def _add(runtime: Runtime, job: Job, parent: Artifact, members: Sequence[tuple[str, Blob]]) -> None:
    """Store members as artifacts: each batch is a separate transaction."""
    with runtime.database.unit() as unit:
        row = Artifacts(unit).get(parent.id)  # NotFound: deleted meanwhile, the job ends
        hold_blobs(unit, runtime.blobs, [blob.sha256 for _, blob in members])
        by = Actor(None, "pileup")
        for path, blob in members:
            Artifacts(unit).add(
                row.incident_id,
                path,
                blob,
                by,
                parent=row,
                excluded=row.excluded,
                requester=job.requester,
            )


def _is_litter(path: str) -> bool:
    """Return whether the file is one that macOS adds to archives."""
    name = path.rpartition("/")[2]
    return path.startswith("__MACOSX/") or name == ".DS_Store" or name.startswith("._")


def _refuse(runtime: Runtime, job: Job, why: str, problems: Sequence[Problem] = ()) -> None:
    with runtime.database.unit() as unit:
        if not Jobs(unit).finish(job):
            return
        artifacts = Artifacts(unit)
        if problems:
            artifacts.store_expansion(job.target, "archive", "its content is an archive", problems)
        artifacts.fail(job.target, why)
        Jobs(unit).request_analysis(job.incident_id, runtime.settings.analysis_debounce_s)


# ---- files


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
