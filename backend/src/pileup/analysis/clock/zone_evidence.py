"""Find the zone of an artifact's printed local times, by the best evidence available.

A person's word, TS lines of the file and of its host, the server's variables, and the one offset
of a zone at which a file meets those with absolute times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from pileup.analysis.evidence.evidence import ClockOverride, EvidenceArtifact
from pileup.records import Problem, zones
from pileup.records.zones import TimeZone

_S = 1_000_000
_QUARTER = 15 * 60 * _S


@dataclass(frozen=True, slots=True)
class Zone:
    """Zone of printed local times: one zone, or offsets that change at given local times."""

    zone: TimeZone | None
    how: str
    quality: str
    changes: tuple[tuple[int, int], ...] = ()
    """(from this local µs on, minutes east); used instead of ``zone`` when there are several."""
    dispersion_s: float | None = None
    anchors: int = 0


def zone_of(
    artifact: EvidenceArtifact,
    host: str | None,
    host_of: Mapping[str, str | None],
    clocks: Mapping[str, tuple[int, int, int]],
    pairs: Mapping[str, list[tuple[int, int]]],
    setting: tuple[TimeZone, str] | None,
    utc_ranges: Sequence[Sequence[tuple[int, int]]],
    timezones: Mapping[str, str],
    override: ClockOverride,
) -> Zone:
    """Find the zone of one artifact.

    pairs: (UTC µs, local µs) by artifact.
    setting: the zone that its server prints.
    utc_ranges: ranges of absolute times that local ones may meet, the likeliest first.
    """
    if override.zone and (given := zones.time_zone(override.zone)):
        return Zone(given, f"A person gave the zone {given.name}", "given")
    text = timezones.get(host or "") or timezones.get("*")
    if text and (given := zones.time_zone(text)):
        return Zone(given, f"The zone of {host or 'all hosts'} was given: {text}", "given")
    if own := pairs.get(artifact.sha256):
        return _from_pairs(own, "TS lines of this file")
    if same := [p for sha, rows in pairs.items() if host_of.get(sha) == host for p in rows]:
        return _from_pairs(same, f"TS lines of {host or 'the same capture'}")
    if setting is not None:
        zone, printed = setting
        shown = zone.name
        if zone.minutes is not None:
            shown = f"UTC{zones.offset_text(zone.minutes)}"
            zone = TimeZone(zones.offset_text(zone.minutes), zone.minutes)
        return Zone(zone, f"The server says {printed}, that is {shown}", "derived")
    if "local" in clocks:
        met = [_by_overlap(clocks["local"], ranges) for ranges in utc_ranges if ranges]
        if met:
            return next((zone for zone in met if zone.quality != "assumed"), met[0])
    return Zone(zones.UTC, "Nothing says the zone: taken as UTC", "assumed")


def _from_pairs(pairs: Sequence[tuple[int, int]], whose: str) -> Zone:
    """Return one offset, or one per range of local time if the clocks changed meanwhile."""
    read = sorted(
        (local, _round(local - utc, _QUARTER), abs(local - utc - _round(local - utc, _QUARTER)))
        for utc, local in pairs
    )
    spread = max(error for _, _, error in read) / _S
    changes: list[tuple[int, int]] = []
    for local, offset, _ in read:
        if not changes or changes[-1][1] != offset // (60 * _S):
            changes.append((local, offset // (60 * _S)))
    changes = [change for change in changes if zones.fixed(change[1])]
    if not changes:
        how = f"{whose} are further apart than any time zone: taken as UTC"
        return Zone(zones.UTC, how, "assumed", (), None, len(read))
    minutes = changes[0][1]
    if len(changes) == 1:
        shown = zones.offset_text(minutes)
        agree = f"{len(read)} of {len(read)} agree"
        how = f"{whose} give UTC{shown} ({agree})"
        return Zone(zones.fixed(minutes), how, "derived", (), spread, len(read))
    shown = " then ".join(f"UTC{zones.offset_text(each)}" for _, each in changes)
    how = f"{whose} give {shown}: the clocks changed during the capture"
    return Zone(None, how, "derived", tuple(changes), spread, len(read))


_WHOLE_HOURS = tuple(range(-12 * 60, 15 * 60, 60))
_PARTS_OF_HOURS = (-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825)
"""Minutes east of UTC of the other zones in use, from the Marquesas to the Chatham Islands."""


def _by_overlap(local: tuple[int, int, int], ranges: Sequence[tuple[int, int]]) -> Zone:
    """Find the offset of a zone at which a local file overlaps the absolute ones.

    Whole hours come first: a file that began late meets more at the quarter beside its own.
    """
    first, last, _ = local

    def meeting(offsets: Sequence[int]) -> list[tuple[int, int]]:
        """Return (overlap in µs, minutes east), the longest first."""
        found = []
        for minutes in offsets:
            a, b = first - minutes * 60 * _S, last - minutes * 60 * _S
            overlap = max(min(b, end) - max(a, start) for start, end in ranges)
            if overlap >= 0:
                found.append((overlap, minutes))
        return sorted(found, key=lambda row: -row[0])

    best, of = meeting(_WHOLE_HOURS), "whole-hour "
    if not best:
        best, of = meeting(_PARTS_OF_HOURS), ""
    if not best:
        return Zone(
            zones.UTC,
            "Nothing says the zone, and at no offset of a zone does it meet the files with "
            "absolute times: taken as UTC",
            "assumed",
        )
    if len(best) > 1 and best[1][0] >= best[0][0]:
        return Zone(zones.UTC, "Nothing says the zone, several would fit: taken as UTC", "assumed")
    zone = zones.fixed(best[0][1]) or zones.UTC
    shown = zone.name
    how = f"UTC{shown} is the {of}offset at which it meets the files with absolute times"
    return Zone(zone, how, "derived")


def clock_pairs(frames: Mapping[str, pl.DataFrame]) -> dict[str, list[tuple[int, int]]]:
    """Map artifacts to (UTC µs, printed local µs) of their TS lines."""
    events = frames.get("event")
    if events is None:
        return {}
    rows = events.filter(pl.col("kind") == "clock").select("artifact", "wall_us", "original")
    pairs: dict[str, list[tuple[int, int]]] = {}
    for sha, wall, original in rows.drop_nulls().iter_rows():
        local = _parse_local(original)
        if local is not None:
            pairs.setdefault(sha, []).append((wall, local))
    return pairs


def _parse_local(text: str) -> int | None:
    try:
        moment = datetime.fromisoformat(text.strip()).replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * _S


def zone_settings(
    frames: Mapping[str, pl.DataFrame],
    host_of: Mapping[str, str | None],
    folder_of: Mapping[str, str],
) -> dict[tuple[str | None, str | None], tuple[TimeZone, str]]:
    """Map folder of a recording, None for all of them, and host to (zone, the setting as printed).

    A file without a host has no server outside of its own recording.
    """
    settings = frames.get("setting")
    if settings is None:
        return {}
    rows = settings.filter(pl.col("name").is_in(["time_zone", "system_time_zone"]))
    printed: dict[tuple[str | None, str | None], dict[str, str]] = {}
    for sha, name, value in rows.select("artifact", "name", "value").iter_rows():
        for folder in (folder_of[sha], None) if value else ():
            printed.setdefault((folder, host_of.get(sha)), {}).setdefault(name, value)
    found: dict[tuple[str | None, str | None], tuple[TimeZone, str]] = {}
    for key, values in printed.items():
        for name in ("time_zone", "system_time_zone"):
            value = values.get(name, "")
            if value.upper() != "SYSTEM" and (zone := zones.time_zone(value)):
                found[key] = (zone, f"{name}={value}")
                break
    return found


def refused_zones(settings: pl.DataFrame | None) -> list[Problem]:
    """List a problem for each zone setting of an artifact that names no time zone."""
    if settings is None:
        return []
    rows = settings.filter(
        pl.col("name").is_in(["time_zone", "system_time_zone"]) & (pl.col("value") != "")
    )
    return [
        Problem(line, f"{name} was left out: {value[:40]} is not a time zone that Pileup knows.")
        for name, value, line in rows.select("name", "value", "line_first").iter_rows()
        if is_refused(value)
    ]


def is_refused(value: str) -> bool:
    """Return whether the value of a zone setting names no time zone."""
    return value.upper() != "SYSTEM" and zones.time_zone(value) is None


def _round(value: int, step: int) -> int:
    return (value + step // 2) // step * step
