"""Direct calls of the views' sorts: three rivals in the wrong order, and a tie."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from unittest import mock

import polars as pl

from pileup.analysis.evidence.context import Span
from pileup.storage.incidents.analyses import Series
from pileup.views import overview, search_entries
from pileup.views.artifacts import artifact_records, pasted, tables
from pileup.views.evidence import (
    capture_tables,
    compare,
    deadlocks,
    episodes,
    first_lanes,
    log_groups,
    nearest_sessions,
    queries,
    server_settings,
    sessions,
    stacks,
    timeline,
)
from pileup.views.evidence.queries import QueryFilter
from pileup.views.evidence.sessions_over_time import sessions_over_time
from pileup.views.reasoning import matrix, similar, sweeps
from pileup.views.reports import case_evidence
from pileup.views.reports.bundle_files import BundleFiles
from pileup.views.source import EvidenceSource
from pileup.views.window import Window
from tests.analysis.frames import T0, S, evidence, sha
from tests.api.test_table_tabs import a_deadlock, logged, session, slow, trx, variable
from tests.views.evidence import test_first_lanes

Scene = Callable[[], object]
_AT = datetime(2026, 11, 20, 22, 0, tzinfo=UTC)


def given(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


def source(**files: list[Any]) -> EvidenceSource:
    return EvidenceSource(evidence(files))


def alike_by_cause() -> object:
    """The same cause first, then what has more in common; of a tie the id decides."""

    def known(name: str, cause: str, features: str) -> Any:
        return given(id=name, title=name, onset=None, cause=cause, cause_title=cause,
                     features={f"check:{each}": each for each in features})  # fmt: skip

    every = [known("mine", "x", "abc"), known("d", "y", "ab"), known("a", "x", "z"),
             known("c", "y", "abc"), known("b", "y", "ab"), known("e", "x", "abc")]  # fmt: skip
    stored = given(
        symptoms=lambda ids: {each.id: each for each in every if each.id in ids},
        similar=lambda features, most: ["d", "c", "b", "mine"],
        of_cause=lambda cause, most: ["a", "mine", "e"],
    )
    with (
        mock.patch.object(similar, "Incidents", return_value=stored),
        mock.patch.object(similar, "Hypotheses", return_value=given(of_incident=lambda _: [])),
    ):
        return [each.id for each in similar.similar_incidents(given(), "mine")]


def narrowest_of_a_kind() -> object:
    frame = pl.DataFrame({"line_first": [1, 2, 3, 4], "line_last": [9, 3, 3, 5]}).lazy()
    with mock.patch.object(artifact_records, "MOST_AT", 2):
        return [row.line_first for row in artifact_records._at(frame, "event", 1, 9)]


def narrowest() -> object:
    frames = {
        "snapshot": pl.DataFrame({"line_first": [1, 4], "line_last": [9, 4]}),
        "event": pl.DataFrame({"line_first": [5, 4, 3], "line_last": [5, 4, 4]}),
    }
    artifact = given(records=dict.fromkeys(frames, 3))
    with mock.patch.object(artifact_records, "_scan", lambda _, __, kind: frames[kind].lazy()):
        found = artifact_records.records_at(mock.Mock(), artifact, 1, 9).items
    return [(row.kind, row.line_first) for row in found]


def counts_of_a_paste() -> object:
    whole: Any = pasted.parse_with_fallback

    def counted(parse_as: Any) -> Any:
        parsed = whole(parse_as)
        parsed.receipt.records.clear()
        parsed.receipt.records.update({"session": 2, "query": 5, "setting": 9, "event": 5})
        return parsed

    with mock.patch.object(pasted, "parse_with_fallback", counted):
        return [each.kind for each in pasted.understand("a = 1\n").records]


def cells_of_a_column() -> object:
    rows: Any = [["9", "a"], ["x", "b"], ["10", "c"], [None, "d"], ["2", "e"]]
    return [row[1] for row in tables._sorted(rows, 0, False)]


def _moments() -> Any:
    return [
        given(time=_AT + timedelta(seconds=at), active=active, name=name)
        for at, active, name in ((9, 5, "far"), (2, 1, "near"), (4, 9, "later"), (2, 9, "tie"))
    ]


def nearest_moment(*, worst: bool = True) -> object:
    page = mock.Mock()
    moments = given(items=_moments())
    with mock.patch.object(capture_tables, "processlist_moments", return_value=moments):
        capture_tables._Page.sessions(page, _AT + timedelta(seconds=3) if worst else None)
    return page._grouped.call_args.args[0].name


def servers_compared() -> object:
    """The server with most variables against the one that differs most."""
    each = [
        given(id=name, source="SHOW VARIABLES", is_file=is_file, count=count)
        for name, is_file, count in (
            ("file", True, 99), ("less", False, 8), ("most", False, 9), ("tie", False, 9)
        )
    ]  # fmt: skip
    differing = {"less": 1, "tie": 5, "file": 3}
    page = mock.Mock(_different=lambda table: table.name)
    with (
        mock.patch.object(capture_tables, "setting_sources", return_value=each),
        mock.patch.object(capture_tables, "_SERVER", {"SHOW VARIABLES"}),
        mock.patch.object(
            capture_tables,
            "setting_table",
            lambda _, a, b, __: given(name=(a, b), differing=differing.get(b, 0)),
        ),
    ):
        return capture_tables._Page.settings(page, mock.MagicMock(findings=[]))[0]


def settings_that_are_mentioned() -> object:
    mentions = {"z": "finding", "y": "knowledge", "x": "", "b": "", "c": "finding"}
    rows: Any = [
        given(name=name, mentioned=[given(by=by)] if by else []) for name, by in mentions.items()
    ]
    return [row.name for row in capture_tables._mentioned_first(rows)]


def longest_stall() -> object:
    stalls = [given(length=length) for length in (1, 9, 3)]
    known: Any = given(captures=[{"id": "c", "bundles": []}], episodes=[], _stalls=lambda _: stalls)
    with (
        mock.patch.object(compare, "_length", lambda stall: stall.length),
        mock.patch.object(compare, "_stall", lambda stall: stall.length),
    ):
        return compare.StoredCaptures._find(known, "c")[1]


def hosts() -> object:
    listed = [given(host=host) for host in ("c", "a", "b", None, "a")]
    known: Any = mock.MagicMock(unit=None, incident_id="i")
    with (
        mock.patch.object(compare, "Artifacts", return_value=given(of_incident=lambda _: listed)),
        mock.patch.object(compare, "Experiments", return_value=given(of_incident=lambda _: [])),
        mock.patch.object(compare, "stored_stall", return_value=None),
        mock.patch.object(compare, "CompareChoices", lambda **fields: fields["hosts"]),
    ):
        return compare.StoredSides.choices(known)


def first_lines() -> object:
    rows = [{"artifact": "a", "line_first": line} for line in (9, 1, 5)]
    return deadlocks._Prints(rows, lambda _: ())._firsts["a"]


def latest_deadlocks() -> object:
    """Printed in two files, in no order; two of one second, which differ by their lines."""
    files = {
        name: [
            a_deadlock(at, trx(number, None, None, f"UPDATE t{number} SET a=1"), line=line)
            for number, at, line in rows
        ]
        for name, rows in {
            "b": [(1, 5, 20), (2, 9, 10), (5, 9, 5)], "a": [(3, 1, 20), (4, 7, 40), (2, 9, 60)]
        }.items()
    }  # fmt: skip
    found = deadlocks.deadlocks(source(**files), Window(), lambda _: (), {})
    return found.items


def steps_of_times() -> object:
    """Most samples are a second apart, two in the middle are not."""
    times = [n * S for n in (0, 1, 2, 92, 93)]
    with mock.patch.object(episodes, "_MOST_POINTS", 9):
        return episodes._aligned(times, [1.0] * 5, 0)


def thumbnail() -> object:
    shuffled = [(n * 7) % 9 for n in range(9)]
    rows = pl.DataFrame(
        {"time": [T0 + n * S for n in shuffled], "value": [float(n) for n in shuffled]}
    ).with_columns(id=pl.lit("x"))
    episode = {"stall": {"evidence": [{"series": "x", "baseline": 1.0, "peak": 9.0}],
                         "onset": "2026-11-20T22:00:00Z"}}  # fmt: skip
    with (
        mock.patch.object(episodes, "_window", return_value=Span(T0, T0 + 9 * S)),
        mock.patch.object(episodes, "values", lambda frame: frame),
        mock.patch.object(episodes, "title_of_id", return_value=given(words="x")),
        mock.patch.object(episodes, "Thumbnail", lambda **fields: fields["points"]),
        mock.patch.object(episodes, "_aligned", lambda times, values, _: (times, values)),
    ):
        return episodes._thumbnail(episode, {}, rows)


def densest_series() -> object:
    """Of one quantity, that of the host of the stall, the densest, the first by its id."""
    drawn = [
        Series(f"{name}.Questions@{host}", f"{name}.Questions", "", host, "gauge", None, points,
               None, None, 0.0, 9.0, None)
        for name, host, points in (
            ("metric", "other", 99), ("mysql", "db", 5), ("server", "db", 9), ("exporter", "db", 9)
        )
    ]  # fmt: skip
    return first_lanes.first_lanes(drawn, test_first_lanes.parts())


def counts_of_words() -> object:
    counted = pl.DataFrame({"kind": ["b", "a", "d", "c"], "len": [2, 2, 9, 1]})
    return list(log_groups._counts(counted, "kind").items())


def _messages(sort: Any, *, down: bool = False) -> object:
    rows = [(30, "open of a file", 4), (10, "read of a file", 1), (20, "sync of a file", 2),
            (5, "sync of a file", 3), (10, "read of a file", 9)]  # fmt: skip
    log = [logged(line, at, text) for at, text, line in rows]
    wanted = log_groups.LogFilter()
    chosen = log_groups._chosen
    with mock.patch.object(log_groups, "_chosen", lambda *given: chosen(*given).reverse()):
        groups = log_groups._grouped(source(log=log), wanted, sort, down).groups
    return groups.select("count", "line_first").rows()


def lines_of_a_log() -> object:
    rows = pl.DataFrame(
        {"severity": ["note", "error", "note", "error"], "time": [3, 2, 1, 2],
         "line_first": [4, 3, 2, 1]}
    )  # fmt: skip
    return log_groups._sorted(rows.lazy(), "severity", False).collect()


def nearest_list() -> object:
    """Of lists that are as near, the earliest; of those, the one of the first file."""

    def listed(number: int, at: int, time_s: float | None = 1.0) -> Any:
        return session(number, "SELECT 1", wall_us=T0 + at * S, snapshot=0, time_s=time_s)

    nearest = [listed(3, 2), listed(4, 2, 9.0), listed(5, 2, None)]
    files = {"a": [listed(1, 9)], "b": [listed(2, 4)], "c": nearest, "d": [listed(6, 2)]}
    found = nearest_sessions.sessions_near(source(**files), T0 + 3 * S)
    return [row.session_id for row in found.sessions]


def top_statements() -> object:
    log = [
        slow(9 * n + at, f"SELECT {text} FROM t", took, at)
        for n, (text, took, calls) in enumerate(
            (("a", 1.0, 1), ("b", 9.0, 1), ("c", 3.0, 3), ("d", 9.0, 2))
        )
        for at in range(calls)
    ]
    found = queries.top_queries(source(log=log), QueryFilter(sort="max_s"), ())
    return [item.shape for item in found.items]


def settings_of_a_server() -> object:
    """The last of a name is the one in force."""
    rows = [variable("a", value, line) for line, value in ((9, "last"), (1, "first"), (5, "mid"))]
    seen = source(v=rows)
    (of,) = server_settings.setting_sources(seen)
    return server_settings._values(seen, of)


def sources_of_settings() -> object:
    """Two at one path, and two in one file."""
    rows = [
        ("2", "SHOW VARIABLES", 1), ("1", "SHOW VARIABLES", 1), ("3", "my.cnf", 9),
        ("4", "SHOW VARIABLES", 2), ("5", "a table", 1), ("5", "SHOW VARIABLES", 1),
    ]  # fmt: skip
    frame = pl.DataFrame(
        [
            {"artifact": artifact, "source": of, "time": None, "name": f"v{n}", "line_first": 1}
            for artifact, of, count in rows
            for n in range(count)
        ]
    ).with_columns(host=pl.lit("h"))
    paths = {"1": "twin", "2": "twin", "3": "a", "4": "z", "5": "b"}
    seen: Any = given(paths=lambda: paths)
    with mock.patch.object(server_settings, "server_settings", return_value=frame.lazy()):
        found = server_settings.setting_sources(seen)
    return [(each.artifact, each.source) for each in found]


def names_of_settings() -> object:
    seen = source(v=[variable(name, "1", n) for n, name in enumerate("cab")])
    (of,) = server_settings.setting_sources(seen)
    return [row.name for row in server_settings.setting_table(seen, of.id, None, ()).rows]


def moments_of_lists() -> object:
    rows = [
        session(n, "SELECT 1", wall_us=T0 + at * S, snapshot=snapshot)
        for n, (at, snapshot) in enumerate(((9, 2), (9, 1), (1, 3)), start=1)
    ]
    found = sessions.moments_frame(source(b=rows, a=rows))
    return found.select("time", "artifact", "snapshot").rows()


def moments_of_stacks() -> object:
    frame = pl.DataFrame(
        {
            "artifact": ["b", "a", "a", "a"], "snapshot": [1, 3, 2, 1], "time": [9, 9, 9, 1],
            "event": [None] * 4, "count": [1] * 4, "samples": [1] * 4,
        },
        schema_overrides={"event": pl.String},
    )  # fmt: skip
    seen: Any = given(paths=dict, scan=lambda _: frame.lazy())
    with (
        mock.patch.object(stacks.same_samples, "repeated", return_value={}),
        mock.patch.object(stacks.same_samples, "COLUMNS", ("artifact",)),
    ):
        return [(each.artifact, each.snapshot) for each in stacks.stack_moments(seen)]


def gravest_events() -> object:
    events = [
        {"time": f"{at}", "severity": severity, "message": name}
        for at, severity, name in (
            (9, None, "g"), (8, "error", "f"), (7, "warning", "e"), (3, "error", "b"),
            (5, "warning", "d"), (4, "warning", "c"),
        )
    ]  # fmt: skip
    with mock.patch.object(timeline, "_MOST_EVENTS", 4):
        return [event["message"] for event in timeline._shortened(events)]


def worst_snapshots() -> object:
    rows = [
        given(kind=kind, host=None, time=_AT + timedelta(seconds=at), artifact=artifact,
              waiters=waiters, lock_waits=0)
        for kind, at, artifact, waiters in (
            ("b", 9, "z", 1), ("b", 8, "y", 5), ("a", 3, "x", 9), ("a", 8, "w", 12),
            ("c", 8, "v", 1), ("c", 8, "u", 2),
        )
    ]  # fmt: skip
    with mock.patch.object(timeline, "_MOST_SNAPSHOTS", 3):
        return [(row.artifact, row.waiters) for row in timeline._thinned(rows)]


def votes() -> object:
    cast = [
        given(by_id=by_id, by=by) for by_id, by in (("4", "b"), ("3", "a"), ("2", "b"), ("1", "z"))
    ]
    known: Any = given(_all={("p", "h"): cast}, _free={("p", "h")}, _me="1")
    return [vote.by_id for vote in matrix._Votes.of(known, ("p", "h"))]


def columns() -> object:
    ranks = {"H9": 2, "H3": None, "H2": 1, "H10": 2, "H1": 1}
    hypotheses: Any = [
        given(id=name, label=name, statement="", status="refuted" if name == "H1" else "open",
              confidence=None)
        for name in ranks
    ]  # fmt: skip
    scores = {
        name: given(inconsistency=0.0, consistency=0.0, coverage=0.0, rank=rank)
        for name, rank in ranks.items()
    }
    evaluated: Any = given(scores=scores, leaders=())
    return [each.label for each in matrix._columns(hypotheses, evaluated)]


def most_believed() -> object:
    listed: Any = [
        given(label=name, leads=leads, confidence=sure, closed=False)
        for name, leads, sure in (("H1", False, 10), ("H2", True, 20), ("H3", False, 90))
    ]
    return matrix._disputed(listed)


def leaders_named() -> object:
    evaluated: Any = given(leaders=("c", "a", "b"))
    return matrix._sensitivity([], evaluated, {name: name for name in "abc"})


def leaders_of_a_turn() -> object:
    turn: Any = given(row="r", leaders=("c", "a", "b"))
    return matrix._turn(turn, {name: name for name in "abc"}, {"r": "r"}).leaders


def sweeps_by_name() -> object:
    runs: Any = [given(sweep=name, number=n) for n, name in enumerate(("c", "a", "b"))]
    with (
        mock.patch.object(sweeps, "sweep_run", lambda run: run),
        mock.patch.object(sweeps, "lines_of", lambda runs: [given(axis=runs[0].sweep)]),
        mock.patch.object(sweeps, "_series", return_value=None),
        mock.patch.object(sweeps, "most_varied", return_value=None),
        mock.patch.object(sweeps, "Sweep", lambda name, *_: name),
    ):
        return sweeps.sweeps_of(runs)


def packed_files() -> object:
    packed: list[str] = []
    rows = [{"id": name, "sha256": name, "depth": depth, "parent_id": None}
            for name, depth in (("outer", 0), ("inner", 2), ("middle", 1))]  # fmt: skip
    made = mock.MagicMock()
    made._is_packed.return_value = True
    made._pack.side_effect = lambda row, _: packed.append(row["id"])
    BundleFiles.copies(made, rows)
    return packed


def runs_of_symptoms() -> object:
    runs = [given(number=n) for n in (9, 1, 5)]
    symptom = given(words="w", incident=None, id="s")
    known: Any = given(unit=None, incident_id="i", frames=None, placed=None)
    found = {
        "Symptoms": lambda _: given(of_incident=lambda _: [symptom]),
        "Experiments": lambda _: given(of_incident=lambda _: runs),
        "symptoms_of_run": lambda *_: [given(symptom_id="s", holds=True)],
        "answered_symptoms": lambda *_: [symptom],
    }
    with mock.patch.multiple(case_evidence, **found):
        (answer,) = case_evidence.CaseEvidence.symptoms(known)
    return [run for run, _ in answer.runs]


def cells_that_changed() -> object:
    rows = [("a", 2.0, 2.2), ("b", 1.0, 90.0), ("c", 1.0, 4.0)]
    before, after = (
        given(columns=("k", "v"), rows=tuple((row[0], str(row[at])) for row in rows))
        for at in (1, 2)
    )
    return [cell.key for cell in case_evidence.compare_tables(before, after).cells]


def words_of_a_quantity() -> object:
    """Two titles of the same words in another order name one quantity."""
    known = given(title="Slept while waiting: locks", detail="")
    with (
        mock.patch.object(first_lanes, "role_of", return_value=None),
        mock.patch.object(first_lanes, "series_title", return_value=known),
    ):
        return first_lanes._quantity(given(name="x", labels="", host="h"))


def longest_sessions() -> object:
    """And the states of most sessions, equals as they are listed."""
    times = {1: 5.0, 2: None, 3: 90.0, 4: 5.0}
    states = {1: "few", 2: "many", 3: "many", 4: "tie"}
    rows = [session(n, "SELECT 1", wall_us=T0, time_s=times[n], state=states[n]) for n in times]
    found = nearest_sessions.sessions_near(source(list=rows), T0)
    groups = [group.state for group in nearest_sessions._groups(_dicts(rows))]
    return [row.session_id for row in found.sessions], groups


def _dicts(rows: list[Any]) -> list[dict[str, Any]]:
    few, many = (r for r in rows if r.state == "few"), (r for r in rows if r.state != "few")
    ordered = [*few, *many]
    return [
        {name: getattr(row, name) for name in ("state", "query", "command", "time_s")}
        for row in ordered
    ]


def slowest_examples() -> object:
    log = [slow(n, f"SELECT a FROM t WHERE id={n}", took, n) for n, took in
           enumerate((1.0, 5.0, 3.0, 5.0), start=1)]  # fmt: skip
    seen = source(log=log)
    (shape,) = queries.top_queries(seen, QueryFilter(), ()).items
    found = queries.query_examples(seen, Window(), shape.id, "slow_log")
    return [shape.line_first, *(example.query[-1] for example in found.items)]


def _listed_sessions() -> Any:
    rows = {1: ("b", 5.0), 2: ("a", 9.0), 3: ("b", None), 4: ("c", 90.0), 5: ("b", 5.0)}
    listed = [
        session(n, "SELECT 1", wall_us=T0, state=state, time_s=time)
        for n, (state, time) in rows.items()
    ]
    wanted = sessions.SessionFilter(sha("list"), by="state")
    return sessions.processlist(source(list=listed), wanted, 0, 9)


def sessions_of_a_list() -> object:
    return [row.session_id for row in _listed_sessions().rows]


def states_of_a_list() -> object:
    return [group.key for group in _listed_sessions().groups]


def groups_over_time() -> object:
    """Those that had most sessions at once, then in all, then by name."""
    lists = {0: "ddbba", 1: "ddbccc", 2: "eeb"}
    rows = [
        session(9 * at + n, "SELECT 1", wall_us=T0 + at * S, snapshot=at, state=state)
        for at, states in lists.items()
        for n, state in enumerate(states, start=1)
    ]
    found = sessions_over_time(source(list=rows), "state", idle=False, q="")
    return [group.key for group in found.groups]


def stall_of_a_capture() -> object:
    def stall(name: str, seconds: float | None) -> dict[str, Any]:
        return {"id": name, "capture": "b", "leading": False, "stall": {"duration_s": seconds}}

    parts = {"episodes": [stall("open", None), stall("short", 5.0), stall("long", 60.0)]}
    return overview._chosen(parts, "b")


def rows_of_a_matrix() -> object:
    """By the kind of what is pinned, then what tells most apart, then as they were pinned."""
    kinds = [matrix.KINDS[at] for at in (1, 0, 1, 1, 0)]
    tells = [1.0, 2.0, 3.0, 1.0, None]
    pins = [
        given(id=f"p{n}", label=f"E{n}", title="", evidence_kind=kind, view=None, stale=False)
        for n, kind in enumerate(kinds)
    ]
    evaluated = given(
        diagnosticity={f"p{n}": value for n, value in enumerate(tells)}, coverage=0.0, turns=(),
        leaders=(), scores={},
    )  # fmt: skip
    rows = [given(id=f"p{n}", credibility=None, relevance=None, weight=0.0) for n in range(5)]
    empty = given(of_incident=lambda *_: [], parts=lambda *_: None, counts=lambda *_: {})
    votes_of = mock.MagicMock()
    votes_of.hidden.return_value = 0
    ratings = given(weights=lambda *_: {}, moments=lambda _: [])
    made = iter(rows)
    found = {
        "Hypotheses": lambda _: empty, "Experiments": lambda _: empty, "Analyses": lambda _: empty,
        "Comments": lambda _: empty, "Pins": lambda _: given(of_incident=lambda _: pins),
        "Ratings": lambda _: ratings, "_Votes": lambda *_: votes_of,
        "evaluate": lambda *_: evaluated, "_proposals": lambda *_: {},
        "Row": lambda *_: next(made), "_next": lambda *_: None, "_spread": lambda _: [],
    }  # fmt: skip
    with mock.patch.multiple(matrix, **found):
        asked: Any = matrix.matrix_for(mock.Mock(), given(id="i"), given(may_open=True))
    return [row.pin_id for row in asked.rows]


def sessions_to_search() -> object:
    """Those at work come first, then by their time, equals as they are listed."""
    rows = [
        session(1, None, command="Sleep", time_s=99.0), session(2, "SELECT 1", time_s=5.0),
        session(3, "SELECT 1", time_s=9.0), session(4, "SELECT 1", time_s=5.0),
    ]  # fmt: skip
    return [entry.title for entry in search_entries._sessions(source(list=rows))]


ORDERED: dict[str, Scene | tuple[Scene, ...]] = {
    "artifacts.artifact_records _at": narrowest_of_a_kind,
    "artifacts.artifact_records records_at": narrowest,
    "artifacts.pasted understand": counts_of_a_paste,
    "artifacts.tables _sorted": cells_of_a_column,
    "evidence.capture_tables _Page.sessions": (
        nearest_moment, lambda: nearest_moment(worst=False)
    ),
    "evidence.capture_tables _Page.settings": servers_compared,
    "evidence.capture_tables _mentioned_first": settings_that_are_mentioned,
    "evidence.compare StoredCaptures._find": longest_stall,
    "evidence.compare StoredSides.choices": hosts,
    "evidence.deadlocks _Prints.__init__": first_lines,
    "evidence.deadlocks deadlocks": latest_deadlocks,
    "evidence.episodes _aligned": steps_of_times,
    "evidence.episodes _thumbnail": thumbnail,
    "evidence.first_lanes _quantity": words_of_a_quantity,
    "evidence.first_lanes first_lanes": densest_series,
    "evidence.log_groups _counts": counts_of_words,
    "evidence.log_groups _grouped": (
        lambda: _messages("first"), lambda: _messages("count", down=True)
    ),
    "evidence.log_groups _sorted": lines_of_a_log,
    "evidence.nearest_sessions _groups": longest_sessions,
    "evidence.nearest_sessions sessions_near": (nearest_list, longest_sessions),
    "evidence.queries _of_statements": slowest_examples,
    "evidence.queries _ranked": top_statements,
    "evidence.queries query_examples": slowest_examples,
    "evidence.server_settings _values": settings_of_a_server,
    "evidence.server_settings setting_sources": sources_of_settings,
    "evidence.server_settings setting_table": names_of_settings,
    "evidence.sessions _grouped": states_of_a_list,
    "evidence.sessions _of_group": sessions_of_a_list,
    "evidence.sessions moments_frame": moments_of_lists,
    "evidence.sessions_over_time sessions_over_time": groups_over_time,
    "evidence.stacks stack_moments": moments_of_stacks,
    "evidence.timeline _shortened": gravest_events,
    "evidence.timeline _thinned": worst_snapshots,
    "overview _chosen": stall_of_a_capture,
    "reasoning.matrix _Votes.of": votes,
    "reasoning.matrix _columns": columns,
    "reasoning.matrix _disputed": most_believed,
    "reasoning.matrix _sensitivity": leaders_named,
    "reasoning.matrix _turn": leaders_of_a_turn,
    "reasoning.matrix matrix_for": rows_of_a_matrix,
    "reasoning.similar similar_incidents": alike_by_cause,
    "reasoning.sweeps sweeps_of": sweeps_by_name,
    "reports.bundle_files BundleFiles.copies": packed_files,
    "reports.case_evidence CaseEvidence.symptoms": runs_of_symptoms,
    "reports.case_evidence compare_tables": cells_that_changed,
    "search_entries _sessions": sessions_to_search,
}  # fmt: skip
