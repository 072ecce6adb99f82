"""Place every artifact on UTC, and explain the placement in one sentence.

Evidence, best first: what a person set; pt-stalk TS lines, which print an absolute and a
local time side by side; the server's time_zone and system_time_zone; the one offset of a zone
that makes a file overlap those with absolute times. Files that print no time at all are anchored
by the stamp in their name, by Uptime, or by a series that a placed file also has. What cannot be
placed stays without a time: nothing is invented.

Units: microseconds; offsets of zones in minutes east of UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec
import polars as pl

from pileup.analysis.clock import (
    anchoring,
    connection_numbers,
    documents,
    host_names,
    hosts,
    metrics_hosts,
    session_shapes,
    uptimes,
    zones,
)
from pileup.analysis.clock.jumps import clock_jumps
from pileup.analysis.clock.offsets import Offset, Source, offsets
from pileup.analysis.clock.printed_times import stamp_us
from pileup.analysis.clock.repeated_hours import Fold, folds, later
from pileup.analysis.clock.utc_ranges import UtcRanges
from pileup.analysis.clock.years import with_years
from pileup.analysis.clock.zone_evidence import Zone, clock_pairs, zone_of, zone_settings
from pileup.analysis.contract import ClockDoc
from pileup.analysis.evidence.compact_samples import distinct
from pileup.analysis.evidence.evidence import ClockOverride, EvidenceArtifact
from pileup.analysis.evidence.folders import recording_of
from pileup.analysis.evidence.load_series import shows_load
from pileup.knowledge.series_titles import title_of_id
from pileup.records.zones import TimeZone, fixed, offset_text

_S = 1_000_000
_STAMP_ERROR_S = 2.0
_NOT_PLACED = (
    "No time in the file, none in its name, and no series to match it with: not placed. Give it a "
    "time on its Clock tab, or in its name (2026_11_20_22_17_34-iostat.txt)"
)
_MOST_REST_S = 300.0
"""A clock that is off by more than its zone and five minutes is not explained by a zone."""


@dataclass(frozen=True, slots=True)
class _Placement:
    doc: ClockDoc
    zone: Zone | None = None
    base_us: int | None = None
    """UTC µs of relative time 0."""
    shift_us: int = 0
    fold: Fold | None = None
    """Where its clocks went back by an hour, unless pairs of times already show it."""
    is_given: bool = False
    """Whether a person gave ``base_us``."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What files say about the zones of others, with the host and the recording of each."""

    host_of: Mapping[str, str | None]
    folder_of: Mapping[str, str]
    pairs: Mapping[str, list[tuple[int, int]]]
    settings: Mapping[tuple[str | None, str | None], tuple[TimeZone, str]]
    utc_ranges: UtcRanges

    def zone(
        self,
        artifact: EvidenceArtifact,
        clocks: Mapping[str, tuple[int, int, int]],
        timezones: Mapping[str, str],
        override: ClockOverride,
    ) -> Zone:
        """Find a file's zone: by its own recording, what lies beside all of them, or any other.

        What is of no host has no server outside of its own recording.
        """
        host, folder = self.host_of.get(artifact.sha256), self.folder_of[artifact.sha256]

        def by(reach: str | None) -> Zone:
            keys = [(reach, host), (folder, None)]
            return zone_of(
                artifact, host, self.host_of, clocks, self._pairs(reach),
                next((self.settings[key] for key in keys if key in self.settings), None),
                list(self.utc_ranges.of(reach, host)), timezones, override,
            )  # fmt: skip

        zone = by(folder)
        for reach in ("", None) if host is not None or not folder else ():
            if zone.quality == "assumed":
                zone = by(reach)
        return zone

    def _pairs(self, folder: str | None) -> Mapping[str, list[tuple[int, int]]]:
        if folder is None:
            return self.pairs
        return {sha: rows for sha, rows in self.pairs.items() if self.folder_of[sha] == folder}


