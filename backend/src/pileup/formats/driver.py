"""Run one format over one artifact: bytes in, frames and a receipt out.

No content of an artifact makes this raise. A FormatError becomes ``failed``; so does a defect in a
parser of ours, with ``crashed`` set. Whatever was read before the failure is kept.

Units: line numbers are of the raw (decompressed) text, 1-based; sizes and offsets in bytes.
"""

from __future__ import annotations

import dataclasses
import io
import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

import polars as pl

from pileup import formats, records
from pileup.formats.bundle import pieces, stored_only
from pileup.formats.config import named_settings
from pileup.formats.detect import Bulk, Detection, Format
from pileup.formats.errors import ArchiveError, FormatError
from pileup.formats.innodb import innodb_status
from pileup.formats.logs import dated_lines, error_log, syslog
from pileup.formats.parsed import Parsed, Receipt
from pileup.formats.piece_reader import (
    read_around_dumps,
    read_below_entries,
    read_between_prose,
    read_inside,
    read_left_out,
    read_pieces,
)
from pileup.formats.prompt_hosts import name_hosts
from pileup.formats.reading import archive
from pileup.formats.reading.frame_buffer import Frames
from pileup.formats.reading.line_numbers import renumber
from pileup.formats.reading.pt_stalk_samples import read_ts
from pileup.formats.reading.server_versions import find_named_version, find_versions
from pileup.formats.reading.skipped_lines import Skips
from pileup.formats.reading.text import LineReader, margin_pattern
from pileup.formats.tables.meanings.registry import MEANINGS, RESULT
from pileup.formats.unwrapping import cut_json, escaped_text
from pileup.formats.unwrapping.layouts import (
    Layout,
    are_spaced,
    before_objects,
    guess_layouts,
    have_turns,
    viewed_inside,
)
from pileup.formats.unwrapping.texts_inside import has_texts
from pileup.records import (
    Event,
    Grid,
    Item,
    Problem,
    Record,
    Rows,
    Samples,
    Section,
    Session,
    Setting,
    Skipped,
    Stacks,
    Table,
)

MAX_PROBLEMS = 1000
"""Problems kept per artifact; the receipt counts all of them."""
_FLUSH_RECORDS = 20_000
_FLUSH_TABLE_ROWS = 20_000
"""A Table is a single record of any size; its lists cost as much as this many rows."""
_TABLE_OVERHEAD = 20
_FLUSH_VALUES = 100_000
_STATEMENT = re.compile(r"(?:SHOW|SELECT)\s.{1,2000}$|Empty set\b", re.IGNORECASE)
_VERSION_CHARACTERS = 24_000
"""Beginning of a text in which a version is searched: it fits into the head in any encoding."""
_DOES_NOT_FIT = (OverflowError, TypeError, ValueError, pl.exceptions.PolarsError)


def parse_path(
    path: Path,
    *,
    name: str | None = None,
    format: str | None = None,  # noqa: A002  # what a person calls it
    chosen: Format | None = None,
) -> Parsed:
    """Parse a file, decompressing a single .gz/.bz2/.xz/.zst on the way.

    ``format`` and ``chosen`` (see ``parse_stream``) are a person's choice: the file is read as that
    format or fails. Without either see ``parse_with_fallback``.
    """
    name = path.name if name is None else name

    def parse_as(candidate: str | None) -> Parsed:
        return _parse_path_once(path, name, candidate, chosen)

    if format is not None or chosen is not None:
        return parse_as(format)
    return parse_with_fallback(parse_as)


def parse_with_fallback(parse_as: Callable[[str | None], Parsed]) -> Parsed:
    """Parse an artifact as the detected format, or as the next candidate that can read it.

    ``parse_as`` opens the artifact again and reads it as the named format, or as the detected one
    for None. When the detected format proves unusable, the candidates are tried in order, and a
    Problem records it; a defect of ours is not retried.
    """
    parsed = parse_as(None)
    if parsed.crashed or parsed.format in (None, stored_only.NAME):
        return parsed
    if not parsed.failed and _has_evidence(parsed.frames):
        return parsed
    for candidate in parsed.detection.candidates:
        other = parse_as(candidate)
        if not other.failed and _has_evidence(other.frames):
            why = parsed.failed or "no record could be read."
            note = Problem(
                None,
                f"Looked like {parsed.format}, but: {why} It was read as {candidate}.",
            )
            return dataclasses.replace(
                other, detection=parsed.detection, problems=[note, *other.problems]
            )
    return parsed


