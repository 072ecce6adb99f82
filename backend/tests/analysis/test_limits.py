"""Limits of the engine: a lower one cuts a list or a text to exactly its length.

A limit on the way to an answer, such as the depth to which a stack is read, has a turning point
instead: what stands just behind it is seen with a limit that is higher by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import pytest

from tests.analysis import crowds
from tests.support.constants import limits_of
from tests.support.replayed import as_long_as, plain

Scene = Callable[[], object]
_NO_LIMIT = 1000

LIMITS: dict[str, Scene | tuple[Scene, ...]] = {
    "blocked_time.path_steps _STATEMENT": crowds.statement_of_step,
    "compare.differences _NAMED": crowds.tables_without_a_time,
    "compare.table_changes MOST": crowds.listed_tables,
    "compare.table_changes _CELLS": crowds.cells_that_changed,
    "evidence.admission _NAMED": crowds.impossible_series,
    "evidence.admission _SHOWN": crowds.impossible_values,
    "evidence.line_ranges MOST_RANGES": crowds.ranges_of_lines,
    "evidence.scene _STATEMENT": crowds.beginning_of_statement,
    "evidence.statements _SHAPED": crowds.shape_of_statement,
    "findings.catalogue MOST_EVENTS": crowds.listed_events,
    "findings.stall_records _AROUND": crowds.nearest_functions,
    "stalls.shifts MOST": crowds.moved_series,
    "story.compose _MOST_FIXES": crowds.fixes_of_finding,
    "waits.inspect_node MOST_MEMBERS": crowds.members_of_group,
    "waits.inspect_node _DEPTH": crowds.frames_of_node,
    "waits.moment_graph MOST": (
        crowds.places_of_waits, crowds.latches_of_waits, crowds.roots_of_graph,
    ),
    "waits.node_documents STACK_SHOWN": crowds.stack_of_thread,
    "waits.persistence MOST": crowds.nodes_that_last,
    "waits.search MOST_FOUND": (crowds.nodes_found_by_id, crowds.nodes_found_by_words),
    "blocked_time.roots _MOST": crowds.roots_of_three_tables,
    "blocked_time.roots _SHOWN_IN_PATH": crowds.labels_of_paths,
    "captures.case MOST_JUDGED": crowds.judged_stalls,
    "captures.recurrence _NAMED": (crowds.causes_of_stalls, crowds.exceptions_of_stalls),
    "clock.anchoring _PAIRS": crowds.series_that_anchor,
    "clock.jumps _MOST": crowds.jumps_of_a_clock,
    "clock.session_shapes _MOST_OTHERS": crowds.files_with_the_same_sessions,
    "compare.compared_tables MOST": crowds.tables_of_sides,
    "compare.compared_tables MOST_ROWS": (
        crowds.changed_rows, crowds.new_rows, crowds.gone_rows,
    ),
    "compare.compared_tables _LONGEST": (
        crowds.names_of_tables, crowds.keys_of_tables, crowds.keys_of_rows, crowds.names_of_columns,
    ),
    "compare.compared_tables _MOST_KEYS": (crowds.keys_of_tables, crowds.keys_of_rows),
    "compare.differences MOST": crowds.series_of_two_windows,
    "compare.differences _DEPTH": crowds.stacks_compared,
    "compare.fleet _SHOWN": crowds.odd_host,
    "compare.sides_comparison MOST": (
        crowds.series_of_sides, crowds.stacks_of_sides, crowds.settings_of_sides,
    ),
    "deadlocks.cycle MOST_TRANSACTIONS": crowds.members_of_deadlock,
    "deadlocks.cycle _MOST_LOCKS": crowds.locks_of_deadlock,
    "deadlocks.patterns _MOST_LISTED": (crowds.shapes_of_deadlock, crowds.tables_of_deadlock),
    "deadlocks.statements _MOST_SHAPE": crowds.statement_of_deadlock,
    "evidence.answers _SHOWN": crowds.defect,
    "evidence.digests _MOST": crowds.rows_of_digests,
    "evidence.statements _SHAPE_SHOWN": crowds.shape_of_statement,
    "findings.next_evidence _MOST": crowds.wanted_evidence,
    "findings.observed _NAMED": crowds.names_of_stacks,
    "findings.observed _PLACES_SHOWN": crowds.places_of_latch,
    "findings.particulars _MOST_VALUES": crowds.values_of_a_remedy,
    "findings.rules.latches _SHOWN": crowds.digest_with_a_list,
    "findings.rules.statements _SHOWN": (
        crowds.statement_that_runs, crowds.digest_that_takes_time,
    ),
    "findings.slow_queries MOST": crowds.slow_log,
    "findings.slow_queries _MOST_TEXTS": crowds.statements_of_slow_log,
    "findings.slow_queries _SHOWN": crowds.slow_log,
    "findings.storms _SHAPES": crowds.statements_of_deadlocks,
    "reasoning.falsifiable _MOST": crowds.words_of_an_experiment,
    "reasoning.pin_value _CUT": (crowds.pinned_sample, crowds.pinned_record),
    "reasoning.pin_value _SHOWN": crowds.pinned_lines,
    "reasoning.similar _SERIES": crowds.features_of_series,
    "stacks.flame MOST_FUNCTIONS": crowds.functions_over_time,
    "stacks.flame MOST_NODES": crowds.nodes_of_flame,
    "stacks.flame _DEPTH": crowds.threads_of_flame,
    "stacks.hot_stacks MOST": crowds.hottest_stacks,
    "stacks.hot_stacks _DEPTH": crowds.hottest_stacks,
    "stacks.same_samples _DEPTH": crowds.stacks_of_samples,
    "waits.by_commit_order _SHOWN": crowds.appliers_before,
    "waits.by_commits _IN_FSYNC": crowds.flushes_of_redo,
    "waits.by_instruments _SHOWN": crowds.readers_of_latch,
    "waits.by_latch_stacks _SHOWN": crowds.holders_by_stack,
    "waits.by_queues HOLDERS_SHOWN": (crowds.holders_of_queue, crowds.commits_before_a_lock),
    "waits.groups _OUTSTANDING_SHOWN": crowds.outstanding_blockers,
    "waits.groups _SHAPES_SHOWN": crowds.statements_of_group,
    "waits.moment_graph _MOST_PLACES": crowds.places_of_node,
    "waits.moment_graph _STATEMENT": crowds.session_of_a_list,
    "waits.over_time _MOST_ROWS": crowds.rows_of_heat,
    "waits.over_time _MOST_SPANS": crowds.long_transactions,
}  # fmt: skip

TURNS: dict[str, dict[Scene, int]] = {
    "clock.metrics_hosts _FEW": {crowds.uptimes_of_hosts: 3},
    "findings.rules.locks _ROWS": {crowds.changes_running: 4, crowds.change_that_commits: 2},
    "findings.rules.statements _MOST": {crowds.reads_running: 4, crowds.reads_in_the_log: 4},
    "findings.stall_records _AROUND": {crowds.metadata_functions: 2},
    "stalls.onsets _BLOCK": {crowds.level_of_blocks: 2},
    "waits.inspect_node _DEPTH": {crowds.key_of_node: 2},
    "evidence.activity _INNERMOST": {crowds.latch_two_calls_down: 2},
    "evidence.latch_stacks _MOST_BETWEEN": {crowds.latch_is_named_two_calls_down: 2},
    "evidence.statements _READ": {crowds.table_of_statement: 8},
    "evidence.scene _STATEMENT": {crowds.blanks_before_a_word: 2},
    "findings.observed _QUERY_LENGTH": {crowds.statement_of_holder: 8},
    "findings.particulars _MOST_LINES": {crowds.file_of_full_disk: 2},
    "findings.rules.latches _STATEMENTS": {crowds.statements_of_transactions: 2},
    "reasoning.pin_value MAX_ROWS": {crowds.hash_of_pinned_lines: 3},
    "stacks.commit_queue _WAITING_AT_MOST": {crowds.commits_two_calls_down: 2},
    "stacks.groups _DEPTH": {crowds.groups_of_stacks: 3},
    "stacks.hot_stacks _WAIT_DEPTH": {crowds.waits_two_calls_down: 2},
    "stacks.log_flushes _TOP": {crowds.flushes_two_calls_down: 2},
    "stacks.queues _CALLERS": {crowds.sleeps_two_calls_down: 2, crowds.sleeps_often: 1},
}
"""With this value, what decides stands just behind the limit."""


@pytest.mark.parametrize("limit", LIMITS)
def test_a_lower_limit_cuts_to_its_length(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = LIMITS[limit]
    for scene in scenes if isinstance(scenes, tuple) else (scenes,):
        whole = plain(_with(limit, _NO_LIMIT, scene, monkeypatch))
        for most in (2, 1):
            cut = plain(_with(limit, most, scene, monkeypatch))
            assert list(as_long_as(most, whole, cut)), most


@pytest.mark.parametrize("limit", TURNS)
def test_what_stands_just_behind_a_limit_is_not_seen(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for scene, most in TURNS[limit].items():
        behind, before = (plain(_with(limit, n, scene, monkeypatch)) for n in (most, most + 1))
        assert behind != before


def test_every_limit_has_a_row() -> None:
    assert {place.constant for place in limits_of("analysis")} - {*LIMITS, *TURNS} == set()


def _with(limit: str, most: int, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Any:
    module, name = limit.split()
    owner = import_module(f"pileup.analysis.{module}")
    usual = getattr(owner, name)
    value = dict.fromkeys(usual, most) if isinstance(usual, Mapping) else most
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, value)
        return scene()
