"""What the knowledge base answers to many names, versions, states and stacks, as agreed.

Names are made of the words of its own data, so that each entry is asked for, with what exporters
put around it, and what nearly fits. ``agreed/`` holds every answer; a change that alters some runs
``pytest --bless`` on this file, and its review reads which.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.agreed import check_agreed

from pileup.knowledge import (
    function_key,
    knowledge,
    latch_identity,
    latch_words,
    limits,
    match_stack,
    plain_function,
    renamed,
    series_names,
    series_titles,
    source_sites,
    version_ranges,
    wait_classes,
)
from pileup.knowledge.latch_identity import Wait

AGREED = Path(__file__).parent / "agreed"
SERVERS: tuple[tuple[str | None, tuple[int, ...]], ...] = (
    *((None, ()), ("mysql", ()), ("mysql", (5, 6, 24)), ("mysql", (5, 7)), ("mysql", (5, 7, 30))),
    *(("mysql", (8, 0, 36)), ("mysql", (8, 4, 0)), ("mysql", (9, 9, 9)), ("percona", (5, 7, 29))),
    *(("percona", (8, 0, 36)), ("mariadb", (10, 1, 20)), ("mariadb", (10, 5, 9))),
    *(("mariadb", (10, 11, 6)), ("mariadb", (99, 1, 1)), ("oracle", (1, 2, 3))),
)


def _shown(value: Any) -> str:
    """Write an answer in short: the fields of a record that are not as by default."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return " ".join(
            f"{name}={_shown(found)}" for name, found in fields if found not in (None, "")
        )
    return repr(value)


def _hash(rows: Iterator[str]) -> str:
    lines = list(rows)
    return f"{len(lines)} answers {hashlib.sha256(chr(10).join(lines).encode()).hexdigest()[:10]}"


# ---- names of series -------------------------------------------------------------------------

MEASURES = (
    *("threads_running", "Threads_running", "qps", "cpu_busy_pct", "history_list_length", "Uptime"),
    *("Questions", "uptime", "innodb_buffer_pool_pages_dirty", "cpuUtilization", "nothing_known"),
    *("Com_select", "queries", "disk_util_pct", "replication_lag", "Innodb_row_lock_waits"),
    *("memory_available", "load1", "Aborted_clients", "bytes_received", "idle", "iowait"),
)
AROUND = (
    *("{}", "mysql_global_status_{}", "mysql.status[{}]", "db.Users.{}.avg", "{}_total", "{}.max"),
    *("system.{}", "rate({}[1m])", "sum(rate(mysql_global_status_{}[5m]))", "{}_per_second"),
    *("{}_pct", "{}_percent", "{}_ratio", "{}_bytes", "{}_mb", "{}_ms", "{}_seconds", "node_{}"),
    *("a/b/{}", "unknown_{}_thing", "{0}_{0}", "max(avg(min(sum(x({})))))", "custom[a,'{}']"),
    *("sum(sum(sum(sum(sum(sum(sum({})))))))", "mysqld_{}_rate", "os.{}.current", "{} 1m"),
)


def names_of_series() -> Iterator[str]:
    for name in MEASURES:
        for form in AROUND:
            text = form.format(name)
            yield f"{text} → {_shown(series_names.measure_of(text))}"
    for labels in ("state=idle", "dimension=running,x=1", "x=running", "mode=user,state=idle", "="):
        for name in ("cpu", "threads", "node_cpu_seconds_total", "cpu_pct", "cpuUtilization"):
            found = series_names.measure_of(name, labels)
            yield f"{name}{{{labels}}} → {_shown(found)}"
    for unit in (None, "%", "B", "KB", "mb", "ms", "s", "us", "1/s", "other"):
        for name in ("cpu_busy_pct", "memory_available", "query_time", "cpu_ratio", "latency"):
            yield f"{name} in {unit} → {_shown(series_names.measure_of(name, unit=unit))}"
    for length in (299, 300, 301):
        found = series_names.measure_of("X" * (length - 16) + ".threads_running")
        yield f"{length} characters → {found.is_known} {found.name[-16:]}"


