"""Conversion of Prometheus metrics to series: name, host, kind and unit.

Source: mysqld_exporter's collectors (collector/global_status.go and others): a status variable is
        mysql_global_status_<lower case>, but families of variables are one metric with a label
        (mysql_global_status_commands_total{command="select"} is Com_select). For the rest: what
        Prometheus calls _total, _bucket, _sum, _count is a counter; the unit is a suffix.
Note:   a status variable gets the name that SHOW STATUS gives it, so that a value scraped and one
        captured by pt-stalk are the same measure to every analysis.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pileup.formats.reading.series_columns import Kind, Labels
from pileup.formats.tables.meanings import server_variables

_STATUS = "mysql_global_status_"
# metric after the prefix _STATUS, its label -> the variable that SHOW STATUS prints
_FAMILIES: dict[tuple[str, str], str] = {
    ("commands_total", "command"): "Com_{}",
    ("handlers_total", "handler"): "Handler_{}",
    ("connection_errors_total", "error"): "Connection_errors_{}",
    ("buffer_pool_pages", "state"): "Innodb_buffer_pool_pages_{}",
    ("innodb_row_ops_total", "operation"): "Innodb_rows_{}",
    ("performance_schema_lost_total", "instrumentation"): "Performance_schema_{}_lost",
}
_SINGLE = {
    "buffer_pool_dirty_pages": "Innodb_buffer_pool_pages_dirty",
    "innodb_metrics_transaction_trx_rseg_history_len": "Innodb_history_list_length",
}
_COUNTER = re.compile(r"_(total|bucket|sum|count)$")
_UNITS = {
    "seconds": "s",
    "milliseconds": "ms",
    "bytes": "B",
    "ratio": "ratio",
    "percent": "%",
    "celsius": "°C",
}
_LABEL = re.compile(r'\s*(?P<name>[a-zA-Z_][\w.]*)\s*=~?\s*"(?P<value>(?:[^"\\]|\\.)*+)"\s*,?')
_NAMED = re.compile(r"(?P<name>[a-zA-Z_:][\w:]*)?\s*\{(?P<labels>.*)\}\s*$")
_ESCAPES = {"n": "\n", '"': '"', "\\": "\\"}
_LOOPBACK = re.compile(r"(127\.|localhost\b|\[?::1\]?)")


@dataclass(frozen=True, slots=True)
class Metric:
    """The series of a Prometheus metric, in the terms of records."""

    series: str
    labels: Labels
    host: str | None
    kind: Kind
    unit: str | None


def make_metric(name: str, labels: Mapping[str, str], declared: str | None = None) -> Metric:
    """Make the series of a metric; ``declared`` is the type from its # TYPE line."""
    rest = {key: value for key, value in labels.items() if key != "__name__"}
    host = rest.pop("node_name", None)
    instance = rest.get("instance")
    if host is None and instance and not _LOOPBACK.match(instance):
        host = re.sub(r":\d{1,5}$", "", instance)
    if host is not None:
        rest.pop("instance", None)
    rest.pop("job", None)
    variable = _variable(name, rest)
    if variable is not None:
        kind: Kind = server_variables.variable_kind(variable)
        return Metric(
            f"mysql.{variable}",
            tuple(sorted(rest.items())),
            host,
            kind,
            server_variables.variable_unit(variable),
        )
    stem = name.removesuffix("_total")
    unit = next((_UNITS[w] for w in (stem.rpartition("_")[2],) if w in _UNITS), None)
    return Metric(
        f"metric.{name or 'unnamed'}",
        tuple(sorted(rest.items())),
        host,
        _kind(name, declared),
        unit,
    )


def split_name(text: str) -> tuple[str, dict[str, str]] | None:
    """Split 'up{job="mysql"}' into a name and its labels; None for a text of another form."""
    match = _NAMED.match(text.strip()) if len(text) <= 4000 else None
    if match is None:
        return None
    labels = read_labels(match["labels"])
    return None if labels is None else (match["name"] or "", labels)


def read_labels(text: str) -> dict[str, str] | None:
    """Convert 'a="1",b="2"' to a dict; None if the text has another form."""
    labels: dict[str, str] = {}
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _LABEL.match(text, at)
        if match is None:
            return None
        value = match["value"]
        if "\\" in value:
            value = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), value)
        labels[match["name"]] = value
        at = match.end()
    return labels


def _variable(name: str, labels: dict[str, str]) -> str | None:
    """Return the status variable of a mysqld_exporter metric and remove its family's label."""
    if name.startswith("mysql_info_schema_"):
        return _SINGLE.get(name.removeprefix("mysql_info_schema_"))
    if not name.startswith(_STATUS):
        return None
    short = name.removeprefix(_STATUS)
    for (family, label), pattern in _FAMILIES.items():
        if short == family and label in labels:
            return pattern.format(labels.pop(label))
    if short in _SINGLE:
        return _SINGLE[short]
    if short.startswith("wsrep_"):
        return short
    return short[:1].upper() + short[1:] if short else None


def _kind(name: str, declared: str | None) -> Kind:
    if declared == "gauge" or name.endswith("_created"):
        return "gauge"
    if declared == "counter":
        return "counter"
    return "counter" if _COUNTER.search(name) else "gauge"