def parse_stream(
    stream: BinaryIO,
    *,
    name: str = "",
    format: str | None = None,  # noqa: A002
    chosen: Format | None = None,
    spill: Path | None = None,
) -> Parsed:
    """Parse an uncompressed stream from its current position.

    The code blocks of a text with prose between them are read as files of their own
    (``bundle/pieces``), unless the text gives as much in one go. Where the text does not read well
    as it is, it is read in the layout that its first 64 KB read best in (a prefix before every
    line, wrapped lines), if that is better.

    chosen: a format that the caller made from a person's choices (``csv_table.with_mapping``).
    spill: the folder for the temporary files of frames too large for memory; None: the system's.
    """
    parsed, content = _parse_stream(stream, name, format, chosen, spill, may_have_pieces=True)
    if content is None:
        return parsed
    if format is None and chosen is None:
        parsed = read_inside(content, parsed, _parse_inside) or parsed
    return name_hosts(content, parsed)


def _parse_stream(
    stream: BinaryIO,
    name: str,
    format: str | None,  # noqa: A002
    chosen: Format | None,
    spill: Path | None,
    *,
    may_have_pieces: bool,
) -> tuple[Parsed, str | None]:
    """Return what a stream gives, and its text where it was needed: that of a small one."""
    origin = stream.tell() if _can_seek(stream) else None
    reader = LineReader(stream)

    def parse(reader: LineReader, *, is_trial: bool = False) -> Parsed:
        return _parse_lines(reader, name, format, chosen, spill, is_trial=is_trial)

    try_out = partial(parse, is_trial=True)
    plain = parse(reader)
    if format in (None, pieces.NAME) and chosen is None:
        joined = None
        if may_have_pieces and (content := _content_with_blocks(stream, origin, reader)):
            joined = read_pieces(content, plain, _parse_piece)
        elif plain.format == innodb_status.NAME and plain.receipt.bytes_skipped:
            content = _content(stream, origin, reader)
            joined = read_around_dumps(content, plain, _parse_piece) if content else None
        if joined:
            failed = plain.failed if reader.failure else None
            return dataclasses.replace(joined, failed=failed), content
    if reader.failure or plain.crashed:
        return plain, None
    content = None
    if may_have_pieces and format is None and chosen is None:
        if reader.head_is_whole:
            content = _content(stream, origin, reader)
        if inside := _read_held(content or _content_with_texts(stream, origin, reader), plain):
            return inside, content
    may_join = _reads_badly(plain) or _has_gaps(reader)
    is_odd = may_join or _is_small_and_general(reader, plain)
    layout = _find_layout(reader, plain, try_out, may_join=may_join) if is_odd else None
    layout = layout or _find_hidden(reader, plain, try_out)
    if layout is None and not is_odd:
        more = read_below_entries(content, plain, _parse_piece) if content else None
        return more or plain, content
    parsed = plain
    if layout:
        if (head := _whole_text(reader)) is not None:
            stream, origin = io.BytesIO(head), 0
        if origin is None:
            why = "This text does not read well as it is, and it can be read once only."
            return dataclasses.replace(plain, problems=[Problem(None, why), *plain.problems]), None
        del reader, plain, parsed  # they hold much of a large file
        stream.seek(origin)
        parsed = _described(parse(LineReader(stream, layout)), layout)
    if content is None or _is_binary(content):
        return parsed, None
    parsed = _read_completed(content, parsed)
    parsed = _read_between_prose(content, parsed)
    return parsed if parsed.format == pieces.NAME else _read_mixed(content, parsed), content


def _described(parsed: Parsed, layout: Layout) -> Parsed:
    """Add the layout in which a text was read to what its detection says."""
    why = f"{parsed.detection.why}; {layout.describe()}"
    detection = dataclasses.replace(parsed.detection, why=why)
    parsed = dataclasses.replace(parsed, detection=detection)
    if layout.scanned or layout.pane:
        return _with_doubt(parsed, _SCANNED if layout.scanned else _PANE)
    return parsed


def _with_doubt(parsed: Parsed, why: str) -> Parsed:
    """Add a problem of the text as a whole: a guess, or what was not read."""
    problems = [Problem(None, why), *parsed.problems]
    receipt = dataclasses.replace(parsed.receipt, problems=parsed.receipt.problems + 1)
    return dataclasses.replace(parsed, problems=problems, receipt=receipt)


def _read_between_prose(content: str, parsed: Parsed) -> Parsed:
    """Read what lies between the prose of a text, with or without a prefix of its lines."""
    loss, size = _loss(parsed), parsed.receipt.bytes_read
    is_whole = not parsed.receipt.bytes_skipped and loss <= _COST_OF_PROBLEM
    if (is_whole or loss <= _LOSS_OF_TWO * size) and _rank_as_read(parsed) > 1:
        return parsed
    reads_well = loss <= _LOSS_OF_MIXED * size
    for text in filter(None, (content, _without_prefix(content))):
        better = read_between_prose(text, parsed, _parse_part, reads_well=reads_well)
        parsed = better or parsed
    return parsed


