"""Limits of the views: a lower one cuts a list or a text to exactly its length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module

import pytest

from pileup.analysis import analyse
from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.evidence import Evidence
from pileup.records import Deadlock, Frame, Stack, StackThread
from pileup.views.artifacts import pasted, record_text
from pileup.views.evidence.deadlocks import deadlocks
from pileup.views.evidence.log_groups import LogFilter, log_groups, log_page
from pileup.views.evidence.nearest_sessions import sessions_near
from pileup.views.evidence.queries import QueryFilter, query_examples, top_queries
from pileup.views.evidence.server_settings import setting_sources, setting_table
from pileup.views.evidence.sessions import SessionFilter, processlist, processlist_moments
from pileup.views.evidence.sessions_over_time import sessions_over_time
from pileup.views.evidence.stacks import stack_sample
from pileup.views.search_entries import search_entries
from pileup.views.source import EvidenceSource
from pileup.views.window import Window
from tests.analysis.frames import T0, S, evidence, sha
from tests.api.test_table_tabs import CNF, a_deadlock, logged, session, slow, trx, variable
from tests.support.constants import limits_of
from tests.support.replayed import as_long_as, plain
from tests.views import scenes

_NAMES = ("innodb_log_file_size", "max_connections", "table_open_cache")


@cache
def _capture() -> Evidence:
    """Three of everything: processlists, statements, messages, settings, deadlocks, stacks."""
    verbs = ("INSERT", "REPLACE", "UPDATE", "DELETE")
    return evidence(
        {
            "processlist": [
                session(
                    100 * at + n, f"{verb} t SET a = {n}", state=f"{verb} rows", db="shop",
                    wall_us=T0 + at * S, snapshot=at,
                )
                for at in range(3)
                for n, verb in enumerate(verbs, start=1)
            ],
            "slow.log": [
                slow(10 * n + at, f"SELECT {'abc'[n]} FROM t WHERE id={at}", 1.0 + n, at)
                for n in range(3)
                for at in range(3)
            ],
            "error.log": [
                logged(n, 30 * n, f"{word} of a table")
                for n, word in enumerate(("open", "read", "sync"))
            ],
            "variables": [variable(name, "1000", n) for n, name in enumerate(_NAMES, start=1)],
            "my.cnf": [variable(name, "2000", n, **CNF) for n, name in enumerate(_NAMES, start=1)],
            "other.cnf": [variable("port", "3306", **CNF)],
            "status-1": [_deadlock(n, name) for n, name in enumerate("abc", start=1)],
            "status-2": [_deadlock(1, "a")],
            "status-3": [_deadlock(1, "a")],
            "stacks": [_stack(n) for n in range(1, 4)],
        }
    )  # fmt: skip


def _deadlock(at: int, name: str) -> Deadlock:
    """Two transactions that hold three locks each and want one of the other's."""
    locks = [f"record app.{name}{n} PRIMARY X" for n in range(6)]
    return a_deadlock(
        at,
        replace(
            trx(1, None, locks[3], f"UPDATE {name} SET a=1"),
            holds=tuple(locks[:3]),
            trx_id=f"{at}01",
        ),
        replace(
            trx(2, None, locks[0], f"DELETE FROM {name}"), holds=tuple(locks[3:]), trx_id=f"{at}02"
        ),
        line=20 * at,
    )


def _stack(number: int) -> Stack:
    """Three threads at the same three frames."""
    return Stack(
        line_first=10 * number, line_last=10 * number + 3, wall_us=T0, clock="utc", snapshot=0,
        count=3,
        frames=tuple(Frame(function=f"step_{number}_{deep}") for deep in range(3)),
        threads=tuple(StackThread(pthread=10 * number + n) for n in range(3)),
    )  # fmt: skip


def _source() -> EvidenceSource:
    return EvidenceSource(_capture())


def _deadlocks() -> object:
    return deadlocks(_source(), Window(), lambda _: (), {})


def _log() -> object:
    return log_page(_source(), LogFilter(), "time", False, 0, 9)


def _statements() -> object:
    return top_queries(_source(), QueryFilter(), ())


def _examples() -> object:
    first = top_queries(_source(), QueryFilter(), ()).items[0]
    return query_examples(_source(), Window(), first.id, "slow_log")


def _settings() -> object:
    mentions = [
        {"id": f"f{n}", "title": f"finding {n}", "settings": [{"name": _NAMES[0]}]}
        for n in range(3)
    ]
    a, b, *_ = _source_ids()
    return setting_table(_source(), a, b, mentions)


@cache
def _source_ids() -> list[str]:
    return [each.id for each in setting_sources(_source())]


def _list() -> object:
    return processlist(_source(), SessionFilter(sha("processlist")), 0, 9)


def _over_time() -> object:
    return sessions_over_time(_source(), "digest", idle=False, q="")


def _sample() -> object:
    return stack_sample(_source(), sha("stacks"), 0, {})


def _entries() -> object:
    return {
        kind: [entry for entry in search_entries(_analysis(), _capture()) if entry.kind == kind]
        for kind in ("session", "log", "setting")
    }


@cache
def _analysis() -> Analysis:
    return analyse(_capture())


