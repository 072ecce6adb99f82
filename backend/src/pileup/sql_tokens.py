r"""Split SQL statements of MySQL and MariaDB into tokens, and normalise them to shapes.

This module is the only lexer of SQL: what groups statements (``shape``, ``shapes``) and what
redacts literals uses ``tokens``. It belongs to no layer and imports none.

Grammar: the manual's chapter "Language Structure". Comments are ``/* */``, ``#`` and ``--`` before
        white space; the code of ``/*! */`` is code. Double quotes hold strings (no ANSI_QUOTES).
        What is cut (a processlist prints the first 100 characters) ends its last token.
Speed:  ``shapes`` first collapses a column in Rust with the same patterns, so that only distinct
        texts are split here (docs/adr/0017-sql-lexer.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import polars as pl

MOST = 1000
"""Characters of a statement that its shape uses."""

Kind = Literal["space", "comment", "string", "number", "quoted", "word", "other"]


class Token(NamedTuple):
    kind: Kind
    text: str


# Patterns that Python (with re.ASCII and re.DOTALL) and Rust (with (?s)) read alike; in Rust the
# boundary of a word needs the flag for ASCII.
_BOUNDARY, _RUST_BOUNDARY = r"\b", r"(?-u:\b)"
_LETTERS = "0-9A-Za-z_"
_FURTHER = "$@\x80-\U0010ffff"
_WORD = f"[{_LETTERS}{_FURTHER}]+"
_ODD_WORD = f"[{_LETTERS}]*[{_FURTHER}][{_LETTERS}{_FURTHER}]*"
_QUOTED = r"`(?:[^`]|``)*(?:`|$)"
_STRING = (
    rf"(?:{_BOUNDARY}(?:[xXbBnN]|_[0-9A-Za-z]+))?'(?:[^'\\]|\\(?:.|$)|'')*(?:'|$)"
    r'|"(?:[^"\\]|\\(?:.|$)|"")*(?:"|$)'
)
_COMMENT = (
    r"/\*(?:[^!*]|\*+[^*/])(?:[^*]|\*+[^*/])*(?:\*+/|\**$)|/\*\*+(?:/|$)|/\*$"
    r"|/\*![0-9]*|\*/|--(?:[ \t\r\n\x0b\x0c][^\n]*|$)|#[^\n]*"
)
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_NUMBER = (
    rf"(?:{_BOUNDARY}(?:0[xX][0-9A-Fa-f]+|0[bB][01]+|[0-9]+(?:\.[0-9]*)?{_EXPONENT})"
    rf"|\.[0-9]+{_EXPONENT}){_BOUNDARY}"
)
_LITERAL_MARK, _COMMENT_MARK = "\x01", "\x02"
"""What ``shapes`` leaves in place of a token that it drops, and behind one that it steps over."""
_MARKS = re.compile("[\x01\x02]+")
_BLANKS = {1: " ", 2: " "}

_TOKEN = re.compile(
    rf"(?P<space>[ \t\r\n\x0b\x0c]+)|(?P<comment>{_COMMENT}|\x02\x01?)"
    rf"|(?P<string>(?:{_STRING})\x02?|\x01)|(?P<number>{_NUMBER})"
    rf"|(?P<quoted>{_QUOTED})\x02?\x01?"
    rf"|(?P<word>[{_LETTERS}]+(?![{_LETTERS}{_FURTHER}])|{_WORD}\x01?)"
    r"|(?P<other>.)",
    re.ASCII | re.DOTALL,
)


def _rust(pattern: str) -> str:
    return "(?s)" + pattern.replace(_BOUNDARY, _RUST_BOUNDARY)


_RUST_COMMENTS = _rust(rf"({_STRING}|{_QUOTED})|(?:{_COMMENT})")
_RUST_LITERALS = _rust(rf"(?:{_STRING})\x02?|{_NUMBER}|(\x02|{_QUOTED}\x02?|{_ODD_WORD})")
_SPACE = r"[ \t\r\n\x0b\x0c]*"
_NAMED = "(?i:NULL|TRUE|FALSE|DEFAULT)"
_ITEM = rf"(?:[-+]?{_SPACE}\x01|\(\x01\))"
_RUST_LIST = (
    rf"\({_SPACE}(?:{_NAMED}{_SPACE},{_SPACE})*{_ITEM}"
    rf"(?:{_SPACE},{_SPACE}(?:{_NAMED}|{_ITEM}))*{_SPACE}\)"
)
_RUST_ROWS = _rust(rf"(\b(?i:VALUES?){_SPACE}\(\x01\))(?:{_SPACE},{_SPACE}\(\x01\))+")

_KEYWORDS = frozenset(
    """
    ADD ALL ALTER ANALYZE AND AS ASC BEGIN BETWEEN BINARY BY CALL CASCADE CASE CHANGE CHECK COLLATE
    COLUMN COMMIT CONSTRAINT CREATE CROSS CURRENT_DATE CURRENT_TIMESTAMP DATABASE DEFAULT DELAYED
    DELETE DESC DESCRIBE DISTINCT DISTINCTROW DIV DROP DUPLICATE ELSE END ENGINE EXISTS EXPLAIN
    FALSE FOR FORCE FOREIGN FROM FULL FULLTEXT GROUP HAVING HIGH_PRIORITY IF
    IGNORE IN INDEX INNER INSERT
    INTERVAL INTO IS JOIN KEY KEYS KILL LEFT LIKE LIMIT LOAD LOCK LOW_PRIORITY MATCH MOD MODE
    NATURAL NOT NULL OFFSET ON OPTIMIZE OR ORDER OUTER OVER PARTITION PRIMARY PROCEDURE RECURSIVE
    REFERENCES
    REGEXP RENAME REPLACE RETURNING RIGHT RLIKE ROLLBACK SELECT SET SHARE SHOW SQL_CALC_FOUND_ROWS
    SQL_NO_CACHE START STRAIGHT_JOIN TABLE TABLES THEN TO TRANSACTION TRUE TRUNCATE UNION UNIQUE
    UNLOCK UPDATE USE USING VALUE VALUES VIEW WHEN WHERE WINDOW WITH WRITE XOR
    """.split()  # noqa: SIM905
)
_IN_LISTS = frozenset({"?", "NULL", "TRUE", "FALSE", "DEFAULT", ",", "(?)"})
_BEFORE_SIGN = frozenset("(,=<>!+-*/%|&^~") | (_KEYWORDS - {"NULL", "TRUE", "FALSE", "END"})


def tokens(statement: str) -> Iterator[Token]:
    """Yield every token; their texts joined are the statement."""
    for match in _TOKEN.finditer(_MARKS.sub(" ", statement)):
        yield Token(_kind(match), match[0])


def scan(text: str, start: int, end: int) -> Iterator[tuple[Kind, int, int]]:
    """Yield kind, start and end of every token between two places of a long text.

    The text must be free of the marks that ``shapes`` uses (see ``without_marks``).
    """
    for match in _TOKEN.finditer(text, start, end):
        yield _kind(match), match.start(), match.end()


def without_marks(text: str) -> str:
    """Return the text, of the same length, with blanks for what ``shapes`` uses as marks."""
    return text.translate(_BLANKS)


def shape(statement: str) -> str:
    """Return the shape of a statement: what stays the same when its literals change.

    Literals become ``?`` with their sign, lists and rows of literals one ``(?)``, blanks one blank;
    comments are dropped; keywords are upper case. Identifiers stay as they are written.
    """
    return _shape(_MARKS.sub(" ", statement[:MOST]))


def shapes(statements: pl.Expr) -> pl.Expr:
    """Return the ``shape`` of each statement of a column; null stays null."""
    return statements.map_batches(_shapes_of, return_dtype=pl.String)


def _shapes_of(column: pl.Series) -> pl.Series:
    text = column.str.slice(0, MOST).str.replace_all("[\x01\x02]+", " ")
    has_comment = text.str.contains_any(["/*", "*/", "--", "#"]).fill_null(value=False)
    if has_comment.any():
        without = text.filter(has_comment).str.replace_all(_RUST_COMMENTS, f"${{1}}{_COMMENT_MARK}")
        text = text.scatter(has_comment.arg_true(), without)
    text = text.str.replace_all(_RUST_LITERALS, f"${{1}}{_LITERAL_MARK}")
    text = text.str.replace_all(_RUST_LIST, f"({_LITERAL_MARK})")
    text = text.str.replace_all(_RUST_ROWS, "${1}")
    distinct = text.unique()
    known = pl.Series(
        [None if each is None else _shape(each) for each in distinct], dtype=pl.String
    )
    return text.replace_strict(distinct, known, return_dtype=pl.String).alias(column.name)


def _kind(match: re.Match[str]) -> Kind:
    kind = match.lastgroup
    return kind or "other"  # type: ignore[return-value]  # the names of the groups


class _Shape:
    """Collects the parts of a shape; a part is a token or a collapsed list."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._open: list[int] = []
        """Positions of the open parentheses in ``parts``."""
        self._rows_at: int | None = None
        """How many parts there were after the first row of VALUES."""

    def last(self) -> int:
        """Return the position of the last part that is no blank; -1 without one."""
        at = len(self.parts) - 1
        return at - 1 if at >= 0 and self.parts[at] == " " else at

    def space(self) -> None:
        if self.parts and self.parts[-1] != " ":
            self.parts.append(" ")

    def literal(self) -> None:
        parts, at = self.parts, self.last()
        if at >= 0 and parts[at] in ("-", "+"):
            before = at - 2 if at > 0 and parts[at - 1] == " " else at - 1
            if before < 0 or parts[before] in _BEFORE_SIGN:
                del parts[at:]
        parts.append("?")

    def close(self) -> None:
        if not self._open:
            self.parts.append(")")
            return
        start = self._open.pop()
        inside = [part for part in self.parts[start + 1 :] if part != " "]
        if _IN_LISTS.issuperset(inside) and ("?" in inside or "(?)" in inside):
            self.parts[start:] = ["(?)"]
        else:
            self.parts.append(")")
        self._end_row(start)

    def _end_row(self, start: int) -> None:
        """Drop a further row of VALUES that begins at ``start``; note the end of the first."""
        before = [part for part in self.parts[max(0, start - 3) : start] if part != " "]
        if before and before[-1] in ("VALUES", "VALUE"):
            self._rows_at = len(self.parts)
        elif self._rows_at is not None and {" ", ","}.issuperset(self.parts[self._rows_at : start]):
            del self.parts[self._rows_at :]

    def open(self) -> None:
        self._open.append(len(self.parts))
        self.parts.append("(")


def _shape(text: str) -> str:
    built = _Shape()
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "word":
            word = match["word"].rstrip(_LITERAL_MARK)
            upper = word.upper()
            is_name = bool(built.parts) and built.parts[-1] == "."
            built.parts.append(upper if upper in _KEYWORDS and not is_name else word)
        elif kind in ("space", "comment"):
            built.space()
        elif kind in ("string", "number"):
            built.literal()
        elif kind == "quoted":
            built.parts.append(_MARKS.sub("", match["quoted"]))  # one that is cut holds them
        elif match[0] == "(":
            built.open()
        elif match[0] == ")":
            built.close()
        else:
            built.parts.append(match[0])
    return " ".join("".join(built.parts).split()).rstrip("; ")


__all__ = ["MOST", "Kind", "Token", "scan", "shape", "shapes", "tokens", "without_marks"]
