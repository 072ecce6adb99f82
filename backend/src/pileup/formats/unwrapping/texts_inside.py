r"""Find the texts of several lines that a document of another kind holds.

Source: what a tool answers as JSON (Ansible, AWS SSM, kubectl, trackers, exports of chats) or what
        Python prints of such a value; block scalars of YAML; cells of CSV; elements of XML.
            {"rc": 0, "stdout": "# Time: ...\n# User@Host: ...\n", "stdout_lines": ["# Time: ...
Gives:  each text, with the line of the document for each of its lines.
Note:   the same text may stand in a document twice, as lines and as a whole: it is given once.
        A statement of many lines is no text: it belongs to the session or event beside it.
"""

from __future__ import annotations

import ast
import html
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from pileup.formats.unwrapping import literal_rows

_LEAST_LINES = 2
_LONGEST_KEY = 110
_MOST_TEXTS = 2_000
_MOST_NESTED = 2
_TOKEN = re.compile(
    r"\\."
    r"|b?(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')"
    r"|[\[\](),]|[^\s\"'\\\[\](),]+"
)
"""A string, what separates strings in a list, or anything else; an escape outside is no string."""
_KEY = re.compile(r"[\"']?(?P<name>[\w.@-](?:[\w.@ -]{0,98}[\w.@-])?+)[\"']?\s{0,8}+[:=]\s{0,8}+$")
_OF_STATEMENT = re.compile(
    r"sql|quer|statement|\binfo\b|digest|stmt|trace\b|explain", re.IGNORECASE
)
_SQL = re.compile(
    r"\s*(?:/\*|--\s|\(\s*select\b|select|insert|update|delete|replace|alter|create|with|call|set|begin)\b",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:lt|gt|amp);")
_FENCE = re.compile(
    r"^[ \t]*+(?:`{3,}+[\w-]*+|\{(?:code|noformat)(?::[^{}\n]{0,80})?\})[ \t\r]*+$", re.MULTILINE
)


_OF_OUTPUT = re.compile(r"out|text|body|message|msg|content|detail|lines|snippet", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Inside:
    """A text in a document."""

    text: str
    lines: tuple[int, ...]
    """Of each line of the text, the line of the document; 1-based."""


def rows_inside(document: str) -> Inside | None:
    """Return the rows that a program printed as it keeps them, as the client prints them."""
    text: list[str] = []
    lines: list[int] = []
    names = ""
    starts = _starts(document)
    for row in literal_rows.rows(document):
        line = bisect_right(starts, row.at)
        if row.names not in (names, ""):
            text.append(row.names)
            lines.append(line)
        names = row.names
        text.append(row.cells)
        lines.append(line)
    return Inside("".join(f"{line}\n" for line in text), tuple(lines)) if lines else None


def texts_inside(document: str, *, of_one_line: bool = False) -> list[Inside]:
    """Return the texts of several lines in a document, each once.

    of_one_line: those of a single line, too, where the name beside it is that of an output.
    """
    least = 1 if of_one_line else _LEAST_LINES
    found: dict[str, Inside] = {}
    for part in islice(_all_texts(document, _MOST_NESTED, least), _MOST_TEXTS):
        key = _bare(part.text)
        if not key or key.count("\n") + 1 < least:
            continue
        known = found.get(key)
        if known is None or len(set(part.lines)) > len(set(known.lines)):
            found[key] = part
    return sorted(found.values(), key=lambda part: part.lines[0])


def has_texts(head: str) -> bool:
    """Return whether a text may hold texts of several lines."""
    texts = _all_texts(head, 0, _LEAST_LINES)
    return bool(next(literal_rows.rows(head), None) or next(texts, None))


def _bare(text: str) -> str:
    """Return a text without what differs between its copies in a document."""
    if "`" in text or "{" in text:
        text = _FENCE.sub("", text)
    lines = (line.rstrip() for line in text.split("\n"))
    return "\n".join(filter(None, lines))


def _all_texts(document: str, deeper: int, least: int) -> Iterator[Inside]:
    starts = _starts(document)

    def line_of(offset: int) -> int:
        return bisect_right(starts, offset)

    for inside in _strings(document, line_of, least, nested=deeper > 0):
        inner = deeper > 0 and "\\n" in inside.text
        nested = list(_all_texts(inside.text, deeper - 1, least)) if inner else []
        for part in nested:
            yield replace(part, lines=tuple(inside.lines[line - 1] for line in part.lines))
        if not nested:
            yield inside
    if "<" in document:
        yield from _elements(document, line_of, least)
    if ": |" in document or ": >" in document:
        yield from _block_scalars(document, least)
    if '"' in document:
        yield from _cells(document, line_of, least)


def _starts(document: str) -> list[int]:
    """Return where each line begins."""
    return [0, *(match.end() for match in re.finditer("\n", document))]


def _lines_in(text: str) -> int:
    return text.strip("\n").count("\n") + 1 if text.strip() else 0


# ---- strings of JSON and Python ------------------------------------------------------------------


def _strings(
    document: str, line_of: Callable[[int], int], least: int, *, nested: bool
) -> Iterator[Inside]:
    """Yield each string of several lines, and each list of strings that are lines.

    nested: also a string of a single line that may be a document itself.
    """
    run: list[tuple[str, int]] | None = None
    for token in _TOKEN.finditer(document):
        word = token[0]
        if len(word) > 1 and word[-1] in "\"'" and not word.startswith("\\"):
            text = _decoded(word).replace("\r\n", "\n")
            is_many = _lines_in(text) >= _LEAST_LINES
            is_document = nested and not is_many and "\\n" in text
            if is_document or (
                (is_many or (least == 1 and run is None))
                and _is_text(text, document, token.start(), least)
            ):
                yield _at(text, line_of(token.start()))
            if is_many:
                run = None
            elif run is not None:
                run.append((text.removesuffix("\n"), token.start()))
        elif word in ("[", "("):
            run = []
        elif word in ("]", ")"):
            if run and len(run) >= least:
                yield Inside(
                    "".join(f"{text}\n" for text, _ in run), tuple(line_of(at) for _, at in run)
                )
            run = None
        elif word != ",":
            run = None


def _decoded(literal: str) -> str:
    """Return what a string of JSON or Python holds; nothing for one that is none."""
    if "\\" not in literal:
        return literal.removeprefix("b")[1:-1]
    if literal.startswith('"'):
        try:
            return str(json.loads(literal, strict=False))
        except ValueError:
            pass
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError, MemoryError):
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _is_text(text: str, document: str, at: int, least: int) -> bool:
    """Return whether a string is more than the statement of a session or an event."""
    key = _KEY.search(document[max(0, at - _LONGEST_KEY) : at])
    name = key["name"] if key else ""
    if _OF_STATEMENT.search(name):
        return False
    is_usual = _lines_in(text) >= _LEAST_LINES and not _SQL.match(text)
    return is_usual or (least == 1 and bool(_OF_OUTPUT.search(name)))


