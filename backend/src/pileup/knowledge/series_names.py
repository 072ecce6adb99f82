"""Find the measure behind the name that an exporter or a script gave to a series.

The names are data: ``data/series_names.yaml``. Every exporter's spelling of a status variable is
found by its prefix; only what is spelled differently is listed.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources

import yaml

_OTHER = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=8192)  # a hostile file may have any number of names
def canonical_name(name: str) -> str:
    """Return the measure's name, such as threads_running, qps or cpu_busy_pct; else the name.

    name: of a series without its collector, as printed.
    """
    prefixes, others, measures = _names()
    lower = name.lower()
    plain = _OTHER.sub("_", lower).strip("_")
    if found := measures.get(plain):
        return found
    for prefix in (*prefixes, *others):
        rest = plain.removeprefix(prefix)
        if rest and rest != plain and (rest in measures or prefix in prefixes):
            return measures.get(rest, rest)
    return lower


@cache
def _names() -> tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]:
    text = resources.files("pileup.knowledge").joinpath("data/series_names.yaml").read_text("utf-8")
    first, *rows = yaml.safe_load(text)
    measures = {alias: row["name"] for row in rows for alias in (row["name"], *row["aliases"])}
    longest_first = sorted(first["prefixes"], key=len, reverse=True)
    return tuple(longest_first), tuple(first["others"]), measures


__all__ = ["canonical_name"]
