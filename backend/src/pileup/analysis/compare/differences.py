"""Compute the parts of a comparison of two sides; ``compare_sides`` combines two or more sides.

A side is some evidence, narrowed to a window, a host or some artifacts. A value that only one side
has is reported as missing, never as zero. Series match by name and labels, whatever their host.

Units: counters are rates per second; waits and threads are per dump and per sample, so that sides
       of different length compare.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import polars as pl

from pileup.analysis.compare.trial import Run, trial
from pileup.analysis.contract import (
    ComparedSeries,
    ComparedSetting,
    ComparedSide,
    TrialDoc,
)
from pileup.analysis.evidence.context import Setting, Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.servers import effective_settings, server
from pileup.analysis.evidence.times import iso
from pileup.analysis.stacks.hot_stacks import clean
from pileup.numerals import number

CLEAR = 3.0
"""A difference of medians is clear beyond this many spreads."""
_APART = 2.0
"""A side that ramps up has a large spread: medians this many times as far are clear as well ..."""
_ENOUGH = 5
"""... where both have so many samples, and nearly all of one are beyond those of the other."""
MOST = 500
_DEPTH = 60
_UNLIKE_LENGTH = 4.0
_NAMED = 3
# counts of the server's own uptime and the like differ between any two moments
_NEVER_ALIKE = ("uptime", "uptime_since_flush_status")
# the kernel's bookkeeping follows the uptime of the machine more than what the server does
_QUIET = r"^(slabinfo|procvmstat|interrupts|procstat|meminfo|df|netstat)\."
VOLATILE_SETTINGS = frozenset(
    {"timestamp", "pseudo_thread_id", "rand_seed1", "rand_seed2", "last_insert_id", "insert_id",
     "gtid_executed", "gtid_purged", "error_count", "warning_count", "identity", "server_uuid",
     "general_log_file", "slow_query_log_file", "pid_file", "hostname", "report_host",
     # what `sysctl -a` prints of the kernel's own counting (Documentation/admin-guide/sysctl)
     "fs.aio-nr", "fs.dentry-state", "fs.file-nr", "fs.inode-nr", "fs.inode-state",
     "fs.quota.allocated_dquots", "fs.quota.cache_hits", "fs.quota.drops", "fs.quota.free_dquots",
     "fs.quota.lookups", "fs.quota.reads", "fs.quota.syncs", "fs.quota.writes",
     "kernel.cad_pid", "kernel.hostname", "kernel.ns_last_pid", "kernel.pty.nr",
     "kernel.random.boot_id", "kernel.random.entropy_avail", "kernel.random.uuid",
     "net.core.netdev_rss_key", "net.ipv4.tcp_ehash_entries", "net.ipv4.udp_hash_entries",
     "net.netfilter.nf_conntrack_count"}
)  # fmt: skip
"""Variables that nobody sets: they differ between any two moments or name the machine."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: some evidence, narrowed by window, host and artifacts if given."""

    label: str
    evidence: Evidence
    span: Span | None = None
    host: str | None = None
    artifacts: frozenset[str] | None = None
    keeps_untimed: bool = False
    """Rows without a time belong to it whatever the window: it is a whole capture."""

    def narrowed(self) -> Evidence:
        """Return the evidence of this side alone; settings are not narrowed by the window."""
        frames = {}
        for kind, frame in self.evidence.frames.items():
            keep = pl.lit(True)
            if self.artifacts is not None:
                keep = keep & pl.col("artifact").is_in(list(self.artifacts))
            if self.host is not None and "host" in frame.columns:
                keep = keep & (pl.col("host") == self.host).fill_null(False)
            if self.span is not None and kind != "setting" and "time" in frame.columns:
                keep = keep & self.span.holds().fill_null(self.keeps_untimed)
            rows = frame.filter(keep)
            if rows.height:
                frames[kind] = rows
        return replace(self.evidence, frames=frames)


def side_doc(side: Side, evidence: Evidence, span: Span | None) -> ComparedSide:
    settings = effective_settings(evidence)
    return ComparedSide(
        label=side.label,
        start=iso(span.start) if span else None,
        end=iso(span.end) if span else None,
        hosts=_hosts(evidence),
        version=server(evidence, settings).version,
        dumps=count_moments(evidence, "innodb_status"),
        samples=count_moments(evidence, "stacks"),
    )


def time_span(evidence: Evidence) -> Span | None:
    bounds = [
        (low, high)
        for frame in evidence.frames.values()
        if "time" in frame.columns
        and isinstance(low := frame["time"].min(), int)
        and isinstance(high := frame["time"].max(), int)
    ]
    return Span(min(a for a, _ in bounds), max(b for _, b in bounds)) if bounds else None


def _hosts(evidence: Evidence) -> list[str]:
    names: set[str] = set()
    for frame in evidence.frames.values():
        if "host" in frame.columns:
            names.update(frame["host"].drop_nulls().unique().to_list())
    return sorted(names)


def count_moments(evidence: Evidence, kind: str) -> int:
    frame = evidence.frame("snapshot")
    if frame is None:
        return 0
    return frame.filter(pl.col("kind") == kind).select("artifact", "snapshot").n_unique()