def _read_completed(content: str, parsed: Parsed) -> Parsed:
    """Read a JSON document that is cut, or one long line that was wrapped, as a whole.

    The first only where ``parsed`` has no record, the second where it has fewer.
    """
    found = _has_evidence(parsed.frames)
    if found and "\\n" not in content:
        return parsed
    texts = list(filter(None, (content, _without_prefix(content))))
    cut = [whole for text in texts for whole in cut_json.completions(text)] if not found else []
    wrapped = [whole for text in texts for whole in escaped_text.rejoined(text)]
    read = [(_parse_piece(whole), _CUT) for whole in cut]
    read += [(_parse_piece(whole), _WRAPPED) for whole in wrapped]
    least = sum(parsed.receipt.records.values()) if found else 0
    useful = [
        (other, why)
        for other, why in read
        if not other.failed
        and _has_evidence(other.frames)
        and sum(other.receipt.records.values()) > least
    ]
    if not useful:
        return parsed
    other, why = max(
        useful,
        key=lambda row: (
            len(row[0].frames.heights.keys() - {Table.KIND}),
            sum(row[0].receipt.records.values()),
        ),
    )
    problems = [Problem(None, why), *other.problems]
    receipt = dataclasses.replace(
        other.receipt,
        bytes_read=parsed.receipt.bytes_read,
        lines=parsed.receipt.lines,
        bytes_understood=parsed.receipt.bytes_read - other.receipt.bytes_skipped,
        problems=other.receipt.problems + 1,
    )
    return dataclasses.replace(
        other, problems=problems, receipt=receipt, line_index=parsed.line_index
    )


_SCANNED = (
    "This text seems to be read from a picture: letters in its numbers were taken for digits. "
    "Compare the numbers with the picture."
)
_PANE = (
    "This text was copied across two panes of a terminal; one of them was read. "
    "Copy the other one by itself."
)
_CUT = "This JSON document is cut. What is whole in it was read; copy it whole for the rest."
_WRAPPED = "This is one long line that was wrapped, so its records stand where it begins."


def _without_prefix(content: str) -> str | None:
    """Return a text without what a chat put before its lines; None where they have no prefix.

    A remark and the evidence below it, of one person, differ only without it.
    """
    layouts = guess_layouts(content, formats.LINE_STARTS, None)
    prefix = next((layout.prefix for layout in layouts if layout.prefix), None)
    if prefix is None:
        return None
    return "\n".join(prefix.sub("", line, count=1) for line in content.split("\n"))


def _read_mixed(content: str, parsed: Parsed) -> Parsed:
    """Read the output of several tools that nothing separates; ``parsed`` is it as a whole."""
    if _loss(parsed) > _LOSS_OF_TWO * len(content):
        parsed = read_left_out(content, parsed, _parse_entries) or parsed
    return read_below_entries(content, parsed, _parse_piece) or parsed


def _parse_entries(text: str, format: str | None = None) -> Parsed:  # noqa: A002
    """Parse a text, and of a log also what is below its entries."""
    parsed = _parse_piece(text, format)
    return read_below_entries(text, parsed, _parse_piece) or parsed


def _is_small_and_general(reader: LineReader, plain: Parsed) -> bool:
    """Return whether a text was read as what any text may be: a table, lines with a time.

    A prefix of its lines would be a cell or the time, and hide what it is.
    """
    return reader.head_is_whole and (_rank_as_read(plain) == 1 or _are_entries(plain))


def _are_entries(parsed: Parsed) -> bool:
    """Return whether a text gave entries of a log alone, whose messages may be another text."""
    is_stamped = parsed.format in _STAMPED or (
        parsed.format in _LOGS and _rank_as_read(parsed) == 1
    )
    return is_stamped and set(parsed.frames.heights) <= {Event.KIND, Setting.KIND}


def _rank_as_read(parsed: Parsed) -> int:
    """Return the rank of the format; 1 also for a log of which no entry says what it is."""
    rank = _rank_of(parsed.format)
    if rank == 2 and parsed.format in _LOGS and set(parsed.frames.heights) == {Event.KIND}:
        events = parsed.frames[Event.KIND]
        is_general = (events["kind"] == "log") & events["severity"].is_null()
        return 1 if is_general.all() else 2
    return rank


_LOGS = (error_log.NAME, syslog.NAME)
_STAMPED = (dated_lines.NAME, syslog.NAME)
"""Formats of lines that have nothing but a time in common."""


def _whole_text(reader: LineReader) -> bytes | None:
    """Return the bytes of a text that its head holds; None for any other."""
    head = reader.plain_head.encode("utf-8", "replace")
    return head if reader.head_is_whole and head == reader.first_bytes else None


