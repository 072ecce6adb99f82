"""Redact rows of tables and structures of plain values: each text by the name of its field.

The fields that hold a user, a host or a statement are listed here and nowhere else; every other
text goes through the redactor as lines of a file do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec

from pileup.report.redaction.document_redaction import raise_leaks
from pileup.report.redaction.html_redaction import PROSE, html_pieces
from pileup.report.redaction.passwords import KIND as PASSWORDS
from pileup.report.redaction.passwords import is_password
from pileup.report.redaction.redactor import Redactor, is_address

USERS = ("user", "username")
HOSTS = ("client_host", "host", "hosts", "given_host", "client")
STATEMENTS = ("query", "waiting_query", "blocking_query", "info", "sql_text")

_KINDS = dict.fromkeys(USERS, "users") | dict.fromkeys(HOSTS, "hosts")
_PLAIN = frozenset({"id", "sha256", "artifact", "state", "schema"})
"""Fields of identifiers and states, which no person or server wrote. An id may hold the name of a
host; other texts name it too, so it is replaced there as well."""
_SUBJECTS = ("name", "column", "key")
"""Fields that name a setting or a column, whose values are in ..."""
_VALUES = frozenset({"value", "values", "a", "b", "before", "after", "host_value", "fleet_value"})
_KEY = "key of a dictionary"
_IDENTIFIER = "identifier"
_MOST_JSON = 1 << 24

Cell = Any
T = TypeVar("T")
Act = Callable[[str, str], str]
"""Takes the name of a field and its text, and returns the text to put there."""


class RowRedaction:
    """Redacts the rows of one table; column and previous cell are the context of a cell."""

    def __init__(self, columns: Sequence[str], redactor: Redactor) -> None:
        self.columns = [redactor.text(column) for column in columns]
        self._fields = [column.strip().lower() for column in columns]
        self._redactor = redactor

    def learn(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Add the values of the rows to the table of known values."""
        for row in rows:
            self._each(row, lambda field, value: learn(self._redactor, field, value))

    def rows(self, rows: Iterable[Sequence[Cell]]) -> Iterator[list[Cell]]:
        """Yield the redacted rows; raises Leak when a known value is left in one."""
        self._check(self.columns)
        for row in rows:
            done = self._each(row, lambda field, value: field_text(self._redactor, field, value))
            self._check(done)
            yield done

    def _each(self, row: Sequence[Cell], act: Act) -> list[Cell]:
        done: list[Cell] = []
        before = ""
        for at, cell in enumerate(row):
            field = self._fields[at] if at < len(self._fields) else ""
            if isinstance(cell, str):
                named = any(is_password(name, cell) for name in (field, before))
                done.append(act(PASSWORDS if named else field, cell))
                before = cell.strip()
            else:
                done.append(cell)
                before = ""
        return done

    def _check(self, cells: Sequence[Cell]) -> None:
        raise_leaks(
            ((f"column {at}", cell) for at, cell in enumerate(cells, 1) if isinstance(cell, str)),
            self._redactor,
        )


def field_text(redactor: Redactor, field: str, value: str) -> str:
    """Redact the text of one field."""
    if field == _IDENTIFIER:
        return redactor.identifier(value)
    if field == PASSWORDS:
        return redactor.password(value)
    if (kind := _kind(field, value)) is not None:
        name, colon, port = _parts(value)
        return redactor.text(redactor.name(kind, name), raw=True) + colon + port
    return redactor.text(value, raw=field != PROSE, inside=field in STATEMENTS)


def learn(redactor: Redactor, field: str, value: str) -> str:
    """Add the values of the text of one field to the table of known values; return it as it is."""
    if field == _IDENTIFIER:
        return value
    if field == PASSWORDS:
        redactor.known.add(PASSWORDS, (value,))
    elif (kind := _kind(field, value)) is None:
        redactor.learn(value, raw=field != PROSE, inside=field in STATEMENTS)
    elif kind in redactor.kinds:
        redactor.known.add(kind, (_parts(value)[0],))
    return value


