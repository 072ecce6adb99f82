"""Source notes: references from the report's sentences to raw lines, as numbered footnotes.

A reference is an ordinary Markdown footnote label that a person can move, copy and delete:

    [^4f2a9c01-812-830]      lines 812 to 830 of the artifact whose SHA-256 starts so
    [^4f2a9c01-812-830-900-904]   these lines, and 900 to 904
    [^s-1b2c3d4e-1795213189-1795213244]   a series (CRC-32 of its id) over a window, epoch seconds
    [^pin-019a2b3c4d5e]      a pin (start of its id)

``Notes`` numbers references in order of appearance and lists their targets. A reference without a
target stays visible as a note that explains so.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pileup.analysis.contract import Locator
from pileup.knowledge.series_titles import typed_title
from pileup.report.case import Case, ReportPin
from pileup.report.text.plain_words import is_plain
from pileup.report.text.wording import when

_MOST_LINES = 12
"""Lines of a source that its note quotes; the note names all lines, and its link opens them."""
_LONG = 6
"""Lines from which two quotations that differ in one line at an end are the same one."""
_ALIKE = 0.85
"""Share of equal words, numbers apart, from which two excerpts show the same."""
_MOST_ALIKE = 2
"""Excerpts of one file that are alike and quoted; the notes of the others name these."""
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
_MORE_LINES = re.compile(r"^… (\d+) more lines?(?: like these)?$")
_QUOTED = re.compile(r"^… \d+ lines?, quoted above$")
_REFERENCE = re.compile(r"\[\^([A-Za-z0-9][A-Za-z0-9-]*)\](?!:)")
_LINES = re.compile(r"^([0-9a-f]{8})((?:-\d{1,18}-\d{1,18})+)$")
_SERIES = re.compile(r"^s-([0-9a-f]{8})-(\d+)-(\d+)$")
_BY_ID = re.compile(r"([?&]artifact=)[^&#]+")
_PIN = re.compile(r"^pin-([0-9a-f]{8,32})$")


@dataclass(frozen=True, slots=True)
class Note:
    number: int
    label: str
    text: str
    """The target: path and lines, or series and window, or the pin's title."""
    excerpt: str | None
    view: str | None
    """In-app path that opens it."""
    artifact: str | None = None
    """SHA-256 of the target artifact."""
    stale: bool = False
    title: str = ""
    """Title of the pin that it is."""


def reference(locator: Locator) -> str:
    """Build the Markdown reference of a locator; empty without a target."""
    label = label_of(locator)
    return f"[^{label}]" if label else ""


def label_of(locator: Locator) -> str | None:
    """Return the label of a locator's reference; None without a target."""
    if locator.artifact and locator.line_first is not None:
        whole = (locator.line_first, locator.line_last or locator.line_first)
        ranges = [(part.first, part.last) for part in locator.ranges] or [whole]
        return "-".join([locator.artifact[:8], *(f"{first}-{last}" for first, last in ranges)])
    if locator.series and locator.start and locator.end:
        return f"s-{series_hash(locator.series)}-{_epoch(locator.start)}-{_epoch(locator.end)}"
    return None


def pin_reference(pin: ReportPin) -> str:
    return f"[^pin-{pin.id.replace('-', '')}]"


def references(locators: list[Locator], limit: int = 3) -> str:
    """Build the references of the first few distinct locators, to append to a sentence."""
    seen = dict.fromkeys(filter(None, map(reference, locators)))
    return "".join(list(seen)[:limit])


def series_hash(series: str) -> str:
    return f"{zlib.crc32(series.encode()):08x}"


