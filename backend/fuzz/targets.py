"""What is fuzzed: every format, and what stands before the formats. A target takes bytes.

A target raises where something does not hold: a crash, books that do not balance, lines that do
not exist, frames that do not survive Parquet (``tests.formats.checks.assert_sound``). The list of
formats is the house's own, so a new format has its target; tests/test_finds.py holds that each has
seeds, and runs each once. Nothing here needs atheris.
"""

from __future__ import annotations

import io
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.formats.checks import all_samples, assert_sound, parse_bytes, samples

from pileup import formats
from pileup.formats.driver import Parsed, parse_path
from pileup.formats.errors import ArchiveError
from pileup.formats.metrics.parts import csv_mapping
from pileup.formats.metrics.parts.csv_preview import preview
from pileup.formats.reading import archive
from pileup.formats.reading.text import LineReader

_FULL = 16
_SMALL = 4 * 1024


@dataclass(frozen=True, slots=True)
class Target:
    """One function, and what its search begins with."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]


def _format(name: str, data: bytes) -> None:
    """Its sniff gets a head and its parse the bytes, as a person would who chose the format."""
    chosen = formats.by_name(name)
    assert chosen is not None
    chosen.sniff(data.decode("utf-8", "replace"))
    _hold(parse_bytes(data, "x", name), data)


def _any(data: bytes) -> None:
    """Encodings, wrappers and the choice of a format; whichever it is reads the bytes."""
    _hold(parse_bytes(data, "x"), data)


def _hold(parsed: Parsed, data: bytes) -> None:
    assert not parsed.crashed, parsed.failed
    if zlib.crc32(data) % _FULL == 0:  # Parquet costs as much as ten small files
        assert_sound(parsed, len(data))


def _archive(data: bytes) -> None:
    """Members of a hostile archive; a single compressed file is parsed."""
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
            pass  # told to the person; what was read before stays


def _csv_mapping(data: bytes) -> None:
    """The dialog's guess at a table, and its preview."""
    lines = csv_mapping.head_lines(iter(LineReader(io.BytesIO(data))))
    guess = csv_mapping.guess(lines)
    csv_mapping.find_problems(guess.mapping)
    preview(lines, guess.mapping, guess.header_line)


def _samples(name: str) -> Iterator[bytes]:
    return (path.read_bytes() for path in samples(name))


def _small_samples() -> Iterator[bytes]:
    """The first of each format, in pieces: they are joined to files of several formats."""
    for one in formats.FORMATS:
        yield samples(one.NAME)[0].read_bytes()[:_SMALL]
    for path in all_samples():  # logs in wrappers
        if any(
            word in path.name for word in ("docker", "kubernetes", "fluent", "json", "one-line")
        ):
            yield path.read_bytes()[:_SMALL]


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
        one.NAME: Target(partial(_format, one.NAME), partial(_samples, one.NAME))
        for one in formats.FORMATS
    },
    "any": Target(_any, _small_samples),
    "archive": Target(_archive, _archives),
    "csv-mapping": Target(_csv_mapping, _tables),
}