def _find_layout(
    reader: LineReader, plain: Parsed, parse: Callable[[LineReader], Parsed], *, may_join: bool
) -> Layout | None:
    """Return the layout that the head of a text reads best in; None: as it is, ``plain``.

    may_join: also a layout that joins lines or leaves some out.
    """
    own = formats.line_starts(plain.format)
    layouts = guess_layouts(reader.plain_head, formats.LINE_STARTS, own)
    if reader.is_unwrapped:
        layouts += viewed_inside(reader.head, formats.LINE_STARTS)
    if not layouts:
        return None
    if not may_join:
        layouts = [each for each in layouts if each.keeps_lines]
    as_it_is, read_head = _on_head(reader, plain, parse)
    return _best_layout(layouts, as_it_is, read_head)


def _has_gaps(reader: LineReader) -> bool:
    """Return whether lines between those of a text are no part of it, also if it reads well."""
    return are_spaced(reader.plain_head) or have_turns(reader.plain_head)


def _find_hidden(
    reader: LineReader, plain: Parsed, parse: Callable[[LineReader], Parsed]
) -> Layout | None:
    """Return the layout of a text that reads well and yet lacks something; None for any other."""
    return _find_swallowed(reader, plain, parse) or _find_first_column(reader, plain, parse)


def _find_swallowed(
    reader: LineReader, plain: Parsed, parse: Callable[[LineReader], Parsed]
) -> Layout | None:
    """Return the layout without what is before every line; None if that hides no record.

    A log takes lines that are indented, or begin with a host's name, for the rest of an entry.
    Other formats do not, so a text without an entry is not read again.
    """
    if Event.KIND not in plain.frames.heights:
        return None
    margin = None if reader.has_prefix else margin_pattern(reader.plain_head)
    if (prefix := margin or before_objects(reader.plain_head)) is None:
        return None
    as_it_is, read_head = _on_head(reader, plain, parse)
    layout = Layout(prefix, None, False, formats.LINE_STARTS)
    without = read_head(layout)
    is_more = without.records > as_it_is.records and without.rank >= as_it_is.rank
    return layout if is_more and without.loss <= as_it_is.loss else None


def _find_first_column(
    reader: LineReader, plain: Parsed, parse: Callable[[LineReader], Parsed]
) -> Layout | None:
    """Return the layout without a prefix that hides the first column of a table, if it does.

    Between tabs, what a chat puts before a line is a part of the first cell: a list of sessions
    loses its ids, and another table its meaning.
    """
    is_table = set(plain.frames.heights) == {Table.KIND}
    if not is_table and not _are_without_ids(plain):
        return None
    layouts = guess_layouts(reader.plain_head, formats.LINE_STARTS, None)
    layouts = [each for each in layouts if each.prefix is not None and each.keeps_lines]
    if not layouts:
        return None
    as_it_is, _ = _on_head(reader, plain, parse)
    head = reader.plain_head.encode("utf-8", "replace")
    for layout in layouts:
        parsed = parse(LineReader(io.BytesIO(head), layout))
        quality = _quality(parsed)
        if quality.loss > as_it_is.loss or quality.records < as_it_is.records:
            continue
        if quality.has_more if is_table else not _are_without_ids(parsed):
            return layout
    return None


def _are_without_ids(parsed: Parsed) -> bool:
    """Return whether no session of a list has an id."""
    height = parsed.frames.heights.get(Session.KIND, 0)
    return height > 0 and parsed.frames[Session.KIND]["session_id"].null_count() == height


def _on_head(
    reader: LineReader, plain: Parsed, parse: Callable[[LineReader], Parsed]
) -> tuple[_Quality, Callable[[Layout | None], _Quality]]:
    """Return how the head of a text reads as it is, and what reads it in a layout."""
    head = reader.plain_head.encode("utf-8", "replace")

    def read_head(layout: Layout | None) -> _Quality:
        return _quality(parse(LineReader(io.BytesIO(head), layout)))

    as_it_is = _quality(plain) if _whole_text(reader) is not None else read_head(None)
    return as_it_is, read_head


_LOSS_OF_MIXED = 0.2
"""Share of a text whose loss is worth the search for pieces between prose."""
_LOSS_OF_TWO = 0.05
"""Share of a text whose loss may be the output of another tool."""


_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BINARY = 0.02
"""Share of control characters above which a content is no text: parts look like anything."""


def _is_binary(content: str) -> bool:
    return len(_CONTROLS.findall(content)) > _BINARY * len(content)


def _content_with_blocks(stream: BinaryIO, origin: int | None, reader: LineReader) -> str | None:
    """Return the text of an artifact that has code blocks; None for any other, or a large one."""
    return _content(stream, origin, reader) if pieces.has_blocks(reader.plain_head) else None


def _content(stream: BinaryIO, origin: int | None, reader: LineReader) -> str | None:
    """Return the text of an artifact; None for a large one, or one that is read only once."""
    if reader.head_is_whole:
        return reader.as_text(reader.first_bytes)
    if reader.failure or origin is None or reader.bytes_read > pieces.MOST_BYTES:
        return None
    stream.seek(origin)
    return reader.as_text(stream.read(pieces.MOST_BYTES))