def titles_of_series() -> Iterator[str]:
    for collector in ("", "metric.", "status.", "vmstat.", "iostat.", "innodb.", "unknown."):
        for name in (*MEASURES, "com_alter_table", "latency_ms", "_ms", "x__y", "bp_pages_dirty"):
            for labels in ("", "cpu=0", "name=sda,mode=read", f"{name}=part"):
                title = series_titles.series_title(f"{collector}{name}", labels)
                yield f"{collector}{name}{{{labels}}} → {_shown(title)} / {title.words}"
    for unit in (None, "1/s", "%", "B", "KiB", "B/s", "pages/s", "ms", "pages", "s"):
        yield f"12 of {unit} → {series_titles.amount('12', unit)}"
        title = series_titles.series_title("metric.x", unit=unit)
        yield f"metric.x in {unit} → {_shown(title)}"
    for typed in (
        "metric.Threads_running@db1",
        "mpstat.user{cpu=0}",
        "my words",
        "status.x@",
        "@a",
    ):
        yield f"{typed} → {series_titles.typed_title(typed)}"
        yield f"{typed} → {_shown(series_titles.title_of_id(typed))}"


def every_counter() -> Iterator[str]:
    base = knowledge()
    for name, counter in base.counters.items():
        yield f"{name}: {counter.unit} {_shown(series_names.measure_of(counter.name))}"
        assert base.counter(counter.name.upper()) is base.counter(name) is counter
        yield f"  {_shown(series_titles.series_title(f'status.{counter.name}'))}"


def renamed_things() -> Iterator[str]:
    words, variables = renamed._names()
    for name in (*words, *variables, *words.values(), *variables.values()):
        values = {name: 1}
        found = [renamed.look_up(values, other) for other in (name, name.upper(), "x")]
        yield f"{name} → {renamed.current_name(name)} {renamed.current_name(name.upper())} {found}"
    for name in ("Rpl_semi_sync_master_clients", "Waiting for master to send event", "slaves", "x"):
        current = renamed.current_name(name)
        yield f"{name} → {current} {renamed._older(current)} {renamed.look_up({current: 2}, name)}"


# ---- waits -----------------------------------------------------------------------------------


def classes_of_waits() -> Iterator[str]:
    base = knowledge()
    states = [meaning.state for meaning in base.states if meaning.state]
    for command in (
        None,
        "Query",
        "Execute",
        "Sleep",
        "Connect",
        "Binlog Dump",
        "Daemon",
        "Killed",
    ):
        rows = (
            f"{s} {wait_classes.of_state(command, s)}" for s in (*states, "", None, "odd words")
        )
        yield f"{command}: {_hash(rows)}"
        for state in (None, "", "init", "odd words", "Waiting for table metadata lock", "starting"):
            meaning = base.state_for(command, state)
            found = meaning and (meaning.state, meaning.category)
            yield f"{command}, {state} → {wait_classes.of_state(command, state)} {found}"
    for state in states:
        meaning = base.state_for("Query", state)
        yield f"{state} → {wait_classes.of_state('Query', state)} {meaning and meaning.state}"
    operations = ("", None, "inserting", "fetching rows", "sleeping before entering InnoDB")
    for operation in (*operations, "rollback", "committing", "ROLLING BACK", "starting index read"):
        yield f"operation {operation} → {wait_classes.of_operation(operation)}"
    events = (
        *("wait/io/file/innodb/innodb_data_file", "wait/io/file/sql/binlog", "wait/io/socket/x"),
        *("wait/lock/table/sql/handler", "wait/lock/metadata/sql/mdl", "idle", "odd", ""),
        *("wait/synch/mutex/innodb/trx_mutex", "wait/synch/cond/sql/COND_done", "wait/io/table/x"),
        *("wait/synch/sxlock/innodb/index_tree_rw_lock", "wait/io/file/innodb/innodb_log_file"),
    )
    for event in events:
        for how in (None, "read", "write", "sync", "FETCH"):
            yield f"event {event} {how} → {wait_classes.of_event(event, how)}"
    for kind in ("row_lock", "metadata_lock", "table_lock", "latch", "commit", "x"):
        yield f"{kind} → {wait_classes.of_resource(kind)} {wait_classes.of_queue(kind)}"
    for query in ("SELECT 1", None, "", "SHOW ENGINE INNODB STATUS", "show full processlist", "x"):
        yield f"{query} → {wait_classes.is_collector(query)}"
    for each in wait_classes.time_classes():
        yield _shown(each)