LIMITS: dict[str, Callable[[], object] | tuple[Callable[[], object], ...]] = {
    "artifacts.artifact_records MOST_AT": (scenes.records_of_lines, scenes.records_of_kind),
    "artifacts.excerpts MAX_CHARACTERS": (scenes.excerpt, scenes.excerpt_of_ranges),
    "artifacts.mapping_preview _CUT_CELL": (scenes.cells_of_mapped_table, scenes.cell_errors),
    "artifacts.mapping_preview _SHOWN_CELLS": scenes.mapped_table,
    "artifacts.mapping_preview _SHOWN_SERIES": scenes.series_of_mapped_table,
    "artifacts.pasted _SHOWN_PROBLEMS": scenes.problems_of_paste,
    "artifacts.record_text LINE": scenes.record_in_a_line,
    "artifacts.record_text MOST": (
        scenes.frames_of_record, scenes.items_of_record, scenes.value_of_record,
    ),
    "evidence.capture_tables _MOST_OTHERS": scenes.compared_settings,
    "evidence.capture_tables _TEXT": scenes.cell_of_capture,
    "evidence.deadlocks MOST": _deadlocks,
    "evidence.deadlocks MOST_PATTERNS": _deadlocks,
    "evidence.deadlocks MOST_TRANSACTIONS": scenes.deadlock_of_three,
    "evidence.deadlocks _MOST_LOCKS": _deadlocks,
    "evidence.deadlocks _MOST_QUERY": _deadlocks,
    "evidence.deadlocks _MOST_SEEN": _deadlocks,
    "evidence.first_lanes MOST_LANES": scenes.lanes,
    "evidence.log_groups BUCKETS": lambda: log_groups(_source()),
    "evidence.log_groups MOST_GROUPS": lambda: log_groups(_source()),
    "evidence.log_groups _MOST_MESSAGE": _log,
    "evidence.log_groups _MOST_SHAPE": lambda: log_groups(_source()),
    "evidence.moved MOST_MOVED": scenes.moved_series,
    "evidence.nearest_sessions MAX_SESSIONS": lambda: sessions_near(_source(), T0),
    "evidence.queries MOST": _statements,
    "evidence.queries MOST_EXAMPLES": _examples,
    "evidence.queries _MOST_QUERY": _examples,
    "evidence.queries _MOST_SHAPE": (_statements, scenes.shape_of_digest),
    "evidence.server_settings MOST_ROWS": _settings,
    "evidence.server_settings MOST_SOURCES": lambda: setting_sources(_source()),
    "evidence.server_settings MOST_VALUE": _settings,
    "evidence.server_settings _MOST_MENTIONS": _settings,
    "evidence.sessions MOST_GROUPS": _list,
    "evidence.sessions MOST_MOMENTS": lambda: processlist_moments(_source()),
    "evidence.sessions MOST_QUERY": _list,
    "evidence.sessions _MOST_KEY": _over_time,
    "evidence.sessions_over_time MOST_COLUMNS": _over_time,
    "evidence.sessions_over_time MOST_GROUPS": _over_time,
    "evidence.stacks MAX_FRAMES": _sample,
    "evidence.stacks MAX_GROUPS": _sample,
    "evidence.stacks MAX_THREADS": _sample,
    "evidence.timeline _MESSAGE": scenes.events_of_timeline,
    "evidence.timeline _MOST_BLOCKING": scenes.blocking,
    "evidence.timeline _MOST_EVENTS": scenes.events_of_timeline,
    "overview MOST_BLOCKERS": scenes.overview_of_three,
    "overview MOST_FINDINGS": scenes.overview_of_three,
    "overview MOST_HOT": (scenes.hot_waits, scenes.hot_latches, scenes.hot_stacks),
    "overview MOST_LIMITS": scenes.overview_of_three,
    "overview MOST_PATTERNS": scenes.overview_of_three,
    "overview MOST_SHIFTS": scenes.overview_of_three,
    "reasoning.result_table _NAME": scenes.names_of_parameters,
    "reasoning.result_table _TEXT": (scenes.names_of_values, scenes.values_of_parameters),
    "reasoning.similar MOST": scenes.similar_incidents,
    "reasoning.similar _FEATURES": (
        scenes.features_shared, scenes.features_only_here, scenes.features_only_there,
    ),
    "reports.case FIGURE_LANES": scenes.lanes_of_report,
    "reports.case MAX_QUERY": scenes.query_of_node,
    "reports.case_evidence _MOST_CELLS": scenes.whole_row,
    "reports.export EXAMPLES": scenes.replaced_values,
    "search_entries MOST_LOG_GROUPS": _entries,
    "search_entries MOST_SESSIONS": _entries,
    "search_entries _MOST_SETTINGS": _entries,
    "search_entries _MOST_TITLE": (
        scenes.key_of_entry, scenes.title_of_entry, scenes.hint_of_entry,
    ),
}  # fmt: skip


ELSEWHERE = {
    "artifacts.pasted PREVIEW_CHARACTERS",  # test_of_a_long_paste_only_the_beginning_is_read
}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_lower_limit_cuts_to_its_length(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name = limit.split()
    scenes = LIMITS[limit]
    for scene in scenes if isinstance(scenes, tuple) else (scenes,):
        whole = plain(scene())
        for most in (2, 1):
            with monkeypatch.context() as patch:
                patch.setattr(import_module(f"pileup.views.{module}"), name, most)
                assert list(as_long_as(most, whole, plain(scene()))), most


def test_every_limit_has_a_row() -> None:
    assert {place.constant for place in limits_of("views")} - {*LIMITS, *ELSEWHERE} == set()


def test_of_a_long_paste_only_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pasted, "PREVIEW_CHARACTERS", 6)
    assert pasted.understand("a\nb\nc\nd\ne\n").lines == 3


def test_a_record_is_read_to_four_times_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_text, "LINE", 2)
    assert scenes.blanks_before_a_word() == "a"
    monkeypatch.setattr(record_text, "LINE", 3)
    assert scenes.blanks_before_a_word() == "a b"