def _parse_piece(text: str, format: str | None = None) -> Parsed:  # noqa: A002
    stream = io.BytesIO(text.encode("utf-8", "replace"))
    return _parse_stream(stream, "", format, None, None, may_have_pieces=False)[0]


def _parse_inside(text: str) -> Parsed:
    """Parse a text that a document holds as a value: it may have pieces and prose of its own."""
    stream = io.BytesIO(text.encode("utf-8", "replace"))
    return _parse_stream(stream, "", None, None, None, may_have_pieces=True)[0]


def _content_with_texts(stream: BinaryIO, origin: int | None, reader: LineReader) -> str | None:
    """Return a large document whose values are texts of several lines; None for any other."""
    if reader.head_is_whole or reader.plain_head.lstrip()[:1] not in ("{", "[", "("):
        return None
    return _content(stream, origin, reader) if has_texts(reader.plain_head) else None


def _read_held(content: str | None, plain: Parsed) -> Parsed | None:
    """Read a document that is mostly texts of several lines, if that gives more than ``plain``."""
    if content is None or _is_binary(content):
        return None
    return read_inside(content, plain, _parse_inside, at_once=len(content) <= _LONGEST_HELD)


_LONGEST_HELD = 64 * 1024
"""Characters; a longer document has no layout that its head would show."""


def _parse_part(text: str) -> Parsed:
    """Parse what lies between lines of prose, which may be of several tools."""
    return _read_mixed(text, _parse_piece(text))


def _best_layout(
    layouts: list[Layout], plain: _Quality, read_head: Callable[[Layout], _Quality]
) -> Layout | None:
    """Return the layout that a text reads best in; None: as it is, ``plain``."""
    qualities = [(read_head(layout), layout) for layout in layouts]
    better = [pair for pair in qualities if _suits(*pair, plain)]
    most = max((quality.records for quality, layout in better if layout.keeps_lines), default=0)
    better = [
        (quality, layout)
        for quality, layout in better
        if not layout.joins_lines or _MOST_JOINED * quality.records >= most
    ]
    is_general = plain.rank == 1 or plain.are_entries
    rank = (lambda quality: -quality.rank) if is_general else (lambda _: 0)
    best = min(
        better,
        key=lambda pair: (
            *(rank(pair[0]), pair[0].loss, -pair[0].rank, -pair[0].records),
            _is_bold(pair[1]),
        ),
        default=None,
    )
    return best[1] if best else None


def _is_bold(layout: Layout) -> bool:
    """Return whether lines are joined whatever they begin with; of equals another one is right."""
    return bool(layout.parts or layout.rows or layout.anywhere)


def _suits(quality: _Quality, layout: Layout, plain: _Quality) -> bool:
    """Return whether a text reads better in this layout than as it is, ``plain``.

    Rows that were wrapped give more records when they are whole, not only fewer problems: rows that
    were joined by mistake do, too. An empty line behind each line is no part of any listing, nor is
    one that names who wrote what is below it.
    """
    if plain.has_more and not quality.has_more:
        return False
    if layout.turns and quality.loss == plain.loss:
        return quality.records > plain.records
    if layout.turns or layout.spaced:
        return quality.loss <= plain.loss and quality.loss != math.inf
    if layout.is_viewed and layout.keeps_lines and quality.has_more:
        tells = plain.are_entries or (quality.more > plain.more and quality.loss <= plain.loss)
        if tells:
            return quality.share_read >= _LEAST_OF_MESSAGES
    if layout.tabs and quality.format == plain.format and plain.format in _TABLES:
        return False  # its reader knows tabs: blanks only hide that a row is cut
    tells_more = plain.rank == 1 and quality.rank > 1 and quality.skipped <= plain.loss
    if tells_more and layout.keeps_lines:
        return quality.loss <= plain.loss + _COST_OF_PROBLEM
    if _is_bold(layout) and quality.records <= _GAIN_OF_ROWS * plain.records:
        return False
    if (layout.parts or layout.rows) and quality.records < _LEAST_JOINED:
        return False
    return _is_better(quality, plain)


_TABLES = frozenset(meaning.format for meaning in MEANINGS) - {RESULT}
"""Formats whose reader splits rows at tabs."""
_LEAST_OF_MESSAGES = 0.8
"""Of the messages of a log, the share that must be another text."""
_GAIN_OF_ROWS = 1.1
_LEAST_JOINED = 3
_MOST_JOINED = 2
"""Rows that are joined by mistake read without a problem, as a fraction of the records."""


def _can_seek(stream: BinaryIO) -> bool:
    try:
        return stream.seekable()
    except AttributeError:  # a member of a tar that is read as a stream has no such method
        return False


