"""What every format must do with every sample: the design, written as assertions.

A sample lies in tests/samples/<format>/ and has beside it <sample>.summary, the short text that a
reviewer reads. ``pytest --bless`` writes the summaries anew.
"""

from __future__ import annotations

import functools
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
from polars.testing import assert_frame_equal

from pileup import formats, records
from pileup.formats.driver import parse_stream
from pileup.formats.parsed import Parsed
from pileup.formats.reading import blocks
from pileup.formats.reading.text import LineReader
from pileup.records import Grid, Item, Rows, Samples, Stacks
from tests.support.rounds import Rounds

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
_ROWS_SHOWN = 3
_SERIES_SHOWN = 60
_CUT = " characters)"
"""How a value ends that is too long to be shown."""
_CUTS = 12


def samples(format_name: str) -> list[Path]:
    """The committed samples of a format."""
    return [path for path in all_samples() if path.parent.name == format_name]


@functools.cache
def all_samples() -> tuple[Path, ...]:
    """Every committed sample of every format; listed once, as each of a thousand tests asks."""
    return tuple(
        sorted(
            path
            for path in SAMPLES.glob("*/*")
            if path.is_file() and path.name != "README.md" and path.suffix != ".summary"
        )
    )


def check(
    path: Path, rounds: Rounds, *, bless: bool, by_name: bool = False, shared: tuple[str, ...] = ()
) -> Parsed:
    """Assert what must hold of one sample; ``shared`` names formats that may claim it as well.

    Each day it is read again in one way: in other encodings, in small blocks, or cut off. A long
    run takes all of them.
    ``by_name``: one word cannot be recognised by content alone, so the sample's name decides.
    """
    expected = path.parent.name
    data = path.read_bytes()
    parsed = parse_bytes(data, path.name if by_name else "upload.bin")
    assert_sound(parsed, len(data))
    assert parsed.failed is None, parsed.failed
    unfit = [
        problem.message for problem in parsed.problems if "no server prints" in problem.message
    ]
    assert not unfit, unfit  # in an undamaged sample: a parser that put the wrong type in a field
    assert parsed.format == expected, parsed.detection
    if not by_name:
        _only_claimed_by(data, expected, shared)
        for name in ("", "2026_11_20_22_19_52-vmstat", "x.csv"):
            assert parse_bytes(data, name).format == expected, f"the name {name!r} changed it"
    laws = (_same_in_other_encodings, _same_in_small_blocks, _cut_off_anywhere)
    for law in rounds.in_turn(laws, len(laws), len(path.name)):
        law(parsed, data, expected)
    _summary_is_as_agreed(parsed, path, bless)
    return parsed


def one_by_one(items: Iterable[Item]) -> Iterator[Item]:
    """Items with their ``Rows`` as single records, and samples as one ``Samples`` per series."""
    for item in items:
        if isinstance(item, Stacks):
            item = Rows("stack", item.frame())
        if isinstance(item, Grid):
            frame = pl.concat(item.frames())
            yield from map(_series, frame.partition_by("series", "labels", maintain_order=True))
        elif not isinstance(item, Rows):
            yield item
        elif item.kind != records.SAMPLE:
            for row in item.frame.iter_rows(named=True):
                yield records.record_from_row(item.kind, row)
        else:
            yield from map(_series, item.frame.partition_by("series", "labels"))


def _series(frame: pl.DataFrame) -> Samples:
    first = frame.row(0, named=True)
    return Samples(
        series=first["series"],
        kind=first["kind"],
        unit=first["unit"],
        clock=first["clock"],
        wall_us=frame["wall_us"].to_list(),
        values=frame["value"].to_list(),
        lines=frame["line_first"].to_list(),
        labels=tuple(tuple(line.split("=")) for line in first["labels"].split(",") if line),
        host=first["host"],
    )


def parse_bytes(data: bytes, name: str = "", format_name: str | None = None) -> Parsed:
    return parse_stream(io.BytesIO(data), name=name, format=format_name)


def assert_sound(
    parsed: Parsed, size: int, what: str = "", stored: Mapping[str, pl.DataFrame] | None = None
) -> None:
    """Books that balance, lines and snapshots that exist, frames that survive Parquet.

    ``what`` was done to the sample: the first words of the message when something does not hold.
    ``stored``: frames that survive Parquet, of which their first rows need not show it again.
    """
    try:
        _assert_sound(parsed, size, stored or {})
    except AssertionError as error:
        if what:
            error.add_note(f"the damage: {what}; read as {parsed.format}")
        raise