def stacks() -> Iterator[str]:
    base = knowledge()
    for entry in base.stacks:
        functions = tuple(entry.functions)
        noise = tuple(itertools.chain.from_iterable((name, "noise") for name in functions))
        for stack in (
            functions,
            ("above", *functions, "below"),
            functions[::-1],
            noise,
            functions[:-1],
        ):
            found = match_stack(stack)
            meaning = found and (found.category, found.functions)
            kinds = wait_classes.of_stack(stack), wait_classes.is_background(stack)
            yield f"{' '.join(stack)} → {meaning} {kinds} {wait_classes.background_title(stack)}"
    for name in (
        *(
            "trx_commit(trx_t*)",
            "std::vector<a, b>::push_back",
            "Foo::bar<int>(x) const",
            "f@@GLIBC",
        ),
        *("operator()", "lock_wait_suspend_thread.part.3", "(anonymous namespace)::f()", "??", ""),
        *("THD::enter_cond(x, y)", "void f<int>(long)", "a.constprop.0", "b.isra.1.part.2", "__f"),
    ):
        stacks_of_one = wait_classes.of_stack((name,))
        yield f"{name} → {plain_function(name)!r} {function_key(name)!r} {stacks_of_one}"


def latches() -> Iterator[str]:
    base = knowledge()
    for key, latch in base.latches.items():
        yield f"{key} → {latch.title} / {latch_words(latch.title, key, 'printed')}"
        for name in (key, f"&{key}", key.upper(), f"{key}_x", f"&{key}->mutex"):
            yield f"  {name} → {_shown(base.latch_identity(name, Wait()))}"
    for name in (None, "", "&kernel_mutex", "TRX_SYS", "UNKNOWN_CLASS", "unknown"):
        yield f"{name} → {_shown(base.latch_identity(name, Wait()))}"


# ---- places of the source --------------------------------------------------------------------


def _places() -> list[tuple[str, str, int]]:
    """Return places of each file: kind, file, line."""
    rows = (
        source_sites._table().select("file", "line", "kind").unique().sort("file", "line", "kind")
    )
    every = [(row["kind"], row["file"].rpartition("/")[2], row["line"]) for row in rows.to_dicts()]
    return every[::1499]


def identities() -> Iterator[str]:
    known = frozenset(knowledge().latches)
    places = _places()
    for family, numbers in SERVERS[2::4]:
        for moved in (0, 1, 11, 41, 151):
            rows = []
            for (kind, file, line), mode in zip(
                places, itertools.cycle(("S", "X", "mutex", "", "X wait_ex")), strict=False
            ):
                place = (file, line + moved)
                wait = (
                    Wait(mode=mode, created=place, family=family, numbers=numbers)
                    if kind == "created"
                    else Wait(mode=mode, at=place, family=family, numbers=numbers)
                )
                rows.append(_shown(latch_identity.identify(None, wait, known)))
            decided = sum("latch=" in row for row in rows)
            yield f"{family} {numbers} {moved} lines away: {decided} decided, {_hash(iter(rows))}"


def sites() -> Iterator[str]:
    places = _places()
    for family, numbers in SERVERS[2::4]:
        for moved in (0, 1, 60):
            rows = [
                _shown(
                    source_sites.site(
                        file, line + moved, family=family, numbers=numbers, mode=mode, kind=kind
                    )
                )
                for (kind, file, line), mode in zip(
                    places, itertools.cycle(("S", "X", "")), strict=False
                )
            ]
            yield f"{family} {numbers} {moved} lines away: {_hash(iter(rows))}"


# ---- versions --------------------------------------------------------------------------------