def _reads_badly(parsed: Parsed) -> bool:
    """Return whether the text may have a layout that hides its records.

    A large file with a damaged end has none: reading its head in every layout would cost seconds.
    """
    return _loss(parsed) > _LEAST_LOSS * parsed.receipt.bytes_read


_LEAST_LOSS = 0.003
"""Share of a text whose loss is worth the search for a layout."""
_COST_OF_PROBLEM = 80
"""Bytes: what a problem weighs against skipped lines."""
_LEAST_GAIN = 0.8
"""Most of the loss that may remain in a better layout."""


class _Quality(NamedTuple):
    """How well a text reads in a layout."""

    loss: float
    """Bytes that were not understood, and problems; infinite where there is no record."""
    skipped: int
    records: int
    lines: int
    """Lines with a record, counted per kind."""
    rank: int
    """See ``_rank_of``."""
    are_entries: bool
    """Whether the records are entries of a log alone."""
    more: int
    """Records that are neither entries of a log nor a table."""
    share_read: float
    """Of the bytes, 0 to 1."""
    format: str | None

    @property
    def has_more(self) -> bool:
        return self.more > 0


def _loss(parsed: Parsed) -> float:
    """Return the bytes that were not understood, with problems; infinite without a record."""
    receipt = parsed.receipt
    if parsed.failed or parsed.format is None or not receipt.records:
        return math.inf
    return receipt.bytes_skipped + _COST_OF_PROBLEM * receipt.problems


def _quality(parsed: Parsed) -> _Quality:
    """Measure a text of at most a head: its frames are small."""
    loss, receipt = _loss(parsed), parsed.receipt
    if loss == math.inf:
        return _Quality(loss, receipt.bytes_skipped, 0, 0, 0, False, 0, 0, None)
    records, frames = sum(receipt.records.values()), parsed.frames
    lines = sum(frames[kind]["line_first"].n_unique() for kind in frames)
    share = receipt.bytes_understood / max(1, receipt.bytes_read)
    rank = _rank_as_read(parsed)
    plain = {Event.KIND, Setting.KIND, Table.KIND}
    more = sum(count for kind, count in parsed.frames.heights.items() if kind not in plain)
    are_entries = _are_entries(parsed)
    return _Quality(
        *(loss, receipt.bytes_skipped, records, lines, rank, are_entries, more, share),
        parsed.format,
    )


def _is_better(quality: _Quality, than: _Quality) -> bool:
    """Return whether a text reads better in this layout: less is lost and no record disappears.

    Rows of a table that are joined to one line are many records of one line.
    """
    all_read = than.skipped > 0 and not quality.skipped
    gains = all_read or quality.loss <= _LEAST_GAIN * than.loss
    return (
        quality.loss < than.loss
        and gains
        and not (quality.records < than.records or quality.lines < than.lines)
    )


def _parse_lines(
    reader: LineReader,
    name: str,
    format: str | None,  # noqa: A002
    chosen: Format | None,
    spill: Path | None,
    *,
    is_trial: bool = False,
) -> Parsed:
    """Parse the text of a reader once; a trial does without the candidates of its detection."""
    detection = _detection(reader, name, format, chosen, is_trial=is_trial)
    if chosen is None and detection.format:
        chosen = formats.by_name(detection.format)
    work = _Work(reader, spill)
    if chosen is not None:
        failed, crashed = _run(work, chosen)
    else:
        unknown = f"There is no format named {format!r}. Choose one of those listed."
        failed, crashed = unknown if format is not None else None, False
        work.skip_all(detection.why)
    if reader.failure and not crashed:
        failed = _unreadable(reader, reader.failure)
    if chosen is not None and not crashed:
        work.add_version()
    frames = work.frames()
    if chosen is not None and not failed and not _has_evidence(frames):
        work.report_nothing(chosen)
    return Parsed(
        format=chosen.NAME if chosen else None,
        detection=detection,
        version=chosen.VERSION if chosen else 0,
        frames=frames,
        problems=work.problems_in_order(),
        sections=work.sections,
        receipt=work.receipt(),
        failed=failed,
        crashed=crashed,
        line_index=reader.line_index,
        encoding=reader.encoding,
    )


def _has_evidence(frames: Frames) -> bool:
    """Return whether a parse gave more than moments and numbers that are not known."""
    other_kinds = frames.heights.keys() - {records.SAMPLE, records.Snapshot.KIND}
    return bool(other_kinds) or frames.has_a_number()


def _is_empty(head: str) -> bool:
    """Return whether a text has nothing but a collector's statements and times: an empty result."""
    lines = (line for line in head.split("\n") if line.strip())
    return all(_STATEMENT.match(line) or read_ts(line) is not None for line in lines)


