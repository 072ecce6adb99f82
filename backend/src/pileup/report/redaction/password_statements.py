"""Find passwords in SQL statements by their tokens, so that comments and functions hide none.

What marks a literal as a password: a clause (``IDENTIFIED … BY``), a name whose last word is one
(``password = MD5('…')``, a column of ``INSERT``), or a function that hashes or encrypts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from pileup.report.redaction.spans import Span
from pileup.sql_tokens import scan, without_marks

KIND = "passwords"

NEEDED = re.compile(
    r"identified|crypt|code\s*\(|values?\b|replace\s+['\"]|select"
    r"|[\w`]\s*:?=\s*(?:\([\s(]*['\"]|\(*\w+\s*['\"(])",
    re.IGNORECASE,
)
"""What a text must hold for its tokens to be worth reading."""
_MOST_CLAUSE = 40
"""Tokens behind IDENTIFIED in which its clause ends."""
_MOST_CALL = 400
"""Tokens of the arguments of a function, and of a list of columns."""
_HASHES = frozenset({"PASSWORD", "OLD_PASSWORD", "ENCRYPT"})
_WITH_KEY = frozenset(
    {"AES_ENCRYPT", "AES_DECRYPT", "DES_ENCRYPT", "DES_DECRYPT", "ENCODE", "DECODE"}
)
"""Functions of a text and a key."""
_OPEN = re.compile(
    r"(?:identified\s+(?:with\s+\S{1,80}\s+)?(?:by|as|using)|password\s*(?:=|\(|for\s+\S{1,300}\s*=))"
    r"\s*[\\'\"]{0,4}$",
    re.IGNORECASE,
)
"""The end of a string that a password is joined to."""
_PREFIX = re.compile(r"(?:[xXbBnN]|_[0-9A-Za-z]+)(?=')")


class _Token(NamedTuple):
    kind: str
    start: int
    end: int
    word: str
    """In capitals, without the marks around a name."""


def statement_passwords(text: str, is_name: Callable[[str], bool]) -> Iterator[Span]:
    """Yield the passwords in the statements of a text.

    is_name: whether the value of a column or variable of this name is a password.
    """
    if NEEDED.search(text) is None:
        return
    plain = without_marks(text)
    tokens = [
        _Token(kind, start, end, plain[start:end].strip("`@").upper())
        for kind, start, end in scan(plain, 0, len(plain))
        if kind not in ("space", "comment")
    ]
    reader = _Reader(plain, tokens, is_name)
    for at in range(len(tokens)):
        for literal in reader.found_at(at):
            if (span := _inside(plain, literal)) is not None:
                yield span


class _Reader:
    def __init__(self, text: str, tokens: Sequence[_Token], is_name: Callable[[str], bool]) -> None:
        self._text = text
        self._tokens = tokens
        self._is_name = is_name
        self._clause_ends = -1
        """The token at which the clause of the last IDENTIFIED ends."""
        self._rows_end = -1
        """The token at which the rows of the last INSERT end."""

    def found_at(self, at: int) -> Iterator[_Token]:
        """Yield the literals that are passwords because of the token here."""
        token = self._tokens[at]
        if token.kind == "string":
            if _OPEN.search(self._text, max(token.start, token.end - 400), token.end - 1):
                yield from self._strings_of_call(at + 1)
            return
        if token.kind not in ("word", "quoted"):
            return
        if token.word == "IDENTIFIED":
            self._clause_ends = at + _MOST_CLAUSE
        elif token.word in ("BY", "AS", "USING") and at < self._clause_ends:
            skipped = self._word(at + 1) == "PASSWORD" and self._word(at + 2) != "("
            yield from self._value(at + (2 if skipped else 1))
        elif token.word == "REPLACE" and self._is_old_password(at):
            yield from self._value(at + 1)
        elif token.word in _HASHES and self._word(at + 1) == "(":
            yield from self._literals(self._arguments(at + 1))
        elif token.word in _WITH_KEY and self._word(at + 1) == "(":
            arguments = self._arguments(at + 1)
            yield from self._literals(arguments[_first_comma(arguments) :])
        elif token.word in ("VALUES", "VALUE", "SELECT") and self._word(at - 1) == ")":
            yield from self._columns(at)
        elif self._assigns(at + 1) and self._is_name(self._written(token)):
            yield from self._value(at + (3 if self._word(at + 1) == ":" else 2))

    def _word(self, at: int) -> str:
        return self._tokens[at].word if 0 <= at < len(self._tokens) else ""

    def _written(self, token: _Token) -> str:
        return self._text[token.start : token.end].strip("`@")

    def _assigns(self, at: int) -> bool:
        return self._word(at) == "=" or (self._word(at) == ":" and self._word(at + 1) == "=")

    def _is_old_password(self, at: int) -> bool:
        """Return whether REPLACE here names the password that a statement replaces."""
        if at + 1 >= len(self._tokens) or self._tokens[at + 1].kind != "string":
            return False
        before = {self._word(each) for each in range(max(at - _MOST_CLAUSE, 0), at)}
        return "IDENTIFIED" in before or "PASSWORD" in before

    def _value(self, at: int) -> Iterator[_Token]:
        """Yield the literals of the expression here: one literal, or those of a call."""
        while self._word(at) == "(":
            at += 1
        if self._word(at + 1) == "(" and at < len(self._tokens) and self._tokens[at].kind == "word":
            yield from self._literals(self._arguments(at + 1))
        elif at < len(self._tokens):
            token = self._tokens[at]
            if token.kind == "word" and token.word.startswith("_"):  # a character set, apart
                at += 1
            yield from self._literals(self._tokens[at : at + 1])

    def _literals(self, tokens: Sequence[_Token]) -> Iterator[_Token]:
        for token in tokens:
            if token.kind == "string" or (token.kind == "number" and token.end - token.start > 3):
                yield token

    def _strings_of_call(self, at: int) -> Iterator[_Token]:
        """Yield the strings up to the parenthesis that closes the call we are in."""
        for token in islice(self._tokens, at, at + _MOST_CLAUSE):
            if token.word in (")", ";"):
                return
            if token.kind == "string":
                yield token

    def _arguments(self, at: int) -> Sequence[_Token]:
        """Return the tokens between this parenthesis and its counterpart."""
        depth = 0
        for end in range(at, min(len(self._tokens), at + _MOST_CALL)):
            depth += {"(": 1, ")": -1}.get(self._word(end), 0)
            if depth == 0 or self._word(end) == ";":
                return self._tokens[at + 1 : end]
        return self._tokens[at + 1 : at + _MOST_CALL]

    def _columns(self, at: int) -> Iterator[_Token]:
        """Yield what the rows behind a list of columns have in those of passwords."""
        first = at - 1
        while first > max(at - _MOST_CALL, 0) and self._word(first) != "(":
            first -= 1
        names = [self._written(token) for token in self._tokens[first + 1 : at - 1]]
        columns = [name for name in names if name != ","]
        wanted = {number for number, name in enumerate(columns) if self._is_name(name)}
        if not wanted or len(names) != 2 * len(columns) - 1 or at < self._rows_end:
            return
        depth = 0 if self._word(at) != "SELECT" else 1
        column = 0
        for number, token in enumerate(islice(self._tokens, at + 1, None), start=at + 1):
            self._rows_end = number
            is_next = depth == 0 and token.word not in ("(", ",", "ROW")
            if token.word == ";" or is_next or (token.word == "FROM" and depth == 1):
                return
            depth += {"(": 1, ")": -1}.get(token.word, 0)
            if token.word == "(" and depth == 1:
                column = 0
            elif token.word == "," and depth == 1:
                column += 1
            elif column in wanted and token.kind in ("string", "number"):
                yield token


def _first_comma(tokens: Sequence[_Token]) -> int:
    depth = 0
    for at, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.word, 0)
        if token.word == "," and depth == 0:
            return at
    return len(tokens)


def _inside(text: str, token: _Token) -> Span | None:
    """Return the inside of a literal; None for an empty one."""
    start, end = token.start, token.end
    if token.kind == "string":
        prefix = _PREFIX.match(text, start)
        start = prefix.end() if prefix else start
        quote = text[start]
        start += 1
        if end > start and text[end - 1] == quote:
            end -= 1
    value = text[start:end]
    if not any(letter.isalnum() for letter in value):
        return None
    return Span(start, end, KIND, value)
