"""Add the values that records hold to a redactor's table of known values."""

from __future__ import annotations

import polars as pl

from pileup.analysis.evidence.evidence import Evidence
from pileup.formats.reading.frame_buffer import Frames
from pileup.report.redaction.plain_redaction import HOSTS, STATEMENTS, USERS
from pileup.report.redaction.redactor import Redactor
from pileup.report.redaction.statements import literals

MOST = 20_000
"""Distinct values of one column."""
KINDS = (
    *("session", "transaction", "query", "trx_lock", "lock_wait"),
    *("deadlock", "foreign_key_error", "event"),
)
"""Kinds of records that hold such values."""
_TEXTS = ("text", "message")
_KEYS = ("lock_data",)
"""Keys of rows, written as literals."""


def learn_evidence(redactor: Redactor, evidence: Evidence) -> None:
    """Add the values that records name to the redactor's table; nothing where no kind is chosen."""
    if not redactor.only_passwords:
        for kind in KINDS:
            if (frame := evidence.frame(kind)) is not None:
                _learn(redactor, frame)


def learn_frames(redactor: Redactor, frames: Frames) -> None:
    """Add the values that the records of one file name; a part in memory at a time."""
    if not redactor.only_passwords:
        for kind in KINDS:
            for frame in frames.parts(kind) if kind in frames else ():
                _learn(redactor, frame)


def _learn(redactor: Redactor, frame: pl.DataFrame) -> None:
    for kind, columns in (("users", USERS), ("hosts", HOSTS)):
        for column in columns:
            names = (name.partition(":")[0] for name in _values(frame, column))
            redactor.known.add(kind, names)
    for column in STATEMENTS:
        for statement in _values(frame, column):
            redactor.known.add("sql", literals(statement))
            redactor.learn(statement, raw=True, inside=True)
    for column in _KEYS:
        for key in _values(frame, column):
            redactor.known.add("sql", literals(key))
    for column in _TEXTS:
        for text in _values(frame, column):
            redactor.learn(text, raw=True)


def _values(frame: pl.DataFrame, column: str) -> list[str]:
    if column not in frame.columns or frame[column].dtype not in (pl.String, pl.Categorical):
        return []
    return frame[column].cast(pl.String).drop_nulls().unique().head(MOST).to_list()
