"""What the engine ranks, with three rivals in the wrong order and a tie; values on a threshold."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from pileup.analysis.captures.recurrence import recurrence
from pileup.analysis.compare.impact import by_impact
from pileup.analysis.contract import FindingDoc
from pileup.analysis.evidence import series
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.levels import Level
from pileup.analysis.findings import limits, ranking, slow_queries, triage
from pileup.analysis.findings.rules import Match
from pileup.analysis.reasoning import similar
from pileup.analysis.stacks.groups import stack_groups
from pileup.analysis.stacks.hot_stacks import hot_stacks
from pileup.analysis.stalls import indicators, shifts
from pileup.analysis.stalls.documents import main_stall
from pileup.analysis.waits.counts import count
from pileup.knowledge import knowledge
from pileup.knowledge.limits import Ceiling, Limit
from pileup.records import Frame, Query, Stack
from tests.analysis.blocked_time.test_roots import METADATA, by_list
from tests.analysis.frames import T0, S, evidence, gauge


def finding(name: str, score: float, impact: float | None = None, **more: Any) -> FindingDoc:
    given: dict[str, Any] = {"verdict": "found", "role": "problem", "title": name} | more
    wanted = {field.name: None for field in structs.fields(FindingDoc) if field.required}
    return FindingDoc(
        **(wanted | {"id": name, "score": score, "impact": impact, "against": []} | given)
    )


def ordered(*findings: FindingDoc, small: bool = False) -> list[FindingDoc]:
    return ranking.in_order(findings, {}, {}, {}, is_small=small)


# ---- findings ------------------------------------------------------------------------------


def alone() -> list[str]:
    """Return known problems that nothing explains; not read at import: that starts threads."""
    return sorted(issue.id for issue in knowledge().issues.values() if not issue.follows)


def test_findings_are_ordered_by_score_and_impact_and_equals_by_name() -> None:
    """Without waits a finding counts as of 0.6; what is only seen comes last."""
    few, tie, middle, most, other_tie, seen = alone()[:6]
    given = [
        finding(few, 0.8, 0.2),
        finding(seen, 0.9, 0.9, verdict="seen"),
        finding(other_tie, 0.8, 0.6),
        finding(middle, 0.8),
        finding(most, 0.8, 0.7),
        finding(tie, 0.8, 0.6),
    ]
    assert [each.id for each in ordered(*given)] == [most, tie, middle, other_tie, few, seen]


def test_a_symptom_is_explained_by_the_first_problem_that_is_found() -> None:
    """And is an even bet at most."""
    symptom, weak, seen, strong = alone()[:4]
    *_, last = ordered(
        finding(symptom, 0.9, 0.9, role="symptom"),
        finding(weak, 0.5, 0.5),
        finding(seen, 0.9, 1.0, verdict="seen"),
        finding(strong, 0.8, 0.5),
    )
    assert (last.id, last.explained_by, last.score) == (symptom, strong, 0.5)


@pytest.mark.parametrize(
    ("score", "impact", "other_score", "other_impact", "limited"),
    [
        (0.9, 0.5, 0.1, 0.9, None),  # exactly half of the time, no rival
        (0.9, 0.49, 0.1, 0.9, "Most of what is active"),
        (0.5, 0.1, 0.1, 0.1, None),  # an even bet already
        (0.625, 0.6, 0.5, 0.5, "'b' explains"),  # exactly as sure
        (0.625, 0.6, 0.49, 0.5, None),
        (0.625, 0.6, 0.5, 0.4, None),  # the two can be of different sessions
    ],
)
def test_small_evidence_is_an_even_bet_with_a_rival_or_for_little(
    score: float, impact: float, other_score: float, other_impact: float, limited: str | None
) -> None:
    first = finding("a", score, impact)
    rival = finding("b", other_score, other_impact)
    shown = ranking._as_sure_as_alone(first, [rival, first])
    assert shown.score == (score if limited is None else 0.5)
    assert [limited is not None and limited in text for text in shown.against] == (
        [] if limited is None else [True]
    )


def test_only_what_is_seen_of_next_to_nothing_is_left_out_beside_a_clear_cause() -> None:
    clear = finding("a", 0.9, 0.5)
    seen = [finding(f"s{i}", 0.5, i, verdict="seen") for i in (0.05, 0.0499, None)]
    kept, small = ranking.without_small([clear, *seen])
    assert [each.id for each in kept] == ["a", "s0.05", "sNone"]
    assert [each.id for each in small] == ["s0.0499"]
    for unclear in (structs.replace(clear, impact=0.49), structs.replace(clear, verdict="seen")):
        assert ranking.without_small([unclear, *seen])[1] == []


def test_the_impact_is_a_share_of_everyone_who_waits() -> None:
    match = Match("hot-row", 0.9, "", (), waiters=4)
    queue: Any = SimpleNamespace(waiters=6, in_largest=3)
    assert ranking.impact_of(match, queue, 12, None) == (0.5, 0.25, 0.5)
    assert ranking.impact_of(match, None, 2, None) == (1.0, 1.0, 1.0)
    assert ranking.impact_of(structs_without(match), None, 9, None) is None
    share: Any = SimpleNamespace(value=0.25, low=0.1, high=0.3)
    assert ranking.impact_of(match, queue, 12, share) == (0.25, 0.1, 0.3)
    nothing: Any = SimpleNamespace(value=0.0, low=0.0, high=0.3)
    assert ranking.impact_of(match, queue, 12, nothing) == (0.5, 0.25, 0.5)


def structs_without(match: Match) -> Match:
    return Match(match.issue, match.score, match.why, match.evidence)


# ---- the stall, and what moved -------------------------------------------------------------


def test_the_stall_that_leads_is_marked_or_the_longest_the_first_of_equals() -> None:
    def stall(onset: int, seconds: float | None, kind: str = "stall") -> Any:
        return SimpleNamespace(kind=kind, onset=onset, duration_s=seconds)

    short, first, second = stall(10, 5.0), stall(30, 60.0), stall(50, 60.0)
    others = [stall(5, None), stall(1, 900.0, "pileup")]
    assert main_stall([short, second, first, *others]) is first
    assert main_stall([others[0], short]) is short
    assert main_stall(others[1:]) is None


def test_what_moved_is_ranked_by_how_much_and_how_early_and_equals_by_name() -> None:
    quiet, loud = [10.0, 11.0] * 30, [200.0] * 40
    found = evidence(
        {
            "m": [
                gauge("metric.late", [*quiet, *[10.0] * 30, *[2000.0] * 70]),
                gauge("metric.twin_b", [*quiet, *loud]),
                gauge("metric.twin_a", [*quiet, *loud]),
                gauge("metric.early", [*quiet[:55], *[200.0] * 45]),
            ]
        }
    )
    values = series.values(found.frame("sample"))
    stall = Span(T0 + 60 * S, T0 + 100 * S)
    moved = shifts.shifts(values, stall, Span(T0 + 10 * S, T0 + 49 * S))
    names = [shift.name.removeprefix("metric.") for shift in moved]
    assert names == ["early", "twin_a", "twin_b"]
    assert moved[0].first_moved_s == -5.0


def test_the_series_that_shows_the_sessions_is_the_fullest() -> None:
    """Of equals the first by name, whichever comes first in the file; per host, by its name."""

    def running(name: str, points: int, host: str, step: int = S) -> Any:
        return gauge(name, [5.0] * points, host=host, step=step)

    found = evidence(
        {
            "m": [
                running("mysqladmin.Threads_running", 30, "b"),
                running("metric.threads_running", 60, "b"),
                running("metric.threads_running", 60, "a"),
                gauge("metric.threads_running", [5.0] * 600),
            ]
        }
    )
    chosen = indicators.signals(series.values(found.frame("sample")))
    assert [(signal.host, signal.series) for signal in chosen] == [
        ("a", "metric.threads_running"),
        ("b", "metric.threads_running"),
    ]


# ---- who waits, and for whom ---------------------------------------------------------------


def test_roots_are_ordered_by_whom_they_block_and_equals_by_name() -> None:
    edges = [("w1", "few"), *((f"m{n}", "many") for n in range(3))]
    edges += [(f"{twin}{n}", twin) for twin in ("tb", "ta") for n in range(2)]
    names = ["few", "tb", "many", "ta", "alone", *(source for source, _ in edges)]
    counts = count(names, edges, {source for source, _ in edges})
    assert counts.roots == ["many", "ta", "tb", "few"]


def three_holders() -> Any:
    """Blocked time behind holders of tables: two with as many waiters, in the order of keys."""

    def table(
        name: str, holder: int, waiters: range
    ) -> list[tuple[int, str, int, str | None, str]]:
        alter = f"ALTER TABLE {name} ADD x INT"
        return [
            (holder, "Query", 60, "Sending data", f"SELECT SUM(a) FROM {name}"),
            (holder + 1, "Query", 50, METADATA, alter),
            *((n, "Query", 8, METADATA, f"SELECT 1 FROM {name}") for n in waiters),
        ]

    return by_list(
        *table("few", 30, range(100, 102)),
        *table("tie_b", 20, range(200, 206)),
        *table("many", 40, range(300, 320)),
        *table("tie_a", 10, range(400, 406)),
    )


def test_roots_of_blocked_time_are_ordered_by_their_share() -> None:
    found = three_holders()
    assert [root.session_id for root in found.roots] == [40, 10, 20, 30]
    assert [root.behind for root in found.roots] == [21, 7, 7, 3]


def test_the_queue_that_triage_names_has_most_waiters_then_the_longest_wait() -> None:
    def queue(kind: str, waiters: int, longest: float | None) -> Any:
        return SimpleNamespace(
            kind=kind, waiters=waiters, longest=longest, label=kind, share=0.5, evidence=()
        )

    def named(*queues: Any) -> str:
        observed: Any = SimpleNamespace(queues={each.kind: each for each in queues})
        doc = triage._few_waits(observed)
        assert doc is not None
        return doc.why

    few, none, long = queue("row", 2, 90.0), queue("latch", 3, None), queue("table", 3, 8.0)
    commits = queue("commit", 99, 99.0)
    assert named(few, long, none, commits) == "3 sessions wait for the table for up to 8 s."
    assert named(few, none) == "3 sessions wait for the latch."
    assert named(queue("row", 1, 2.0)) == "1 session waits for the row for up to 2 s."
    only_commits: Any = SimpleNamespace(queues={"commit": commits})
    assert triage._few_waits(only_commits) is None


# ---- statements and stacks -----------------------------------------------------------------


def query(second: float, took: float, text: str, line: int) -> Query:
    return Query(
        line_first=line,
        line_last=line,
        wall_us=T0 + round(second * S),
        clock="utc",
        query_time_s=took,
        query=text,
    )


def test_statements_are_ranked_by_time_and_equals_by_shape() -> None:
    log = [
        query(40, 2, "SELECT 1 FROM c", 1),
        query(40, 5, "SELECT 1 FROM b", 2),
        query(40, 9, "SELECT 1 FROM d", 3),
        query(40, 5, "SELECT 1 FROM a", 4),
    ]
    ranked = slow_queries.slow_queries(evidence({"slow": log}), None, None)
    assert [each.shape[-1] for each in ranked] == ["d", "a", "b", "c"]


def test_a_statement_counts_from_the_end_of_the_stall_to_its_start_both_included() -> None:
    stall = Span(T0 + 30 * S, T0 + 60 * S)
    log = [
        query(30, 1, "SELECT 1 FROM ended_at_onset", 1),
        query(29.999999, 1, "SELECT 1 FROM ended_before", 2),
        query(62, 2, "SELECT 1 FROM began_at_end", 3),
        query(62, 1.999999, "SELECT 1 FROM began_after", 4),
    ]
    ranked = slow_queries.slow_queries(evidence({"slow": log}), stall, None)
    assert [each.shape.split()[-1] for each in ranked] == ["began_at_end", "ended_at_onset"]


def stack(count_: int, line: int, *functions: str) -> Stack:
    return Stack(
        count=count_,
        frames=tuple(Frame(function=function) for function in functions),
        line_first=line,
        line_last=line,
        wall_us=T0,
        clock="utc",
        snapshot=0,
    )


def test_stacks_are_ranked_by_their_threads_and_equals_by_their_functions() -> None:
    found = evidence(
        {
            "s": [
                stack(2, 1, "few", "main"),
                stack(5, 2, "tie_b", "main"),
                stack(4, 3, "many", "main"),
                stack(5, 4, "tie_a", "main"),
                stack(5, 5, "many", "main"),
            ]
        }
    )
    hot = hot_stacks(found, None)
    assert [(each.stack[0], each.threads) for each in hot] == [
        *(("many", 9), ("tie_a", 5), ("tie_b", 5), ("few", 2))
    ]
    assert hot[0].example is not None
    assert (hot[0].example.line_first, hot[0].max_at_once) == (5, 9)
    frame = found.frame("stack")
    assert frame is not None
    groups = stack_groups(frame.to_dicts())
    assert [group.count for group in groups] == [9, 5, 5, 2]
    assert groups[1].key < groups[2].key
    assert [row["count"] for row in groups[0].rows] == [5, 4]


# ---- limits, other incidents, other captures -----------------------------------------------


@pytest.mark.parametrize(
    ("used", "before", "verdict"),
    [
        *((79.9, 1, "far"), (80, 1, "near"), (94.9, 1, "near"), (95, 1, "reached")),
        *((100, 98, "near"), (100, 97.9, "reached")),
    ],
)
def test_a_ceiling_is_near_and_reached_exactly_at_its_shares(
    used: float, before: float, verdict: str
) -> None:
    limit = Limit(
        id="x", title="X", means="", unit="", near=0.8, reached=0.95, of=["x"],
        ceilings=[Ceiling(number=100.0)],
    )  # fmt: skip
    level = Level("x", "x", "", "a", before, used, used, 9)
    known: Any = SimpleNamespace(
        context=SimpleNamespace(stall=None, evidence=SimpleNamespace(path=lambda _: "a"))
    )
    assert limits._doc(limit, level, 100.0, known).verdict == verdict


def test_what_incidents_share_is_ordered_by_weight_and_equals_by_name() -> None:
    here = {
        "series:b:up": "b went up",
        "check:z": "z",
        "finding:x": "X",
        "series:a:up": "a went up",
        "latch:l": "L",
    }
    assert similar.likeness(here, here).shared == (
        *("likely cause: X", "contended latch: L", "suspected: z"),
        *("series: a went up", "series: b went up"),
    )


def test_a_feature_counts_from_its_share_on() -> None:
    def doc(**more: Any) -> Any:
        names = ("findings", "hot_latches", "hot_waits", "blockers", "hot_stacks")
        empty: dict[str, Any] = dict.fromkeys((*names, "shifts", "triage"), ())
        rest: dict[str, Any] = {"server": {}}
        return SimpleNamespace(stalls=[SimpleNamespace(kind="stall")], **(empty | rest | more))

    def latch(name: str, waits: int) -> Any:
        return SimpleNamespace(latch=name, label=name, waits=waits)

    def stack_of(name: str, share: float) -> Any:
        return SimpleNamespace(signature=name, meaning=name, share=share, set_aside=False)

    given = doc(
        findings=[finding("exact", 0.5), finding("below", 0.49)],
        hot_latches=[latch("exact", 20), latch("below", 19), latch("more", 61)],
        hot_waits=[
            SimpleNamespace(file="exact", mode="S", share=0.2),
            SimpleNamespace(file="below", mode="S", share=0.19),
        ],
        hot_stacks=[stack_of("exact", 0.1), stack_of("below", 0.09)],
    )
    assert set(similar.signature(given)) == {
        *("finding:exact", "latch:exact", "latch:more", "place:exact:S", "stack:exact")
    }


def test_the_cause_that_stalls_share_is_the_commonest_then_the_leading_one() -> None:
    def episode(name: str, cause: str | None, *, leading: bool = False) -> Any:
        onset = f"2026-11-20T22:0{name[-1]}:00Z"
        return SimpleNamespace(
            id=name, finding=cause, leading=leading, same_as=None, findings=(),
            stall=SimpleNamespace(onset=onset, host=None),
        )  # fmt: skip

    few, most = episode("e1", "c"), [episode(f"e{n}", "a") for n in (2, 3)]
    both = [episode("e4", "b"), episode("e5", "b", leading=True), episode("e6", None)]
    found = recurrence([], [few, *most, *both], {"b": "B"})
    assert (found.finding, found.shared_by) == ("b", ["e4", "e5"])
    assert found.exceptions == ["e1", "e2", "e3", "e6"]
    assert (found.least_apart_s, found.most_apart_s) == (60.0, 60.0)
    two = recurrence([], [few, *most], {"a": "A"})
    assert (two.finding, two.shared_by, two.exceptions) == ("a", ["e2", "e3"], ["e1"])
    assert recurrence([], [few], {}).finding is None


def test_compared_sessions_are_ordered_by_how_many_more_there_are() -> None:
    def row(name: str, unit: str | None, a: float, b: float, *, clear: bool = True) -> Any:
        levels = [SimpleNamespace(median=value) for value in (a, b)]
        return SimpleNamespace(series=name, labels="", unit=unit, levels=levels, clear=clear)

    rows = [
        row("metric.other", None, 1, 900),
        row("metric.unclear", "sessions", 1, 999, clear=False),
        row("metric.waiting_few", "sessions", 5, 9),
        row("metric.waiting_many", "sessions", 80, 2),
        row("metric.waiting_same", "sessions", 9, 5),
        row("metric.threads_running", None, 1, 2),
    ]
    assert [each.series.removeprefix("metric.") for each in by_impact(rows)] == [
        *("threads_running", "waiting_many", "waiting_few", "waiting_same", "other", "unclear")
    ]