RANGES = (
    *("all", "all: every", "mysql", "mysql 5.7", "mysql 8.0.0-8.0.29", "mysql 8.0.0 - 8.0.29: x"),
    *("mysql <5.6.30", "mariadb 10.6+", "percona 5.7", "mysql 5.6?-5.7", "mysql 5.6-5.7.12?"),
    *("mariadb 10.5.9?", "mysql 8.0.30?+", "mysql never", "all 5.7", "all <5.7", "oracle 5", ""),
    *("mysql 5.7.x", "MYSQL 5.7", "mysql never: why", "mariadb 10.5.0: off by default", "mysql 8"),
)
NUMBERS: tuple[tuple[int, ...], ...] = (
    *((), (5,), (5, 6), (5, 6, 29), (5, 6, 30), (5, 7), (5, 7, 0), (5, 7, 12), (5, 7, 13), (8,)),
    *((8, 0), (8, 0, 0), (8, 0, 29), (8, 0, 30), (8, 1), (10, 5, 9), (10, 6), (10, 6, 1), (11,)),
)


def _try(function: Callable[..., Any], *arguments: Any) -> str:
    try:
        return _shown(function(*arguments))
    except version_ranges.RangeError as error:
        return f"refused: {error}"


def versions() -> Iterator[str]:
    for entry in RANGES:
        yield f"range {entry} → {_try(version_ranges.read_range, entry)}"
        yield f"fix {entry} → {_try(version_ranges.read_fix, entry)}"
        yield f"text {entry} → {version_ranges.fix_text(entry)}"
        answers = [
            _try(lambda n, entry=entry: version_ranges.read_range(entry).answer(n), n)[:9]
            for n in NUMBERS
        ]
        yield f"answers {entry} → {' '.join(answers)}"
    for affected, fixed in (
        (("mysql 5.6-5.7",), ("mysql 5.6.30", "mysql 5.7.12", "mysql 5.7.13")),
        (("mysql 5.6+",), ("mysql 5.7.12?",)),
        (("mysql",), ("mysql 8.0.30", "mysql never", "mariadb 10.6.1")),
        (("all",), ("mariadb 10.5.9",)),
        (("mariadb 10.5-10.6", "percona 5.7"), ()),
        (("mysql <8.0.30", "mysql 8.1"), ("mysql 8.0.30",)),
    ):
        for family in (None, "mysql", "percona", "mariadb"):
            answers = [version_ranges.applies(affected, fixed, family, n) for n in NUMBERS]
            fixes = [version_ranges.fix_for(fixed, family, n) for n in NUMBERS]
            yield f"{affected} {fixed} {family} → {' '.join(answers)}"
            yield f"  fixes {' '.join(fix.version if fix else '-' for fix in fixes)}"


ANSWERS = (
    *(names_of_series, titles_of_series, every_counter, renamed_things, classes_of_waits, stacks),
    *(latches, identities, sites, versions),
)


@pytest.mark.parametrize("answers", ANSWERS, ids=lambda answers: answers.__name__)
def test_answers_are_the_agreed_ones(
    answers: Callable[[], Iterator[str]], request: pytest.FixtureRequest
) -> None:
    text = "".join(f"{line}\n" for line in answers())
    bless = bool(request.config.getoption("--bless"))
    check_agreed(text, AGREED / f"{answers.__name__}.txt", bless=bless)


def test_a_limit_has_one_gauge_and_a_ceiling_one_kind() -> None:
    ceiling = limits.Ceiling(number=1.0)
    for of, left in (([], []), (["a"], ["b"])):
        with pytest.raises(ValueError, match="x: a limit has one of 'of' and 'left'"):
            limits.Limit(id="x", title="", ceilings=[ceiling], means="", of=of, left=left)
    for given in ({}, {"settings": ["a"], "number": 0.0}, {"series": ["a"], "settings": ["b"]}):
        with pytest.raises(ValueError, match="a ceiling has one of settings, series and number"):
            limits.Ceiling(**given)
    assert limits.Ceiling(number=0.0).number == 0.0
