"""Version and settings of the server: variables take precedence over configuration files."""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

from pileup.analysis.contract import SettingDoc
from pileup.analysis.evidence.context import Context, Server, Setting
from pileup.analysis.evidence.evidence import OBSERVES, Evidence
from pileup.analysis.evidence.folders import folders_of, shared_folders
from pileup.formats.reading.server_versions import BANNER, BUILD_PATH, PROSE


def settings(evidence: Evidence) -> list[SettingDoc]:
    """Return every distinct value of each variable, with the first place that prints it."""
    frame = evidence.frame("setting")
    return [] if frame is None else _distinct(frame)


def _distinct(frame: pl.DataFrame) -> list[SettingDoc]:
    rows = frame.unique(["host", "name", "value", "source"], keep="first", maintain_order=True)
    return [
        SettingDoc(
            name=row["name"],
            value=row["value"],
            source=row["source"],
            host=row["host"],
            artifact=row["artifact"],
            line_first=row["line_first"],
        )
        for row in rows.sort("name", "source", maintain_order=True).iter_rows(named=True)
    ]


def effective_settings(evidence: Evidence, host: str | None = None) -> dict[str, Setting]:
    """Return one value per name; variables of the server override files and old logs.

    host: its values override those of other hosts. A file that lies in the folder of what was
    observed overrides one of a folder around it, which other recordings share.
    """
    found: dict[str, Setting] = {}
    ranks: dict[str, tuple[bool, int, int]] = {}
    nearness = _nearness(evidence)
    frame = evidence.frame("setting")
    for setting in () if frame is None else _nearest_first(frame, nearness):
        weakness = _weakness(setting.source)
        is_foreign = host is not None and setting.host not in (None, host)
        rank = is_foreign, weakness, -nearness.get(setting.artifact, 0)
        if setting.name in found and (
            rank > ranks[setting.name] or (weakness and rank == ranks[setting.name])
        ):
            continue
        ranks[setting.name] = rank
        found[setting.name] = Setting(
            setting.value, setting.source, setting.host, setting.artifact, setting.line_first
        )
    return found


def _nearest_first(frame: pl.DataFrame, nearness: Mapping[str, int]) -> list[SettingDoc]:
    """Return the distinct values; of two files that print one, that of the nearest."""
    if len(set(nearness.values())) > 1:
        by = pl.col("artifact").replace_strict(nearness, default=0, return_dtype=pl.Int64)
        frame = frame.sort(by, descending=True, maintain_order=True)
    return _distinct(frame)


def _nearness(evidence: Evidence) -> dict[str, int]:
    """Map files with settings to how much of the folder of all that was observed they share.

    Empty where a single file has settings: it has no rival.
    """
    having = evidence.having(["setting"])
    if len(having) < 2:
        return {}
    observing = evidence.having(OBSERVES)
    seen = [folders_of(each.path) for each in evidence.artifacts if each.sha256 in observing]
    common = seen[0][: shared_folders(seen)] if seen else []
    return {
        artifact.sha256: max(shared_folders([common, folders_of(path)]) for path in artifact.paths)
        for artifact in evidence.artifacts
        if artifact.sha256 in having
    }


def numeric_setting(evidence: Evidence, host: str | None, name: str) -> float | None:
    """Return the number that a variable has on a host; None if nothing prints it."""
    return Context(evidence, settings=effective_settings(evidence, host)).number(name)


def _weakness(source: str) -> int:
    """Return how indirect a source is: 0 variables, 1 files, banners, 2 build paths, 3 prose."""
    if source in _WEAK:
        return _WEAK[source]
    return int("cnf" in source.lower() or BANNER in source)


_WEAK = {BUILD_PATH: 2, PROSE: 3}


def server(evidence: Evidence, known: Mapping[str, Setting]) -> Server:
    """Return version and family from the variables, else from dumps and logs."""
    version = known["version"].value if "version" in known else None
    comment = known["version_comment"].value if "version_comment" in known else None
    frame = evidence.frame("snapshot")
    if version is None and frame is not None:
        version = frame["server_version"].drop_nulls().mode().sort().first()  # type: ignore[assignment]
    return Server(version, _family(version, comment), comment)


_FLAVOURS = {"mysql": "MySQL", "percona": "Percona Server", "mariadb": "MariaDB"}


def server_title(family: str | None, version: str | None) -> str:
    """Name a server as its vendor does: 'MySQL 5.7.22', 'MariaDB 10.2.11'; '' if unknown."""
    flavour = _FLAVOURS.get(family or "", family or "")
    return f"{flavour} {(version or '').removesuffix(f'-{flavour}')}".strip()


def names(server: Server) -> dict[str, str | None]:
    """Return the server's version, family and comment for the document."""
    return {"version": server.version, "family": server.family, "comment": server.comment}


# Percona Server prints its own release after MySQL's: '5.6.22-71.0-log', '8.0.36-28'.
_PERCONA = re.compile(r"\d+\.\d+\.\d+-(?:rel)?[1-9]\d*(?:\.\d+)?(?:-|$)")


def _family(version: str | None, comment: str | None) -> str | None:
    text = f"{version or ''} {comment or ''}".lower()
    if "mariadb" in text:
        return "mariadb"
    if "percona" in text or _PERCONA.match(version or ""):
        return "percona"
    return "mysql" if version else None


__all__ = ["effective_settings", "names", "numeric_setting", "server", "settings"]
