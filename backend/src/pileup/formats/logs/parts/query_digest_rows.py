"""The rows of a query digest: one per query class, with the same columns for every source."""

from __future__ import annotations

import re
from collections.abc import Iterator

COLUMNS = (
    "query_id",
    "rank",
    "item",
    "calls",
    "response_s",
    "share_pct",
    "response_per_call_s",
    "min_s",
    "max_s",
    "p95_s",
    "stddev_s",
    "median_s",
    "lock_s",
    "rows_sent",
    "rows_examined",
    "rows_affected",
    "qps",
    "concurrency",
    "first_seen",
    "last_seen",
    "databases",
    "users",
    "hosts",
    "query",
)
_FACTORS = {
    "": 1.0, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0,
    "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
}  # fmt: skip
_COUNTED = "class"
_MOST_PRECISE = 100
"""Calls up to which the average, of hundredths, is more precise than the total, of seconds."""
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(us|ms|[smhdkMGT]?)$")
# Attribute to its columns: total, min, max, 95%, stddev, median (the average is total by calls).
_TOTALS = {
    "Lock time": "lock_s",
    "Rows sent": "rows_sent",
    "Rows examine": "rows_examined",
    "Rows affecte": "rows_affected",
}


def quantity(text: str) -> str | None:
    """Convert '12us' to '1.2e-05' (seconds) and '1.85k' to '1850'; None for what is no number."""
    match = _QUANTITY.match(text)
    if match is None:
        return None
    if not match[2]:
        return match[1]
    return f"{float(match[1]) * _FACTORS[match[2]]:.12g}"


def _total(calls: str, each: str, total: str) -> str:
    """Return the seconds of all calls, of which the total has no fraction."""
    if int(calls) > _MOST_PRECISE:
        return total
    return f"{int(calls) * float(each):.12g}"


class Report:
    """A report while it is read: query classes by id, from the profile and from their blocks."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, str | None]] = {}
        self.first = 0
        self._lines: dict[str, int] = {}
        self._blocks: set[str] = set()
        self._profiled = False

    def complete(self, *, profile: bool) -> bool:
        """Return whether another profile, or another line of totals, begins a new report."""
        return bool(self.rows) and (self._profiled or not profile)

    def has_block(self, query_id: str) -> bool:
        return query_id in self._blocks

    def block(self, query_id: str, line: int) -> dict[str, str | None]:
        """Return the row of a class from its block; a profile may have a shorter id of it."""
        self._blocks.add(query_id)
        row = self._row(self._known_as(query_id), line)
        row["query_id"] = query_id
        return row

    def add_profile(self, match: re.Match[str], line: int) -> None:
        self._profiled = True
        row = self._row(match["id"], line)
        row["rank"] = match["rank"]
        row["item"] = match["item"].strip()
        row["calls"] = quantity(match["calls"])
        row["response_s"] = quantity(match["response"])
        row["share_pct"] = quantity(match["share"])
        row["response_per_call_s"] = quantity(match["each"])

    def counted(self, match: re.Match[str], line: int) -> dict[str, str | None]:
        """Return the row of a class of mysqldumpslow, which has no id, from its first line."""
        place = str(len(self.rows) + 1)
        row = self._row(f"{_COUNTED} {place}", line)
        user, _, host = match["who"].rpartition("@")
        row |= {
            "query_id": None,
            "rank": place,
            "calls": match["calls"],
            "response_s": _total(match["calls"], match["each"], match["total"]),
            "response_per_call_s": match["each"],
            "lock_s": _total(match["calls"], match["lock_each"], match["lock"]),
            "rows_sent": match["rows"],
            "rows_examined": match["examined"],
            "users": user or None,
            "hosts": host or None,
        }
        return row

    def attribute(self, row: dict[str, str | None], name: str, values: list[str]) -> None:
        """Add an attribute of a class to its row.

        ``values`` are pct, total, min, max, avg, 95%, stddev and median, as printed.
        """
        numbers = [quantity(value) for value in values]
        if name == "Count" and len(values) >= 2:
            row["calls"] = row["calls"] or numbers[1]
        elif name == "Exec time" and len(values) == 8:
            row["response_s"] = row["response_s"] or numbers[1]
            row["share_pct"] = row["share_pct"] or numbers[0]
            row["response_per_call_s"] = row["response_per_call_s"] or numbers[4]
            row["min_s"], row["max_s"] = numbers[2:4]
            row["p95_s"], row["stddev_s"], row["median_s"] = numbers[5:]
        elif name in _TOTALS and len(values) >= 2:
            row[_TOTALS[name]] = numbers[1]

    def table(self) -> Iterator[tuple[str | None, ...]]:
        for row in self.rows.values():
            yield tuple(row.get(column) for column in COLUMNS)

    def without_numbers(self) -> int | None:
        """Return the line of the first class without a response time."""
        return next(
            (self._lines[key] for key, row in self.rows.items() if row["response_s"] is None), None
        )

    def _known_as(self, query_id: str) -> str:
        """Return the key of a class: its id, or what a profile printed of it, without a block."""
        beginnings = (query_id[:end] for end in range(len(query_id), 0, -1))
        free = (key for key in beginnings if key in self.rows and self.rows[key]["query_id"] == key)
        return next(free, query_id)

    def _row(self, query_id: str, line: int) -> dict[str, str | None]:
        self.first = self.first or line
        self._lines.setdefault(query_id, line)
        empty: dict[str, str | None] = dict.fromkeys(COLUMNS)
        row = self.rows.setdefault(query_id, empty)
        row["query_id"] = query_id
        return row
