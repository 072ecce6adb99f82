"""Read a text with several pieces of evidence: each block as a file of its own, joined as part.

See ``bundle/pieces``. The caller gives the function that reads a piece, so that the driver reads
pieces as it reads files.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import polars as pl

from pileup import formats, records
from pileup.formats.bundle import pieces
from pileup.formats.config import named_settings
from pileup.formats.detect import Detection
from pileup.formats.innodb import innodb_status
from pileup.formats.logs import (
    client_errors,
    dated_lines,
    error_log,
    kernel_log,
    slow_log,
    statements,
)
from pileup.formats.parsed import Parsed
from pileup.formats.reading.frame_buffer import Frames
from pileup.formats.reading.server_versions import find_named_version, find_versions
from pileup.formats.tables.layouts.reader import may_begin
from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.registry import MEANINGS, RESULT, is_known
from pileup.formats.unwrapping.texts_inside import (
    Inside,
    joined,
    rows_inside,
    texts_inside,
)
from pileup.records import Problem, Section, Skipped

_VERSION_CHARACTERS = 24_000
_LEAST_READ = 0.5
"""Of prose, what a format must understand to take it."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A piece and what it gave."""

    piece: pieces.Piece
    parsed: Parsed
    inside: tuple[int, int] | None = None
    """The first and the last line of the text that hold it, where they are not those of its own."""

    @property
    def first(self) -> int:
        """The first line of the piece in the text."""
        return self.inside[0] if self.inside else self.piece.line

    @property
    def last(self) -> int:
        """The last line of the piece in the text."""
        if self.inside:
            return self.inside[1]
        return self.piece.line + self.piece.text.removesuffix("\n").count("\n")

    @property
    def filled(self) -> tuple[int, int]:
        """The first and the last line of it that are not blank."""
        if self.inside:
            return self.inside
        text = self.piece.text
        blank = len(text) - len(text.lstrip("\n"))
        return self.piece.line + blank, self.piece.line + text.rstrip("\n").count("\n")


def read_pieces(text: str, whole: Parsed, read: Callable[[str], Parsed]) -> Parsed | None:
    """Read the pieces of a text; None where it reads as well as a whole, ``whole``.

    ``read`` reads a piece, which has no blocks of its own.
    """
    found = [
        part for piece in pieces.cut(text) if _is_evidence(part := _Read(piece, read(piece.text)))
    ]
    names = list(dict.fromkeys(part.parsed.format for part in found))
    if not found or _is_one_file(found):
        return None
    if len(names) == 1 and not (_gives_more(found, whole) or pieces.names_hosts(text)):
        return None
    return _joined(text, whole, found, names)


def read_inside(
    text: str, whole: Parsed, read: Callable[[str], Parsed], *, at_once: bool = False
) -> Parsed | None:
    """Read the texts that a document holds as its values; None where that gives no more.

    The lines of their records are those of the document; its other values are no evidence.
    at_once: only where these texts are most of it: another layout cannot give more.
    """
    texts = texts_inside(text, of_one_line=not at_once and _is_general(whole))
    if at_once and not _are_most_of(text, texts):
        texts = []
    if len(texts) > _MOST_TEXTS:
        texts = [joined(texts)]
    best = [part for each in texts if _is_evidence(part := _read_inside(each, read))]
    is_log = "event" in whole.receipt.records or _is_telling(whole)
    rows = None if is_log else rows_inside(text)
    if rows and not (at_once and not _are_most_of(text, [rows])):
        part = _read_inside(rows, read)
        is_table = part.parsed.format in _OF_TABLES and _is_evidence(part)
        is_useful = _strength([part])[0] or not _evidence(whole)
        if is_table and is_useful and _strength([part]) > _strength(best):
            best = [part]
    if not best or not _tells_more(best, whole, of_most=at_once):
        return None
    return _with_bytes(text, whole, best)


def _are_most_of(text: str, inside: list[Inside]) -> bool:
    return (
        len(inside) <= _FEW_TEXTS and sum(len(each.text) for each in inside) > len(text) * _MOST_OF
    )


def _with_bytes(text: str, whole: Parsed, found: list[_Read]) -> Parsed:
    """Join what a document holds; what is around its texts is understood, but for whole lines."""
    names = list(dict.fromkeys(part.parsed.format for part in found))
    result = _joined(text, whole, found, names)
    lost = sum(part.parsed.receipt.bytes_skipped for part in found)
    lines = text.split("\n")
    gaps = (lines[first - 1 : last] for first, last in _gaps(found, whole.receipt.lines))
    lost += sum(len(line.encode("utf-8", "replace")) + 1 for gap in gaps for line in gap)
    size = whole.receipt.bytes_read
    receipt = dataclasses.replace(
        result.receipt, bytes_understood=max(0, size - lost), bytes_skipped=min(size, lost)
    )
    return dataclasses.replace(result, receipt=receipt)


