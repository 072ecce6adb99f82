"""Convert a table of metrics by node to series: a row for each variable, a column for each server.

Source: dashboards and posts that lay the nodes of a cluster side by side:
            metric                        node1   node2   node3
            wsrep_flow_control_paused     0.91    0.90    0.92
Yields: the table, and the series of SHOW GLOBAL STATUS with the label node; a name that ends in /s
        is a rate. A counter without it is a number since the start, and stays one.
"""

from __future__ import annotations

import re

from pileup.formats.reading.series_columns import Kind, decimal
from pileup.formats.tables.layouts.reader import ResultRow
from pileup.formats.tables.meanings.handlers import Handler, Seen, Where
from pileup.formats.tables.meanings.server_variables import (
    is_variable,
    variable_kind,
    variable_unit,
)
from pileup.formats.tables.meanings.tables import Shared, TableCollector

NAMES = frozenset(("metric", "metrics", "variable", "variable_name", "status", "counter"))
_NAME = re.compile(
    r"(?P<name>(?:[A-Z][a-z0-9]|wsrep_)\w{1,120})(?P<rate> ?(?:/s|/sec|per second))?"
)
_NO_NODE = re.compile(
    r"(?:value|before|after|then|now|old|new|delta|diff\w*|change|avg|mean|median|min|max|sum|total"
    r"|p\d\d|rate|unit|first|last|normal|incident|start|end|t\d|\d.*)\b.*",
    re.IGNORECASE,
)
_LEAST_NODES = 2


def is_by_node(seen: Seen) -> bool:
    """Whether the first column names variables of the status, and the others are nodes."""
    if len(seen.columns) <= _LEAST_NODES or seen.columns[0] not in NAMES or seen.first is None:
        return False
    if any(_NO_NODE.fullmatch(name) for name in seen.columns[1:]):
        return False
    name = _NAME.fullmatch(seen.first[0] or "")
    if name is None or is_variable(name["name"]):
        return False
    return all(decimal(cell or "") is not None for cell in seen.first[1:])


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _ByNode(seen, where, shared)


class _ByNode(TableCollector):
    """Collects the table, and adds its numbers to the series of their nodes."""

    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__(seen.result, where, shared)
        self._nodes = seen.result.columns[1:]
        self._at = where

    def row(self, row: ResultRow) -> None:
        super().row(row)
        match = _NAME.fullmatch(row.values[0] or "")
        if match is None or is_variable(match["name"]):
            return
        name = match["name"]
        kind: Kind = "rate" if match["rate"] else variable_kind(name)
        for node, cell in zip(self._nodes, row.values[1:], strict=True):
            self._shared.columns.add(
                f"mysql.{name}",
                decimal(cell or ""),
                wall=self._at.wall_us,
                clock=self._at.clock or "relative",
                line=row.line_first,
                kind=kind,
                unit=variable_unit(name),
                labels=(("node", node[:60]),),
            )


__all__ = ["NAMES", "handler", "is_by_node"]