class Notes:
    """Numbers references in order of appearance and resolves their targets."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._notes: dict[str, Note] = {}

    def number(self, label: str) -> int:
        """Return the number of a reference; the same label always has the same number."""
        if label not in self._notes:
            note = resolve(self._case, label, len(self._notes) + 1)
            self._notes[label] = replace(note, excerpt=_shortened(note.excerpt))
        return self._notes[label].number

    def find(self, label: str) -> Note:
        """Return the note of a reference, numbering it if it is new."""
        self.number(label)
        return self._notes[label]

    def artifact_of(self, number: int) -> str | None:
        """Return the SHA-256 of the file that a note leads to; None where it leads to none."""
        return next((n.artifact for n in self._notes.values() if n.number == number), None)

    def listed(self, shown: Quotations) -> list[Note]:
        """List the notes in order of their numbers; each excerpt appears once in the document.

        shown: what the sections quote. An excerpt that a longer one contains is left out,
        whichever note comes first.
        """
        where: dict[int, str] = {}
        rest: dict[int, str] = {}
        for note in self._notes.values():
            if note.excerpt is not None:
                held = shown.place_of(note.excerpt, note.artifact)
                if held is not None:
                    where[note.number] = held
                else:
                    rest[note.number] = shown.without_quoted(note.excerpt, note.artifact)
        like = self._alike(rest)
        files = {note.number: note.artifact for note in self._notes.values()}
        for number, excerpt in sorted(rest.items(), key=lambda item: _most_lines_first(*item)):
            held = shown.place_of(excerpt, files[number])
            if held is not None:
                where[number] = held
            else:
                shown.add(excerpt, f"in note {number}", files[number])
        where = {number: f"quoted {place}" for number, place in where.items()} | like
        return [
            replace(note, excerpt=None, text=f"{note.text} ({where[note.number]})")
            if note.number in where
            else replace(note, excerpt=rest.get(note.number))
            for note in self._notes.values()
        ]

    def _alike(self, rest: dict[int, str]) -> dict[int, str]:
        """Take out the excerpts of one file that look like those of enough earlier notes."""
        quoted: dict[str | None, list[tuple[int, Counter[str]]]] = {}
        remarks: dict[int, str] = {}
        for note in self._notes.values():
            if note.number not in rest:
                continue
            words = _words(rest[note.number])
            earlier = quoted.setdefault(note.artifact, [])
            similar = [number for number, other in earlier if _share(words, other) >= _ALIKE]
            if len(similar) >= _MOST_ALIKE:
                del rest[note.number]
                remarks[note.number] = f"like note {similar[0]}, not quoted"
            else:
                earlier.append((note.number, words))
        return remarks


class Quotations:
    """The raw lines that a document shows, and where; it finds those that would appear again."""

    def __init__(self) -> None:
        self._at: dict[str, list[_Quotation]] = {}
        self._above: list[tuple[list[str], str]] = []

    def add(self, text: str, place: str, artifact: str | None) -> None:
        """Remember a text that is shown at a place, from a file if that is known."""
        lines = text.split("\n")
        quotation = _Quotation("\n".join(["", *lines, ""]), place, artifact)
        for line in dict.fromkeys(lines):
            self._at.setdefault(line, []).append(quotation)
        if place == "above" and artifact and text.strip():
            self._above += [(piece, artifact) for piece in _pieces(lines)]

    def place_of(self, text: str, artifact: str | None) -> str | None:
        """Return where a text is shown: as a whole, or all of it but its first or last line."""
        lines = [line for line in text.split("\n") if not _MORE_LINES.match(line)]
        tries = [lines] if len(lines) < _LONG else [lines, lines[1:], lines[:-1]]
        for part in tries:
            pieces = _pieces(part)
            for quotation in self._at.get(pieces[0][0], []) if pieces else ():
                same_file = artifact is None or quotation.artifact in (None, artifact)
                whole = quotation.text == "\n".join(["", *lines, ""])
                if (same_file or whole) and all(
                    "\n".join(["", *piece, ""]) in quotation.text for piece in pieces
                ):
                    return quotation.place
        return None

    def without_quoted(self, text: str, artifact: str | None) -> str:
        """Return a text with a remark in place of the lines that a section quotes."""
        lines = text.split("\n")
        for quoted, quoted_file in sorted(self._above, key=lambda above: -len(above[0])):
            at = _place_in(lines, quoted)
            if at is not None and quoted_file == artifact:
                count = len(quoted)
                remark = f"… {count} {'line' if count == 1 else 'lines'}, quoted above"
                lines[at : at + count] = [remark]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Quotation:
    text: str
    """Between two line ends, so that only whole lines are found in it."""
    place: str
    artifact: str | None


def _most_lines_first(number: int, excerpt: str) -> tuple[int, int]:
    return -sum(len(piece) for piece in _pieces(excerpt.split("\n"))), number


def _pieces(lines: Sequence[str]) -> list[list[str]]:
    """Split the lines of an excerpt at the ellipses between its ranges; no piece is empty."""
    pieces: list[list[str]] = [[]]
    for line in lines:
        if line == "…" or _QUOTED.match(line):
            pieces.append([])
        else:
            pieces[-1].append(line)
    return [piece for piece in pieces if piece]


def _place_in(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Return the index at which these lines begin in others; None where they do not occur."""
    size = len(wanted)
    return next(
        (at for at in range(len(lines) - size + 1) if lines[at : at + size] == list(wanted)), None
    )


def _shortened(excerpt: str | None) -> str | None:
    """Return the first lines of an excerpt, each range that looks like another left out.

    The last line counts what is left out.
    """
    if excerpt is None:
        return None
    shown: list[list[str]] = []
    hidden = 0
    for piece in _pieces(excerpt.split("\n")):
        words = _words("\n".join(piece))
        if any(_share(words, _words("\n".join(other))) >= _ALIKE for other in shown):
            hidden += sum(map(_count, piece))
        else:
            shown.append(piece)
    lines = "\n…\n".join("\n".join(piece) for piece in shown).split("\n")
    like = " like these" if hidden else ""
    if len(lines) > _MOST_LINES + 1:
        hidden += sum(map(_count, lines[_MOST_LINES:]))
        lines, like = lines[:_MOST_LINES], ""
    if hidden:
        lines.append(f"… {hidden} more {'line' if hidden == 1 else 'lines'}{like}")
    return "\n".join(lines)


def _words(text: str) -> Counter[str]:
    """Count the words of an excerpt, every number as one word."""
    lines = (line for line in text.split("\n") if not _MORE_LINES.match(line))
    return Counter(_NUMBERS.sub("#", " ".join(lines)).split())


