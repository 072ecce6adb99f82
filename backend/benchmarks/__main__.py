"""Measure speed and memory of reading each format, compared with tools that read the same.

Each input is grown from the committed samples (inputs.py), each reader runs in a process of its
own (reading.py, peers.py), one after the other. MB are 10^6 bytes; MB/s is by the clock, and
"per core" by the CPU time: a reader that uses both cores gains by the first only.

Usage: python -m benchmarks [--scale 0.1] [--only gdb --only status] [--markdown FILE]
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.inputs import CAPTURE, INPUTS, MB, Input, capture_file
from benchmarks.measure import Measured, measure
from benchmarks.peers import BUNDLE_FLOORS, FLOORS, PEERS, Peer

_BUNDLE = "bundle"
_BUNDLE_BYTES = 5_000 * MB
_LIMIT_S = 600.0


@dataclass(frozen=True, slots=True)
class Line:
    """The measurement of a reader on an input."""

    input: str
    reader: str
    size: int
    seconds: float
    cpu_s: float
    peak_bytes: int
    keeps: str
    failed: str | None = None

    def cells(self) -> tuple[str, ...]:
        """Return the columns of the table."""
        if self.failed is not None:
            return (self.input, self.reader, "", "", "", "", "", self.failed)
        return (
            self.input,
            self.reader,
            f"{self.size / MB:,.0f}",
            f"{self.seconds:.2f}",
            _speed(self.size, self.seconds),
            _speed(self.size, self.cpu_s),
            f"{self.peak_bytes / MB:,.0f}",
            self.keeps,
        )


def _speed(size: int, seconds: float) -> str:
    if not seconds:
        return ""
    speed = size / MB / seconds
    return f"{speed:,.0f}" if speed >= 20 else f"{speed:.1f}"


_HEADER = ("input", "reader", "MB", "s", "MB/s", "per core", "peak MB", "what it keeps")


def main() -> None:
    """Make the inputs one by one, measure all readers of each, print and write the table."""
    options = _options()
    lines: list[Line] = []
    _print(_HEADER)
    with tempfile.TemporaryDirectory(prefix="pileup-bench-", dir=_scratch()) as folder:
        for item in INPUTS:
            if not options.only or item.name in options.only:
                for line in _measure_input(item, Path(folder), options.scale):
                    lines.append(line)
                    _print(line.cells())
        if not options.only or _BUNDLE in options.only:
            for line in _measure_bundle(Path(folder), options.scale):
                lines.append(line)
                _print(line.cells())
    if options.markdown:
        options.markdown.write_text(_markdown(lines, options), encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the sizes in inputs.py")
    names = [item.name for item in INPUTS] + [_BUNDLE]
    parser.add_argument("--only", action="append", choices=names, default=[], metavar="INPUT")
    parser.add_argument("--markdown", type=Path, help="write the page to this file")
    return parser.parse_args()


def _scratch() -> Path | None:
    """Return a folder under the Pileup home, which has space for gigabytes; None for TMPDIR."""
    home = os.environ.get("PILEUP_HOME")
    if not home or os.environ.get("TMPDIR"):
        return None
    scratch = Path(home) / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    return scratch


# ---- one input


def _measure_input(item: Input, folder: Path, scale: float) -> Iterator[Line]:
    path = folder / item.file
    size = item.write(path, scale)
    yield _ours(item.what, "Pileup", (str(path), item.file))
    for peer in PEERS:
        if item.name in peer.inputs:
            yield _theirs(item.what, peer, path, size)
    for floor in FLOORS:
        yield _theirs(item.what, floor, path, size)
    path.unlink()


def _ours(what: str, reader: str, arguments: Sequence[str]) -> Line:
    measured = measure(
        [sys.executable, "-m", "benchmarks.reading", *arguments],
        keep_output=True,
        limit_s=_LIMIT_S,
    )
    if measured.failed is not None:
        return Line(what, reader, 0, 0, 0, 0, "", measured.failed[:120])
    result = json.loads(measured.output)
    if result["format"] is None:
        return Line(what, reader, 0, 0, 0, 0, "", "not read yet: no format claims it")
    keeps = ", ".join(f"{count:,} {kind}" for kind, count in result["records"].items())
    if result["skipped"]:
        keeps += f"; {result['skipped'] / result['bytes']:.1%} not understood"
    if result["failed"]:
        keeps += f"; {result['failed'][:80]}"
    return Line(
        what,
        reader,
        result["bytes"],
        result["seconds"],
        result["cpu_s"],
        result["peak_bytes"],
        keeps,
    )


def _theirs(what: str, peer: Peer, path: Path, size: int) -> Line:
    if missing := peer.missing():
        return Line(what, peer.name, 0, 0, 0, 0, "", missing)
    part = path
    if peer.most_mb is not None and size > peer.most_mb * MB:
        part = path.with_name("part-" + path.name)
        size = _cut(path, part, peer.most_mb * MB)
    by_file = "FILE" in peer.command
    measured = measure(peer.words(str(part)), stdin=None if by_file else part, limit_s=_LIMIT_S)
    if part is not path:
        part.unlink()
    return _line(what, peer, size, measured)


def _line(what: str, peer: Peer, size: int, measured: Measured) -> Line:
    return Line(
        what,
        peer.name,
        size,
        measured.seconds,
        measured.cpu_s,
        measured.peak_bytes,
        peer.keeps,
        measured.failed,
    )


def _cut(path: Path, part: Path, most: int) -> int:
    """Copy the first lines of a file, up to so many bytes, and return their size."""
    size = 0
    with path.open("rb") as source, part.open("wb") as out:
        for line in source:
            if size + len(line) > most and size:
                break
            size += out.write(line)
    return size


# ---- the bundle


def _measure_bundle(folder: Path, scale: float) -> Iterator[Line]:
    """Measure pt-stalk captures in a .tar.zst: reading to the end, and parsing every file."""
    what = f"{_BUNDLE_BYTES * scale / 1e9:.2g} GB of captures, .tar.zst"
    path = folder / "bundle.tar.zst"
    size = _write_bundle(path, int(_BUNDLE_BYTES * scale))
    yield _ours(what, "Pileup: members streamed", ("--archive", str(path)))
    yield _ours(what, "Pileup: every member read", ("--bundle", str(path)))
    for floor in BUNDLE_FLOORS:
        yield _theirs_bundle(what, floor, path, size)
    path.unlink()


def _theirs_bundle(what: str, peer: Peer, path: Path, size: int) -> Line:
    if missing := peer.missing():
        return Line(what, peer.name, 0, 0, 0, 0, "", missing)
    return _line(what, peer, size, measure(peer.words(str(path)), limit_s=_LIMIT_S))


def _write_bundle(path: Path, wanted: int) -> int:
    """Write captures of one server, minute after minute, until the files have so many bytes."""
    import zstandard  # here: the peers' peaks count what this process has loaded

    files = [(suffix, capture_file(name, size)) for suffix, name, size in CAPTURE]
    written = minute = 0
    with (
        path.open("wb") as out,
        zstandard.ZstdCompressor(level=3).stream_writer(out) as packed,
        tarfile.open(fileobj=packed, mode="w|") as archive,
    ):
        while written < wanted:
            day, rest = divmod(minute, 24 * 60)
            prefix = f"2026_11_{1 + day:02d}_{rest // 60:02d}_{rest % 60:02d}_00"
            for suffix, content in files:
                info = tarfile.TarInfo(f"pt-stalk/{prefix}-{suffix}")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
                written += len(content)
            minute += 1
    return written


# ---- the table


def _print(cells: Sequence[str]) -> None:
    what, reader, size, seconds, speed, core, peak, keeps = cells
    print(
        f"{what:<30} {reader:<28}{size:>7}{seconds:>9}{speed:>8}{core:>9}{peak:>9}  {keeps}",
        flush=True,
    )


def _markdown(lines: Sequence[Line], options: argparse.Namespace) -> str:
    command = (
        f"make bench-parse SCALE={options.scale:g}" if options.scale != 1 else ("make bench-parse")
    )
    rows = [_HEADER, ("---", "---", *["---:"] * 5, "---"), *(line.cells() for line in lines)]
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in rows)
    return _PAGE.format(
        command=command,
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        cores=os.cpu_count(),
        load=max(0.0, os.getloadavg()[0] - 1),
        system=f"{platform.system()}, Python {platform.python_version()}",
        table=table,
    )


_PAGE = """\
# Benchmarks: reading artifacts

`{command}` makes the inputs from the committed samples, reads each with Pileup and with the tools
that read the same, one after the other, and writes this page. Measured {date} on a machine of
{cores} cores ({system}) with a load of {load:.0f} from others when it ended: beyond one, the clock
is not ours alone, and "per core" says more.

- **MB** are 10^6 bytes. **MB/s** is by the clock; **per core** divides by CPU time instead, so a
  reader that uses two cores gains by the first only. **peak MB** is the largest resident set of one
  process.
- Pileup's seconds are of the reading: bytes in, frames with lines, units and kinds out, as a
  worker does it. Starting the interpreter and its libraries (about 0.5 s) is not in them: a worker
  does it once. Those of a peer are of the whole command.
- An input's name says its size in the whole run (SCALE=1); what was read is in its MB. A slow peer
  is given the first megabytes only.
- Frames beyond some MiB wait on disk while the rest is read; that is in the seconds. What
  the worker does next (writing the frames as Parquet into the store) is not.
- A Go splitter of mysqladmin samples is said to reach 365 MB/s; it could not be had as a Go module
  and is not measured here.
- The bench installs nothing: a peer that is not there is listed with the package that has it.

{table}
"""

if __name__ == "__main__":
    main()
