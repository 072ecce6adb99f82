"""Compile each SQL statement once per process, though every test has engines of its own.

An engine keeps compiled statements under its dialect, and each engine has a dialect. All engines of
the tests speak to PostgreSQL by one driver, so what one of them compiled fits every other.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, create_engine

_STATEMENTS: dict[tuple[Any, ...], Any] = {}


class _Statements:
    """What SQLAlchemy asks of a cache; the first part of a key is the dialect."""

    def get(self, key: tuple[Any, ...]) -> Any:
        return _STATEMENTS.get(key[1:])

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        _STATEMENTS[key[1:]] = compiled


def create_engine_of_tests(url: str, **options: Any) -> Engine:
    """Create an engine that shares compiled statements with those before it."""
    return create_engine(url, execution_options={"compiled_cache": _Statements()}, **options)
