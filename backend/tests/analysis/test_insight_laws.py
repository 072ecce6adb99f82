"""The laws of an analysis, each held by a small text that broke it once.

docs/reference/insight.md explains the mechanism behind them. Other tests hold them for captures,
samples and generated texts; here each has its name and its shortest proof. Laws of a whole capture
have theirs where captures are made: 13 (one host) in clock/test_hosts.py, 15 (dates of a loop) in
formats/reading/test_dates_in_loops.py, 16 (names of exporters) in knowledge/test_series_names.py,
18 (shapes of a stall) in stalls/test_shapes.py, 20 (storms) and 22 (current servers) in
findings/test_signatures.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pileup.analysis import analyse, gather
from pileup.analysis.contract import Analysis
from pileup.cli.captures import Captures

_AHI = "S-lock on RW-latch at 0x7f created in file btr0sea.cc line 178"
_DICT = "S-lock on RW-latch at 0x10 '&dict_operation_lock'"


def _waits(place: str, latch: str, count: int = 3, seconds: int = 12) -> str:
    return "".join(
        f"--Thread 1402{n} has waited at {place} for {seconds}.00 seconds the semaphore:\n{latch}\n"
        for n in range(count)
    )


def _row(number: int, time: int, state: str, query: str, user: str = "app") -> str:
    command = "Sleep" if query == "NULL" else "Query"
    return f"| {number} | {user} | web:1 | shop | {command} | {time} | {state} | {query} |\n"


def _rows(count: int, state: str, query: str) -> str:
    return "".join(_row(10 + n, 10 + n, state, query) for n in range(count))


_MDL, _BACKUP = "Waiting for table metadata lock", "Waiting for backup lock"
_FLUSH = "FLUSH TABLES WITH READ LOCK"
_DROPPING = (
    "---TRANSACTION 8812, ACTIVE 33 sec dropping table\n"
    "9 lock struct(s), heap size 1136, 0 row lock(s), undo log entries 12\n"
)
_APPLIER = "| 11 | system user | | NULL | Connect | 90 | {} | NULL |\n"
_CYCLE = _row(9, 100, "Waiting for commit lock", _FLUSH) + "".join(
    map(_APPLIER.format, ("Waiting for preceding transaction to commit", "Waiting for commit lock"))
)

FIRST = {
    "law 1: a dump that is cut above its waits, with its end": (
        _waits("btr0sea.cc line 931", _AHI, 9) + "END OF INNODB MONITOR OUTPUT\n",
        "mysql-100512",
    ),
    "law 2: one waiter is no cliff": (
        _row(5, 50, _MDL, "SELECT 1 FROM o") + _row(4, 90, "", "NULL"),
        "mdl-pileup",
    ),
    "law 3: the innermost wait explains the outer frames": (
        ("   160 pthread_cond_timedwait,MDL_wait::timed_wait,MDL_context::acquire_lock,"
        "open_table_get_mdl_lock,open_table,open_tables\n"),
        "mdl-pileup",
    ),
    "law 8: a flush and appliers that commit in order are one circle": (_CYCLE, "ftwrl"),
    "law 10: a container's prefix, and no time": (
        "".join(
            f"mysql_1  | {line}\n"
            for line in _waits("btr0sea.cc line 931", _AHI, 5).splitlines()
        ),
        "mysql-100512",
    ),
    "law 11: what a transaction does": (
        _DROPPING + _waits("row0purge.cc line 770", _DICT),
        "drop-table",
    ),
    "law 14: columns in any order": (
        (f"INFO\tSTATE\tID\tTIME\tHOST\nSELECT * FROM t\t{_MDL}\t8\t12\tweb1:99\n"
        f"ALTER TABLE t ADD c INT\t{_MDL}\t9\t14\tweb2:99\n"),
        "mdl-pileup",
    ),
    "law 19: a gauge at its ceiling": (
        "Threads_connected\t151\nThreads_running\t140\nmax_connections\t151\nUptime\t9123\n",
        "too-many-connections",
    ),
    "law 21: the stacks of a full redo log are no bug": (
        ("   60 pthread_cond_wait,os_event_wait_low,log_preflush_pool_modified_pages,"
        "log_checkpoint_margin,log_free_check,row_upd_clust_step\n"),
        "sync-flush",
    ),
    "law 24: who holds a backup lock is inferred": (
        _rows(4, _BACKUP, "ALTER TABLE t ADD c INT")
        + _row(90, 300, "executing", "LOCK INSTANCE FOR BACKUP"),
        "ftwrl",
    ),
}  # fmt: skip


@pytest.mark.parametrize("law", FIRST)
def test_the_cause_is_first(law: str, tmp_path: Path) -> None:
    text, cause = FIRST[law]
    analysis = _analysed(tmp_path, text)
    assert [finding.id for finding in analysis.findings][:1] == [cause]
    assert all(f.id == cause for f in analysis.findings if f.score > 0.5)


def test_law_4_a_latch_is_right_or_unknown(tmp_path: Path) -> None:
    """The statistics latch of dict0dict.cc is not the latch of an index tree."""
    latch = "S-lock on RW-latch at 0x7f88 created in file dict0dict.cc line 7"
    analysis = _analysed(tmp_path, _waits("row0mysql.cc line 1234", latch))
    assert not analysis.findings


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("Version: '5.6.16-log'  socket: '/tmp/mysql.sock'  port: 3306", "5.6.16-log"),
        ("#3  foo () at /home/b/mariadb-10.5.9/sql/a.cc:4", "10.5.9-MariaDB"),
        ("10.4.8-MariaDB-log", "10.4.8-MariaDB-log"),
        ("Since the upgrade to MySQL 5.7.22 we see:", "5.7.22"),
    ],
)
def test_law_5_a_version_is_printed_in_many_places(line: str, version: str, tmp_path: Path) -> None:
    text = f"{line}\n{_waits('btr0sea.cc line 931', _AHI, 5)}"
    assert _analysed(tmp_path, text).server["version"] == version


def test_law_6_a_version_never_outweighs_evidence(tmp_path: Path) -> None:
    waits = _waits("btr0sea.cc line 931", _AHI, 9, 1)
    scores = {
        _analysed(tmp_path, f"MySQL {version}\n{waits}").findings[0].score
        for version in ("5.6.24", "5.7.22", "8.0.36")
    }
    assert len(scores) == 1


def test_law_7_a_symptom_is_no_cause(tmp_path: Path) -> None:
    text = "InnoDB: Warning: a long semaphore wait:\n" + _waits("row0purge.cc line 770", _DICT, 1)
    roles = {f.id: f.role for f in _analysed(tmp_path, text).findings}
    assert roles["dict-latch"] == "problem"
    assert roles["semaphore-abort"] == "symptom"


def test_law_9_a_count_is_of_what_is_named(tmp_path: Path) -> None:
    text = _rows(5, "Waiting for commit lock", "COMMIT") + _row(90, 99, "", "SELECT * FROM t")
    (found, *_) = _analysed(tmp_path, text).findings
    assert found.why.startswith("5 sessions in 'Waiting for commit lock'")


def test_law_12_the_only_sleeper_is_no_holder(tmp_path: Path) -> None:
    text = _rows(3, _MDL, "SELECT 1 FROM t") + _row(90, 2, "", "NULL")
    assert all("90" not in root.label for root in _analysed(tmp_path, text).roots)


def test_law_17_actors_have_the_id_of_their_session(tmp_path: Path) -> None:
    """A list and transactions a second apart are one population, under a shared OS thread."""
    waits = "".join(
        f"---TRANSACTION {800 + n}, ACTIVE 9 sec starting index read\n"
        "LOCK WAIT 2 lock struct(s), heap size 1136, 1 row lock(s)\n"
        f"MySQL thread id {n}, OS thread handle 14, query id {n} web app updating\n"
        "UPDATE a SET x=1 WHERE id=2\n"
        for n in range(10, 40)
    )
    text = _rows(30, "updating", "UPDATE a SET x=1 WHERE id=2") + waits
    blockers = _analysed(tmp_path, text).blockers
    assert all(blocker.waiters <= 30 for blocker in blockers)


def test_law_23_a_remedy_knows_the_place(tmp_path: Path) -> None:
    """No upgrade of MySQL for MariaDB, which only a line above the paste names."""
    text = "10.4.8-MariaDB\n" + _waits("btr0sea.cc line 931", _AHI, 9)
    (found, *_) = _analysed(tmp_path, text).findings
    assert not [each.action for each in found.mitigations if "8.0" in each.action]


def test_law_25_the_collector_is_no_suspect(tmp_path: Path) -> None:
    text = _row(9, 500, "starting", "SHOW ENGINE INNODB STATUS")
    analysis = _analysed(tmp_path, text + _row(8, 200, "", "SHOW FULL PROCESSLIST"))
    assert (analysis.findings, analysis.roots) == ([], [])


def _analysed(folder: Path, text: str) -> Analysis:
    path = folder / "paste.txt"
    path.write_text(text, encoding="utf-8")
    captures = Captures()
    captures.read([path])
    return analyse(gather(captures.artifacts))


def test_waits_for_latches_that_nothing_identifies_are_no_calm(tmp_path: Path) -> None:
    latch = "S-lock on RW-latch at 0x7f88 created in file dict0dict.cc line 7"
    text = "Version: '5.6.16-log'  socket: ''\n" + _waits("row0mysql.cc line 1234", latch, 2)
    headline = _analysed(tmp_path, text).headline
    assert headline.verdict == "waits"
    assert headline.text.startswith("2 threads wait for latches")


_VMSTAT = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    + " 2  0      0 167510  22700 254333    0    0    28    29  544 2462 10  6 84  0  0\n"
    * 30
)
_RUNNING = "time,threads_running\n" + "".join(
    f"2026-11-20 22:{n // 60:02}:{n % 60:02},{160 if 60 <= n < 100 else 2}\n" for n in range(160)
)


@pytest.mark.parametrize(("beside", "is_stall"), [(_VMSTAT, False), (_RUNNING, True)])
def test_a_list_without_a_time_tells_the_cause_beside_any_series(
    beside: str, is_stall: bool, tmp_path: Path
) -> None:
    """The machine's series show no calm of the server; the stall that one shows is the list's."""
    lists = _row(4, 90, "", "ALTER TABLE o ADD c INT") + _rows(30, _MDL, "SELECT 1 FROM o")
    (tmp_path / "beside.txt").write_text(beside, encoding="utf-8")
    (tmp_path / "list.txt").write_text(lists, encoding="utf-8")
    captures = Captures()
    captures.read([tmp_path])
    analysis = analyse(gather(captures.artifacts))
    assert (analysis.headline.verdict == "stall") is is_stall
    assert analysis.findings[0].id == "mdl-pileup"
    assert analysis.roots[0].label.startswith("session 4")