def comparison_warnings(
    item: ComparedSide,
    two: ComparedSide,
    empty: tuple[bool, bool],
    spans: tuple[Span | None, Span | None],
) -> list[str]:
    """List the reasons why two sides may not be comparable."""
    names = [
        f"{side.label} is empty: widen its window or choose another."
        for side, nothing in zip((item, two), empty, strict=True)
        if nothing
    ]
    if item.version and two.version and item.version != two.version:
        names.append(f"Different servers: {item.version} and {two.version}.")
    if item.hosts and two.hosts and item.hosts != two.hosts:
        names.append(f"Different hosts: {', '.join(item.hosts)} and {', '.join(two.hosts)}.")
    if spans[0] and spans[1]:
        lengths = [max(each.seconds, 1.0) for each in spans if each]
        if max(lengths) / min(lengths) >= _UNLIKE_LENGTH:
            names.append(
                f"Windows of different length: {number(lengths[0])} s and {number(lengths[1])} s."
            )
    if (item.dumps == 0) != (two.dumps == 0):
        only = item.label if item.dumps else two.label
        names.append(f"Only “{only}” has status dumps, so its waits cannot be compared.")
    if (item.samples == 0) != (two.samples == 0):
        only = item.label if item.samples else two.label
        names.append(f"Only “{only}” has stack samples.")
    return names


