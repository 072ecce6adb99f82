"""Calls of the engine, recorded in small cases of other tests: for its thresholds and sorts."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from pileup.analysis import analyse
from pileup.knowledge.signature import Example
from tests.analysis import test_bounds, test_rivals, turning
from tests.analysis.blocked_time import test_active_sessions
from tests.analysis.captures import test_partition
from tests.analysis.cases import case
from tests.analysis.clock import test_clock, test_hosts, test_offsets
from tests.analysis.compare import test_compare
from tests.analysis.evidence import test_cumulative, test_exporters, test_latch_stacks
from tests.analysis.findings import (
    test_findings,
    test_limits,
    test_next_evidence,
    test_signatures,
    test_slow_queries,
    test_triage,
    test_triage_machine,
    test_unseen,
)
from tests.analysis.reasoning import test_falsifiable, test_run_outcome, test_sweeps
from tests.analysis.stacks import test_flame
from tests.analysis.stalls import (
    test_baselines,
    test_corrections,
    test_fleet_stall,
    test_shapes,
    test_stalls,
)
from tests.analysis.waits import (
    test_commit_graph,
    test_lock_holders,
    test_strips,
    test_wait_diff,
    test_wait_fold,
)
from tests.support.constants import Place, thresholds_of
from tests.support.orders import read_noticed
from tests.support.replayed import Calls, cases_of

SORTS = Path(__file__).parent / "sorts_in_cases.txt"
_NAMED = {
    "5.5, one latch for the whole server",
    "the stacks of the bug report",
    "the log says that the slots are used up",
    "reads merge what was buffered for hours",
    "one segment for all writers",
    "a join without an index, again and again",
}
"""Cases of known problems, by what they say."""
SCENES: dict[Callable[..., None], tuple[int, ...]] = {
    test_active_sessions.test_counters_alone_show_that_sessions_wait_for_rows: (1,),
    test_active_sessions.test_seconds_are_the_area_and_gaps_are_not_bridged: (0,),
    test_partition.test_a_rhythm_has_one_unit_where_that_is_precise_enough: (0,),
    test_partition.test_a_stall_that_two_scales_show_counts_once: (0,),
    test_clock.test_the_hour_that_is_printed_twice: (1,),
    test_clock.test_uptime_checks_the_placements: (0,),
    test_hosts.test_an_alias_changes_no_stall_and_no_finding: (1,),
    test_hosts.test_other_numbers_are_another_server: (0,),
    test_offsets.test_a_clock_that_was_set_while_it_ran: (0,),
    test_offsets.test_a_counter_that_both_saw_tells_the_offset: (0,),
    test_offsets.test_a_file_without_a_clock_is_placed_by_its_counters: (0,),
    test_offsets.test_a_list_far_from_all_others_is_placed_by_its_sessions: (
        0,
        3,
    ),
    test_offsets.test_a_log_without_a_year_takes_the_nearest: (0,),
    test_compare.test_it_says_which_side_did_better: (0,),
    test_compare.test_tables_that_say_nothing_are_left_out: (0,),
    test_compare.test_the_host_of_a_fleet_that_differs: (0,),
    test_compare.test_waits_are_per_dump: (0,),
    test_compare.test_windows_of_one_capture: (0,),
    test_cumulative.test_a_count_that_only_grows_is_one: (0,),
    test_exporters.test_every_exporter_shows_the_same_stall: (1,),
    test_latch_stacks.test_a_split_is_who_the_others_wait_for: (0,),
    test_findings.test_a_log_of_statements_and_a_setting_alone: (0,),
    test_findings.test_adaptive_hash_off_rules_it_out: (0,),
    test_findings.test_commit_mutex_of_bug_46459: (0,),
    test_findings.test_hot_stack_of_bug_100512_and_its_versions: (0,),
    test_limits.test_a_history_that_grows_behind_an_old_view_needs_no_constant: (0,),
    test_limits.test_gauges_are_compared_with_their_ceilings: (
        0,
        4,
    ),
    test_next_evidence.test_a_stall_without_a_likely_cause_says_so_and_what_to_collect: (2,),
    test_slow_queries.test_the_slow_log_answers_where_there_is_no_processlist: (0,),
    test_triage.test_a_full_cpu_is_suspect: (0,),
    test_triage_machine.test_a_long_run_queue_is_measured_by_the_number_of_cpus: (0,),
    test_triage_machine.test_another_process_of_pidstat_and_never_a_thread_of_the_server: (0,),
    test_triage_machine.test_steal_of_sar_and_dstat: (0,),
    test_unseen.test_nothing_is_made_of_a_server_that_works: (1,),
    test_unseen.test_the_right_finding_comes_first: (0,),
    test_falsifiable.test_without_a_stall_or_a_root_it_is_still_a_sentence: (1,),
    test_run_outcome.test_prediction: (1,),
    test_sweeps.test_the_other_parameters_make_lines_of_their_own: (0,),
    test_flame.test_callers_come_first_and_the_widest_first: (0,),
    test_baselines.test_another_capture_of_the_host_is_no_baseline: (0,),
    test_baselines.test_another_host_over_the_same_seconds: (0,),
    test_baselines.test_the_half_minute_after_it: (0,),
    test_corrections.test_a_correction_whose_stall_is_gone_stands_alone: (0,),
    test_corrections.test_the_correction_moves_the_stall_and_what_is_measured_by_it: (0,),
    test_fleet_stall.test_the_arrival_rate_is_that_of_the_host_that_stalled: (0,),
    test_shapes.test_a_load_that_came_and_went_is_no_stop: (0,),
    test_shapes.test_a_moment_s_fall_beside_a_long_one_is_no_pattern: (0,),
    test_shapes.test_a_pileup_that_falters_begins_where_it_began: (0,),
    test_shapes.test_an_outage_by_too_many_connections_is_refused: (0,),
    test_shapes.test_dumps_alone_show_that_rows_change_no_more: (0,),
    test_shapes.test_log_lines_alone_show_refused_clients: (0,),
    test_shapes.test_work_that_slows_down_first_stops_where_it_stops: (2,),
    test_stalls.test_a_debugger_s_stop_inside_a_stall_does_not_divide_it: (0,),
    test_stalls.test_a_debugger_s_stop_is_its_own_doing: (0,),
    test_stalls.test_a_quiet_headline_says_no_stall: (0,),
    test_stalls.test_as_busy_from_first_to_last_and_prompt_is_a_load: (0,),
    test_bounds.test_a_dump_shows_that_no_page_is_free: (
        0,
        2,
    ),
    test_rivals.test_a_ceiling_is_near_and_reached_exactly_at_its_shares: (4,),
    test_rivals.test_a_feature_counts_from_its_share_on: (0,),
    test_rivals.test_only_what_is_seen_of_next_to_nothing_is_left_out_beside_a_clear_cause: (0,),
    test_rivals.test_the_queue_that_triage_names_has_most_waiters_then_the_longest_wait: (0,),
    test_commit_graph.test_the_leader_of_the_flush_stage_waits_for_the_log_flusher: (0,),
    test_commit_graph.test_the_queue_hangs_on_the_flush_of_the_binary_log: (0,),
    test_lock_holders.test_no_statement_takes_it: (1,),
    test_strips.test_a_long_transaction_is_one_span_from_its_beginning: (0,),
    test_wait_diff.test_what_is_asked_for_is_found_and_not_folded: (0,),
    test_wait_fold.test_groups_behind_groups_are_followed_over_the_moments: (0,),
    test_wait_fold.test_waiters_fold_by_the_shape_of_their_statement: (0,),
}
"""Tests, and the numbers of the cases that have a value exactly on a threshold."""


@cache
def recorded() -> Calls:
    """Run all scenes, once per process."""
    sorts = (row.name.split(" ")[:2] for row in read_noticed(SORTS))
    sorting = {Place(module, "", function) for module, function in sorts}
    calls = Calls("analysis", thresholds_of("analysis") | sorting)
    for place, scene in turning.SCENES.items():
        calls.add(Place(*place.split(" ")[:3]), scene)
    for test, numbers in SCENES.items():
        for name, scene in cases_of(test, *numbers).items():
            calls.record(name, scene)
    for name, example in test_signatures.CASES.items():
        if example.says in _NAMED:
            calls.record(f"case {name}", partial(_analysed, example))
    return calls


def _analysed(example: Example) -> None:
    analyse(case(example))