def _strength(found: list[_Read]) -> tuple[bool, int]:
    """Return whether records say more than any text may seem to, and how many there are."""
    kinds = {kind for part in found for kind in part.parsed.receipt.records}
    return bool(kinds - _OF_ANYTHING), _records(found)


def _is_telling(parsed: Parsed) -> bool:
    """Return whether records say more than any text may seem to."""
    return bool(set(parsed.receipt.records) - _OF_ANYTHING)


def _tells_more(found: list[_Read], whole: Parsed, *, of_most: bool) -> bool:
    """Return whether texts tell more than the document, or as much of more of it.

    of_most: the texts are most of it: as much of the same format is read better without the rest.
    """
    kinds = {kind for part in found for kind in part.parsed.receipt.records}
    telling, known = kinds - _OF_ANYTHING, set(whole.receipt.records) - _OF_ANYTHING
    if _evidence(whole) and kinds <= {"table", "snapshot"}:
        return False  # a document is a table, too
    if _gives_more(found, whole) or (telling and not known):
        return True
    gain = _records(found) - _evidence(whole)
    lost = sum(part.parsed.receipt.bytes_skipped for part in found)
    is_same = of_most and {part.parsed.format for part in found} == {whole.format}
    is_of_more = is_same or lost < whole.receipt.bytes_skipped
    return gain == 0 and (is_of_more or bool(kinds - set(whole.receipt.records) - {"snapshot"}))


_OF_ANYTHING = frozenset(("table", "event", "setting", "sample", "snapshot"))
"""Kinds of records that any text may seem to have."""


def _is_general(parsed: Parsed) -> bool:
    """Return whether a document gave nothing, or only what any document of its kind gives."""
    if parsed.failed or parsed.format is None or not _evidence(parsed):
        return True
    return set(parsed.receipt.records) <= {"table", "snapshot"} or _evidence(parsed) == 1


_FEW_TEXTS = 8
_MOST_OF = 0.3
"""Of a document, the share of its texts; most of them stand in it twice, with their line ends."""
_MOST_TEXTS = 30
"""Texts in a document that are read each by itself; more are those of a log."""


def _read_inside(text: Inside, read: Callable[[str], Parsed]) -> _Read:
    """Read a text in a document, and name its lines as in the document."""

    def line(number: int) -> int:
        return text.lines[min(number, len(text.lines)) - 1]

    parsed = read(text.text)
    frames = Frames()
    for kind in parsed.frames:
        for frame in parsed.frames.parts(kind):
            names = [name for name in ("line_first", "line_last") if name in frame.columns]
            renamed = frame.with_columns(
                pl.col(name).map_elements(line, return_dtype=pl.Int64) for name in names
            )
            frames.add(kind, renamed.cast({name: frame.schema[name] for name in names}))
    skipped = [
        dataclasses.replace(part, line_first=line(part.line_first), line_last=line(part.line_last))
        for part in parsed.receipt.skipped
    ]
    moved = dataclasses.replace(
        parsed,
        frames=frames,
        problems=[
            dataclasses.replace(problem, line=problem.line and line(problem.line))
            for problem in parsed.problems
        ],
        sections=[
            dataclasses.replace(
                section, line_first=line(section.line_first), line_last=line(section.line_last)
            )
            for section in parsed.sections
        ],
        receipt=dataclasses.replace(parsed.receipt, skipped=skipped),
    )
    piece = pieces.Piece(1, text.text, in_block=True)
    return _Read(piece, moved, (text.lines[0], text.lines[-1]))