def untimed_tables(sides: Iterable[Side]) -> list[str]:
    """Warn about tables without a time: no window can contain them."""
    names: set[str] = set()
    for side in sides:
        frame = side.evidence.frame("table")
        if side.span is None or side.keeps_untimed or frame is None:
            continue
        untimed = frame.filter(pl.col("time").is_null())
        if side.artifacts is not None:
            untimed = untimed.filter(pl.col("artifact").is_in(list(side.artifacts)))
        names.update(
            f"{(side.evidence.path(sha) or sha).rpartition('/')[2]} line {line}"
            for sha, line in untimed.select("artifact", "line_first").iter_rows()
        )
    if not names:
        return []
    named = ", ".join(sorted(names)[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    what, them = ("A table has", "it") if len(names) == 1 else (f"{len(names)} tables have", "them")
    advice = "Give the file a time on its Clock tab, or compare whole captures instead of windows."
    return [f"{what} no time, so no window contains {them}: {named}{more}. {advice}"]


def measured_trial(a: Run, b: Run) -> TrialDoc | None:
    document = trial(a, b)
    return None if document.before_s is None and document.after_s is None else document


# ---- series ------------------------------------------------------------------------------------


def series_between(left: pl.DataFrame, right: pl.DataFrame) -> list[ComparedSeries]:
    levels_a, levels_b = _levels(left), _levels(right)
    if levels_a.is_empty() and levels_b.is_empty():
        return []
    joined = levels_a.join(
        levels_b, on=["series", "labels"], how="full", suffix="_b", coalesce=True
    )
    spread = pl.max_horizontal(
        1.4826 * pl.max_horizontal("mad", "mad_b")
        + 0.05 * pl.min_horizontal(pl.col("median").abs(), pl.col("median_b").abs()),
        pl.lit(1e-9),
    )
    delta = pl.col("median_b") - pl.col("median")
    floor = 0.01 * pl.max_horizontal(pl.col("median").abs(), pl.col("median_b").abs()) + 1e-9
    doublings = (
        ((pl.col("median_b").abs() + floor).log(2) - (pl.col("median").abs() + floor).log(2))
        .abs()
        .clip(0, 6)
    )
    telling = (
        pl.when(pl.col("series").cast(pl.String).str.contains(_QUIET)).then(0.3).otherwise(1.0)
    )
    ranked = (
        joined.with_columns((delta.abs() / spread).clip(0, 1000).alias("score"))
        .with_columns(
            pl.col("score").fill_null(-1.0),
            ((1 + pl.col("score").clip(0, 100)).log(2) * doublings * telling)
            .fill_null(-1.0)
            .alias("rank"),
        )
        .sort(["rank", "series", "labels"], descending=[True, False, False])
        .head(MOST)
    )
    return [_series_doc(row) for row in ranked.iter_rows(named=True)]


def _levels(rows: pl.DataFrame) -> pl.DataFrame:
    """Aggregate each series over all its hosts: series, labels, unit, n, median, mad, p95."""
    names = rows["series"].unique().to_list()
    alike = [name for name in names if name.lower().rpartition(".")[2] not in _NEVER_ALIKE]
    return (
        rows.filter(pl.col("series").is_in(alike))
        .with_columns(pl.col("value").median().over("series", "labels").alias("middle"))
        .group_by("series", "labels")
        .agg(
            pl.col("unit", "kind").first(),
            pl.len().alias("n"),
            pl.col("middle").first().alias("median"),
            (pl.col("value") - pl.col("middle")).abs().median().alias("mad"),
            pl.col("value").quantile(0.05, "nearest").alias("p05"),
            pl.col("value").quantile(0.95, "nearest").alias("p95"),
        )
    )


def _series_doc(row: dict[str, object]) -> ComparedSeries:
    before, after = _float(row["median"]), _float(row["median_b"])
    ratio = after / before if before and after is not None else None
    score = _float(row["score"]) or 0.0
    unit = row["unit"] or row["unit_b"]
    kind = row["kind"] or row["kind_b"]
    return ComparedSeries(
        series=str(row["series"]),
        labels=str(row["labels"] or ""),
        unit=(f"{unit}/s" if unit else "1/s") if kind == "counter" else _text(unit),
        a=before,
        b=after,
        a_p95=_float(row["p95"]),
        b_p95=_float(row["p95_b"]),
        a_points=_int(row["n"]),
        b_points=_int(row["n_b"]),
        ratio=ratio,
        score=max(score, 0.0),
        clear=score >= CLEAR or _is_apart(row),
    )


def _is_apart(row: dict[str, object]) -> bool:
    """Return whether nearly all samples of one side are beyond those of the other, by far."""
    if min(_int(row["n"]) or 0, _int(row["n_b"]) or 0) < _ENOUGH:
        return False
    lows, highs = ([_float(row[f"{name}{side}"]) for side in ("", "_b")] for name in ("p05", "p95"))
    (low_a, low_b), (high_a, high_b) = lows, highs
    if low_a is None or low_b is None or high_a is None or high_b is None:
        return False
    medians = [abs(_float(row[name]) or 0.0) for name in ("median", "median_b")]
    is_far = _APART * min(medians) <= max(medians)
    return is_far and (high_a < low_b or high_b < low_a)


# ---- waits -------------------------------------------------------------------------------------


def wait_counts(evidence: Evidence) -> pl.DataFrame:
    keys = {"file": pl.String, "line": pl.Int64, "mode": pl.String}
    frame = evidence.frame("semaphore_wait")
    if frame is None:
        return pl.DataFrame(schema={**keys, "waits": pl.UInt32})
    return frame.group_by(list(keys)).agg(pl.len().alias("waits"))


# ---- stacks ------------------------------------------------------------------------------------


def stack_counts(evidence: Evidence) -> dict[tuple[str, ...], int]:
    frame = evidence.frame("stack")
    numbers: dict[tuple[str, ...], int] = {}
    if frame is None:
        return numbers
    names: dict[tuple[str, ...], tuple[str, ...]] = {}
    frame = frame.filter(pl.col("event").is_null())  # a profile counts other things than threads
    for count, samples, frames in frame.select("count", "samples", "frames").iter_rows():
        raw = tuple(frame["function"] or "??" for frame in frames[:_DEPTH])
        stack = names.setdefault(raw, tuple(clean(name) for name in raw))
        numbers[stack] = numbers.get(stack, 0) + round(count / max(samples or 1, 1))
    return numbers


# ---- settings ----------------------------------------------------------------------------------


def changed_settings(left: Evidence, right: Evidence) -> list[ComparedSetting]:
    """List the settings that both sides print and that differ."""
    a, b = variables(left), variables(right)
    return [
        ComparedSetting(name=name, a=a[name].value, b=b[name].value)
        for name in sorted(a.keys() & b.keys() - VOLATILE_SETTINGS)
        if normalized(a[name].value) != normalized(b[name].value)
    ]


def variables(evidence: Evidence) -> dict[str, Setting]:
    """Return the settings of the capture without texts that SHOW STATUS prints."""
    every = effective_settings(evidence)
    return {name: setting for name, setting in every.items() if not name.startswith("status.")}


_SWITCH = {"on": "1", "off": "0", "yes": "1", "no": "0", "true": "1", "false": "0"}


def normalized(value: str | None) -> str:
    """Normalize a setting's value: ON and 1 are equal, and so are 'A' and 'a'."""
    text = (value or "").strip().lower()
    return _SWITCH.get(text, text)


def same_value(a: str | None, b: str | None, *, switch: bool = False) -> bool:
    """Return whether two values of a setting are equal, whatever their spelling.

    switch: one value comes from an option file, where a name alone switches it on, sizes have
            letters (95G) and paths may end in a slash.
    """
    if normalized(a) == normalized(b):
        return True
    if not switch:
        return False
    return _written(a) == _written(b)


_SIZE = re.compile(r"(\d{1,18})([kmgtpe])")


def _written(value: str | None) -> str:
    text = normalized("1" if value in (None, "") else value).strip("\"'")
    if match := _SIZE.fullmatch(text):
        return f"{float(int(match[1]) << (10 * (1 + 'kmgtpe'.index(match[2])))):.6f}"
    try:
        return f"{float(text):.6f}"
    except ValueError:
        return text.rstrip("/")


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _text(value: object) -> str | None:
    return str(value) if value is not None else None


__all__ = [
    "MOST",
    "VOLATILE_SETTINGS",
    "Side",
    "changed_settings",
    "comparison_warnings",
    "count_moments",
    "measured_trial",
    "normalized",
    "same_value",
    "series_between",
    "side_doc",
    "stack_counts",
    "time_span",
    "untimed_tables",
    "variables",
    "wait_counts",
]
