r"""SQL statements alone: a query as people paste it, or a file of them.

Source: the grammar of MySQL and MariaDB; ends of statements are ``;``, ``\G`` and the end of the
        file. What a client prints around them is read by the formats of tables.
Yields: the table 'statements', one row per statement as printed and as its shape.
Note:   a text is only taken for statements when no other format claims it: sentences of English
        begin with the same verbs, so the rest must look like SQL too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup import sql_tokens
from pileup.formats.errors import FormatError
from pileup.records import Item, Problem, Section, Skipped, Table

NAME = "statements"
TITLE = "SQL statements"
GIVES = "A table: one row per statement, as printed and without its literals."
PRINTED_BY = "people: a query in a ticket, a file of statements"
VERSION = 1
HINTS = (".sql",)
ONLY_UNCLAIMED = True

COLUMNS = ("statement", "shape")
_MOST_ROWS = 2000
_MOST_CHARACTERS = 4000
"""Of one statement; the shape uses fewer (``sql_tokens.MOST``)."""

_TABLE = r"[`\"\w.$@]+"
_STATEMENT = re.compile(
    rf"""[\s(]*+(?:
      select\s.*?\bfrom\s+[`\"\w(] | select\s+(?:@@?\w|[\w.]+\(|\*|`)
    | with\s+(?:recursive\s+)?{_TABLE}\s*(?:\([^)]*\)\s*)?as\s*\(
    | (?:insert|replace)\s+(?:\w+\s+){{0,3}}?(?:into\s+)?{_TABLE}\s*(?:\(|values\b|select\b|set\b)
    | update\s+(?:\w+\s+){{0,2}}?{_TABLE}(?:\s+(?:as\s+)?\w+)?\s+set\s+{_TABLE}\s*=
    | delete\s+(?:\w+\s+){{0,3}}?from\s+{_TABLE}\s*(?:;|$|where\b|limit\b|order\b|using\b|as\b)
    | (?:explain|describe)\s+(?:\w+\s*=\s*\w+\s+|analyze\s+)?(?:select|update|delete|insert)\b
    )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
# these are words of English too, so only with the end that SQL has
_ENDED = re.compile(
    r"""\s*(?:
      (?:create|alter|drop|analyze|optimize|check|repair|truncate|rename|lock|unlock|flush|kill|set
      |load|call|start|begin|commit|rollback|use|show|grant|revoke|delimiter|purge|xa)
    )\b.*(?:;|\\[Gg])\s*$""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_ENDS = re.compile(r"(?:;|\\[Gg])\s*(?:(?:--\s|#).*)?$")
_COMMENT = re.compile(r"\s*(?:--(?:\s|$)|#|/\*(?!!).*\*/\s*$)")
_LEADING = re.compile(r"\A(?:\s*/\*[^*]*\*/)+")
# a sentence goes on after its end: "Select the file from the menu. Then ..."
_PROSE = re.compile(r"[a-z)][.?!]\s+[A-Z][a-z]|[a-z]{2}[.?!]\s*$")
_HEAD_LINES = 200
_HEAD = 2000
"""Characters of a statement by which it is recognised."""


def sniff(head: str) -> bool | None:
    """Return whether every statement of the text begins and goes on like SQL."""
    lines = head.split("\n")[:_HEAD_LINES]
    if sum(line.startswith("#") for line in lines) > len(lines) / 4:
        return False  # a log or a report, with statements between its lines
    ends = [line.rstrip() for line in lines if line.rstrip().endswith((";", "\\G"))]
    if ends and all(line.endswith("\\G") for line in ends):
        return False  # what a client sent, above answers without a row
    found = [text for _, _, text in _statements(lines)]
    return bool(found) and all(_is_statement(text) for text in found)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield one Table with a row per statement, and a Section for each; skip comments.

    Raises FormatError when no line begins a statement.
    """
    rows: list[tuple[str | None, ...]] = []
    first = last = more = 0
    for begins, ends, text in _statements(lines):
        if not _is_statement(text):
            yield Skipped(begins, ends, "not a statement")
            continue
        first, last = first or begins, ends
        if len(rows) == _MOST_ROWS:
            more = more or begins
            continue
        rows.append((text, sql_tokens.shape(text)))
        yield Section(f"Statement {len(rows)}", begins, ends)
    if not rows:
        raise FormatError("No SQL statement was found: one begins with SELECT, UPDATE or the like.")
    if more:
        yield Problem(more, f"Only the first {_MOST_ROWS} statements are in the table.")
        yield Skipped(more, last, "more statements than the table has room for")
        last = more - 1
    yield Table(
        line_first=first, line_last=last, name="statements", columns=COLUMNS, rows=tuple(rows)
    )


def _statements(lines: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first line, last line and text of each statement, cut to its most characters."""
    parts: list[str] = []
    begins = length = 0
    number = 0
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip()
        if not parts and (not line or _COMMENT.match(line)):
            continue
        begins = begins if parts else number
        if length < _MOST_CHARACTERS:
            parts.append(line[:_MOST_CHARACTERS])
            length += len(line) + 1
        if _ENDS.search(line[-200:]):
            yield begins, number, _text(parts)
            parts, length = [], 0
    if parts:
        yield begins, number, _text(parts)


def _text(parts: Iterable[str]) -> str:
    return "\n".join(parts).strip()[:_MOST_CHARACTERS]


def _is_statement(text: str) -> bool:
    head = _LEADING.sub("", text[:_HEAD], count=1)
    if not (_STATEMENT.match(head) or _ENDED.match(head)):
        return False
    return not _PROSE.search(_LITERAL.sub("?", head))