def place(
    artifacts: Sequence[EvidenceArtifact],
    frames: Mapping[str, pl.DataFrame],
    timezones: Mapping[str, str],
    overrides: Mapping[str, ClockOverride],
) -> tuple[dict[str, pl.DataFrame], dict[str, ClockDoc]]:
    """Add ``time``, ``host`` and (samples) ``id`` to frames; return also a ClockDoc per artifact.

    Takes: frames of ``records.frame_schema`` plus ``artifact``.
    """
    frames, spellings, host_notes = hosts.spelled_once(frames, overrides)
    host_of = hosts.assign(artifacts, frames, overrides, spellings)
    given = {sha: way.at_us for sha, way in overrides.items() if way.at_us is not None}
    frames, year_notes = with_years(artifacts, frames, host_of, given)
    spans = _spans(frames, overrides)
    folder_of = recording_of(artifacts)
    known = _Known(
        host_of,
        folder_of,
        clock_pairs(frames),
        zone_settings(frames, host_of, folder_of),
        UtcRanges(artifacts, spans, folder_of, host_of),
    )
    placements: dict[str, _Placement] = {}
    went_back = folds(frames)
    for artifact in artifacts:
        if artifact.sha256 not in spans:
            continue
        host = host_of.get(artifact.sha256)
        clocks = spans[artifact.sha256]
        override = overrides.get(artifact.sha256) or ClockOverride()
        zone = known.zone(artifact, clocks, timezones, override)
        if artifact.sha256 in year_notes:  # the moment says which day or year; the rest is printed
            override = replace(override, at_us=None)
        placed_one = _place_one(artifact, host, clocks, zone, override)
        if _has_summer(zone):
            placed_one = replace(placed_one, fold=went_back.get(artifact.sha256))
        placements[artifact.sha256] = placed_one
    rulers = uptimes.rulers(frames.get("sample"))

    def applied() -> dict[str, pl.DataFrame]:
        return {kind: _apply(frame, placements, host_of, rulers) for kind, frame in frames.items()}

    first = applied()
    if moved := _anchor(artifacts, placements, spans, first, host_of, folder_of):
        placements |= moved
        first = applied()
    sources = _sources(artifacts, placements, spans, host_of, folder_of)
    first, measured = _by_offsets(placements, spans, sources, first, applied)
    first = _by_connections(placements, first, folder_of)
    placed = _fill_from_snapshots(first)
    placed, join_notes = metrics_hosts.joined(artifacts, placed, hosts.given(overrides))
    if "sample" in placed:
        placed["sample"] = with_ids(placed["sample"])
    notes = (year_notes, host_notes | join_notes)
    jumps = clock_jumps(frames, first, _read_folds(placements))
    belongs = {a.sha256: (folder_of[a.sha256], a.bundle) for a in artifacts}
    docs = _documents(placed, placements, notes, jumps, belongs)
    return placed, documents.suggested(docs, measured, placed)


def _by_offsets(
    placements: dict[str, _Placement],
    spans: Mapping[str, Mapping[str, tuple[int, int, int]]],
    sources: Sequence[Source],
    frames: dict[str, pl.DataFrame],
    applied: Callable[[], dict[str, pl.DataFrame]],
) -> tuple[dict[str, pl.DataFrame], dict[str, Offset]]:
    """Move placements by measured offsets; return the frames, and the offsets that only show.

    applied: the frames by ``placements`` as they are.
    """
    measured = offsets(sources, frames)
    moved = _by_anchors(placements, spans, measured)
    if moved:
        placements |= moved
        frames = applied()
    shown = {sha: offset for sha, offset in measured.items() if sha not in moved}
    lonely = _of_lonely(placements, sources, frames, shown)
    if lonely:
        placements |= lonely
        frames = applied()
    return frames, {sha: offset for sha, offset in shown.items() if sha not in lonely}


