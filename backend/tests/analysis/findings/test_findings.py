"""Which known problem: the published cases by hand, and the captures with their known truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from pileup.analysis import analyse, gather
from pileup.analysis.contract import FindingDoc
from pileup.analysis.findings.signatures import RULES
from pileup.cli.captures import Captures
from pileup.knowledge import knowledge
from tests.analysis.waits.test_waits import PMP_46459, dump, evidence, semaphore
from tests.support.captures import (
    analysis_of,
    of_captures,
    of_samples,
    on_capture,
    on_samples,
    sample,
)

# folder -> the ids that may come first (all of one cause)
TRUTH = {
    "ahi-pileup": {"mysql-100512", "ahi-in-list"},
    "commit-pileup": {"fsync-stall"},
    "hot-row": {"hot-row"},
}
FULL_TRUTH = TRUTH | {
    "concurrency-collapse": {"thread-concurrency-zero"},
    "fts-sync-stall": {"mysql-73816"},
}


@of_samples(TRUTH)
def test_cause_comes_first_in_the_samples(name: str) -> None:
    """The best finding is what was really done to the server."""
    best = analysis_of(sample(name)).findings[0]
    assert best.id in TRUTH[name], best
    assert best.evidence
    assert all(item.artifact or item.series for item in best.evidence)


@of_captures(FULL_TRUTH)
def test_cause_comes_first_in_the_captures(name: str, captures: Path) -> None:
    """The same over everything that was captured."""
    found = analysis_of(captures / name).findings
    assert found[0].id in FULL_TRUTH[name], [(f.id, f.score, f.why) for f in found]


@on_capture("fts-sync-stall")
def test_amplifier_comes_after_the_cause(captures: Path) -> None:
    """Full-text sync: the missing free pages are second, the slow disk has a fact against it."""
    found = analysis_of(captures / "fts-sync-stall").findings
    ids = [f.id for f in found]
    assert ids.index("free-pages") > 0
    disk = found[ids.index("fsync-stall")]
    assert disk.score < 0.5 * found[0].score
    assert any("the disk is not the cause" in against for against in disk.against)


@on_samples
def test_root_blocker_of_the_hot_row() -> None:
    """The idle transaction of session 390, with the three hundred behind it."""
    top = analysis_of(sample("hot-row")).blockers[0]
    assert "session 390" in top.holder
    assert 295 <= top.blocks_total <= 301
    assert top.inferred


@on_samples
def test_positions_of_the_adaptive_hash_are_one_latch() -> None:
    """Seven places, one latch: most of all waits."""
    latch = analysis_of(sample("ahi-pileup")).hot_latches[0]
    assert latch.latch == "btr_search_latch"
    assert latch.share > 0.8
    assert len(latch.positions) >= 4


def by_id(*texts: str) -> dict[str, FindingDoc]:
    return {f.id: f for f in analyse(evidence(*texts)).findings}


def test_commit_mutex_of_bug_46459() -> None:
    """31 threads in innobase_xa_prepare, one flushing the binary log; eight slots to use up."""
    found = by_id(PMP_46459, "[mysqld]\ninnodb_thread_concurrency = 8\n")
    assert next(iter(found)) == "mysql-46459"
    assert "31 threads wait for the commit mutex" in found["mysql-46459"].why
    assert "mysql-13669" in [known.id for known in found["mysql-46459"].known_as]


AHI_100512 = (
    "    212 __lll_lock_wait,pthread_mutex_lock,os_event_reset(os0event.cc:576),"
    "sync_array_reserve_cell(sync0arr.cc:397),rw_lock_x_lock_func(sync0rw.cc:787),"
    "pfs_rw_lock_x_lock_func(sync0rw.ic:719),btr_search_x_lock(btr0sea.ic:98),"
    "btr_search_build_page_hash_index(btr0sea.cc:1565),btr_search_info_update_slow(btr0sea.cc:775),"
    "btr_search_info_update,btr_cur_search_to_nth_level(btr0cur.cc:1947),row_search_mvcc\n"
)


def test_hot_stack_of_bug_100512_and_its_versions() -> None:
    """The one line of the bug report names it; fixed in 8.0.30, not in 5.7."""
    found = by_id(AHI_100512)["mysql-100512"]
    assert found.applies_to_version == "unknown"
    assert "MySQL 8.0.30" in found.fixed_in
    assert any(
        "adaptive" in m.action.lower() or "innodb_adaptive" in m.action for m in found.mitigations
    )
    assert found.experiment is not None


def test_adaptive_hash_off_rules_it_out() -> None:
    waiters = "".join(semaphore(n) for n in range(1, 40))
    on = by_id(dump(waiters))["mysql-100512"]
    off = by_id(dump(waiters), "[mysqld]\ninnodb_adaptive_hash_index=OFF\n")
    assert on.score > 0.7
    assert "mysql-100512" not in off


def test_nothing_is_claimed_of_an_empty_incident() -> None:
    """No evidence, no finding."""
    assert by_id() == {}


def test_every_rule_speaks_of_known_issues() -> None:
    """Rules in code decide issues of the knowledge base."""
    assert RULES.keys() <= knowledge().issues.keys()


QPS_2012 = (
    "18660 70713 95458 102481 100699 94557 81161 67551 56643 45078 37634 27729 23331 17784 14870 "
    "15449 12695 8152 10105 7825 5479 7515 4186 4182 3704 3876 2535 2733 3044 2347 2094 2460 1641"
)
LINES_2012 = "".join(
    f"Wed Oct 24 22:27:{19 + i} UTC 2012: {value}\n" for i, value in enumerate(QPS_2012.split())
)


def test_a_log_of_statements_and_a_setting_alone() -> None:
    """The published collapse: one number a second and my.cnf. What is not seen is said."""
    found = by_id(LINES_2012, "[mysqld]\ninnodb_thread_concurrency = 0\n")
    match = found["thread-concurrency-zero"]
    assert match.score >= 0.5
    assert "cannot be confirmed" in match.against[0]
    assert by_id(LINES_2012, "[mysqld]\ninnodb_thread_concurrency = 32\n") == {}


LATE = "futex(0x7f901e0c9c9c, FUTEX_WAIT_PRIVATE, 59554, NULL) = -1 EAGAIN (Resource temporarily)\n"
WOKEN = "futex(0x7f901e0c9c60, FUTEX_WAKE_PRIVATE, 1) = 0\n"
IDLE = LATE.replace("EAGAIN (Resource temporarily)", "ETIMEDOUT (Connection timed out)")


@pytest.mark.parametrize(
    ("trace", "score"),
    [
        (LATE * 12 + WOKEN * 8, 0.4),
        (LATE * 10 + WOKEN * 11, None),  # most calls wait for nothing
        (LATE * 5 + IDLE * 7 + WOKEN * 8, None),  # threads that sleep until a time
        (LATE * 9, None),  # too short
    ],
)
def test_a_log_of_statements_and_a_trace_alone(trace: str, score: float | None) -> None:
    """Threads that find a lock taken, again and again, where the setting is not known."""
    found = by_id(LINES_2012, trace).get("thread-concurrency-zero")
    assert (found and found.score) == score
    assert found is None or "is not known" in found.against[1]
    assert by_id(LINES_2012, "[mysqld]\ninnodb_thread_concurrency = 32\n", trace) == {}


@pytest.mark.parametrize(("times", "verdict"), [(1, "seen"), (2, "found")])
def test_a_line_of_a_log_alone_is_too_little_for_a_cause(times: int, verdict: str) -> None:
    line = "InnoDB: Difficult to find free blocks in the buffer pool\n"
    assert by_id(line * times)["free-pages"].verdict == verdict


def test_printed_counts_name_no_latch_and_no_address_that_they_do_not_show() -> None:
    printed = "count  lock\n948  row0ins.cc line 3023 S-lock\n12  btr0sea.ic line 98 X-lock\n"
    found = analyse(evidence(printed + "1  btr0cur.cc line 329 X-lock\n"))
    shares = {latch.latch: (latch.waits, latch.addresses) for latch in found.hot_latches}
    assert shares[None] == (948, 0)
    assert shares["btr_search_latch"] == (12, 0)
    assert "hot-page" not in {finding.id for finding in found.findings}


def test_what_all_wait_for_at_a_single_moment_is_not_what_takes_the_time(tmp_path: Path) -> None:
    """Statements without their index for a minute, and a DDL that ends within a second."""

    def listed(at: int) -> str:
        waits = at == 21
        rows = [
            f"{100 + n}\tapp\th:{n}\tshop\tQuery\t90\tWaiting for table metadata lock\t"
            f"SELECT id FROM orders WHERE customer_id = {n}"
            if waits
            else f"{100 + n}\tapp\th:{n}\tshop\tQuery\t90\tSending data\t"
            f"SELECT id FROM orders WHERE customer_id = {n}"
            for n in range(20 if at >= 10 else 1)
        ]
        if waits:
            rows.append(
                "90\tops\th\tshop\tQuery\t1\taltering table\tALTER TABLE orders ADD KEY k (a)"
            )
        head = "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo"
        return "\n".join([f"TS {1_700_000_000 + 2 * at}.0 2023-11-14 22:13:20", head, *rows])

    (tmp_path / "list.txt").write_text("\n".join(map(listed, range(40))), encoding="utf-8")
    captures = Captures()
    captures.read([tmp_path])
    found = [
        (finding.id, finding.score)
        for finding in analyse(gather(captures.artifacts)).findings
        if finding.verdict == "found"
    ]
    assert found[0][0] == "slow-statement", found
    assert not [other for other, score in found[1:] if score > 0.5], found
