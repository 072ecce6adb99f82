"""Try an analysis in a process of its own: what kills that process does not kill the worker.

``python -m pileup.worker.trial`` reads a ``TrialRequest`` from standard input and analyses; its
exit code says how it ended. No database: the request names the files of the frames.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

from pileup import process_limits
from pileup.analysis.evidence.evidence import ClockOverride, EvidenceArtifact
from pileup.analysis.stalls.corrections import StallCorrection

_UNANSWERED = 3


class TrialRequest(msgspec.Struct):
    artifacts: list[tuple[EvidenceArtifact, dict[str, list[str]]]]
    """With the files of each kind of their records."""
    overrides: dict[str, ClockOverride]
    corrections: list[StallCorrection]
    memory_bytes: int
    cpu_s: int
    time_s: float
    knowledge: str | None = None


def why_it_fails(request: TrialRequest) -> str | None:
    """Analyse in another process; return why it failed, or None."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pileup.worker.trial"],
            input=msgspec.json.encode(request),
            capture_output=True,
            timeout=request.time_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"the analysis with it took longer than {request.time_s:.0f} s"
    if done.returncode == 0:
        return None
    if done.returncode == _UNANSWERED:
        return done.stdout.decode("utf-8", "replace").strip()
    words = process_limits.death_words(done.returncode, request.memory_bytes, request.cpu_s)
    return f"the analysis with it cannot finish: {words}"


def main() -> int:
    """Run the trial of standard input; return the exit code."""
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=TrialRequest)
    import polars as pl

    from pileup import knowledge
    from pileup.analysis.evidence.compact_samples import compact_frames
    from pileup.analysis.isolation import Request, analyse_once

    if request.knowledge is not None:
        knowledge.use(Path(request.knowledge), lenient=True)
    process_limits.bound_process(request.memory_bytes, request.cpu_s)
    try:
        parsed = [
            (
                artifact,
                compact_frames({kind: pl.read_parquet(paths) for kind, paths in files.items()}),
            )
            for artifact, files in request.artifacts
        ]
        decided = Request(overrides=request.overrides, corrections=request.corrections)
        document = analyse_once(parsed, decided).document
    except MemoryError:
        return process_limits.MEMORY_CODE
    if document.unanswered:
        sys.stdout.write(document.unanswered[0].why)
        return _UNANSWERED
    return 0


if __name__ == "__main__":
    sys.exit(main())