def _documents(
    placed: Mapping[str, pl.DataFrame],
    placements: Mapping[str, _Placement],
    notes: tuple[Mapping[str, str], Mapping[str, host_names.HostNote]],
    jumps: Mapping[str, list[str]],
    belongs: Mapping[str, tuple[str, str | None]],
) -> dict[str, ClockDoc]:
    """Complete the clocks' documents; notes: on years, then on hosts, by artifact.

    belongs: folder of the recording, and pt-stalk capture.
    """
    docs = {sha: placement.doc for sha, placement in placements.items()}
    docs = uptimes.checked(placed.get("sample"), docs, belongs)
    docs = documents.with_year_notes(docs, notes[0])
    docs = documents.with_host_notes(docs, notes[1])
    return documents.with_jumps(docs, jumps)


def _read_folds(placements: Mapping[str, _Placement]) -> dict[str, int]:
    """Map artifacts whose clocks went back by an hour to the line where they did."""
    return {sha: item.fold.line for sha, item in placements.items() if item.fold}


def with_ids(samples: pl.DataFrame) -> pl.DataFrame:
    """Add ``id``, 'name{labels}@host', to samples. Each id is formatted once, not once per row."""
    keys = ["series", "labels", "host"]
    labels = (
        pl.when(pl.col("labels") != "").then(pl.format("{{{}}}", "labels")).otherwise(pl.lit(""))
    )
    host = (
        pl.when(pl.col("host").is_not_null()).then(pl.format("@{}", "host")).otherwise(pl.lit(""))
    )
    spelled = pl.concat_str([pl.col("series").cast(pl.String), labels, host])
    names = distinct(samples, *keys).with_columns(spelled.cast(pl.Categorical).alias("id"))
    rows = samples.select(keys)
    ids = rows.join(names, on=keys, how="left", nulls_equal=True, maintain_order="left")["id"]
    return samples.with_columns(ids)


# ---- reading the frames ------------------------------------------------------------------------


def _spans(
    frames: Mapping[str, pl.DataFrame], overrides: Mapping[str, ClockOverride]
) -> dict[str, dict[str, tuple[int, int, int]]]:
    """Map artifact and clock to (first, last, records), for artifacts with any time.

    A file without a time counts as relative to its own moment when that moment may be known: a
    lone gdb backtrace, or a file to which a person gave a time.
    """
    found: dict[str, dict[str, tuple[int, int, int]]] = {}
    for frame in frames.values():
        if "wall_us" not in frame.columns:
            continue
        grouped = (
            frame.lazy()
            .filter(pl.col("wall_us").is_not_null() & pl.col("clock").is_not_null())
            .group_by("artifact", "clock")
            .agg(pl.col("wall_us").min().alias("a"), pl.col("wall_us").max().alias("b"), pl.len())
            .collect()
        )
        for sha, clock, first, last, count in grouped.iter_rows():
            old = found.setdefault(sha, {}).get(clock)
            if old:
                first, last, count = min(old[0], first), max(old[1], last), old[2] + count
            found[sha][clock] = (first, last, count)
    snapshots = frames.get("snapshot")
    if snapshots is not None:
        for sha in snapshots.filter(pl.col("wall_us").is_null())["artifact"].unique():
            found.setdefault(sha, {}).setdefault("relative", (0, 0, 1))
    for sha, override in overrides.items():
        if override.at_us is not None and sha not in found:
            found[sha] = {"relative": (0, 0, 1)}
    return found