def read_between_prose(
    text: str, whole: Parsed, read: Callable[[str], Parsed], *, reads_well: bool = False
) -> Parsed | None:
    """Read the quotes of a text, or what lies between its lines of prose, if it gives more so.

    None where it does not. Of a text that ``reads_well``, nothing may be lost that is no prose.
    """
    best: list[_Read] = []
    is_unknown = whole.format in (None, named_settings.NAME)
    for tried, size in _ways_to_cut(text, is_unknown=is_unknown):
        parts = [_Read(piece, read(piece.text)) for piece in tried]
        found = [
            part for part in parts if _is_evidence(part) or (is_unknown and _are_statements(part))
        ]
        understood = sum(part.parsed.receipt.bytes_understood for part in found)
        if understood >= _LEAST_EVIDENCE * size and _records(found) > _records(best):
            best = found
    if not best or not _gives_more(best, whole):
        return None
    if reads_well and {whole.format, *(part.parsed.format for part in best)} <= _OF_TABLES:
        return None  # the statement above a table says of what it is
    before, after = whole.receipt.bytes_understood, _understood(best)
    if {part.parsed.format for part in best} == {whole.format} and after < _GAIN * before:
        return None  # a table with remarks between its rows is one table
    if reads_well and after < before - _around(text):
        return None
    return _joined(text, whole, best, list(dict.fromkeys(part.parsed.format for part in best)))


def _ways_to_cut(text: str, *, is_unknown: bool) -> Iterator[tuple[list[pieces.Piece], int]]:
    """Yield the pieces of a text by its quotes, then by its prose; and how long they are.

    Lines that look like prose may lie inside of a piece: all of the text but its first and last
    lines of prose is tried as one. Of a text that no format claims, what lies below its first lines
    is tried; the first lines of any other may say what is below.
    """
    quotes = pieces.cut_quotes(text)
    if 0 < len(quotes) <= _MOST_PARTS:
        yield quotes, _size(quotes)
    parts = pieces.cut_prose(text)
    lines = text.split("\n")
    if 0 < len(parts) <= _MOST_PARTS and any(map(pieces.is_around, lines)):
        last = parts[-1].line + parts[-1].text.count("\n")
        between = pieces.Piece(parts[0].line, "\n".join(lines[parts[0].line - 1 : last]), False)
        yield [between], _size(parts)
        if len(parts) > 1:
            yield parts, _size(parts)
    for head in _heads(lines) if is_unknown else ():
        rest = pieces.Piece(head + 1, "\n".join(lines[head:]), in_block=False)
        yield [rest], len(rest.text)


def _heads(lines: list[str]) -> list[int]:
    """Return how many first lines may be no evidence: few, or those above the first table."""
    few = list(range(1, min(_MOST_HEAD, len(lines) - 1) + 1))
    pairs = enumerate(pairwise([*lines[: _MOST_ABOVE + 1], ""]))
    table = next((at for at, both in pairs if at > _MOST_HEAD and _begins_table(*both)), 0)
    return [*few, table] if table else few


def _begins_table(text: str, below: str) -> bool:
    return may_begin(text, below, is_known, any_words=True)


def _size(parts: list[pieces.Piece]) -> int:
    return sum(len(part.text) for part in parts)


def read_left_out(
    text: str, whole: Parsed, read: Callable[[str, str | None], Parsed]
) -> Parsed | None:
    """Read the output of several tools that follow each other: what one format leaves, as another.

    ``read`` reads a text as the named format, or as the detected one for None. The formats that the
    text looked like come first; None where no two of them share it.
    """
    best: list[_Read] = []
    most = 0
    if not whole.failed:
        most = whole.receipt.bytes_understood
        most -= 0 if whole.receipt.bytes_skipped else len(_taken(text, whole)[1].strip("\n"))
    for first in (whole.format, *whole.detection.candidates[:_MOST_CANDIDATES]):
        found = _by_turns(text, first, read)
        names = {part.parsed.format for part in found}
        if len(names) > 1 and names != _ONE_LOG and _understood(found) > most:
            best, most = found, _understood(found)
    if not best or not _gives_more(best, whole):
        return None
    best.sort(key=lambda part: part.filled)
    return _joined(text, whole, best, list(dict.fromkeys(part.parsed.format for part in best)))


def _by_turns(
    text: str, first: str | None, read: Callable[[str, str | None], Parsed]
) -> list[_Read]:
    """Read a text as one format, the lines that it leaves as the next, and so on."""
    found: list[_Read] = []
    named = first
    while text.strip() and len(found) < _MOST_TURNS:
        whole = read(text, named)
        taken, text = _taken(text, whole)
        part = _Read(pieces.Piece(1, taken, False), read(taken, named))
        if _evidence(part.parsed) < _evidence(whole):  # a remark that was left named a table
            part = _Read(part.piece, _without_rest(whole))
        named = None
        if not taken.strip() or not _is_evidence(part):
            break
        found.append(part)
    return found


