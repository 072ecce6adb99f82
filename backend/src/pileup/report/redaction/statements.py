"""Find the literals and comments of SQL in any text, by the tokens of ``pileup.sql_tokens``.

A statement begins at a verb whose own words follow (``UPDATE … SET``, ``DO f(``): what is in front
of it, such as a quote, a log's prefix or a sentence, does not matter. It ends at a semicolon
outside of strings, or where a dump prints its next entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pileup.report.redaction.spans import Span
from pileup.sql_tokens import scan, without_marks

KIND = "sql"

_OBJECTS = frozenset(
    """
    TABLE INDEX DATABASE SCHEMA USER VIEW PROCEDURE FUNCTION EVENT TRIGGER UNIQUE FULLTEXT
    SPATIAL DEFINER OR TEMPORARY ALGORITHM IGNORE ONLINE SERVER ROLE INSTANCE TABLESPACE
    AGGREGATE IF SEQUENCE PREPARE
    """.split()  # noqa: SIM905
)
_VERBS: dict[str, tuple[frozenset[str], int]] = {
    "SELECT": (frozenset({"FROM", "INTO", "=", "(", "*", "@", "LITERAL", "SQL_NO_CACHE"}), 60),
    "INSERT": (frozenset({"INTO", "VALUES", "VALUE"}), 8),
    "REPLACE": (frozenset({"INTO", "VALUES", "VALUE", "("}), 8),
    "UPDATE": (frozenset({"SET"}), 16),
    "DELETE": (frozenset({"FROM"}), 8),
    "CALL": (frozenset({"("}), 4),
    "DO": (frozenset({"("}), 4),
    "SET": (frozenset({"=", "NAMES", "PASSWORD", "TRANSACTION"}), 8),
    "ALTER": (_OBJECTS, 3),
    "CREATE": (_OBJECTS, 3),
    "DROP": (_OBJECTS, 3),
    "GRANT": (frozenset({"ON", "TO"}), 40),
    "REVOKE": (frozenset({"ON", "FROM"}), 40),
    "EXECUTE": (frozenset({"USING", "IMMEDIATE", "@"}), 6),
    "PREPARE": (frozenset({"FROM"}), 4),
    "LOAD": (frozenset({"DATA", "XML"}), 2),
    "WHERE": (frozenset({"=", "<", ">", "IN", "LIKE", "BETWEEN", "REGEXP", "RLIKE"}), 16),
    "HAVING": (frozenset({"=", "<", ">"}), 16),
    "VALUES": (frozenset({"(", "ROW"}), 1),
    "VALUE": (frozenset({"("}), 1),
    "WITH": (frozenset({"AS"}), 12),
    "CHANGE": (frozenset({"MASTER", "REPLICATION"}), 1),
    "HANDLER": (frozenset({"READ", "OPEN"}), 4),
    "TRUNCATE": (frozenset({"TABLE"}), 1),
    "EXPLAIN": (frozenset({"SELECT", "UPDATE", "DELETE", "INSERT", "REPLACE"}), 4),
    "SIGNAL": (frozenset({"SQLSTATE"}), 1),
    "KILL": (frozenset({"QUERY", "CONNECTION"}), 1),
    "BINLOG": (frozenset({"LITERAL"}), 1),
}
"""Verb -> words or marks of which one follows within so many tokens."""

_VERB = re.compile(rf"\b(?:{'|'.join(_VERBS)})\b", re.IGNORECASE)
NEXT_ENTRY = re.compile(
    r"\n(?=-{3,}|\*{3,}|={3,}|TABLE LOCK|RECORD LOCKS?|(?:MySQL|MariaDB) thread|Trx |LOCK WAIT|"
    r"mysql tables in use|---TRANSACTION|# (?:Time|User@Host|Query_time|Thread_id|Schema)|"
    r"Thread \d+|#\d+ |\| *\d+ *\||\+-{2,}|\d+\t|\d{6}[ T]{1,2}\d{1,2}:\d\d|"
    r"\d{4}-\d\d-\d\d[ T]\d\d:)"
    r"|\n[^\S\n]{0,200}\n(?=[A-Z*-])"
)
_LINE = re.compile(r"\n")
_LOOSE_COMMENT = re.compile(
    r"/\*(?!!)(?P<inside>.*?)(?:\*/|$)|^--[ \t]+(?P<line>[^\n]*\w[^\n]*)$", re.DOTALL | re.MULTILINE
)
_ROW_VALUE = re.compile(r"\bhex (?P<hex>[0-9a-f][0-9a-f ]*);(?P<asc> asc )?")
_ROW_END = re.compile(r";;|; \(total |\n\n|$")
_LONGEST_ROW = 1 << 15
"""Characters of a value in a row dump; a dump of a page has 16 KiB."""
_LABELLED = re.compile(r"\block_data\b[\"'`]?[ \t]*[:|=\t][ \t]*(?P<value>[^|\n]*)", re.IGNORECASE)
"""What performance_schema.data_locks prints of a locked row."""
_PLAN_LINE = re.compile(r"^[ \t|]*->[ \t][^\n]*", re.MULTILINE)
"""A line of EXPLAIN in its form as a tree, which has conditions with literals."""
_BUFFER = re.compile(
    r"\b(?:p?(?:read|write)(?:64|v2?)?|(?:recv|send)(?:from|to|m?msg)?)\([^\"\n]{0,200}?"
    r"\"(?P<value>(?:[^\"\\\n]|\\.)*)"
)
"""What strace prints of the bytes of a call."""
_ENTITY = re.compile(
    r"&(?P<quote>apos|quot|#0?39|#0?34|#x27|#x22);(?P<value>(?:(?!&(?P=quote);)[^\n<]){1,4000})&(?P=quote);"
)
"""A string in a statement in XML."""
_NAMED_NUMBER = re.compile(r"(?<=`)[ \t]*=[ \t]*(?P<value>-?\d[\d.]{2,})")
_ROW_EVENT = re.compile(
    r"^###[ \t]+@\d+=(?P<quote>')?(?P<value>(?(quote)(?:[^'\\\n]|\\.)*|[^\s]+))", re.MULTILINE
)
"""A value of a row, as mysqlbinlog -v prints it."""
_CURLY = re.compile(r"[“‘„](?P<value>[^“”‘’„\n]+)(?:[”’“]|$)")
"""A string whose quotes a word processor has changed; a cut statement may end in it."""
_PLAIN_STRING = re.compile(r"'((?:[^']|'')*)(?:'|$)")
"""A string under NO_BACKSLASH_ESCAPES."""
_BOTH_CLOSE = re.compile(r"'(?='(?:[^\w'\n]|$)(?:[^'\n]|(?<=\w)'(?=\w))*(?:\n|$))")
"""The end of a string that is also the end of the quoted statement: the line has no other quote."""
_CELL_END = re.compile(r" *\|")
_IDENTIFIER = re.compile(r"[\w$]+")
_BEFORE_TABLE = frozenset({"UPDATE", "INTO", "JOIN", "TABLE"})
_COMMON = frozenset({"0", "1"})
"""Numbers too common to identify anything."""
_KEPT_BEFORE = frozenset({"NAMES", "COLLATE", "CHARSET", "ENGINE"})
_WITHIN_SELECT = frozenset({"FROM", "INTO", "=", "SQL_NO_CACHE"})
_MOST_VERB = 1500
"""Characters in which the words of a verb must follow."""
_LONGEST_STRING = 4000
"""Characters after its line in which a string of prose ends."""
_BEFORE_OPERAND = frozenset("(,=<>!+-*/%|&^~") | frozenset(
    """
    AND OR XOR NOT IN LIKE BETWEEN LIMIT OFFSET INTERVAL THEN ELSE WHEN SELECT RETURN DO VALUES
    REGEXP RLIKE DIV MOD BY
    """.split()  # noqa: SIM905
)
_PREFIX = re.compile(r"(?:[xXbBnN]|_[0-9A-Za-z]+)(?=')")


_BEFORE_IN_FILES = frozenset(
    [
        "FROM",
        "FOR",
        "TO",
        "ON",
        "CASE",
        "HAVING",
        "WHERE",
        "ESCAPE",
        "DEFAULT",
        "IF",
        "WHILE",
        "ALL",
    ]
)


class Statements:
    """The statements of one text: their literals and comments, and where they are.

    A number is a literal behind an operator or a keyword that takes an operand.

    raw: lines of a file, where a statement spans lines. In prose it ends with its line, and words
         that sentences also put in front of numbers are no keywords.
    inside: the text begins within a statement.
    """

    def __init__(self, text: str, *, raw: bool, inside: bool = False) -> None:
        self._text = without_marks(text)
        self._operands = _BEFORE_OPERAND | _BEFORE_IN_FILES if raw else _BEFORE_OPERAND
        self.spans: list[Span] = []
        self.regions: list[tuple[int, int]] = []
        """Start and end of each statement."""
        at = 0
        ending = NEXT_ENTRY if raw else _LINE
        while at <= len(text):
            stop = ending.search(text, at)
            end = stop.start() if stop else len(text)
            if not raw and stop is not None:
                self._read_open_string(at, end)
            self._read(at, end, inside=inside)
            inside = False
            at = stop.end() if stop else len(text) + 1
        for match in _LOOSE_COMMENT.finditer(self._text):
            if raw or match[0].endswith("*/"):
                self._add_words(*match.span("inside" if match["inside"] is not None else "line"))
        for match in _ROW_EVENT.finditer(self._text):
            self.spans.append(Span(*match.span("value"), KIND, match["value"]))
        for match in _NAMED_NUMBER.finditer(self._text):
            self.spans.append(Span(*match.span("value"), KIND, match["value"], "'", "'"))
        for match in _ENTITY.finditer(self._text):
            self.spans.append(Span(*match.span("value"), KIND, match["value"]))
        self._read_dumps()

    def _read_dumps(self) -> None:
        """Add what is a value because of where it is printed: rows, locks, plans and buffers."""
        for match in _ROW_VALUE.finditer(self._text):
            self.spans.append(Span(*match.span("hex"), KIND, match["hex"]))
            if match["asc"]:
                self._row_text(match.end(), len(match["hex"].replace(" ", "")) // 2)
        for match in _LABELLED.finditer(self._text):
            self._values(*match.span("value"))
        for match in _PLAN_LINE.finditer(self._text):
            self._literals(*match.span())
        for match in _BUFFER.finditer(self._text):
            if any(letter.isalnum() for letter in match["value"]):
                self.spans.append(Span(*match.span("value"), KIND, match["value"]))

    def _row_text(self, start: int, length: int) -> None:
        """Add the letters of a value in a row dump: as many as it has bytes, whichever they are."""
        end = start + length
        if self._text[end : end + 1] != ";":
            limit = min(start + max(4 * length, _LONGEST_ROW), len(self._text))
            found = _ROW_END.search(self._text, start, limit)
            end = found.start() if found else limit
        value = self._text[start:end]
        words = value.strip()
        if any(letter.isalnum() for letter in words):
            first = start + len(value) - len(value.lstrip())
            self.spans.append(Span(first, first + len(words), KIND, words))

    def _values(self, start: int, end: int) -> None:
        """Add every string and number between two places."""
        for kind, begin, stop in scan(self._text, start, end):
            if kind == "string":
                self._string(begin, stop, "")
            elif kind == "number" and self._text[begin:stop] not in _COMMON:
                self.spans.append(Span(begin, stop, KIND, self._text[begin:stop], "'", "'"))

    @property
    def is_open(self) -> bool:
        """Whether the text ends within a statement."""
        return bool(self.regions) and self.regions[-1][1] == len(self._text)

    def _read_open_string(self, at: int, end: int) -> None:
        """Read a statement of prose whose line ends within a string up to the end of the string.

        Its lines are read one by one besides: what looks like an open string may be a cut one.
        """
        verb = _VERB.search(self._text, at, end)
        if verb is None or not self._is_statement(verb.start(), end):
            return
        *_, (kind, start, stop) = scan(self._text, verb.start(), end)
        quote = self._text[start : start + 1]
        closed = stop - start > 1 and self._text[stop - 1] == quote
        if kind != "string" or quote not in ("'", '"') or closed:
            return
        limit = min(len(self._text), end + _LONGEST_STRING)
        paragraph = self._text.find("\n\n", end, limit)
        close = self._text.find(quote, end, paragraph if paragraph >= 0 else limit)
        if close >= 0:
            line = self._text.find("\n", close)
            self._literals(verb.start(), line if line >= 0 else len(self._text))

    def _read(self, at: int, end: int, *, inside: bool) -> None:
        """Read the statements between two places."""
        while True:
            start = at
            if not inside:
                verb = _VERB.search(self._text, at, end)
                if verb is None:
                    return
                start, at = verb.span()
            if inside or self._is_statement(start, end):
                at = self._literals(start, self._end_of_quoted(start, end))
                self.regions.append((start, at))
            inside = False

    def _end_of_quoted(self, start: int, end: int) -> int:
        """Return where a statement ends: one that a message quotes ends with its line at most."""
        if self._text[start - 1 : start] not in ("'", '"') or start == 0:
            return end
        line = self._text.find("\n", start, end)
        return end if line < 0 else line

    def _is_statement(self, start: int, end: int) -> bool:
        """Return whether the verb at this place begins a statement."""
        found = _VERB.match(self._text, start, end)
        if found is None:
            return False
        verb = found[0].upper()
        words, most = _VERBS[verb]
        seen = 0
        for kind, begin, stop in scan(self._text, found.end(), min(end, start + _MOST_VERB)):
            if kind in ("space", "comment"):
                continue
            seen += 1
            word = "LITERAL" if kind in ("string", "number") else self._text[begin:stop].upper()
            if seen > most or word == ";":
                return False
            if verb == "SELECT" and seen > 2 and word not in _WITHIN_SELECT:
                continue  # a sentence has parentheses and numbers too
            if word in words or (word[0] == "@" and "@" in words):
                return True
        return False

    def _literals(self, at: int, end: int) -> int:
        """Add the spans of the statement that begins here; return where it ends."""
        begin, before, string_at = at, "", -1
        ambiguous = False
        is_quoted = self._text[max(0, at - 1) : at] == "'"
        for kind, start, stop in scan(self._text, at, end):
            # A backslash that escapes nothing (NO_BACKSLASH_ESCAPES) makes a string end too late,
            # in front of the words of the next one.
            ambiguous |= kind == "word" and start == string_at
            if kind == "space":
                continue
            if kind == "comment":
                self._comment(start, stop)
                continue
            written = self._text[start:stop]
            if written == ";":
                end = stop
                break
            if kind == "string":
                both = _BOTH_CLOSE.search(self._text, start + 1, end) if is_quoted else None
                if both is not None and both.end() < stop:
                    end = both.end()
                    self._string(start, end, before)
                    break
                self._string(start, stop, before)
                string_at = stop if "\\" in written else -1
            elif (
                kind == "number"
                and written not in _COMMON
                and (before in self._operands or written[:2] in ("0x", "0X", "0b", "0B"))
                and not (before == "|" and self._is_cell(start, stop))
            ):
                self.spans.append(Span(start, stop, KIND, written, "'", "'"))
            before = written.upper()
        for match in _CURLY.finditer(self._text, begin, end):
            self.spans.append(Span(*match.span("value"), KIND, match["value"]))
        if ambiguous:
            for match in _PLAIN_STRING.finditer(self._text, begin, end):
                if match[1].strip():
                    self.spans.append(Span(*match.span(1), KIND, match[1]))
        return end

    def _is_cell(self, start: int, stop: int) -> bool:
        """Return whether a number is a cell of its own, behind a statement in a row of a table."""
        line = self._text.rfind("\n", max(0, start - _LONGEST_STRING), start) + 1
        return self._text[line : line + 1] == "|" and _CELL_END.match(self._text, stop) is not None

    def _string(self, start: int, stop: int, before: str) -> None:
        """Add the inside of a string; a cut one has no quote at its end."""
        written = self._text[start:stop]
        prefix = _PREFIX.match(written)
        start += prefix.end() if prefix else 0
        quote = self._text[start]
        inner = start + 1
        closed = stop - inner >= 1 and self._text[stop - 1] == quote
        last = stop - 1 if closed else stop
        value = self._text[inner:last]
        if quote == '"' and before in _BEFORE_TABLE and _IDENTIFIER.fullmatch(value):
            return  # the name of a table, under ANSI_QUOTES
        if value.strip() and value not in _COMMON and before not in _KEPT_BEFORE:
            self.spans.append(Span(inner, last, KIND, value))

    def _comment(self, start: int, stop: int) -> None:
        """Add the words of a comment; the marks of an executable one are code."""
        written = self._text[start:stop]
        if written.startswith("/*!") or written == "*/":
            return
        if written.startswith("/*"):
            self._add_words(start + 2, stop - 2 if written.endswith("*/") else stop)
        else:
            self._add_words(start + (2 if written[0] == "-" else 1), stop)

    def _add_words(self, start: int, stop: int) -> None:
        """Add a comment without the blanks around it."""
        inside = self._text[start:stop]
        words = inside.strip()
        if words:
            first = start + len(inside) - len(inside.lstrip())
            self.spans.append(Span(first, first + len(words), KIND, words))


def literals(statement: str) -> Iterator[str]:
    """Yield the values of the literals and comments of one statement."""
    found = Statements(statement, raw=True, inside=True)
    return (span.value for span in found.spans)