def _place_one(
    artifact: EvidenceArtifact,
    host: str | None,
    clocks: Mapping[str, tuple[int, int, int]],
    zone: Zone,
    override: ClockOverride,
) -> _Placement:
    source = f"{host or 'unknown host'}/{artifact.format or 'unknown format'}"
    shift = round(override.offset_s * _S)
    moved = f"; {override.offset_s:+g} s as a person gave it" if shift else ""
    if override.at_us is not None and not clocks.keys() <= {"relative"}:
        moved += "; it prints its own times, so the time that a person gave is not used"

    def doc(shown: str | None, how: str, quality: str, spread: float | None, n: int) -> ClockDoc:
        return ClockDoc(
            source=source,
            zone=shown,
            offset_s=override.offset_s,
            how=f"{how}{moved}.",
            quality="given" if shift else quality,  # type: ignore[arg-type]
            dispersion_s=spread,
            anchors=n,
        )

    shown = (
        zone.zone.name
        if zone.zone
        else " / ".join(offset_text(minutes) for _, minutes in zone.changes)
    )
    if "local" in clocks:
        return _Placement(
            doc(shown, zone.how, zone.quality, zone.dispersion_s, zone.anchors), zone, None, shift
        )
    if "utc" in clocks:
        return _Placement(
            doc(None, "Its times are absolute (epoch, or with their zone)", "exact", 0.0, 0),
            zone,
            None,
            shift,
        )
    if override.at_us is not None:
        how = f"No time in the file: a person placed it at {_moment_text(override)}"
        return _Placement(
            doc(None, how, "given", override.within_s, 0),
            zone,
            override.at_us,
            shift,
            is_given=True,
        )
    stamp = stamp_us(artifact.path)
    if stamp is not None:
        base = _one_to_utc(stamp, zone)
        how = (
            f"No time in the file: placed by the stamp in its name, read as local time. {zone.how}"
        )
        quality = "derived" if zone.quality != "assumed" else "assumed"
        return _Placement(doc(shown, how, quality, _STAMP_ERROR_S, 1), zone, base, shift)
    return _Placement(doc(None, _NOT_PLACED, "unknown", None, 0), zone, None, shift)


def _moment_text(override: ClockOverride) -> str:
    """Write the moment that a person gave: '2020-11-10 18:42:00 UTC ± 60 s'."""
    moment = datetime(1970, 1, 1) + timedelta(microseconds=override.at_us or 0)  # noqa: DTZ001
    within = f" ± {override.within_s:g} s" if override.within_s else ""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC{within}"


def _one_to_utc(local_us: int, zone: Zone) -> int | None:
    if zone.zone is not None:
        return zones.one_to_utc(local_us, zone.zone)
    minutes = zone.changes[0][1]
    for start, each in zone.changes:
        if local_us >= start:
            minutes = each
    return local_us - minutes * 60 * _S


# ---- files without any time --------------------------------------------------------------------


def _anchor(
    artifacts: Sequence[EvidenceArtifact],
    placements: Mapping[str, _Placement],
    spans: Mapping[str, Mapping[str, tuple[int, int, int]]],
    frames: Mapping[str, pl.DataFrame],
    host_of: Mapping[str, str | None],
    folder_of: Mapping[str, str],
) -> dict[str, _Placement]:
    """Return placements improved by matching a series with one of known time.

    A file of the same recording is preferred: another one may look alike.
    """
    samples = frames.get("sample")
    if samples is None:
        return {}
    loose = [
        artifact
        for artifact in artifacts
        if set(spans.get(artifact.sha256, ())) == {"relative"}
        and not placements[artifact.sha256].is_given
    ]
    if not loose:
        return {}
    known = samples.filter(
        ~pl.col("artifact").is_in([a.sha256 for a in loose]) & pl.col("time").is_not_null()
    )
    logged = uptimes.logged_starts(frames.get("event"))
    if known.is_empty() and (from_zero := _from_zero(placements, spans, samples)):
        return from_zero
    everywhere = anchoring.Reference.of(known)
    per_folder: dict[str, anchoring.Reference] = {}
    names = {artifact.sha256: artifact.path.rpartition("/")[2] for artifact in artifacts}
    started = uptimes.starts(samples)
    moved: dict[str, _Placement] = {}
    for artifact in loose:
        own = samples.filter(pl.col("artifact") == artifact.sha256)
        if own.is_empty():
            continue
        before = placements[artifact.sha256]
        near = _near(before, artifact)
        folder, host = folder_of[artifact.sha256], host_of.get(artifact.sha256)
        if near is None:
            belongs = host, folder
            known_starts = started, uptimes.only_start(own, logged, belongs, folder_of)
            by_starts = _by_starts(before, own, known_starts, belongs, folder_of, names)
            placed = by_starts or _by_numbers(before, own, frames, folder_of, belongs)
            if placed is not None:
                moved[artifact.sha256] = placed
                continue
        if folder not in per_folder:
            members = [sha for sha, name in folder_of.items() if name == folder]
            per_folder[folder] = everywhere.of_artifacts(members)
        in_folder = anchoring.match(own, per_folder[folder], host, near)
        match = in_folder or anchoring.match(own, everywhere, host, near)
        if match is None:
            continue
        other = names.get(match.artifact, "another file")
        doc = _anchored(before.doc, match, other)
        moved[artifact.sha256] = replace(before, doc=doc, base_us=match.base_us)
    return moved