def _without_rest(parsed: Parsed) -> Parsed:
    """Return what a format read, without the lines that it left."""
    understood = parsed.receipt.bytes_understood
    receipt = dataclasses.replace(
        parsed.receipt, bytes_read=understood, bytes_skipped=0, skipped=[]
    )
    return dataclasses.replace(parsed, receipt=receipt)


def _taken(text: str, parsed: Parsed) -> tuple[str, str]:
    """Return the lines that a format understood, and those that it left; the others are empty."""
    lines = text.split("\n")
    left = [False] * len(lines)
    ranges = [(skipped.line_first, skipped.line_last) for skipped in parsed.receipt.skipped]
    if not ranges and parsed.problems:  # a listing of the machine skips no line: it reports them
        first, last = _extent(parsed)
        above = [problem.line for problem in parsed.problems if (problem.line or first) < first]
        ranges = [*((line, line) for line in above if line), (last + 1, len(lines))]
    for first, last in ranges:
        for at in range(first - 1, min(last, len(lines))):
            left[at] = True
    taken = "\n".join("" if out else line for line, out in zip(lines, left, strict=True))
    rest = "\n".join(line if out else "" for line, out in zip(lines, left, strict=True))
    return taken, rest


def _extent(parsed: Parsed) -> tuple[int, int]:
    """Return the first and the last line with a record."""
    lines = [
        line
        for kind in parsed.frames
        for frame in parsed.frames.parts(kind)
        for name in ("line_first", "line_last")
        if name in frame.columns and frame.height
        for line in (frame[name].min(), frame[name].max())
        if isinstance(line, int)
    ]
    return min(lines, default=1), max(lines, default=0)


def _understood(found: list[_Read]) -> int:
    """Return the bytes that pieces understood, without the empty lines of the other pieces."""
    return sum(
        part.parsed.receipt.bytes_understood - part.piece.text.split("\n").count("")
        for part in found
    )


_OF_TABLES = frozenset(("status", "variables", *(meaning.format for meaning in MEANINGS)))
_GAIN = 1.05
"""What pieces of the format of the whole must understand, as a share of what it does."""
_MOST_CANDIDATES, _MOST_TURNS = 2, 4
_MOST_HEAD, _MOST_ABOVE = 3, 20
"""Lines above the evidence that are no prose: the head of a message, a path, a command; what a
script says above a table."""
_ONE_LOG = {innodb_status.NAME, error_log.NAME}
"""An error log prints parts of status dumps: what is left at its cut beginning is its own."""
_MOST_PARTS = 12
"""Each costs as much as a small file."""
_LEAST_EVIDENCE = 0.3
"""Of what is no prose, the share that must be evidence."""


def read_around_dumps(text: str, whole: Parsed, read: Callable[[str], Parsed]) -> Parsed | None:
    """Read a text with status dumps and the tables that a client printed around them, as both.

    None where it has not both. All tables are read together, so that their times agree.
    """
    if "snapshot" not in whole.frames:
        return None
    dumps = whole.frames["snapshot"].select("line_first", "line_last").iter_rows()
    parts = pieces.split_dumps(text, dumps)
    if parts is None or format_of("\n".join(filter(str.strip, parts[1].split("\n")))) is None:
        return None
    found = [_Read(pieces.Piece(1, part, True), read(part)) for part in parts]
    if not all(map(_is_evidence, found)) or not _gives_more(found, whole):
        return None
    names = [part.parsed.format for part in found]
    return _joined(text, whole, found, list(dict.fromkeys(names)))


def read_below_entries(
    text: str, whole: Parsed, read: Callable[[str, str | None], Parsed]
) -> Parsed | None:
    """Read a log and the output of another tool below one of its entries, as both.

    A log takes the lines below an entry as its part. None where no format claims such lines.
    ``read`` is that of ``read_left_out``.
    """
    if whole.failed or whole.format not in _ENTRIES:
        return None
    lines = text.split("\n")
    log = list(lines)
    others: list[_Read] = []
    for first, end in _ENTRIES[whole.format](whole, lines)[-_MOST_PARTS:]:
        filled = [at for at in range(first, end) if lines[at].strip()]
        may_be = any(_OF_A_TOOL.match(lines[at][:_LONGEST_HEAD]) for at in filled)
        for at in filled[: _MOST_HEAD + 1] if may_be else ():
            piece = pieces.Piece(at + 1, "\n".join(lines[at:end]), in_block=False)
            part = _Read(piece, read(piece.text, None))
            if _is_evidence(part) and part.parsed.format not in _ONE_LOG:
                others.append(part)
                log[at:end] = [""] * (end - at)
                break
    if not others:
        return None
    rest = pieces.Piece(1, "\n".join(log), in_block=False)
    found = [_Read(rest, read(rest.text, whole.format)), *others]
    if not _gives_more(found, whole):
        return None
    return _joined(text, whole, found, list(dict.fromkeys(part.parsed.format for part in found)))