def _assert_sound(parsed: Parsed, size: int, stored: Mapping[str, pl.DataFrame]) -> None:
    assert not parsed.crashed, parsed.failed
    if parsed.failed is not None:
        assert re.match(r"[^\s].*[.)]$", parsed.failed, re.DOTALL), parsed.failed
    receipt = parsed.receipt
    assert receipt.bytes_read == size
    assert receipt.bytes_understood + receipt.bytes_skipped == size
    assert receipt.problems >= len(parsed.problems)
    for kind, frame in parsed.frames.items():
        assert frame.height == receipt.records[kind] > 0
        assert dict(frame.schema) == records.frame_schema(kind)
        assert int(frame["line_first"].min()) >= 1  # type: ignore[arg-type]
        last = "line_last" if "line_last" in frame.columns else "line_first"
        assert int(frame[last].max()) <= receipt.lines  # type: ignore[arg-type]
        if last == "line_last":
            assert (frame["line_first"] <= frame["line_last"]).all()
        assert frame.filter(pl.col("wall_us").is_not_null() & pl.col("clock").is_null()).is_empty()
        known = stored.get(kind)
        if known is None or not frame.equals(known.head(frame.height)):
            _survives_parquet(kind, frame)
    snapshots = parsed.frames.get("snapshot")
    numbers = set() if snapshots is None else set(snapshots["snapshot"].to_list())
    for kind, frame in parsed.frames.items():
        if "snapshot" in frame.columns:
            used = set(frame["snapshot"].drop_nulls().to_list())
            assert used <= numbers, f"{kind} names snapshots that do not exist: {used - numbers}"
    for section in parsed.sections:
        assert 1 <= section.line_first <= section.line_last <= receipt.lines, section


def _survives_parquet(kind: str, frame: pl.DataFrame) -> None:
    file = io.BytesIO()
    frame.write_parquet(file)
    file.seek(0)
    back = pl.read_parquet(file)
    assert_frame_equal(back, frame)
    if kind != records.SAMPLE:
        first = back.row(0, named=True)
        again = records.records_frame(kind, [records.record_from_row(kind, first)])
        assert_frame_equal(again, back.head(1))


def _only_claimed_by(data: bytes, expected: str, shared: tuple[str, ...]) -> None:
    head = LineReader(io.BytesIO(data)).head
    claimed = [known for known in formats.FORMATS if known.sniff(head) is True]
    own = [claim for claim in claimed if not getattr(claim, "ONLY_UNCLAIMED", False)]
    claims = {item.NAME for item in own or claimed}
    assert expected in claims
    assert claims <= {expected, *shared}, f"also claimed by {claims - {expected, *shared}}"


def _same_in_other_encodings(parsed: Parsed, data: bytes, expected: str) -> None:
    text = data.decode("utf-8", "replace").replace("\0", "\ufffd").replace("\r\n", "\n")
    cr = "\n" if "\r" in text else "\r"
    for name, other in {
        "CRLF": text.replace("\n", "\r\n").encode(),
        "UTF-8 with BOM, CR": b"\xef\xbb\xbf" + text.replace("\n", cr).encode(),
        "UTF-16": text.encode("utf-16"),
    }.items():
        again = parse_bytes(other, format_name=expected)
        assert_sound(again, len(other), stored=parsed.frames)
        assert again.frames.keys() == parsed.frames.keys(), name
        for kind, frame in parsed.frames.items():
            assert_frame_equal(again.frames[kind], frame)


def _same_in_small_blocks(parsed: Parsed, data: bytes, expected: str) -> None:
    """State goes on from chunk to chunk, wherever the border is.

    Larger blocks of the first 64 KB are those of test_blocks_change_nothing.
    """
    for size in (257,) if len(data) <= 64 * 1024 else (257, 4099):
        with mock.patch.object(blocks, "BLOCK_BYTES", size):
            again = parse_bytes(data, format_name=expected)
        assert again.receipt == parsed.receipt
        assert again.problems == parsed.problems
        assert again.sections == parsed.sections
        assert again.line_index == parsed.line_index
        assert again.frames.keys() == parsed.frames.keys()
        for kind, frame in parsed.frames.items():
            assert_frame_equal(again.frames[kind], frame)