def _detection(
    reader: LineReader,
    name: str,
    format: str | None,  # noqa: A002
    chosen: Format | None,
    *,
    is_trial: bool,
) -> Detection:
    if chosen is not None:
        return Detection(chosen.NAME, 1.0, "a person mapped its columns")
    if format is not None:
        known = formats.by_name(format)
        if known is not None and not known.sniff(reader.head):
            reader.remove_margin(lambda head: bool(known.sniff(head)))
        return Detection(format, 1.0, "chosen by a person")
    if why := stored_only.recognise(reader.magic):
        return Detection(stored_only.NAME, 1.0, why)
    detect = formats.detect_only if is_trial else formats.detect
    detection = detect(reader.head, name)
    rank = _rank(detection)
    if rank < 2 and reader.remove_margin(lambda head: _rank(detect(head, name)) > rank):
        return detect(reader.head, name)
    return detection


def _rank(detection: Detection) -> int:
    return _rank_of(detection.format)


def _rank_of(name: str | None) -> int:
    """Return 0 for no format, 1 for one that takes what no other claims, 2 for any other.

    Sentences are no format: the marks around a listing may look like one.
    """
    chosen = formats.by_name(name) if name else None
    if chosen is None or name == named_settings.NAME:
        return 0
    return 1 if getattr(chosen, "ONLY_UNCLAIMED", False) else 2


def _run(work: _Work, chosen: Format) -> tuple[str | None, bool]:
    """Run the parser; return why it failed, or None, and whether that is a defect of ours."""
    reader = work.reader
    try:
        work.run(chosen)
    except FormatError as error:
        work.skip_all(str(error))
        return str(error), False
    except (OSError, EOFError, ArchiveError) as error:  # not of the stream: a full disk
        return _unreadable(reader, error), False
    except Exception as error:  # noqa: BLE001
        # The edge of the engine: one defect must cost one artifact, not an import of hundreds.
        return (
            f"The reader of {chosen.TITLE} stopped near line {reader.at}: "
            f"{type(error).__name__}: {error}. Everything above it was kept. "
            "Please report this with the artifact."
        ), True
    return None, False


def _parse_path_once(
    path: Path,
    name: str,
    format: str | None,  # noqa: A002
    chosen: Format | None = None,
) -> Parsed:
    kind = archive.detect_container(path)
    if kind in ("zip", "tar"):
        return _refused(path, f"{name} is an archive ({kind}): its members are read one by one.")
    try:
        with archive.open_plain(path) as stream:
            plain_name = archive.plain_name(name) if kind == "compressed" else name
            return parse_stream(stream, name=plain_name, format=format, chosen=chosen)
    except (OSError, EOFError, ArchiveError) as error:
        # Only opening and the first bytes can fail here; later failures keep what was read.
        return _refused(path, f"{name} cannot be read: {error}. Capture or copy it again.")


def _refused(path: Path, why: str) -> Parsed:
    size = path.stat().st_size if path.exists() else 0
    return Parsed(
        format=None,
        detection=Detection(None, 0.0, why),
        version=0,
        frames=Frames(),
        problems=[Problem(None, why, severity="error")],
        sections=[],
        receipt=Receipt(size, 0, 0, size, [], 1, {}),
        failed=why,
    )


def _unreadable(reader: LineReader, error: Exception) -> str:
    return (
        f"Reading stopped after line {reader.raw_lines} ({error or type(error).__name__}). "
        "Everything above it was kept; capture or copy the file again for the rest."
    )


