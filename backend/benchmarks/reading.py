"""Read a file as a worker does, in a process of its own, and print time and memory as JSON.

Usage: python -m benchmarks.reading PATH NAME, or --archive PATH, or --bundle PATH
Seconds are of the reading alone: a worker has started and loaded its libraries before.
"""

from __future__ import annotations

import io
import json
import resource
import sys
import time
from pathlib import Path

from pileup.formats import driver
from pileup.formats.reading import archive


def main() -> None:
    """Read a file, or every member of an archive."""
    driver.parse_stream(io.BytesIO(b"\n"))  # a worker has read something before
    match sys.argv[1:]:
        case ["--archive", path]:
            result = _members(Path(path), parse=False)
        case ["--bundle", path]:
            result = _members(Path(path), parse=True)
        case [path, name]:
            result = _file(Path(path), name)
    print(json.dumps(result))


def _file(path: Path, name: str) -> dict[str, object]:
    start, cpu = time.perf_counter(), time.process_time()
    parsed = driver.parse_path(path, name=name)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_s": time.process_time() - cpu,
        "peak_bytes": _peak(),
        "bytes": parsed.receipt.bytes_read,
        "skipped": parsed.receipt.bytes_skipped,
        "format": parsed.format,
        "failed": parsed.failed,
        "problems": parsed.receipt.problems,
        "records": parsed.receipt.records,
    }


def _members(path: Path, *, parse: bool) -> dict[str, object]:
    """Stream every member of an archive, and parse it or only read it to its end."""
    start, cpu = time.perf_counter(), time.process_time()
    size = skipped = problems = files = 0
    records: dict[str, int] = {}
    refusals: list[archive.Refusal] = []
    for member in archive.members(path, refusals=refusals):
        files += 1
        with member.open() as stream:
            if parse:
                parsed = driver.parse_stream(stream, name=member.path)
                size += parsed.receipt.bytes_read
                skipped += parsed.receipt.bytes_skipped
                problems += parsed.receipt.problems
                for kind, count in parsed.receipt.records.items():
                    records[kind] = records.get(kind, 0) + count
            else:
                while data := stream.read(1024 * 1024):
                    size += len(data)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_s": time.process_time() - cpu,
        "peak_bytes": _peak(),
        "bytes": size,
        "skipped": skipped,
        "format": "archive",
        "failed": "; ".join(refusal.why for refusal in refusals) or None,
        "problems": problems,
        "records": {"file": files, **records},
    }


def _peak() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    main()
