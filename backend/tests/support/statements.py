"""The statements that a database gets, in few words: what they read, and in which order.

Values and lists of columns are left out, so that a statement stays the same in each run: its
tables, conditions, order, limit and locks remain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

_VALUE = re.compile(r"%\(\w+\)s(?:::\w+(?: WITH(?:OUT)? TIME ZONE| VARYING| PRECISION)?(?:\[\])?)?")
_LIST = re.compile(r"\(\?(?:, \?)+\)")
_COLUMNS = re.compile(
    r"^(SELECT(?: DISTINCT)?) (?!count|max|min|sum|exists).*? FROM ", re.IGNORECASE
)
_ROWS = re.compile(
    r"^(INSERT INTO \w+) \(.*?\) (?:SELECT .*? FROM|VALUES) .*?(?= RETURNING| ON |$)"
)
_BEGIN = re.compile(r"^(?:SAVEPOINT|RELEASE|ROLLBACK|NOTIFY|select set_config)", re.IGNORECASE)


@contextmanager
def statements() -> Iterator[set[str]]:
    """Collect the statements of all databases, each once."""
    found: set[str] = set()

    def note(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if not _BEGIN.match(statement.lstrip()):
            found.add(in_few_words(statement))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def in_few_words(statement: str) -> str:
    """Return a statement without its values and columns."""
    text = _LIST.sub("(?)", _VALUE.sub("?", " ".join(statement.split())))
    return _ROWS.sub(r"\1 …", _COLUMNS.sub(r"\1 … FROM ", text))
