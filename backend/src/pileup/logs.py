"""Logging: one line per event, a constant name and its fields; for people, or as JSON.

Traces are plain, without the values of local variables: those hold SQL text and host names, which
may be secret and stay out of logs. What libraries log goes the same way in JSON.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from typing import Any, Literal, TextIO, cast

import structlog

Format = Literal["console", "json"]


class _Lossy:
    """A stream that drops what cannot be written: a full disk of logs must end no work."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


def configure(level: str, form: Format = "console") -> None:
    """Set up structlog for this process; with JSON also the loggers of libraries."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    as_json = [
        structlog.processors.ExceptionRenderer(),
        structlog.processors.JSONRenderer(default=str),
    ]
    for_people = [
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    ]
    structlog.configure(
        processors=[*shared, *(as_json if form == "json" else for_people)],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Lossy(sys.stderr))),
        cache_logger_on_first_use=False,
    )
    if form == "json":
        _take_over(number, [*shared, structlog.stdlib.add_logger_name], as_json)


def _take_over(number: int, before: list[Any], rendering: list[Any]) -> None:
    """Give the lines of every other logger (uvicorn, Celery, Alembic) the same form."""
    handler = logging.StreamHandler(sys.stderr)
    remove = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before, processors=[remove, *rendering]
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(number)
    for name in ("uvicorn", "uvicorn.error", "celery"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True
