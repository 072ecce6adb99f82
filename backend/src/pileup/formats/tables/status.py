"""Parse SHOW GLOBAL STATUS and ``mysqladmin extended-status``: one table or one per sample.

Source: print_header()/print_table_data() in client/mysqladmin.cc (boxes), the mysql client (boxes,
        tabs). No table has a time: a stalled server delays its samples, so Uptime is the clock
        where it advances, else the nominal second of ``-i 1``.
Yields: mysql.<Variable> as printed; status_variables separates counters from gauges. ``-r`` prints
        the first sample as it is and then differences, of gauges too: they are summed up again
        (print_relative_row() in mysqladmin.cc), so both forms give the same series.
Time:   Uptime has whole seconds. A sample is placed a second behind the one before it, as ``-i 1``
        means it, unless its Uptime differs: no two are at the same instant, and delays show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from pileup.formats.reading.lines import split_lines
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.formats.tables.layouts.repeated import Shape, end_of_sample
from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.registry import is_known
from pileup.formats.tables.meanings.status import StatusReader
from pileup.records import Item

NAME = "status"
TITLE = "SHOW GLOBAL STATUS, mysqladmin extended-status"
GIVES = "Counters and gauges `mysql.<Variable>`; relative samples are summed up again."
PRINTED_BY = "`SHOW GLOBAL STATUS`, `mysqladmin ext` with and without `-r`"
VERSION = 9
HINTS = ("-mysqladmin", "mysqladmin-ext")

_MOST_SAMPLES = 1024


def sniff(head: str) -> bool | None:
    """Whether a table of the head is of counters and their values, in any layout."""
    return format_of(head) == NAME


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the series of every sample, and each text value once, as a setting of the status."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield the same as ``parse``: samples of one shape as columns, the others line by line."""
    reader = StatusReader(is_known)
    shape: Shape | None = None
    rest, after, most = pl.Series(dtype=pl.String), 1, 1
    for chunk in chunks:
        first = chunk.first - len(rest)
        lines = pl.concat([rest, split_lines(chunk.data)])
        texts: list[str] = []
        at = 0
        while at < len(lines):
            if shape is not None and reader.ready:
                if len(lines) - at <= shape.size:
                    break  # the rest of it may be in the next chunk
                if samples := shape.repeats(lines, at, most):
                    yield from reader.run(shape, lines, at, samples, first + at)
                    at += samples * shape.size
                    most = min(2 * most, _MOST_SAMPLES)  # a shape that fits is trusted further
                    continue
                most = 1
            texts = texts or lines.to_list()
            before = reader.samples if reader.between_samples else None
            end = end_of_sample(texts, at, reader.starts)
            sample = "".join(f"{line}\n" for line in texts[at:end])
            yield from reader.text(first + at, sample)
            if end < len(texts):
                learnt = reader.shape_of(texts[at:end], first + at)
                yield from reader.close()
                if before is not None and reader.samples == before + 1:
                    shape = learnt or shape
            at = end
        rest, after = lines.slice(at), first + at
    for number, line in enumerate(rest, start=after):
        yield from reader.line(number, line)
    yield from reader.finish()