def redact_plain(
    content: T, redactor: Redactor, columns: Collection[str] = (), *, html: bool = False
) -> T:
    """Return structs, lists and dictionaries with every text redacted.

    They are read twice: what is found in one place is replaced in every other. Choices of the
    format (fields of Literals), identifiers and states stay, and so do keys of dictionaries that
    are ``columns``. html: these are sections of a report, with HTML that ``report/render`` made.
    Raises Leak.

    Most texts of a document come again and again: what one keeps as it is, is decided once.
    """
    kept: set[tuple[str, str]] = set()

    def change(field: str, text: str) -> str:
        if (field, text) in kept or (field == _KEY and text in columns):
            return text
        done = field_text(redactor, field, text)
        if done == text and field != PASSWORDS:
            kept.add((field, text))
        return done

    found: list[tuple[str, str]] = []

    def note(field: str, text: str) -> str:
        if field != _KEY or text not in columns:
            found.append((field, text))
        return text

    learn_plain(content, redactor, html=html)
    done = _walk(content, "", _of_html(change) if html else change)
    _walk(done, "", _of_html(note) if html else note)
    raise_leaks(found, redactor)
    return cast(T, done)


def learn_plain(content: Any, redactor: Redactor, *, html: bool = False) -> None:
    """Add the values of structs, lists and dictionaries to the table of known values."""
    learned: set[tuple[str, str]] = set()

    def once(field: str, text: str) -> str:
        if (field, text) not in learned:
            learned.add((field, text))
            learn(redactor, field, text)
        return text

    _walk(content, "", _of_html(once) if html else once)


def _of_html(act: Act) -> Act:
    """Return what acts on the Markdown and each text of the HTML, as on sentences of a report."""

    def inside(field: str, text: str) -> str:
        if field == "html":
            return html_pieces(text, act)
        return act(PROSE if field == "text" else field, text)

    return inside


def _kind(field: str, value: str) -> str | None:
    """Return what the value of a field is by its name; an address is found as one anywhere."""
    kind = _KINDS.get(field)
    return None if kind == "hosts" and is_address(_parts(value)[0]) else kind


def _parts(value: str) -> tuple[str, str, str]:
    """Divide the host and the port of a client: app-3:51234. An IPv6 address stays whole."""
    name, colon, port = value.rpartition(":")
    return (name, colon, port) if port.isdigit() and ":" not in name else (value, "", "")


class _Number(str):
    """A number in the JSON of a file, as it is written there: it may be a password or a card."""

    __slots__ = ()


def _walk(node: Any, field: str, act: Act) -> Any:
    if isinstance(node, _Number):
        done = act(PASSWORDS if is_password(field, node) else field, node)
        return json.loads(node) if done == node else done
    if isinstance(node, str):
        return _text(node, field, act)
    if isinstance(node, msgspec.Struct):
        subject = [getattr(node, name, None) for name in _SUBJECTS]
        texts = {
            name: _walk(getattr(node, name), _meaning(name, subject), act)
            for name in node.__struct_fields__
            if name not in _choices(type(node))
        }
        return msgspec.structs.replace(node, **texts)
    if isinstance(node, dict):
        subject = [node.get(name) for name in _SUBJECTS]
        return {
            act(_KEY, str(name)): _walk(value, _meaning(str(name), subject), act)
            for name, value in node.items()
        }
    if isinstance(node, list | tuple):
        return type(node)(_walk(item, field, act) for item in node)
    return node


def _meaning(field: str, subject: list[Any]) -> str:
    """Return what a field holds: the value of a setting or of a column is what this names."""
    if field in _VALUES:
        for name in (item for named in subject for item in (named if _is_list(named) else [named])):
            if isinstance(name, str) and (is_password(name) or name.lower() in _KINDS):
                return name.lower()
    return field


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _text(node: str, field: str, act: Act) -> str:
    if field in _PLAIN or field.endswith("_id"):
        return act(_IDENTIFIER, node)
    if node[:1] in ("{", "[") and len(node) < _MOST_JSON:
        try:
            plain = json.loads(node)
            if isinstance(plain, dict | list):
                inside = json.loads(node, parse_int=_Number, parse_float=_Number)
                done = _walk(inside, field, act)
                return node if done == plain else json.dumps(done, ensure_ascii=False)
        except (ValueError, RecursionError):
            pass  # no JSON, or deeper than any program reads: a text like others
    return act(PASSWORDS if is_password(field, node) else field, node)


@cache
def _choices(of: type) -> frozenset[str]:
    """Return the fields of a struct whose values the format lists."""
    return frozenset(name for name, hint in get_type_hints(of).items() if _has_literal(hint))


def _has_literal(hint: Any) -> bool:
    return get_origin(hint) is Literal or any(_has_literal(arg) for arg in get_args(hint))
