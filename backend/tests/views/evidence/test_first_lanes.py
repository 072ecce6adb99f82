"""The lanes of a first look: one per quantity, of the leading finding, none that never changes."""

from __future__ import annotations

from typing import Any

from pileup.storage.incidents.analyses import Series
from pileup.views.evidence.first_lanes import MOST_LANES, first_lanes


def series(name: str, labels: str = "", *, points: int = 100, most: float = 9.0) -> Series:
    id_ = f"{name}{{{labels}}}@db" if labels else f"{name}@db"
    return Series(id_, name, labels, "db", "gauge", None, points, None, None, 0.0, most, None)


RUNNING = series("mysql.Threads_running")
COPY = series("metric.threads_running", points=50)
QPS = series("metric.qps")
QUESTIONS = series("mysql.Questions", points=50)
FREE = series("mysql.Innodb_buffer_pool_wait_free")
FLAT = series("innodb.lock_wait_transactions", most=0.0)
SPINS = series("innodb.rw_sx_rounds")
WAITING = series("processlist.state", "state=Waiting for table metadata lock")
IDLE = series("innodb.master_idle")
DIRTY = series("mysql.Innodb_buffer_pool_pages_dirty")
ALL = [COPY, RUNNING, FLAT, QUESTIONS, QPS, SPINS, FREE]


def parts(*evidence: Series, shifts: tuple[Series, ...] = ()) -> dict[str, Any]:
    stall = {
        "kind": "stall",
        "host": "db",
        "evidence": [{"series": COPY.id}],
    }
    finding = {"id": "f", "evidence": [{"kind": "series", "series": s.id} for s in evidence]}
    episode = {"leading": True, "finding": "f", "findings": [finding], "stall": stall}
    return {
        "episodes": [episode],
        "findings": [finding],
        "shifts": [{"series": s.id, "direction": "up"} for s in shifts],
    }


def test_one_lane_per_quantity() -> None:
    chosen = first_lanes(ALL, parts(shifts=(RUNNING, QUESTIONS, SPINS)))
    assert COPY.id in chosen  # the stall was detected by it
    assert RUNNING.id not in chosen
    assert len({QPS.id, QUESTIONS.id} & set(chosen)) == 1


def test_evidence_of_the_finding_comes_before_what_moved() -> None:
    chosen = first_lanes([*ALL, WAITING], parts(FREE, shifts=(WAITING,)))
    assert chosen.index(FREE.id) < chosen.index(WAITING.id)


def test_a_series_that_never_changes_needs_the_finding() -> None:
    assert FLAT.id not in first_lanes(ALL, parts(shifts=(FLAT,)))
    assert FLAT.id in first_lanes(ALL, parts(FLAT))


def test_without_an_analysis_and_of_many() -> None:
    assert first_lanes([], {}) == []
    assert first_lanes([SPINS], {}) == [SPINS.id]
    many = [series(f"metric.m{n}") for n in range(50)]
    assert len(first_lanes(many, parts(shifts=tuple(many)))) == MOST_LANES


def test_what_moved_without_bearing_on_the_finding_is_left_out() -> None:
    shifts = (IDLE, DIRTY, WAITING)
    document = parts(shifts=shifts)
    for finding in document["findings"]:
        finding["category"] = "metadata_locks"
    known = [COPY, QPS, *shifts]
    assert first_lanes(known, document) == [COPY.id, QPS.id, WAITING.id]
    for finding in document["findings"]:
        finding["category"] = "buffer_pool"
    assert first_lanes(known, document) == [COPY.id, QPS.id, DIRTY.id, WAITING.id]


def test_one_quantity_of_two_collectors_is_one_lane() -> None:
    twice = (FREE, series("metric.bp_wait_free"))
    chosen = first_lanes([COPY, QPS, WAITING, *twice], parts(shifts=(WAITING, *twice)))
    assert chosen == [COPY.id, QPS.id, WAITING.id, FREE.id]