def _share(words: Counter[str], other: Counter[str]) -> float:
    """Return the share of words that two texts have in common, 0..1, by the longer one."""
    return (words & other).total() / max(words.total(), other.total(), 1)


def _count(line: str) -> int:
    """Return how many raw lines a line of an excerpt represents: none for the gap of two ranges."""
    more = _MORE_LINES.match(line)
    return int(more[1]) if more else int(line != "…")


def labels(markdown: str) -> list[str]:
    """List the reference labels of a text, in order."""
    return _REFERENCE.findall(markdown)


def without_references(markdown: str) -> str:
    """Return a text without its references."""
    return _REFERENCE.sub("", markdown)


def resolve(case: Case, label: str, number: int) -> Note:
    """Resolve a label to its note; an unknown target gives a note without a view."""
    if match := _LINES.match(label):
        return _lines_note(case, label, number, match[1], _pairs(match[2]))
    if match := _SERIES.match(label):
        return _series_note(case, label, number, match[1], int(match[2]), int(match[3]))
    if match := _PIN.match(label):
        for pin in case.pins:
            if pin.id.replace("-", "").startswith(match[1]):
                return _pin_note(case, label, number, pin)
    return Note(
        number, label, f"({label}: this source is no longer part of the incident)", None, None
    )


def without_internals(note: Note) -> Note:
    """Return a note for readers who do not run databases: no file, line or name of a series."""
    if note.view is None:
        text = "This source is no longer part of the incident."
    elif match := _SERIES.match(note.label):
        text = f"Measurements, {_window(_iso(int(match[2])), _iso(int(match[3])))}"
    elif note.title and is_plain(note.title):
        text = note.title
    else:
        text = "A record of the database; the full report names and quotes it."
    return replace(note, text=text, excerpt=None, artifact=None)


def _pairs(text: str) -> list[tuple[int, int]]:
    """Parse '-812-830-900-904' to ranges of lines."""
    numbers = [int(part) for part in text.split("-")[1:]]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _lines_note(
    case: Case, label: str, number: int, sha: str, ranges: list[tuple[int, int]]
) -> Note:
    artifacts = case.analysis.artifacts if case.analysis else []
    paths = {**case.run_paths, **{artifact.sha256: artifact.path for artifact in artifacts}}
    for sha256, path in paths.items():
        if sha256.startswith(sha):
            first, last = ranges[0]
            view = f"/incidents/{case.id}/artifacts?artifact={sha256}&line={first}&to={last}"
            text = f"{path}, {range_words(ranges)}"
            return Note(number, label, text, _excerpt(case, sha256, ranges), view, sha256)
    return Note(number, label, f"(artifact {sha}… is no longer part of the incident)", None, None)


def _excerpt(case: Case, sha256: str, ranges: list[tuple[int, int]]) -> str | None:
    """Quote each range, with an ellipsis between them."""
    quoted = [case.excerpt(sha256, first, last) for first, last in ranges]
    return "\n…\n".join(text for text in quoted if text) or None


def range_words(ranges: Sequence[tuple[int, int]]) -> str:
    """Write ranges of lines: 'line 8', 'lines 812–830, 900–904'."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return f"line {ranges[0][0]}"
    return "lines " + ", ".join(
        str(first) if first == last else f"{first}–{last}" for first, last in ranges
    )


def _series_note(case: Case, label: str, number: int, crc: str, start: int, end: int) -> Note:
    series = case.analysis.series if case.analysis else []
    begins, ends = _iso(start), _iso(end)
    for entry in series:
        if series_hash(entry.id) == crc:
            view = f"/incidents/{case.id}/timeline?start={begins}&end={ends}&series={entry.id}"
            text = f"{typed_title(entry.id)}, {_window(begins, ends)}"
            return Note(number, label, text, None, view)
    return Note(number, label, f"(series {crc} is no longer part of the incident)", None, None)


def _window(begins: str, ends: str) -> str:
    return f"at {when(begins)}" if begins == ends else f"{when(begins)} to {when(ends)}"


def _pin_note(case: Case, label: str, number: int, pin: ReportPin) -> Note:
    where = pin.title
    if pin.path and pin.line_first is not None:
        lines = range_words([(pin.line_first, pin.line_last or pin.line_first)])
        where = f"{pin.title} ({pin.path}, {lines})"
    if pin.stale:
        where += " [stale: the value changed since it was pinned]"
    excerpt = pin.excerpt
    if excerpt is None and pin.artifact and pin.line_first is not None:
        excerpt = case.excerpt(pin.artifact, pin.line_first, pin.line_last or pin.line_first)
    view = pin.view
    if pin.artifact:  # by its content: ids change when a bundle is imported
        view = _BY_ID.sub(rf"\g<1>{pin.artifact}", view)
    return Note(number, label, where, excerpt, view, pin.artifact, pin.stale, pin.title)


def _epoch(iso: str) -> int:
    return int(datetime.fromisoformat(iso.replace("Z", "+00:00")).timestamp())


def _iso(epoch: int) -> str:
    return datetime.fromtimestamp(epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