def _near(before: _Placement, artifact: EvidenceArtifact) -> tuple[int, int] | None:
    """Return about when a file with a stamp in its name was taken: UTC µs, ± µs.

    A stamp is right within seconds: only there, chance matches are rare.
    """
    if before.base_us is None:
        return None
    if artifact.bundle:  # pt-stalk collects after its trigger, never before
        return before.base_us + 7 * _S, 8 * _S
    return before.base_us, 15 * _S


def _from_zero(
    placements: Mapping[str, _Placement],
    spans: Mapping[str, Mapping[str, tuple[int, int, int]]],
    samples: pl.DataFrame,
) -> dict[str, _Placement]:
    """Return placements at 00:00:00 of series that print no time, where nothing else has one.

    Their times are then seconds since the first sample: enough to see when a stall begins. Without
    a series of the server's load nothing would begin, and nothing is placed.
    """
    if (
        any(set(clocks) != {"relative"} for clocks in spans.values())
        or any(placement.base_us is not None for placement in placements.values())
        or not any(shows_load(series) for series in samples["series"].unique().to_list())
    ):
        return {}
    how = "No file has a time: its times count from its first sample, as if that were midnight."
    return {
        sha: replace(placement, base_us=0, doc=msgspec.structs.replace(placement.doc, how=how))
        for sha, placement in placements.items()
        if spans[sha]["relative"][0] < spans[sha]["relative"][1]
    }


def _by_connections(
    placements: dict[str, _Placement],
    frames: Mapping[str, pl.DataFrame],
    folder_of: Mapping[str, str],
) -> dict[str, pl.DataFrame]:
    """Return frames whose lists are placed by the numbers of their connections; note it."""
    placed, numbered = connection_numbers.with_times(frames, folder_of)
    for sha, lists in numbered.items():
        doc = msgspec.structs.replace(
            placements[sha].doc,
            zone=None,
            how="No time in the file: each list is placed by the highest number of its "
            "connections, as other files show when it was given.",
            quality="derived",
            dispersion_s=_STAMP_ERROR_S,
            anchors=lists,
        )
        placements[sha] = replace(placements[sha], doc=doc)
    return placed


def _title(series: str) -> str:
    return f"“{title_of_id(series).words}”"


def _by_starts(
    before: _Placement,
    own: pl.DataFrame,
    known: Sequence[Sequence[uptimes.Start]],
    belongs: tuple[str | None, str],
    folder_of: Mapping[str, str],
    names: Mapping[str, str],
) -> _Placement | None:
    """Return the placement by the first of several ways to know when the server started."""
    for started in known:
        placed = _by_uptime(before, own, started, belongs, folder_of, names)
        if placed is not None:
            return placed
    return None


