"""Reader of pt-query-digest --output json, with the same rows as for its report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from pileup.formats.errors import FormatError
from pileup.formats.logs.parts.query_digest_rows import COLUMNS
from pileup.records import Item, Section, Table

_MOST = 64 * 1024 * 1024
_MOST_QUERY = 4_000
_HEAD = 4_000
_TIMES = {
    "response_s": "sum",
    "response_per_call_s": "avg",
    "min_s": "min",
    "max_s": "max",
    "p95_s": "pct_95",
    "stddev_s": "stddev",
    "median_s": "median",
}
_SUMS = {
    "lock_s": "Lock_time",
    "rows_sent": "Rows_sent",
    "rows_examined": "Rows_examined",
    "rows_affected": "Rows_affected",
}


class _Example(msgspec.Struct):
    query: str | None = None


class _Class(msgspec.Struct):
    checksum: str
    distillate: str | None = None
    fingerprint: str | None = None
    query_count: int | None = None
    ts_min: str | None = None
    ts_max: str | None = None
    metrics: dict[str, dict[str, Any]] = {}  # msgspec copies the default
    example: _Example | None = None


class _Digest(msgspec.Struct):
    classes: list[_Class]


def _decoded(text: str) -> _Digest:
    """Decode a digest, or a single class that somebody picked from it."""
    if is_class(text):
        return _Digest([msgspec.json.decode(text, type=_Class)])
    return msgspec.json.decode(text, type=_Digest)


def is_class(text: str) -> bool:
    """Return whether JSON is one class without its digest."""
    head = text[:_HEAD]
    return '"classes"' not in head and '"checksum"' in head and '"distillate"' in head


def parse(number: int, first: str, rest: Iterable[tuple[int, str]]) -> Iterator[Item]:
    """Yield one Table of the query classes in the order printed, which is their rank.

    ``number`` and ``first`` are the first line that is not empty, ``rest`` the numbered lines below
    it. Raises FormatError for damaged JSON and for a digest that is too large.
    """
    parts, size, last = [first], len(first), number
    for last, text in rest:  # noqa: B007  # the records name it
        size += len(text)
        if size > _MOST:
            raise FormatError(
                f"The digest is larger than {_MOST // 2**20} MiB; limit it (--limit) and upload it "
                "again, or upload the slow log."
            )
        parts.append(text)
    text = "\n".join(parts)
    try:
        digest = _decoded(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(
            f"The JSON of pt-query-digest cannot be read: {error}. Capture it whole."
        ) from error
    total = sum(
        _float(class_.metrics.get("Query_time", {}).get("sum")) or 0 for class_ in digest.classes
    )
    rows = [_row(rank, class_, total) for rank, class_ in enumerate(digest.classes, start=1)]
    yield Section(f"{len(rows)} query classes", number, last)
    yield Table(
        line_first=number,
        line_last=last,
        name="query digest",
        columns=COLUMNS,
        rows=tuple(tuple(row.get(column) for column in COLUMNS) for row in rows),
    )


def _row(rank: int, class_: _Class, total: float) -> dict[str, str | None]:
    times = class_.metrics.get("Query_time", {})
    spent = _float(times.get("sum"))
    row: dict[str, str | None] = {
        "query_id": f"0x{class_.checksum}",
        "rank": str(rank),
        "item": class_.distillate,
        "calls": None if class_.query_count is None else str(class_.query_count),
        "share_pct": f"{100 * spent / total:.1f}" if spent is not None and total > 0 else None,
        "first_seen": class_.ts_min,
        "last_seen": class_.ts_max,
        "query": ((class_.example and class_.example.query) or class_.fingerprint or "")[
            :_MOST_QUERY
        ]
        or None,
    }
    row |= {column: _text(times.get(key)) for column, key in _TIMES.items()}
    row |= {
        column: _text(class_.metrics.get(name, {}).get("sum")) for column, name in _SUMS.items()
    }
    for column, name in (("databases", "db"), ("users", "user"), ("hosts", "host")):
        row[column] = _text(class_.metrics.get(name, {}).get("value"))
    return row


def _text(value: object) -> str | None:
    return str(value) if isinstance(value, str | int | float) and value != "" else None


def _float(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, str | int | float) else None
    except ValueError:
        return None
    return number if number is not None and number - number == 0 else None
