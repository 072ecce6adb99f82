"""The detection of stalls and their sentences, called directly where a threshold decides."""

from __future__ import annotations

from typing import Any, cast

import polars as pl

from pileup.analysis.contract import StallDoc, StoryImpact
from pileup.analysis.evidence import series
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.times import parse
from pileup.analysis.stalls import (
    baselines,
    detection,
    documents,
    lags,
    onsets,
    pileups,
    references,
    refusals,
    shifts,
    silences,
    slowdowns,
    stops,
    workloads,
)
from pileup.analysis.stalls import stall as stall_ranges
from pileup.analysis.stalls.indicators import Role, Signal
from pileup.analysis.stalls.stall import Stall
from pileup.analysis.story import endings, impact, sentence
from tests.analysis.frames import T0, S, evidence, gauge
from tests.analysis.turning.tools import Scenes, always, given, instead, listed, signal


def _stall(onset: int, end: int, on: Any = None, baseline: Span | None = None) -> Stall:
    times = (T0 + onset * S, T0 + end * S, T0 + end * S)
    return Stall("stall", None, *times, baseline, on)


def _high() -> object:
    return any(pileups._high(signal(*[8.0] * 60, *[28.0] * 30)))


def _other_time() -> object:
    """Nine quiet samples, then many sessions."""
    on = signal(*[5.0] * 9, *[100.0] * 9)
    return baselines._other_time(_stall(30, 40, on), [], 32.0) is not None


def _ends(found: list[Stall]) -> object:
    return [(each.onset, each.last) for each in found]


def _split() -> object:
    """A short run two seconds before the stacks were sampled."""
    on = signal(*[1.0] * 20, 50.0, 50.0, *[1.0] * 20)
    mine, _ = pileups._split_observer(on, [(20, 21)], [T0 + 22 * S])
    return len(mine)


def _drained(before: int = 9, inside: int = 9) -> object:
    """Work that stood still, and comes back many times as fast, while the stall goes on."""
    on = _stall(before, before + inside, baseline=Span(T0, T0 + (before - 1) * S))
    work = signal(*[10.0] * before, *[0.0] * (inside - 1), *[90.0] * 2, role="throughput")
    with instead(pileups, throughput=always(work)):
        return len(pileups._with_burst(on, pl.DataFrame()))


def _telling() -> object:
    """97 of the 100 that wait at the peak are behind the leading root."""
    peak, its_own = "2026-11-20T22:50:05Z", "2026-11-20T22:49:51Z"
    stall: Any = given(peak_counts="waiting", peak_at=peak, peak_waiters=100)
    root: Any = given(moments=2, of=2, behind=97, time=its_own)
    return documents.telling_time(stall, [root]) == parse(its_own)


def _forerunner() -> object:
    """Two seconds of a quarter of the stall's sessions, five seconds before it."""
    on = signal(*[1.0] * 9, 20.0, 20.0, *[1.0] * 5, *[80.0] * 30)
    return pileups._without_forerunners(on, [(9, 45)], [(9, 10), (16, 45)])


def _known_before() -> object:
    marked = references.far_from_before(signal(*[1.0] * 9), lambda *_: False)
    return marked.levels[5] is not None


def _known_behind_a_hole() -> object:
    """Five samples, then one a day later: they stay the level, however old."""
    times = [T0 + at * S for at in (0, 1, 2, 3, 4, 86_400, 86_401)]
    on = Signal("x", "x", None, "latency", times, [1.0] * 7)
    return references.far_from_before(on, lambda *_: False).levels[-1]


def _left_baseline() -> object:
    """A ramp of five samples that begins at the fifth, above the level of those before it."""
    logs = [0.0, 0.0, 0.0, 0.0, 0.5, 2.0, 2.0, 2.0, 2.0, 2.0, 9.0]
    values = [2.0**each - 1 for each in logs]
    with instead(onsets, _noise=always(0.0), _smoothed=lambda each: each, _BAND=1.0):
        return onsets.left_baseline(values, 10, 0, falls=False)


