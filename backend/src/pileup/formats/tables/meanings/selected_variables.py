"""Convert a result whose columns are variables (``SELECT @@max_connections``) to settings."""

from __future__ import annotations

import re

from pileup.formats.tables.layouts.reader import ResultRow, ResultSet
from pileup.formats.tables.meanings.handlers import Handler, Ready, Seen, Where
from pileup.formats.tables.meanings.server_variables import shown
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Item, Setting

_VARIABLE = re.compile(r"@@(?:(?:global|session|local|persist)\.)?([a-z]\w{1,100})")


def is_selected(seen: Seen) -> bool:
    """Whether every column is a variable of the server."""
    return bool(seen.columns) and all(_VARIABLE.fullmatch(name) for name in seen.columns)


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Selected(seen.result, seen.columns, where, shared)


class _Selected(Ready):
    def __init__(
        self, result: ResultSet, columns: tuple[str, ...], where: Where, shared: Shared
    ) -> None:
        super().__init__()
        self._table = TableCollector(result, where, shared)
        self._names = [match[1] for name in columns if (match := _VARIABLE.fullmatch(name))]
        dated = where.clock != "relative"
        self._at = (where.wall_us, where.clock) if dated else (None, None)

    def row(self, row: ResultRow) -> None:
        self._table.row(row)
        wall_us, clock = self._at
        for name, text in zip(self._names, row.values, strict=True):
            if text is not None:
                self._ready.append(
                    Setting(
                        line_first=row.line_first,
                        line_last=row.line_last,
                        wall_us=wall_us,
                        clock=clock,
                        name=name,
                        value=shown(name, text) or "",
                        source="SHOW VARIABLES",
                    )
                )

    def end(self) -> list[Item]:
        return [*self.drain(), *self._table.end()]
