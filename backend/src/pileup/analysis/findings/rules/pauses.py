"""Rule for a server process that did not run at all: it was stopped, or its machine was paused.

All threads of a stopped process stop at once: its counters stand still, nothing in it waits for
anything else, and whoever wants an answer hangs. The machine goes on; where it is paused itself (a
snapshot, a move to another host) all collectors fall silent together, and its kernel says so after.
"""

from __future__ import annotations

import polars as pl

from pileup.analysis.contract import Locator
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.levels import Level
from pileup.analysis.evidence.series import OF_MACHINE
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import Match, Rule
from pileup.numerals import number

_KERNEL = (
    r"(?i)soft lockup - CPU#\d+ stuck for|(self-)?detected stalls? on CPU|self-detected stall"
    r"|time ?jump(ed)? (forward|detected)|(forward )?time jump|system clock wrong by [1-9]"
)
_UNSTABLE = r"(?i)clocksource .{0,60}(unstable|skew)|timekeeping watchdog"
_MACHINE = (
    r"(?i)\b(guest|vm|virtual machine|instance)\b.{0,60}\b(paused|stunned|frozen|suspended|resumed)"
    r"|live[ -]migrat|vmotion|quiesc(e|ing) (the )?guest|snapshot (task|operation) (of|on|for) "
)
_SIGNAL = r"(?i)\bSIGSTOP\b|\bstopped by signal\b"
_IDLE_CLEANER = (
    r"(?i)page.cleaner.{0,40} took DIGITSms.{0,60}\(flushed=0[ ,].{0,20}evicted=0\b"
    r"|page.cleaner took DIGITSms to flush 0 and evict 0 pages"
)
_SLEPT = _IDLE_CLEANER.replace("DIGITS", r"(?:\d{6,}|[3-9]\d{4})")
"""A round of 30 s and more in which the page cleaner had nothing to do."""
_STARVED = _IDLE_CLEANER.replace("DIGITS", r"\d{4,5}")
_LEAST_STARVED = 3
_STOPPED_AS = r"^T[<NLsl+]*$"
_SERVERS = r"(?:^|/)(?:mysqld|mariadbd)\b"
_LEAST_S, _MANY_STEPS = 3.0, 3.0
"""A silence of a collector: so many seconds, and so many of its usual steps."""
_TOGETHER = 0.8
"""Part of the server's silence in which the machine's collectors are silent as well."""
_MOST_OF = 0.5
"""Part of a stall that is a silence of the server's collectors."""
_OF_SERVER = ("mysql", "processlist", "innodb", "mysqladmin")


def process_paused(observed: Observed) -> Match | None:
    """Match a process that did not run: by its state, its machine's words, or silences."""
    parts: list[tuple[float, str, tuple[Locator, ...]]] = []
    if (listed := _listed(observed)) is not None:
        parts.append((0.65, *listed))
    for pattern, weight in ((_KERNEL, 0.45), (_MACHINE, 0.45), (_SIGNAL, 0.45), (_UNSTABLE, 0.3)):
        seen = observed.log(pattern)
        if seen.holds:
            parts.append((weight, seen.text, seen.evidence))
    for pattern, least, weight, text in _CLEANER:
        seen = observed.log(pattern)
        if seen.holds and seen.most >= least:
            parts.append((weight, text, seen.evidence))
            break
    silent = _silences(observed)
    if silent is not None:
        parts.append(silent)
        if any((level.inside or 0.0) > (level.before or 0.0) for level in _stopped(observed)):
            parts.append((0.4, "a process is counted as stopped meanwhile", ()))
    if not parts:
        return None
    strongest = max(weight for weight, _, _ in parts)
    parts = [
        *(part for part in parts if part[0] == strongest),
        *(part for part in parts if part[0] < strongest),
    ]
    score = strongest + 0.4 * sum(weight for weight, _, _ in parts[1:])
    against: tuple[str, ...] = ()
    if observed.worst.waiting > _FEW and not silent:
        score *= 0.5
        against = (f"{observed.worst.waiting} sessions wait for each other in the lists.",)
    why = "; ".join(dict.fromkeys(text for _, text, _ in parts))
    evidence = tuple(locator for _, _, where in parts for locator in where)[:5]
    return Match("process-paused", round(min(score, 0.9), 3), _sentence(why), evidence, against)


