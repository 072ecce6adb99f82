"""Collapsed stacks: pt-pmp, poor man's profiler one-liners, FlameGraph's folded form.

Source: aggregate_stacktrace() in bin/pt-pmp (innermost first, commas, count in front);
        stackcollapse-*.pl of FlameGraph (outermost first, semicolons, count at the end).
Yields: per sample one Snapshot, one Stack per line, and the threads as series stacks.threads.
Units:  counts are threads times samples. ``samples`` is how often ``date`` was printed above a
        block: pt-pmp --iterations prints it once per iteration and sums the counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.stacks.parts import folded_lines
from pileup.formats.stacks.parts.folded_lines import Folded
from pileup.formats.stacks.parts.pmp_lines import (
    CHATTER,
    COUNT_ONLY,
    DATE,
    parts,
    uncounted,
    unjoined,
)
from pileup.formats.stacks.parts.pmp_reader import Reader
from pileup.records import Item, Problem

NAME = "pmp"
TITLE = "collapsed stacks (pt-pmp)"
GIVES = "Stacks with counts, which are threads times samples; `stacks.threads`."
PRINTED_BY = "pt-pmp, poor man's profiler, FlameGraph's folded form"
VERSION = 8
LINE_STARTS = r"\s{0,8}\d{1,9} [A-Za-z_?~(][\w:~<>]*[,(;]"
HINTS = ("pmp.txt", ".pmp", ".hier", ".folded", ".collapsed")


def sniff(head: str) -> bool | None:
    """Return whether four of five non-empty lines are collapsed stacks, one with two frames.

    In a bug report with prose around a few stacks, three of four characters are.
    """
    lines = head.split("\n")
    if len(head) >= 60_000 and len(lines) > 1:
        lines.pop()  # cut in the middle
    stacks = other = deep = 0
    inside = outside = 0
    for line in lines:
        if not line.strip() or DATE.match(line) or line.startswith("TS "):
            continue
        if parts(line) or uncounted(line):
            stacks += 1
            deep += "," in line or ";" in line
            inside += len(line) if max(line.count(","), line.count(";")) >= _DEEP else 0
        elif not COUNT_ONLY.match(line) and not CHATTER.match(line):
            other += 1
            outside += len(line)
            if 4 * other > len(lines) and other > _PROSE:
                return False
    if not deep:
        return False
    return stacks >= 4 * other or (other <= _PROSE and inside >= 3 * outside)


_DEEP, _PROSE = 3, 40
"""Frames of a line that is certainly a stack; lines of prose that a bug report may have."""


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every sample; it starts at a date, a TS line, or a higher count after a blank line.

    Raises FormatError for a file without a collapsed stack.
    """
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks; plain lines are read in bulk."""
    reader = Reader()
    for chunk in chunks:
        if folded := folded_lines.read(chunk, reader.runs):
            yield from _folded(reader, chunk, folded)
        else:
            yield from _lines(reader, chunk.first, _lines_of(chunk))
        if reader.full:
            yield reader.stacks()
    yield from reader.end_sample()
    if reader.waiting:
        yield reader.stacks()
    if not reader.stacks_seen:
        raise FormatError(
            "No collapsed stack was found: a line is a count and then function names joined by "
            "commas (pt-pmp) or names joined by semicolons and then a count (folded)."
        )


def _lines_of(chunk: Chunk) -> list[str]:
    lines = chunk.text.split("\n")
    lines.pop()
    return lines


def _folded(reader: Reader, chunk: Chunk, folded: Folded) -> Iterator[Item]:
    """Read the plain lines of a chunk in bulk, and the odd lines between them one by one."""
    first = chunk.first
    lines = _lines_of(chunk) if folded.odd or reader.after_blank else []
    at = row = place = 0
    for odd in [*folded.odd, chunk.lines]:
        if at < odd and reader.after_blank:
            yield from _read(reader, first + at, lines[at])
            place += folded.widths[row]
            at, row = at + 1, row + 1
        if at < odd:
            widths = folded.widths[row : row + odd - at]
            many = int(widths.sum())
            counts = folded.counts[row : row + odd - at]
            reader.folded(first + at, counts, widths, folded.places[place : place + many])
            row, place = row + odd - at, place + many
        if odd < chunk.lines:
            yield from _read(reader, first + odd, lines[odd])
        at = odd + 1


def _lines(reader: Reader, first: int, lines: list[str]) -> Iterator[Item]:
    at = 0
    while at < len(lines):
        at = reader.plain_lines(first, lines, at)
        if at < len(lines) and not reader.full:
            yield from _read(reader, first + at, lines[at])
            at += 1
        if reader.full:
            yield reader.stacks()


def _read(reader: Reader, number: int, line: str) -> Iterator[Item]:
    stack = parts(line)
    if stack is None and (frames := uncounted(line)):
        yield Problem(number, "This stack has no count: it counts as one thread.")
        stack = 1, frames, False
    if stack is None:
        yield from reader.other(number, line)
        return
    for count, text, folded in unjoined(*stack):
        if reader.begins_sample(count):
            yield from reader.end_sample()
        problem = reader.stack(number, count, text, folded)
        if problem:
            yield problem