def _by_uptime(
    before: _Placement,
    own: pl.DataFrame,
    started: Sequence[uptimes.Start],
    belongs: tuple[str | None, str],
    folder_of: Mapping[str, str],
    names: Mapping[str, str],
) -> _Placement | None:
    """Return the placement by the start of the server that another file shows; None without one.

    belongs: host and folder of the recording. names: of the files.
    """
    host, folder = belongs
    of_server = [each for each in started if each.host == host]
    same = [each for each in of_server if folder_of.get(each.artifact) == folder]
    found = uptimes.base_of(own, same or (of_server if host else []))
    if found is None:
        return None
    base, by = found
    other = names[by.artifact]
    doc = msgspec.structs.replace(
        before.doc,
        zone=None,
        how=f"No time in the file: placed by its Uptime, as {other} shows when the server started.",
        quality="derived",
        dispersion_s=_STAMP_ERROR_S,
        anchors=1,
    )
    return replace(before, doc=doc, base_us=base)


def _by_numbers(
    before: _Placement,
    own: pl.DataFrame,
    frames: Mapping[str, pl.DataFrame],
    folder_of: Mapping[str, str],
    belongs: tuple[str | None, str],
) -> _Placement | None:
    """Return the placement of counters by the number of connections that they have counted."""
    found = connection_numbers.base_of(own, uptimes.rulers(own), frames, folder_of, belongs)
    if found is None:
        return None
    doc = msgspec.structs.replace(
        before.doc,
        zone=None,
        how="No time in the file: placed by the connections that it has counted, as lists of "
        "sessions show when they came.",
        quality="derived",
        dispersion_s=max(found[1] / _S, _STAMP_ERROR_S),
        anchors=1,
    )
    return replace(before, doc=doc, base_us=found[0])


def _anchored(before: ClockDoc, match: anchoring.Match, other: str) -> ClockDoc:
    how = (
        f"No time in the file: {_title(match.series)} follows {_title(match.other)} of {other} "
        f"(correlation {match.r:.2f} at this position, {match.second:.2f} at the next best)"
    )
    return ClockDoc(
        source=before.source,
        zone=None,
        offset_s=before.offset_s,
        how=f"{how}.",
        quality="derived",
        dispersion_s=1.0,
        anchors=match.points,
    )


# ---- offsets between clocks --------------------------------------------------------------------


def _sources(
    artifacts: Sequence[EvidenceArtifact],
    placements: Mapping[str, _Placement],
    spans: Mapping[str, Mapping[str, tuple[int, int, int]]],
    host_of: Mapping[str, str | None],
    folder_of: Mapping[str, str],
) -> list[Source]:
    return [
        Source(
            artifact=artifact.sha256,
            name=artifact.path.rpartition("/")[2],
            host=host_of.get(artifact.sha256),
            quality=placements[artifact.sha256].doc.quality,
            rank=1 if metrics_hosts.MONITORING.search(artifact.format or "") else 0,
            timed="relative" not in spans[artifact.sha256],
            folder=folder_of[artifact.sha256],
            bundle=artifact.bundle,
        )
        for artifact in artifacts
        if artifact.sha256 in placements
    ]