_OF_A_TOOL = re.compile(
    r"(?:(?:[^\t |]| (?![ \t])){0,200}+(?: *+\t| {2,}+|\|)(?=\S| \S)){3}"
    rf"|{kernel_log.LINE_STARTS}"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S"
)
"""A line in columns, or one of the kernel or of syslog: without any, nothing is of a tool."""
_LONGEST_HEAD = 600
_Range: TypeAlias = tuple[int, int]
"""Lines from, to; 0-based."""


def _below_events(log: Parsed, lines: list[str]) -> list[_Range]:
    """Return the lines below each event of an error log, which have no time; none of a crash."""
    events = _entries(log, "event", "kind")
    return [
        (first, end) for (first, kind), end in _with_ends(events, len(lines)) if kind != "crash"
    ]


def _below_statements(log: Parsed, lines: list[str]) -> list[_Range]:
    """Return the lines below the end of each statement of a slow log."""
    ranges = []
    for (first, _), end in _with_ends(_entries(log, "query", "line_last"), len(lines)):
        heads = (at for at in range(first, end) if not _OF_SLOW_LOG.match(lines[at]))
        begin = next(heads, end)
        last = next((at for at in range(begin, end) if lines[at].rstrip().endswith(";")), end)
        ranges.append((last + 1, end))
    return ranges


_OF_SLOW_LOG = re.compile(r"#|SET timestamp=|use \S{1,200};|\s*$", re.IGNORECASE)
_ENTRIES: dict[str | None, Callable[[Parsed, list[str]], list[_Range]]] = {
    error_log.NAME: _below_events,
    slow_log.NAME: _below_statements,
}


def _entries(log: Parsed, kind: str, column: str) -> list[tuple[int, object]]:
    """Return the first line of each entry, and what one of its columns has."""
    if kind not in log.frames:
        return []
    return log.frames[kind].sort("line_first").select("line_first", column).rows()


def _with_ends(
    entries: list[tuple[int, object]], lines: int
) -> Iterator[tuple[tuple[int, object], int]]:
    """Yield each entry with the line at which the next begins."""
    return zip(entries, [first - 1 for first, _ in entries[1:]] + [lines], strict=bool(entries))


def _is_evidence(part: _Read) -> bool:
    parsed = part.parsed
    if parsed.failed or parsed.format is None or not set(parsed.frames.heights) - {"snapshot"}:
        return False
    if part.piece.in_block:
        return True
    unclaimed = getattr(formats.by_name(parsed.format), "ONLY_UNCLAIMED", False)
    if unclaimed and parsed.format not in _OF_NO_TOOL:
        return False
    if parsed.format == named_settings.NAME:
        return True  # of sentences, most say something else
    least = _NEARLY_ALL if unclaimed else _LEAST_READ
    size = parsed.receipt.bytes_read - _around(part.piece.text)
    return parsed.receipt.bytes_understood >= least * size


def _are_statements(part: _Read) -> bool:
    """Return whether nearly all of a piece is SQL: in a log, these are parts of its entries."""
    parsed = part.parsed
    return parsed.format == statements.NAME and not parsed.receipt.bytes_skipped


_OF_NO_TOOL = (RESULT, client_errors.NAME, dated_lines.NAME, named_settings.NAME)
"""Formats of what no other claims that may be pieces between prose."""