_CLEANER = (
    (
        _SLEPT,
        1,
        0.35,
        "the page cleaner had nothing to flush, and a round took half a minute and more",
    ),
    (
        _STARVED,
        _LEAST_STARVED,
        0.3,
        (
            "the page cleaner had nothing to flush, and rounds of a second took many, again and "
            "again: it got no CPU or no memory, or the machine was paused"
        ),
    ),
)
_FEW = 4
"""Sessions that a list taken right after a pause may show waiting; where the server then gave no
answer, a list shows what a moment interrupted."""


def is_silent(observed: Observed) -> bool:
    """Return whether nothing was read from the server in most of a standstill.

    What lists show is then its first moment, and what waits there is not why it goes on.
    """
    return _silences(observed) is not None


def _stopped(observed: Observed) -> list[Level]:
    return observed.levels_named(["tasks_stopped"])


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _listed(observed: Observed) -> tuple[str, tuple[Locator, ...]] | None:
    """Find the server among listed processes with the state T."""
    frame = observed.context.evidence.frame("table")
    if frame is None:
        return None
    for table in frame.select("artifact", "line_first", "line_last", "columns", "rows").to_dicts():
        names = [name.upper() for name in table["columns"]]
        state = next((names.index(name) for name in ("STAT", "S") if name in names), None)
        command = next((names.index(n) for n in ("COMMAND", "CMD", "COMM") if n in names), None)
        if state is None or command is None:
            continue
        rows = pl.DataFrame(
            {
                "state": [row[state] or "" for row in table["rows"]],
                "command": [row[command] or "" for row in table["rows"]],
            },
            schema={"state": pl.String, "command": pl.String},
        )
        stops = pl.col("state").str.contains(_STOPPED_AS)
        found = rows.filter(stops & pl.col("command").str.contains(_SERVERS))
        if found.height:
            text = "the server's process is listed with state T (stopped)"
            return text, (observed.lines(table, text),)
    return None


def _silences(observed: Observed) -> tuple[float, str, tuple[Locator, ...]] | None:
    """Find what of a standstill is a silence of all that read the server, and the machine."""
    stall = observed.context.stall
    shapes = {
        shape
        for doc in observed.context.stalls
        if doc.kind == "stall"
        for shape in (doc.shape, *doc.also)
    }
    if stall is None or "stopped" not in shapes:
        return None
    times = observed.context.values.filter(stall.widened(_AROUND_S).holds()).select(
        pl.col("time"), pl.col("id").cast(pl.String).str.extract(r"^([a-z_]+)\.").alias("collector")
    )
    server = _longest(times.filter(pl.col("collector").is_in(_OF_SERVER)), stall)
    if server is None or server.seconds < _MOST_OF * stall.seconds:
        return None
    machine = times.filter(pl.col("collector").is_in(OF_MACHINE))
    silent = _longest(machine, stall)
    what = (
        f"the server gave no answer for {number(server.seconds)} s, and its counters stood still "
        "meanwhile"
    )
    if silent is not None and _overlap(server, silent) >= _TOGETHER * server.seconds:
        return 0.6, f"{what}; the collectors of the machine fell silent with it", ()
    goes_on = machine.filter(server.holds()).height
    return (0.45 if goes_on else 0.35, what, ())


_AROUND_S = 120.0


def _longest(times: pl.DataFrame, stall: Span) -> Span | None:
    """Return the longest silence of all of these collectors at once that touches the stall."""
    moments = times["time"].unique().sort()
    if moments.len() < _LEAST_SAMPLES:
        return None
    gaps = pl.DataFrame({"start": moments.head(-1), "end": moments.tail(-1)}).with_columns(
        (pl.col("end") - pl.col("start")).alias("long")
    )
    usual = float(gaps["long"].median() or 0.0)  # type: ignore[arg-type]
    least = max(_LEAST_S * 1e6, _MANY_STEPS * usual)
    touching = gaps.filter(
        (pl.col("long") >= least) & (pl.col("start") <= stall.end) & (pl.col("end") >= stall.start)
    )
    if touching.is_empty():
        return None
    longest = touching.filter(pl.col("long") == touching["long"].max()).row(0, named=True)
    return Span(longest["start"], longest["end"])


_LEAST_SAMPLES = 5


def _overlap(span: Span, other: Span) -> float:
    return max(0.0, (min(span.end, other.end) - max(span.start, other.start)) / 1e6)


RULES: dict[str, Rule] = {"process-paused": process_paused}