class _Work:
    """Collects what a parser yields, as columns, and counts it for the receipt."""

    def __init__(self, reader: LineReader, spill: Path | None) -> None:
        self.reader = reader
        self.sections: list[Section] = []
        self._problems: list[Problem] = []
        self._problem_count = 0
        self._skips = Skips(reader)
        self._pending: dict[str, list[Record]] = {}
        self._done = Frames(folder=spill)
        self._table_rows = 0
        self._has_version = False
        self._samples: list[Samples] = []
        self._sample_values = 0

    def run(self, chosen: Format) -> None:
        if getattr(chosen, "LONG_LINES", False):
            # A JSON document is one line of any length; other formats have no use for such a line.
            self.reader.keep_long_lines()
        if isinstance(chosen, Bulk):
            items = chosen.parse_chunks(self.reader.chunks())
        else:
            items = chosen.parse(self.reader)
        for item in items:
            if self.reader.has_expansions:
                item = renumber(item, self.reader.raw_line, self.reader.last_raw_line)
            self._take(item)
        for _ in self.reader:  # a parser may stop early; the receipt counts every byte
            pass

    def skip_all(self, why: str) -> None:
        for _ in self.reader:
            pass
        if self.reader.raw_lines:
            self._skips.add(Skipped(1, self.reader.raw_lines, why))

    def add_version(self) -> None:
        """Add the server's version that the head prints, unless the format yielded one."""
        if self._has_version:
            return
        head = self.reader.head[:_VERSION_CHARACTERS]
        found = list(find_versions(head))
        if not found and self.reader.head_is_whole:  # a paste: a person may name it
            found = list(find_named_version(head))
        for setting in found:
            first = self.reader.raw_line(setting.line_first)
            last = self.reader.last_raw_line(setting.line_last)
            self._take(dataclasses.replace(setting, line_first=first, line_last=last))

    def report_nothing(self, chosen: Format) -> None:
        """Count an artifact as not read: it has a format and gave no record."""
        if chosen.NAME == stored_only.NAME or _is_empty(self.reader.head):
            return
        why = f"It looks like {chosen.TITLE}, but no record could be read from it."
        if not self._problem_count:
            message = f"{why} It may be cut; capture or copy it whole."
            self._take(Problem(1, message, severity="error"))
        self._skips.add(Skipped(1, self.reader.raw_lines, why))

    def frames(self) -> Frames:
        for kind in list(self._pending):
            self._flush(kind)
        self._flush_samples()
        return self._done

    def problems_in_order(self) -> list[Problem]:
        both = [*self._problems, *self.reader.problems]
        return sorted(both, key=lambda problem: problem.line or 0)

    def receipt(self) -> Receipt:
        skipped, lost = self._skips.all()
        return Receipt(
            bytes_read=self.reader.bytes_read,
            lines=self.reader.raw_lines,
            bytes_understood=self.reader.bytes_read - lost,
            bytes_skipped=lost,
            skipped=skipped,
            problems=self._problem_count + len(self.reader.problems),
            records=self._done.heights,
        )

    def _take(self, item: Item) -> None:
        match item:
            case Record():
                pending = self._pending.setdefault(item.KIND, [])
                pending.append(item)
                if isinstance(item, Setting):
                    self._has_version |= item.name == "version"
                elif isinstance(item, Table):
                    self._table_rows += _TABLE_OVERHEAD + len(item.rows)
                if len(pending) >= _FLUSH_RECORDS or self._table_rows >= _FLUSH_TABLE_ROWS:
                    self._flush(item.KIND)
            case Samples():
                self._samples.append(item)
                self._sample_values += len(item.values)
                if self._sample_values >= _FLUSH_VALUES or len(self._samples) >= _FLUSH_RECORDS:
                    self._flush_samples()
            case Rows():
                self._append(item)
            case Grid():
                self._flush_samples()
                self._done.add_grid(item)
            case Stacks():
                self._flush("stack")
                self._done.add_stacks(item)
            case Problem():
                self._problem_count += 1
                if len(self._problems) < MAX_PROBLEMS:
                    self._problems.append(item)
            case Section():
                self.sections.append(item)
            case Skipped():
                self._skips.add(item)

    def _append(self, rows: Rows) -> None:
        if dict(rows.frame.schema) != records.frame_schema(rows.kind):
            raise TypeError(f"rows of {rows.kind} must have its schema, not {rows.frame.schema}")
        if rows.kind == records.SAMPLE:
            self._flush_samples()
        else:
            self._flush(rows.kind)
        self._done.add(rows.kind, rows.frame)

    def _flush(self, kind: str) -> None:
        if pending := self._pending.pop(kind, None):
            self._table_rows = 0 if kind == Table.KIND else self._table_rows
            for frame in self._as_frames(kind, pending):
                self._done.add(kind, frame)

    def _as_frames(self, kind: str, pending: list[Record]) -> Iterator[pl.DataFrame]:
        """Convert records to frames; one that fits no column becomes a Problem, not a crash."""
        try:
            yield records.records_frame(kind, pending)
        except _DOES_NOT_FIT as error:
            if len(pending) > 1:  # halve until only the record that does not fit is left
                half = len(pending) // 2
                yield from self._as_frames(kind, pending[:half])
                yield from self._as_frames(kind, pending[half:])
                return
            line = pending[0].line_first
            self._take(
                Problem(
                    line,
                    f"A {kind} with a value that no server prints was left out.",
                    found=str(error)[:200],
                    severity="error",
                )
            )

    def _flush_samples(self) -> None:
        if chunks := [sample for sample in self._samples if len(sample.values)]:
            for frame in self._as_sample_frames(chunks):
                self._done.add(records.SAMPLE, frame)
        self._samples = []
        self._sample_values = 0

    def _as_sample_frames(self, chunks: list[Samples]) -> Iterator[pl.DataFrame]:
        try:
            yield records.samples_frame(chunks)
        except _DOES_NOT_FIT as error:
            if len(chunks) > 1:
                half = len(chunks) // 2
                yield from self._as_sample_frames(chunks[:half])
                yield from self._as_sample_frames(chunks[half:])
                return
            line = chunks[0].lines[0]
            self._take(
                Problem(
                    line,
                    f"{chunks[0].series} holds a value that no server prints; "
                    "these values were left out.",
                    found=str(error)[:200],
                    severity="error",
                )
            )