def _by_anchors(
    placements: Mapping[str, _Placement],
    spans: Mapping[str, Mapping[str, tuple[int, int, int]]],
    measured: Mapping[str, Offset],
) -> dict[str, _Placement]:
    """Return placements for offsets that are no clock error: untimed files, assumed zones."""
    moved: dict[str, _Placement] = {}
    for sha, offset in measured.items():
        before = placements[sha]
        text = f"{offset.by} had the same values in {offset.reference} at {offset.anchors} moments"
        if set(spans[sha]) == {"relative"} and before.base_us is not None:
            if before.is_given:
                continue  # the measured offset becomes a suggestion
            doc = msgspec.structs.replace(
                before.doc,
                how=f"No time in the file: {text}.",
                quality="derived",
                dispersion_s=offset.dispersion_s,
                anchors=offset.anchors,
            )
            moved[sha] = replace(
                before, doc=doc, base_us=before.base_us + round(offset.seconds * _S)
            )
        elif before.zone is not None and before.zone.quality == "assumed":
            quarters = round(offset.seconds / 900)
            rest = offset.seconds - 900 * quarters
            if quarters == 0 or abs(rest) > _MOST_REST_S or "local" not in spans[sha]:
                continue
            by_anchors = fixed(-15 * quarters)
            if by_anchors is None:
                continue  # an offset beyond every zone says nothing about the zone
            shown = by_anchors.name
            how = f"{text} if its local times are UTC{shown}"
            zone = replace(before.zone, zone=by_anchors, how=how, quality="derived", changes=())
            doc = msgspec.structs.replace(
                before.doc,
                zone=shown,
                how=f"{how}.",
                quality="derived",
                dispersion_s=offset.dispersion_s,
                anchors=offset.anchors,
            )
            moved[sha] = replace(before, doc=doc, zone=zone)
    return moved


def _of_lonely(
    placements: Mapping[str, _Placement],
    sources: Sequence[Source],
    frames: Mapping[str, pl.DataFrame],
    measured: Mapping[str, Offset],
) -> dict[str, _Placement]:
    """Return placements of files that lie beside all others of their server by a measured offset.

    A file that meets others keeps its times, and its clock shows the offset; one that meets none
    would make a second incident of the same one.
    """
    lonely = session_shapes.apart(sources, frames)
    shapes = session_shapes.by_sessions(sources, lonely, frames.get("sample"))
    moved: dict[str, _Placement] = {}
    for sha, offset in {**shapes, **measured}.items():
        before = placements[sha]
        if sha not in lonely or before.doc.quality == "given":
            continue
        doc = msgspec.structs.replace(
            before.doc,
            how=f"{before.doc.how} {offset.text}; moved, as it meets no other file.",
            quality="derived",
            offset_s=round(before.doc.offset_s + offset.seconds, 3),
            dispersion_s=offset.dispersion_s,
            anchors=offset.anchors,
        )
        shift = before.shift_us + round(offset.seconds * _S)
        moved[sha] = replace(before, doc=doc, shift_us=shift)
    return moved


# ---- applying ----------------------------------------------------------------------------------


def _apply(
    frame: pl.DataFrame,
    placements: Mapping[str, _Placement],
    host_of: Mapping[str, str | None],
    rulers: pl.DataFrame,
) -> pl.DataFrame:
    """Add ``time`` and ``host`` to the frame of one kind."""
    lookup = _lookup(frame, placements, host_of)
    # only what is looked up is joined: the other columns are not copied
    rows = frame.drop("time", "id", strict=False)
    looked_up = rows.select("artifact").join(
        lookup, on="artifact", how="left", maintain_order="left"
    )
    rows = rows.hstack(looked_up.drop("artifact"))
    wall = pl.col("wall_us")
    local = pl.lit(None, dtype=pl.Int64)
    by_key = {_zone_key(p): p.zone for p in placements.values() if p.zone}
    for key in lookup["_zone"].drop_nulls().unique():
        zone = by_key[key]
        value = zones.to_utc(wall, zone.zone) if zone.zone else _by_changes(wall, zone.changes)
        local = pl.when(pl.col("_zone") == key).then(value).otherwise(local)
    relative = wall.fill_null(0)
    if rulers.height and frame.height and "series" in frame.columns:
        keys = ["artifact", "wall_us"]
        ruler = rulers.cast({"artifact": frame.schema["artifact"]})
        ruled = rows.select(keys).join(ruler, on=keys, how="left", maintain_order="left")
        rows = rows.with_columns(ruled["_ruled"])
        relative = pl.coalesce("_ruled", relative)
    # a backtrace's moment has neither time nor clock: it is the file's own moment
    is_moment = "time_quality" in frame.columns
    untimed = (
        pl.col("clock").is_null()
        & pl.col("wall_us").is_null()
        & (pl.lit(is_moment) | pl.col("_given"))
    )
    time = (
        pl.when(pl.col("clock") == "utc")
        .then(wall)
        .when(pl.col("clock") == "local")
        .then(local + _an_hour_later(placements) if "line_first" in frame.columns else local)
        .when((pl.col("clock") == "relative") | untimed)
        .then(pl.col("_base") + relative)
    )
    return rows.with_columns(
        (time + pl.col("_shift")).cast(pl.Int64).alias("time"),
        pl.coalesce("host", "_host").alias("host"),
    ).drop("_host", "_zone", "_base", "_given", "_shift", "_ruled", strict=False)


