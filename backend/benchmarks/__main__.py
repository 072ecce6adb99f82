"""How fast each format reads, and how much memory it takes, on large files grown from samples.

Every artifact of samples/ is taken; of each format the largest one is repeated until it has the
wanted size (a CSV keeps one header). Each is read in a fresh process, so that peak memory is its
own. Usage: python -m benchmarks [MEGABYTES] (default 32).
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pileup.formats import archive, driver

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
_MIB = 1024**2
_CSV = {"metric-csv"}


def main() -> None:
    """Grow the inputs, read each in a process of its own, print a table."""
    wanted = int(float(sys.argv[1]) * _MIB) if len(sys.argv) > 1 else 32 * _MIB
    print(f"{'format':<26}{'MiB':>8}{'lines':>12}{'s':>8}{'MiB/s':>8}{'peak MiB':>10}  not read")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in sorted(_largest(Path(folder)).items()):
            path = Path(folder) / "grown"
            _grow(path, content, wanted, keep_header=name in _CSV)
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks", "--read", str(path), name],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                print(f"{name:<26}{done.stderr.strip().splitlines()[-1]}")
                continue
            seen = json.loads(done.stdout)
            mib = path.stat().st_size / _MIB
            print(
                f"{name:<26}{mib:>8.1f}{seen['lines']:>12,}{seen['seconds']:>8.2f}"
                f"{mib / seen['seconds']:>8.1f}{seen['peak_mib']:>10.0f}  {seen['not_read']}"
            )


def read(path: Path, name: str) -> None:
    """Read one file as one format and print what it took, as JSON."""
    before = time.perf_counter()
    parsed = driver.parse_path(path, format=name)
    seconds = time.perf_counter() - before
    unit = 1 if sys.platform == "darwin" else 1024
    print(
        json.dumps(
            {
                "seconds": seconds,
                "lines": parsed.receipt.lines,
                "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _MIB,
                "not_read": parsed.failed or f"{parsed.receipt.bytes_skipped} bytes",
            }
        )
    )


def _largest(folder: Path) -> dict[str, bytes]:
    """The largest artifact of each format in the samples, unpacked."""
    found: dict[str, bytes] = {}
    for path in sorted(SAMPLES.glob("*/artifacts/**/*")):
        if not path.is_file():
            continue
        for content in _contents(path):
            draft = folder / "draft"
            draft.write_bytes(content)
            name = driver.parse_path(draft, name="").format
            if name is not None and len(content) > len(found.get(name, b"")):
                found[name] = content
    return found


def _contents(path: Path) -> list[bytes]:
    if archive.kind_of(path) in ("zip", "tar"):
        return [member.open().read() for member in archive.members(path)]
    with archive.open_plain(path) as stream:
        return [stream.read()]


def _grow(path: Path, content: bytes, wanted: int, *, keep_header: bool) -> None:
    header, body = b"", content if content.endswith(b"\n") else content + b"\n"
    if keep_header:
        header, _, body = body.partition(b"\n")
        header += b"\n"
    with path.open("wb") as out:
        out.write(header)
        for _ in range(max(1, wanted // max(1, len(body)))):
            out.write(body)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read(Path(sys.argv[2]), sys.argv[3])
    else:
        main()