def _at(text: str, line: int) -> Inside:
    """Return a text whose lines all stand on one line of the document."""
    if _ENTITY.search(text) and not re.search("[<>]", text):
        text = html.unescape(text)
    text = text if text.endswith("\n") else f"{text}\n"
    return Inside(text, (line,) * text.count("\n"))


# ---- other documents -----------------------------------------------------------------------------

_OPENS = "<![CDATA["
_ELEMENT = re.compile(r"<[A-Za-z][^<>]{0,300}>(?P<text>[^<>]*+)</")


def _elements(document: str, line_of: Callable[[int], int], least: int) -> Iterator[Inside]:
    """Yield the texts of several lines between the tags of XML or HTML."""
    found = [*_character_data(document)]
    found += [(match["text"], match.start("text")) for match in _ELEMENT.finditer(document)]
    for text, at in found:
        if _lines_in(text) >= least:
            yield _from(html.unescape(text) if document[at - 1] == ">" else text, line_of(at))


def _character_data(document: str) -> Iterator[tuple[str, int]]:
    """Yield each section of CDATA, and where; ``str.find``, so that one without an end is cheap."""
    at = document.find(_OPENS)
    while at >= 0:
        at += len(_OPENS)
        end = document.find("]]>", at)
        if end < 0:
            return
        yield document[at:end], at
        at = document.find(_OPENS, end)


def _from(text: str, line: int) -> Inside:
    text = text if text.endswith("\n") else f"{text}\n"
    return Inside(text, tuple(range(line, line + text.count("\n"))))


_SCALAR = re.compile(
    r"(?P<indent> {0,60})(?:- )?(?P<name>[\w./\"'-]{1,100}): {1,4}[|>][+-]?\d?\s*$"
)


def _block_scalars(document: str, least: int) -> Iterator[Inside]:
    """Yield the block scalars of YAML: the lines below a key that are indented more than it."""
    lines = document.split("\n")
    at = 0
    while at < len(lines):
        match = _SCALAR.match(lines[at][:200])
        at += 1
        if match is None:
            continue
        first, inner = at, len(match["indent"]) + 1
        while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) >= inner):
            at += 1
        end = at
        while end > first and not lines[end - 1].strip():
            end -= 1
        filled = [line for line in lines[first:end] if line.strip()]
        if len(filled) >= least:
            width = min(map(_indent, filled))
            yield _from("".join(f"{line[width:]}\n" for line in lines[first:end]), first + 1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


_CELL = re.compile(r"(?:^|[,;\t])\"(?P<text>(?:[^\"]|\"\")*+)\"(?=[,;\t\r\n]|\Z)", re.MULTILINE)


def _cells(document: str, line_of: Callable[[int], int], least: int) -> Iterator[Inside]:
    """Yield the cells of CSV that are a text of several lines."""
    for match in _CELL.finditer(document):
        text = match["text"].replace('""', '"')
        if _lines_in(text) >= least and not (least > 1 and _SQL.match(text)):
            yield _from(text, line_of(match.start("text")))


def joined(parts: Iterable[Inside]) -> Inside:
    """Return several texts as one."""
    parts = list(parts)
    return Inside(
        "".join(part.text for part in parts), tuple(line for part in parts for line in part.lines)
    )


__all__ = ["Inside", "has_texts", "joined", "rows_inside", "texts_inside"]
