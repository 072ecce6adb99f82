"""Convert rows of SHOW STATUS LIKE '...' among other result sets to a table and series.

Source: SHOW [GLOBAL] STATUS, performance_schema.global_status. A whole SHOW STATUS is ``status``.
        information_schema.GLOBAL_STATUS (5.1 to 5.7, MariaDB) prints its names in capitals.
Note:   the names of status begin with a capital letter (but for wsrep_*); those of SHOW VARIABLES,
        whose columns are the same, do not: settings of a part of the variables stay a table. So
        does a table in capitals unless its statement or its first name shows that it is status.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.handlers import Handler, Ready, Seen, Where
from pileup.formats.tables.meanings.server_variables import (
    UNITS,
    is_variable,
    not_a_number_problem,
    parse_value,
    shown,
    variable_kind,
    variable_unit,
)
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Item, Samples, Setting

_COLUMNS = (("variable_name", "value"), ("variable_name", "variable_value"))
NAMES = frozenset(("variable_name",))
_NAME_COLUMN = re.compile(r"(?:variable|parameter|option|setting)[ _]?name")
_VALUE_COLUMN = re.compile(r"(?:(?:variable|parameter|option|setting)[ _]?)?value")
_STATUS_FIRST = (
    "Aborted_clients",
    "Aborted_connects",
    "Bytes_received",
    "Com_select",
    "Threads_running",
)
_VARIABLES = (
    "auto_increment_increment",
    "innodb_buffer_pool_size",
    "max_connections",
    "datadir",
    "basedir",
)
_NAME = re.compile(r"(?:[A-Z][a-z0-9]|wsrep_)\w{1,120}")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]{1,120}")
_STATUS_TABLE = re.compile(r"\b(?:global|session)_status\b", re.IGNORECASE)
_ONLY_STATUS = ("aborted_", "bytes_", "com_", "created_tmp_", "handler_", "opened_", "select_")


def is_named_values(seen: Seen) -> bool:
    """Whether a table is of names of variables and their values."""
    return seen.columns in _COLUMNS


def are_parameters(seen: Seen) -> bool:
    """Whether a table has names of variables and their values among other columns."""
    return all(
        sum(column.fullmatch(name) is not None for name in seen.columns) == 1
        for column in (_NAME_COLUMN, _VALUE_COLUMN)
    )


def format_of(names: Sequence[str]) -> str | None:
    """Return 'status' or 'variables' for the names of a table of them; None for a few of either."""
    if names and all(name.startswith("wsrep_") and not is_variable(name) for name in names):
        return "status"
    if sum(name in _STATUS_FIRST for name in names) >= 2 or "Aborted_clients" in names:
        return "status"
    lower = sum(is_variable(name) for name in names)
    if (lower and lower == len(names)) or sum(name in _VARIABLES for name in names) > 1:
        return "variables"
    return None


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _NamedValues(seen.result, where, shared)


class _NamedValues(Ready):
    def __init__(self, result: ResultSet, where: Where, shared: Shared) -> None:
        super().__init__()
        self._table = TableCollector(result, where, shared)
        self._where = where
        names = [name.lower() for name in result.columns]
        self._name, self._value = (
            next(at for at, name in enumerate(names) if column.fullmatch(name))
            for column in (_NAME_COLUMN, _VALUE_COLUMN)
        )
        self._kind = names.index("type") if "type" in names else None
        """The column in which sys.metrics prints what a row is of."""
        self._capitals: bool | None = True if _STATUS_TABLE.search(result.title) else None
        """Names in capitals are those of status; None: not known yet."""

    def row(self, row: ResultRow) -> None:
        self._table.row(row)
        name, text = row.values[self._name], row.values[self._value]
        if name is None or text is None:
            return
        if _CAPITALS.fullmatch(name):
            if self._capitals is None:
                lower = name.lower()
                self._capitals = lower.startswith(_ONLY_STATUS) or lower in UNITS
            if self._capitals:
                name = name.lower() if name.startswith("WSREP_") else name.capitalize()
        kind = (row.values[self._kind] or "") if self._kind is not None else ""
        if "metrics" in kind.lower():  # sys.metrics
            self._sample(f"innodb_metrics.{name}", name, text, row)
            return
        if "status" in kind.lower():
            name = name.capitalize()
        elif is_variable(name):
            self._ready.append(self._setting(name, text, row))
            return
        if not _NAME.fullmatch(name):
            return
        self._sample(f"mysql.{name}", name, text, row)

    def _sample(self, series: str, name: str, text: str, row: ResultRow) -> None:
        if (value := parse_value(text)) is not None:
            samples = Samples(
                series,
                variable_kind(name),
                variable_unit(name),
                self._where.clock or "relative",
                [self._where.wall_us],
                [value],
                [row.line_first],
            )
            self._ready.append(samples)
        elif problem := not_a_number_problem(name, text, row.line_first):
            self._ready.append(problem)

    def _setting(self, name: str, text: str, row: ResultRow) -> Setting:
        return Setting(
            line_first=row.line_first,
            line_last=row.line_last,
            wall_us=self._where.wall_us if self._where.clock != "relative" else None,
            clock=self._where.clock if self._where.clock != "relative" else None,
            name=name.lower(),
            value=shown(name, text) or "",
            source="SHOW VARIABLES",
        )

    def end(self) -> list[Item]:
        return [*self.drain(), *self._table.end()]
