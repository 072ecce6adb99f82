"""Targets of the fuzzer: every format, the code before the formats, and the analysis after them.

A target takes bytes and raises for a defect: a crash, line counts that do not add up, lines that do
not exist, frames that do not survive Parquet (``tests.formats.checks.assert_sound``). The formats
come from ``pileup.formats``, so a new format has its target; tests/test_finds.py checks that each
has seeds, and runs each once. Nothing here needs atheris.
"""

from __future__ import annotations

import functools
import hashlib
import io
import random
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl
from tests.formats.checks import all_samples, assert_sound, parse_bytes, samples
from tests.support.hostile import FILES as HOSTILE

from fuzz.mutations import SEPARATOR, mutated
from pileup import formats
from pileup.analysis import EvidenceArtifact, analyse, gather
from pileup.analysis.blocked_time.first_view import first_waits
from pileup.analysis.contract import encode
from pileup.analysis.evidence.compact_samples import compact_frames
from pileup.formats.driver import parse_path
from pileup.formats.errors import ArchiveError
from pileup.formats.metrics.parts import csv_mapping
from pileup.formats.metrics.parts.csv_preview import preview
from pileup.formats.parsed import Parsed
from pileup.formats.reading import archive
from pileup.formats.reading.text import LineReader
from pileup.report import ticket

_FULL = 16
_SMALL = 4 * 1024
_FULL_SEED = 16 * 1024
_MOST_FILES = 4


@dataclass(frozen=True, slots=True)
class Target:
    """A function to fuzz, and the seeds that its search begins with."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]
    mutate: Callable[[bytes, Sequence[str], int], bytes] | None = None
    """From an input, texts to splice and a random seed; None: mutations of bytes only."""
    memory_mb: int = 2048


def _format(name: str, data: bytes) -> None:
    """Sniff and parse the bytes with a format, as if a person had chosen it."""
    chosen = formats.by_name(name)
    assert chosen is not None
    chosen.sniff(data.decode("utf-8", "replace"))
    _assert_sound(parse_bytes(data, "x", name), data)


def _any(data: bytes) -> None:
    """Parse the bytes with detection of encoding, wrappers and format."""
    _assert_sound(parse_bytes(data, "x"), data)


def _assert_sound(parsed: Parsed, data: bytes) -> None:
    assert not parsed.crashed, parsed.failed
    if zlib.crc32(data) % _FULL == 0:  # Parquet costs as much as ten small files
        assert_sound(parsed, len(data))


def _archive(data: bytes) -> None:
    """Read the members of a hostile archive, or parse a single compressed file."""
    with tempfile.NamedTemporaryFile() as file:
        path = Path(file.name)
        path.write_bytes(data)
        if archive.detect_container(path) not in ("zip", "tar"):
            assert not parse_path(path).crashed
            return
        limits = archive.Limits(members=20)
        try:
            for member in archive.members(path, limits):
                assert ".." not in member.path.split("/"), member.path
                with member.open() as stream:
                    stream.read(1024 * 1024)
        except (ArchiveError, OSError, EOFError):
            pass  # reported to the user; members read before are kept


def _csv_mapping(data: bytes) -> None:
    """Guess the mapping of a table as the dialog does, and preview it."""
    lines = csv_mapping.head_lines(iter(LineReader(io.BytesIO(data))))
    guess = csv_mapping.guess(lines)
    csv_mapping.find_problems(guess.mapping)
    preview(lines, guess.mapping, guess.header_line)


def _analysis(data: bytes) -> None:
    """Read the bytes as files of an incident with healthy ones, and analyse all of them."""
    texts = data.split(SEPARATOR.encode())[:_MOST_FILES]
    hostile = [_parsed(f"x{at}", text) for at, text in enumerate(texts)]
    evidence = gather([*_healthy(), *hostile])
    document = analyse(evidence)
    assert not document.unanswered, document.unanswered
    first_waits(evidence, document)
    encode(document)
    ticket.text(ticket.blocks(document))


def _parsed(name: str, data: bytes) -> tuple[EvidenceArtifact, dict[str, pl.DataFrame]]:
    parsed = parse_bytes(data, name)
    assert not parsed.crashed, parsed.failed
    sha = hashlib.sha256(data).hexdigest()
    artifact = EvidenceArtifact(sha, name, len(data), parsed.format)
    return artifact, compact_frames(parsed.frames)


@functools.cache
def _healthy() -> tuple[tuple[EvidenceArtifact, dict[str, pl.DataFrame]], ...]:
    """Return small healthy files: zones, times, series, stacks, sessions and waits."""
    names = ("variables", "vmstat", "pmp", "processlist", "metric-csv", "innodb-status")
    smallest = [min(_samples(name), key=len) for name in names]
    return tuple(
        _parsed(f"2026_11_20_22_19_52-{name}", data)
        for name, data in zip(names, smallest, strict=True)
    )


def _mutate(data: bytes, others: Sequence[str], seed: int) -> bytes:
    text = data.decode("utf-8", "replace")
    return mutated(text, others, random.Random(seed)).encode()  # noqa: S311  (no secret)


def _samples(name: str) -> Iterator[bytes]:
    return (path.read_bytes() for path in samples(name))


def _small_samples() -> Iterator[bytes]:
    """Yield the start of each format's first sample; the fuzzer joins them to mixed files."""
    for item in formats.FORMATS:
        yield samples(item.NAME)[0].read_bytes()[:_SMALL]
    for path in all_samples():  # logs in wrappers
        if any(
            word in path.name for word in ("docker", "kubernetes", "fluent", "json", "one-line")
        ):
            yield path.read_bytes()[:_SMALL]


def _incident_files() -> Iterator[bytes]:
    """Yield hostile files, and the start of every sample: what the analysis reads together."""
    for text in HOSTILE.values():
        yield text.encode()[:_FULL_SEED]
    for path in all_samples():
        yield path.read_bytes()[:_FULL_SEED]


def _tables() -> Iterator[bytes]:
    for name in ("csv-table", "metric-csv"):
        yield from _samples(name)


def _archives() -> Iterator[bytes]:
    text = b"procs -----memory\n" * 20
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as out:
        out.writestr("a/2026_11_20_22_19_52-vmstat", text)
        out.writestr("b.txt", text, zipfile.ZIP_DEFLATED)
    with tarfile.open(fileobj=tarred, mode="w") as out:
        info = tarfile.TarInfo("a/2026_11_20_22_19_52-vmstat")
        info.size = len(text)
        out.addfile(info, io.BytesIO(text))
    plain = tarred.getvalue()
    yield from (zipped.getvalue(), plain)
    for kind in ("gz", "bz2", "xz"):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode=f"w:{kind}") as out:  # type: ignore[call-overload]
            out.addfile(info, io.BytesIO(text))
        yield packed.getvalue()


TARGETS: dict[str, Target] = {
    **{
        item.NAME: Target(partial(_format, item.NAME), partial(_samples, item.NAME))
        for item in formats.FORMATS
    },
    "any": Target(_any, _small_samples),
    "archive": Target(_archive, _archives),
    "csv-mapping": Target(_csv_mapping, _tables),
    "analysis": Target(_analysis, _incident_files, _mutate, 600),
}