def _around(text: str) -> int:
    """Return how much of a text is prose, commands and empty lines."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines if not line.strip() or pieces.is_around(line))


def _is_one_file(found: list[_Read]) -> bool:
    """Return whether the marks are part of a file: of the statements in a log, for example.

    What it has outside of them is of one format, more than once, or nearly all of it.
    """
    outside = [part for part in found if not part.piece.in_block]
    repeated = len({part.parsed.format for part in outside}) < len(outside)
    size = sum(len(part.piece.text) for part in found)
    return repeated or sum(len(part.piece.text) for part in outside) > _NEARLY_ALL * size


_NEARLY_ALL = 0.8


def _gives_more(found: list[_Read], whole: Parsed) -> bool:
    """Return whether pieces give more records than the whole text, or as many of more kinds.

    A stack below a list is worth more than one more gauge of the list.
    """
    if whole.failed:
        return _records(found) > 0
    gain = _records(found) - _evidence(whole)
    kinds = {kind for part in found for kind in part.parsed.receipt.records}
    return gain > 0 or (gain == 0 and kinds > set(whole.receipt.records))


def _records(found: list[_Read]) -> int:
    return sum(_evidence(part.parsed) for part in found)


def _evidence(parsed: Parsed) -> int:
    """Count the records without the moments that hold them."""
    return sum(count for kind, count in parsed.receipt.records.items() if kind != "snapshot")


def _joined(text: str, whole: Parsed, found: list[_Read], names: list[str | None]) -> Parsed:
    name = names[0] if len(names) == 1 else pieces.NAME
    chosen = formats.by_name(name or pieces.NAME)
    skipped = list(_skipped(found, whole.receipt.lines))
    size = whole.receipt.bytes_read
    understood = min(size, sum(part.parsed.receipt.bytes_understood for part in found))
    frames = _frames(found, text)
    receipt = dataclasses.replace(
        whole.receipt,
        bytes_understood=understood,
        bytes_skipped=size - understood,
        skipped=skipped,
        problems=sum(part.parsed.receipt.problems for part in found),
        records=frames.heights,
    )
    return dataclasses.replace(
        whole,
        format=name,
        detection=Detection(name, 0.9, _why(found), whole.detection.candidates),
        version=chosen.VERSION if chosen else 0,
        frames=frames,
        problems=[_problem(problem, part) for part in found for problem in part.parsed.problems],
        sections=[section for part in found for section in _sections(part)],
        receipt=receipt,
        failed=None,
        crashed=False,
    )


def _why(found: list[_Read]) -> str:
    parts = [section for part in found for section in _sections(part) if section.level == 0]
    named = [f"{part.title} (lines {part.line_first} to {part.line_last})" for part in parts]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"its pieces are {', '.join(named[:_NAMED])}{more}"


_NAMED = 5


def _frames(found: list[_Read], text: str) -> Frames:
    """Join the frames of the pieces: lines as in the text, moments numbered through."""
    joined = Frames()
    moments = 0
    for part in found:
        by = part.piece.line - 1
        for kind in part.parsed.frames:
            for frame in part.parsed.frames.parts(kind):
                joined.add(kind, _moved(frame, by, moments))
        moments += part.parsed.receipt.records.get("snapshot", 0)
    if not _has_version(joined):
        head = text[:_VERSION_CHARACTERS]
        for setting in list(find_versions(head)) or find_named_version(head):
            joined.add("setting", records.records_frame("setting", [setting]))
    return joined


def _moved(frame: pl.DataFrame, lines: int, moments: int) -> pl.DataFrame:
    columns = set(frame.columns)
    return frame.with_columns(
        *(pl.col(name) + lines for name in ("line_first", "line_last") if name in columns),
        *(pl.col(name) + moments for name in ("snapshot",) if name in columns),
    )


def _has_version(frames: Frames) -> bool:
    return "setting" in frames and bool((frames["setting"]["name"] == "version").any())


def _problem(problem: Problem, part: _Read) -> Problem:
    if problem.line is None:
        return problem
    return dataclasses.replace(problem, line=problem.line + part.piece.line - 1)


def _sections(part: _Read) -> Iterator[Section]:
    """Yield a piece and the sections in it; the pieces of a piece are pieces of the whole."""
    by = part.piece.line - 1
    deeper = part.parsed.format != pieces.NAME
    if deeper:
        chosen = formats.by_name(part.parsed.format or "")
        yield Section(chosen.TITLE if chosen else "text", *part.filled)
    for section in part.parsed.sections:
        yield dataclasses.replace(
            section,
            line_first=section.line_first + by,
            line_last=section.line_last + by,
            level=section.level + deeper,
        )


def _gaps(found: list[_Read], lines: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of lines outside of the pieces."""
    after = 1
    for part in found:
        if part.first > after:
            yield after, part.first - 1
        after = max(after, part.last + 1)
    if after <= lines:
        yield after, lines


def _skipped(found: list[_Read], lines: int) -> Iterator[Skipped]:
    ranges = [pieces.prose(first, last) for first, last in _gaps(found, lines)]
    for part in found:
        by = part.piece.line - 1
        ranges += [
            Skipped(part.line_first + by, min(part.line_last + by, lines), part.why)
            for part in part.parsed.receipt.skipped
        ]
    yield from sorted(ranges, key=lambda part: part.line_first)