def _short_piles() -> object:
    """Ranges of four, five, nine and ten seconds beside a busy level, with few sessions or many."""

    def found(
        length: int, busy: float | None, peaks: float | None, *, height: float, alone: bool = False
    ) -> object:
        on = signal(*[1.0] * 20, *[height] * length, *[1.0] * 20, *[90.0] * 60, *[1.0] * 9)
        with instead(
            pileups,
            _high=lambda on: [value > 1.0 for value in on.values],
            _split_observer=lambda _, each, __: ([], each),
            _threshold_of=always(20.0),
            join=lambda _, each: each[:1] if alone else each,
            _cleared=always(False),
            _without_dips=lambda _, each, __: each,
            _without_forerunners=lambda _, each, __: each,
            _busy_outside=always((busy, peaks)),
            _with_burst=lambda stall, _: [stall],
        ):
            stalls = pileups.pileups(on, pl.DataFrame(), [], always(True))
        return [each.kind for each in stalls if each.onset < T0 + (30 + length) * S]

    return [
        found(length, busy, peaks, height=height)
        for length in (4, 5, 6, 9, 10, 11)
        for busy, peaks in ((None, None), (99.0, 1.0), (1.0, 99.0))
        for height in (30.0, 40.0)
    ] + [found(length, None, None, height=40.0, alone=True) for length in (4, 5, 10)]