def _lookup(
    frame: pl.DataFrame,
    placements: Mapping[str, _Placement],
    host_of: Mapping[str, str | None],
) -> pl.DataFrame:
    """Return per artifact of a frame: host, zone, base of relative times, and shift (µs).

    _given: whether a person gave the base, so that every record of the file takes it.
    """
    shas = frame["artifact"].unique().to_list()
    placed = [placements.get(sha) for sha in shas]
    return pl.DataFrame(
        {
            "artifact": shas,
            "_host": [host_of.get(sha) for sha in shas],
            "_zone": [_zone_key(placement) for placement in placed],
            "_base": [placement.base_us if placement else None for placement in placed],
            "_given": [placement is not None and placement.is_given for placement in placed],
            "_shift": [placement.shift_us if placement else 0 for placement in placed],
        },
        schema={
            "artifact": frame.schema["artifact"],
            "_host": frame.schema["host"],
            "_zone": pl.Categorical,
            "_base": pl.Int64,
            "_given": pl.Boolean,
            "_shift": pl.Int64,
        },
    )


def _has_summer(zone: Zone) -> bool:
    """Return whether clocks can go back: not in UTC, and not if pairs of times show the change."""
    return not zone.changes and (zone.zone is None or zone.zone.minutes != 0)


def _an_hour_later(placements: Mapping[str, _Placement]) -> pl.Expr:
    """Return the µs to add to rows of the hour that was printed twice."""
    added = pl.lit(0, dtype=pl.Int64)
    for sha, placement in placements.items():
        if placement.fold is None or placement.zone is None:
            continue
        zone = placement.zone.zone
        whole = zone is None or zone.minutes is not None
        here = (pl.col("artifact") == sha) & later(placement.fold, whole=whole)
        added = pl.when(here).then(pl.lit(3600 * _S, dtype=pl.Int64)).otherwise(added)
    return added


def _zone_key(placement: _Placement | None) -> str | None:
    if placement is None or placement.zone is None:
        return None
    zone = placement.zone.zone
    return zone.name if zone else str(placement.zone.changes)


def _by_changes(wall: pl.Expr, changes: Sequence[tuple[int, int]]) -> pl.Expr:
    minutes = pl.lit(changes[0][1], dtype=pl.Int64)
    for start, each in changes[1:]:
        minutes = pl.when(wall >= start).then(pl.lit(each, dtype=pl.Int64)).otherwise(minutes)
    return wall - minutes * 60 * _S


def _fill_from_snapshots(frames: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Give records without a time the time of their snapshot.

    A moment without one (a backtrace) takes the file's stamp, which ``_apply`` knows as base.
    """
    snapshots = frames.get("snapshot")
    if snapshots is None:
        return frames
    times = snapshots.group_by("artifact", "snapshot").agg(
        pl.col("time").drop_nulls().first().alias("_time")
    )
    filled = dict(frames)
    for kind, frame in frames.items():
        if kind == "snapshot" or "snapshot" not in frame.columns:
            continue
        filled[kind] = (
            frame.join(times, on=["artifact", "snapshot"], how="left", maintain_order="left")
            .with_columns(pl.coalesce("time", "_time").alias("time"))
            .drop("_time")
        )
    return filled


__all__ = ["place", "with_ids"]