def _cut_off_anywhere(parsed: Parsed, data: bytes, expected: str) -> None:
    lines = data.splitlines(keepends=True)
    borders = sorted(
        {section.line_first for section in parsed.sections}
        | {section.line_last for section in parsed.sections}
        | {len(lines) // 3, len(lines) - 1}
    )
    for at, border in enumerate(borders):
        whole = b"".join(lines[:border])
        for cut in (whole, whole[:-3]) if at % max(1, len(borders) // _CUTS) == 0 else (whole,):
            again = parse_bytes(cut, format_name=expected)
            assert not again.crashed, f"cut after line {border}: {again.failed}"
            assert_sound(again, len(cut), stored=parsed.frames)


def _summary_is_as_agreed(parsed: Parsed, path: Path, bless: bool) -> None:
    found = "\n".join(summary(parsed)) + "\n"
    agreed = path.with_name(path.name + ".summary")
    if bless:
        agreed.write_text(found, encoding="utf-8")
    assert agreed.exists(), f"no {agreed.name}: look at the sample, then run pytest --bless"
    assert found == agreed.read_text(encoding="utf-8"), "if this is meant: pytest --bless"


def summary(parsed: Parsed) -> Iterator[str]:
    """What was read, as short text."""
    receipt = parsed.receipt
    yield f"{parsed.format} version {parsed.version}"
    yield f"{receipt.lines} lines, {receipt.bytes_skipped} of {receipt.bytes_read} bytes skipped"
    skips = [f"{skip.line_first}-{skip.line_last}: {skip.why}" for skip in receipt.skipped]
    yield from _first(5, "  skipped ", skips)
    yield f"{receipt.problems} problems"
    problems = [
        f"{'' if problem.line is None else f'line {problem.line}: '}{problem.message}"
        for problem in parsed.problems
    ]
    yield from _first(8, "  ", problems)
    yield f"{len(parsed.sections)} sections"
    sections = [
        f"{'  ' * section.level}{section.line_first}-{section.line_last} {section.title}"
        for section in parsed.sections
    ]
    yield from _first(40, "  ", sections)
    for kind, frame in parsed.frames.items():
        yield ""
        if kind == records.SAMPLE:
            yield from _series_summary(frame)
            continue
        yield f"{kind}: {frame.height}"
        shown = sorted({*range(min(_ROWS_SHOWN, frame.height)), frame.height - 1})
        for at in shown:
            yield "  " + _row(frame.row(at, named=True))
        if len(shown) < frame.height or not all(map(_is_whole, frame.rows())):
            yield _digest(frame)


def _first(most: int, begin: str, texts: list[str]) -> Iterator[str]:
    """Yield the first texts, and a hash of all where there are more."""
    yield from (f"{begin}{text}" for text in texts[:most])
    if len(texts) > most:
        yield f"  all {hashlib.sha256(repr(texts).encode()).hexdigest()[:12]}"


def _series_summary(frame: pl.DataFrame) -> Iterator[str]:
    groups = frame.group_by("series", "labels", maintain_order=True).agg(
        pl.len(),
        pl.col("kind").first(),
        pl.col("value").first().alias("first"),
        pl.col("value").last().alias("last"),
        pl.col("value").min().alias("min"),
        pl.col("value").max().alias("max"),
        pl.col("value").null_count().alias("null"),
    )
    yield f"sample: {frame.height} values of {groups.height} series"
    for row in groups.sort("series", "labels").head(_SERIES_SHOWN).iter_rows(named=True):
        labels = f"{{{row['labels']}}}" if row["labels"] else ""
        span = " ".join(f"{key}={_short(row[key])}" for key in ("first", "last", "min", "max"))
        null = f" null={row['null']}" if row["null"] else ""
        yield f"  {row['series']}{labels} {row['kind']} n={row['len']} {span}{null}"
    yield _digest(frame)


def _digest(frame: pl.DataFrame) -> str:
    """Return a hash of every value: what is not shown cannot change unnoticed."""
    return f"  all values {hashlib.sha256(repr(frame.rows()).encode()).hexdigest()[:12]}"


def _row(row: dict[str, Any]) -> str:
    return " ".join(f"{key}={_short(value)}" for key, value in row.items() if value is not None)


def _is_whole(value: object) -> bool:
    """Return whether a value is shown in full, and so is each inside it."""
    if isinstance(value, float):
        return float(_short(value)) == value or value != value  # NaN is shown
    if isinstance(value, dict):
        return all(map(_is_whole, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_whole, value)) and (
            isinstance(value, tuple) or not _short(value).endswith(_CUT)
        )
    return not _short(value).endswith(_CUT)


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, dict):
        return "{" + _row(value) + "}"
    if isinstance(value, list):
        text = "[" + ", ".join(_short(item) for item in value) + "]"
    else:
        text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 300 else f"{text[:280]}... ({len(text)}{_CUT}"