def _left_plateau(later: float = 60.0, length: int = 40) -> object:
    """Slow work before nothing is done."""
    values = [100.0] * 20 + [80.0] * (length // 2) + [later] * (length // 2) + [0.0] * 20
    last = len(values) - 1
    with instead(stops, left_baseline=always("plateau")):
        return stops._after_plateau(values, 20, last, 1.0)


def _pattern(short: int = 4, back: float = 70.0) -> object:
    """Work that falls and comes back again and again: long falls, and shorter ones."""
    values: list[float] = []
    ranges = []
    for number in range(9):
        fall = 10 if number % 2 else short
        values += [back] * 5 + [0.0] * fall
        ranges.append((len(values) - fall, len(values) - 1))
    levels = [100.0] * len(values)
    return stops._is_pattern(signal(*values), ranges, levels)


def _load_left(*, by_clients: bool = False, were: float = 100.0, are: float = 60.0) -> object:
    """Of clients that left, or of sessions alone."""
    levels = iter([(were, are) if by_clients else (None, None), (100.0, 60.0)])
    with instead(stops, levels_around=lambda *_: next(levels)):
        return stops._load_left(Span(T0, T0 + S), None, None, certain=by_clients)


def _stops(*, restart_s: int | None = None) -> object:
    """Half of the samples are low, in what would be a pattern."""
    values = [100.0] * 60 + [0.0] * 40 + [100.0] * 20
    restarts = [] if restart_s is None else [T0 + restart_s * S]
    with instead(stops, _is_pattern=always(restart_s is None)):
        return [each.kind for each in stops.stops(signal(*values), None, None, restarts)]


def _slow(quiet: int = 60, slow: int = 40, step_s: float = 1, times: float = 8.0) -> object:
    """How a latency of ten goes up."""
    values = [10.0, 11.0] * (quiet // 2) + [10.0 * times] * slow + [10.0] * 20
    return len(slowdowns.slowdowns(signal(*values, step_s=step_s, role="latency")))


def _erring(usual: float, errors: float) -> object:
    values = [usual] * 60 + [errors] * 30 + [usual] * 30
    with instead(refusals, _is_much=always(True)):
        return len(refusals.erring(signal(*values), None))


def _much(role: Role, errors: float) -> object:
    stall: Any = given(span=None)
    with instead(refusals, levels_around=lambda of, _: (0.0, of)):
        return refusals._is_much(stall, cast("Any", errors), cast("Any", 100.0), role)


def _at_limit() -> object:
    values = [50.0] * 60 + [100.0] * 30 + [50.0] * 30
    return len(refusals.at_limit(signal(*values), 100.0))


def _refused() -> object:
    return len(refusals.refused(signal(*[0.0] * 60, *[5.0] * 30, *[0.0] * 30)))


def _first_moved() -> object:
    """A series that moves twenty seconds before the onset."""
    times = [T0 + n * S for n in range(100)]
    values = [10.0] * 40 + [100.0] * 60
    rows = pl.DataFrame({"id": ["x"] * 100, "time": times, "value": values})
    table = pl.DataFrame({"id": ["x"], "base": [10.0], "delta": [90.0], "spread": [1.0]})
    return shifts._first_moved(rows, table, Span(T0 + 60 * S, T0 + 90 * S))["moved"].to_list()


def _joined() -> object:
    """Two ranges with only a hole of 500 s between them."""
    times = [T0 + n * S for n in (*range(10), *range(510, 520))]
    on = given(times=times, values=[1.0] * 20, interval_us=S)
    return stall_ranges.join(on, [(0, 9), (10, 19)])


def _done(
    statements: float = 200.0, waiting: float = 4.0, rows: float = 80.0, listed: float = 4.0
) -> object:
    """Sessions go from 2 to 42; statements and rows from 10 to these."""
    on = signal(*[2.0] * 60, *[42.0] * 60)
    stalled = _stall(60, 119, on, Span(T0, T0 + 59 * S))

    def series(name: str, before: float, during: float) -> dict[str, Any]:
        values = [before] * 60 + [during] * 60
        times = [T0 + n * S for n in range(120)]
        return {"id": [name] * 120, "series": [name] * 120, "time": times, "value": values}

    parts = [
        series("x", 2.0, 42.0) | {"id": ["x"] * 120},
        series("mysql.Questions", 10.0, statements),
        series("mysql.Innodb_row_lock_current_waits", 0.0, waiting),
        series("mysql.Innodb_rows_read", 10.0, rows),
    ]
    values = pl.concat(pl.DataFrame(part) for part in parts).with_columns(
        labels=pl.lit(""), host=pl.lit(None, dtype=pl.String), kind=pl.lit("gauge")
    )
    with instead(workloads, _waiting_by_state=always(0.0), whole=always({*values["id"]})):
        return workloads.is_done(stalled, values, always(listed))


def _doc(**more: Any) -> StallDoc:
    usual: dict[str, Any] = {
        "kind": "stall", "baseline": None, "onset": "2026-11-20T22:00:00Z",
        "end": "2026-11-20T22:00:30Z", "duration_s": 30.0, "peak_at": None, "peak_waiters": 9,
        "evidence": [],
    }  # fmt: skip
    return StallDoc(**usual | more)


def _ending() -> object:
    """The root is gone from the second list, and the stall ends three seconds after it."""
    root: Any = given(session_id=7, statement="SELECT 1")
    found = listed({10: {7: "SELECT 1", 8: "SELECT 2"}, 27: {8: "SELECT 2"}})
    return endings.ending(found, _doc(), root) is not None


def _answered() -> object:
    cost = StoryImpact(unit="statements", usual_per_s=100.0, stall_per_s=50.0, missing=900.0)
    with instead(impact, missing=always("900 fewer")):
        return "median rate fell" in " ".join(impact._sentences(cost, _doc()))


def _not_shown() -> object:
    cost = StoryImpact(waited_s=900.0, waited_share=0.5)
    return "no file shows" in " ".join(impact._sentences(cost, _doc(), unknown=0.5))


def _standstill(during: float = 90.0, lasted: float = 10.0) -> object:
    context: Any = given(baseline=None, baseline_is_before=False, stall=Span(T0, T0 + 30 * S))
    levels = iter((100.0, during))
    with instead(
        impact,
        _waited=always((None, None)),
        _work=always(("statements", given())),
        _inside=always([during]),
        _median=lambda _: next(levels),
        _longest_standstill=always((T0, lasted)),
        _sentences=always([]),
    ):
        return impact.impact(context, _doc(), None).standstill_s


def _pause() -> object:
    times = [T0, T0 + S, T0 + 2 * S, T0 + 502 * S]
    counted = Signal("x", "metric.x", None, "throughput", times, [1.0] * 4, is_counted=True)
    return counted.began(3) == times[2]


def _triggered() -> object:
    step = given(session_id=7, statement="SELECT 1", idle=False)
    root: Any = given(confidence=0.9, share=0.9, table=None, session_id=8, steps=[step])
    with instead(sentence, trigger=always(step)):
        return list(sentence._triggered(_doc(), root, None))


def _storm(per_s: float, done: float | None) -> object:
    """Deadlocks of ten seconds, beside so many statements per second."""
    count = round(10 * per_s)
    times = [T0 + round(n * 10 * S / (count - 1)) for n in range(count)]
    with instead(refusals, levels_around=always((None, done))):
        return len(refusals.by_deadlocks(times, None, None))


def _lagging(lags_s: list[float], step_s: int) -> object:
    rows = [
        ("a", "replication.seconds_behind", "h", T0 + at * step_s * S, lag)
        for at, lag in enumerate(lags_s)
    ]
    frame = pl.DataFrame(rows, schema=["id", "series", "host", "time", "value"], orient="row")
    return sum(map(len, lags.lag_stops(frame).values()))


def _silent(
    ends: tuple[int, int], step_s: int, until: int, *, after: int = 9, complaint: int = 0
) -> object:
    """Two collectors of the server, and one of the machine with so many samples after them."""
    last = max(ends)
    times = {
        "mysql.x": [ends[0] - at * step_s for at in range(8)],
        "innodb.x": [ends[1] - at * step_s for at in range(8)],
        "vmstat.x": [*range(last - 20, last), *range(until - after + 1, until + 1)],
    }
    rows = [(name, "h", T0 + at * S) for name, each in times.items() for at in each]
    frame = pl.DataFrame(rows, schema=["id", "host", "time"], orient="row")
    on = Signal("a", "a", "h", "concurrency", [T0 + (last - at) * S for at in (8, 4, 0)], [1.0] * 3)
    complaints = [T0 + (last + complaint) * S]
    return len(silences.silences(frame, on, complaints, complaints))


def _hole(machine: int = 30) -> object:
    """Two collectors of the server are silent for a minute, in which the machine has samples."""
    seconds = [*range(20), *range(80, 100)]
    times = {"mysql.x": seconds, "innodb.x": seconds, "vmstat.x": [*range(30, 30 + machine)]}
    rows = [(name, "h", T0 + at * S) for name, each in times.items() for at in each]
    frame = pl.DataFrame(rows, schema=["id", "host", "time"], orient="row")
    on = Signal("a", "a", "h", "concurrency", [T0 + at * S for at in seconds], [1.0] * 40)
    return [(each.onset, each.end) for each in silences.silences(frame, on, [T0 + 20 * S])]


def _unconnected(failed: list[int], seen: list[int]) -> object:
    """Collectors that cannot connect at these seconds; others have samples at these."""
    times, known = [T0 + at * S for at in failed], [T0 + at * S for at in seen]
    return [(each.onset, each.last) for each in refusals.of_collectors(times, known, None)]


def _few_samples() -> object:
    frame = pl.DataFrame({"by": ["a"] * 5, "time": [T0 + at * S for at in range(5)]})
    return len(silences._ends(frame))


def _moments() -> object:
    """Two dumps 5 s apart, in the middle of a minute in which the sessions are counted."""
    dumps = gauge("innodb.semaphore_waits", [13.0] * 6, start=T0 + 20 * S)
    values = series.values(evidence({"d": [dumps]}).frame("sample"))
    return len(detection._from_moments(values, [signal(*[9.0] * 60)]))


def _waited_for() -> object:
    active: Any = given(classes=[given(id="latch", title="Latch", waits=True, share=0.6)])
    return sentence._waits_of(active)


def _wide(impact: float, root: float) -> object:
    chain = given(holder="", victims="438 threads wait.")
    finding: Any = given(verdict="found", role="problem", title="A", impact=impact, chain=chain)
    leading: Any = given(share=root)
    return sentence.wide_cause([finding], leading)


SCENES: Scenes = {
    "stalls.detection _NEAR_S _from_moments": _moments,
    "stalls.lags LEAST lag_stops": lambda: _lagging([0.0, 0, 0, 10, 20, 30, 30, 30], 10),
    "stalls.lags _LEAST_S _of_signal": lambda: _lagging([0.0] * 6 + [5.0, 10.0, 15.0, 15.0], 5),
    "stalls.lags _LEAST_STEPS _of_signal": lambda: _lagging([0.0] * 6 + [9.0, 18.0, 27.0, 0.0], 9),
    "stalls.lags _LONGEST_STEP_S _growth": lambda: _lagging(
        [0.0] * 6 + [120.0, 240.0, 360.0, 0.0], 120
    ),
    "stalls.lags _SLOPE _growth": lambda: _lagging([0.0] * 6 + [7.0, 14.0, 21.0, 0.0], 10),
    "stalls.silences LEAST _rose": lambda: silences._rose([1.0] * 7 + [90.0]),
    "stalls.silences _FACTOR _rose": lambda: silences._rose([10.0] * 9 + [30.0]),
    "stalls.silences _LEAST_STEPS _ends": _few_samples,
    "stalls.silences _LEAST_STEPS _at_end": lambda: _silent((30, 30), 1, 90, after=5),
    "stalls.silences _LEAST_S _at_end": lambda: _silent((30, 30), 1, 40),
    "stalls.silences _LATE_S _at_end": lambda: _silent((30, 30), 1, 30, after=0, complaint=60),
    "stalls.refusals _APART_S of_collectors": lambda: _unconnected([0, 10], [5]),
    "stalls.refusals _LEAST of_collectors": lambda: _unconnected([0, 8], []),
    "stalls.refusals _LEAST_S of_collectors": lambda: _unconnected([0, 5], []),
    "stalls.refusals _SILENT_S of_collectors": lambda: _unconnected([0, 6], [-60]),
    "stalls.refusals _SILENT_S of_collectors again": lambda: _unconnected([0, 6], [66]),
    "stalls.silences _LEAST_STEPS _inside": lambda: _hole(5),
    "stalls.silences _TOGETHER _inside": _hole,
    "stalls.silences _MORE _rose": lambda: silences._rose([2.0] * 9 + [7.0]),
    "stalls.silences _NEAR_STEPS _at_end": lambda: _silent((27, 30), 1, 90),
    "stalls.silences _NEAR_STEPS _at_end again": lambda: _silent((30, 30), 1, 90, complaint=-3),
    "stalls.silences _TOGETHER _at_end": lambda: _silent((30, 30), 1, 90),
    "stalls.baselines _LEAST _other_time": _other_time,
    "stalls.baselines _QUIET _other_time": _other_time,
    "stalls.documents _NEARLY telling_time": _telling,
    "stalls.pileups _FACTOR _high": _high,
    "stalls.pileups _FORERUNNER _is_forerunner": _forerunner,
    "stalls.pileups _LEAST_BEFORE _with_burst": lambda: _drained(before=3),
    "stalls.pileups _LEAST_INSIDE _with_burst": lambda: _drained(inside=4),
    "stalls.pileups _OBSERVER_BEFORE_S _split_observer": _split,
    "stalls.references _LEAST far_from_before": _known_before,
    "stalls.references _LEAST far_from_before again": _known_behind_a_hole,
    "stalls.onsets _LEAST left_baseline": _left_baseline,
    "stalls.pileups _NOISE_S pileups": _short_piles,
    "stalls.pileups _SHORT_S pileups": _short_piles,
    "stalls.refusals _APART_S _together": lambda: refusals._together([T0, T0 + 10 * S]),
    "stalls.refusals _FACTOR erring": lambda: _erring(20.0, 200.0),
    "stalls.refusals _LEAST_S _together": lambda: refusals._together([T0, T0 + 5 * S]),
    "stalls.refusals _MANY erring": lambda: _erring(0.0, 1.0),
    "stalls.refusals _MANY by_deadlocks": lambda: _storm(1.0, None),
    "stalls.refusals _DEADLOCKS_OF_WORK by_deadlocks": lambda: _storm(2.0, 200.0),
    "stalls.refusals _DEADLOCKS_OF_WORK _is_much": lambda: _much("deadlocks", 1.0),
    "stalls.refusals _OF_WORK _is_much": lambda: _much("errors", 5.0),
    "stalls.refusals _ROSE at_limit": _at_limit,
    "stalls.refusals _SOME refused": _refused,
    "stalls.shifts _LEAD_S _first_moved": _first_moved,
    "stalls.slowdowns _ABOVE_USUAL_PEAKS slowdowns": _slow,
    "stalls.slowdowns _COARSE_S slowdowns": lambda: _slow(quiet=16, step_s=30),
    "stalls.slowdowns _COARSE_S slowdowns again": lambda: _slow(quiet=10, step_s=10),
    "stalls.slowdowns _FACTOR slowdowns": _slow,
    "stalls.slowdowns _KNOWN slowdowns": _slow,
    "stalls.slowdowns _LEAST slowdowns": _slow,
    "stalls.slowdowns _LEAST_KNOWN slowdowns": lambda: _slow(quiet=16, step_s=60),
    "stalls.slowdowns _LEAST_S slowdowns": _slow,
    "stalls.stall _HOLE_S join": _joined,
    "stalls.stops PLATEAU _after_plateau": _left_plateau,
    "stalls.stops _ALIKE _is_pattern": _pattern,
    "stalls.stops _BACK _is_pattern": _pattern,
    "stalls.stops _LEFT _load_left": _load_left,
    "stalls.stops _LEFT _load_left again": lambda: _load_left(by_clients=True),
    "stalls.stops _LEAST_GONE _load_left": lambda: _load_left(by_clients=True, were=4.0, are=1.0),
    "stalls.stops _PATTERN_RUNS _is_pattern": _pattern,
    "stalls.stops _PATTERN_SHARE stops": _stops,
    "stalls.stops _RESTART_S stops": lambda: _stops(restart_s=110),
    "stalls.stops _SAME _after_plateau": _left_plateau,
    "stalls.workloads _FULL is_done": _done,
    "stalls.workloads _UNDISTURBED is_done": lambda: _done(statements=16.0, rows=900.0),
    "stalls.workloads _WAITING is_done": _done,
    "stalls.workloads _WAITING is_done again": lambda: _done(15.0, 0.0, 900.0, 8.0),
    "story.endings _NEAR_US ending": _ending,
    "story.impact _FELL _sentences": _answered,
    "story.impact _GOES_ON impact": _standstill,
    "story.impact _LONG_H _seconds": lambda: impact._seconds(100 * 3600 + 1200),
    "story.impact _UNKNOWN _sentences": _not_shown,
    "story.impact _STANDSTILL_S impact": _standstill,
    "stalls.indicators _HOLE_S Signal.began": _pause,
    "story.sentence MOST_WORDS on_its_day": lambda: sentence.on_its_day(
        f"From 19:34 UTC{' x' * 21}", "2015-11-06T19:34:14Z"
    ),
    "story.sentence _LIKELY _triggered": _triggered,
    "story.sentence MOST_TIME _triggered": _triggered,
    "story.sentence _SURE _triggered": _triggered,
    "story.sentence MOST_TIME _waits_of": _waited_for,
    "story.sentence MOST_TIME wide_cause": lambda: _wide(impact=0.6, root=0.3),
    "story.sentence MOST_TIME wide_cause again": lambda: _wide(impact=1.0, root=0.6),
}
