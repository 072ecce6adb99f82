"""Wait graphs, called directly where a threshold decides."""

from __future__ import annotations

from typing import Any
from unittest import mock

from pileup.analysis.contract import WaitNode
from pileup.analysis.evidence.actors import Actor
from pileup.analysis.waits import (
    by_free_pages,
    by_locks,
    fold,
    groups,
    lock_holders,
    moments,
    tally,
    view,
)
from pileup.analysis.waits.draft import Edge, Resource
from pileup.analysis.waits.moments import WaitMoment
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import Scenes, always, given, instead

_SEARCHES = ("os_thread_sleep", "buf_LRU_get_free_block")


def _page_holders(waits: int = 1, waited_s: float = 2.0) -> object:
    """How many latches on pages keep others waiting for long, or keep many waiting."""
    latch = given(latch=next(iter(by_free_pages.OF_PAGES)))
    edges = [Edge(f"s{n}", "latch", "waits_for", waited_s=waited_s) for n in range(waits)]
    draft: Any = mock.MagicMock(edges=edges, resources={"latch": latch})
    unseen = mock.Mock(return_value=[])
    with instead(by_free_pages, _unseen=unseen, _flushers=always([]), _starved=always(None)):
        by_free_pages.page_holders(draft)
    return unseen.called


def _starved() -> object:
    row = {"frames": [{"function": name} for name in _SEARCHES], "count": 5, "samples": 1}
    draft: Any = given(scene=given(stacks=[row]))
    with instead(by_free_pages, _starved_by_dump=always(None)):
        return by_free_pages._starved(draft) is not None


def _together() -> object:
    draft: Any = given(scene=given(dump={"time": T0}))
    return by_free_pages._has_stack(draft, given(stack={"time": T0 + 3 * S}))


def _session(number: int, seconds: float, query: str | None, command: str = "Query") -> Any:
    row = {"command": command, "query": query, "time_s": seconds, "user": "app"}
    return Actor(f"session:{number}", session_id=number, session=row)


def _before_the_request() -> object:
    """A read that waits five seconds longer than the exclusive request."""
    alter = _session(1, 20.0, "ALTER TABLE t ADD x INT")
    read = _session(2, 25.0, "SELECT 1 FROM t")
    lock = Resource("lock", "metadata_lock", "lock")
    edges = [Edge(actor.id, "lock", "waits_for") for actor in (alter, read)]
    draft: Any = mock.MagicMock(edges=edges, resources={}, notes={})
    by_locks._behind_exclusive_request(draft, lock, [alter, read])
    return [edge.target for edge in edges]


def _members(*labels: str) -> list[WaitNode]:
    return [
        WaitNode(id=f"r{n}", kind="row_lock", label=label, depth=1)
        for n, label in enumerate(labels)
    ]


def _circle() -> object:
    """Whether a circle of three is one."""
    edges = [Edge(f"r{n}", f"r{(n + 1) % 3}", "waits_for") for n in range(3)]
    return bool(groups._Shape(_members("a", "b", "c"), edges).cycle)


def _idle() -> object:
    return lock_holders._idle([_session(1, 50.0, None, "Sleep")], 60.0) is not None


def _idle_since(seconds: float = 5.0) -> object:
    guess = lock_holders._idle([_session(1, seconds, None, "Sleep")], 5.0)
    return guess and guess.confidence


def _writes() -> object:
    writes = [_session(1, 50.0, "UPDATE t SET a=1")]
    return lock_holders.guess_blocking_write(writes, set(), 60.0) is not None


def _backs_up() -> object:
    dump = _session(1, 50.0, "SELECT /*!40001 SQL_NO_CACHE */ * FROM `t`")
    with instead(
        lock_holders, takes_global_lock=always(False), _is_backup=always(True), _idle=always(None)
    ):
        found = lock_holders.guess_global_lock_holder("global-read-lock", [dump], 60.0, [])
    return found is not None


def _uses_the_table(*, waits: bool = False, idle: bool = False) -> object:
    """A session that reads it, that waits elsewhere, or whose transaction is idle."""
    reads = _session(1, 50.0, None if idle else "SELECT 1 FROM t", "Sleep" if idle else "Query")
    if idle:
        trx = {"state": "ACTIVE", "active_s": 50.0, "query": None}
        reads = Actor(reads.id, session_id=1, session=reads.session, trx=trx)
    waiting = {reads.id} if waits else set[str]()
    with instead(lock_holders, _idle=always(None)):
        found = lock_holders.guess_table_holder(frozenset({"t"}), [reads], 60.0, waiting)
    return found is not None


def _chosen() -> object:
    """Two processlists beside four status dumps."""
    kinds = ["innodb_status"] * 4 + ["processlist"] * 2
    every = [WaitMoment(T0 + n * S, "a", n, kind, None, 0, 0, None) for n, kind in enumerate(kinds)]
    return moments.choose_evenly(every, None, None).unit


def _counted(*, places: bool) -> object:
    """Three threads at one place, or of one kind, count as a node of their own."""
    here = given(names={"a", "b", "c"})
    graph: Any = given(resources={}, actors={}, waiting=frozenset)
    counts: Any = given(roots=[], total={})
    counted = tally.Tally(given(), {}, {}, {})
    for name in ("nodes", "origins"):
        setattr(counted, name, mock.MagicMock())
    marked = mock.Mock()
    with instead(
        tally,
        _places=always({"place": 3} if places else {}),
        _sorts=always({} if places else {"sort": here}),
        _count=marked,
    ):
        tally.add(counted, graph, counts, given(time=None), 1.0, 3)
    return marked.call_count


def _folded() -> object:
    nodes = _members("a", "b", "c")
    whole: Any = given(
        nodes=nodes, edges=[], raw=[], against="x", graph=given(uncounted=None), groups={},
        at=None, snapshots=[], headline="", waiters=0, roots=[], counts=given(cycles=[]), notes=[],
        difference="",
    )  # fmt: skip
    with instead(
        view, _without=always(frozenset()), fold=lambda nodes, edges, *_: (nodes, edges),
        slimmed=lambda nodes, edges, _: (nodes, edges, False), deadlocks=always([]),
    ):  # fmt: skip
        return view.shown(whole).folded


SCENES: Scenes = {
    "waits.by_free_pages _LONG_S page_holders": _page_holders,
    "waits.by_free_pages _THREADS page_holders": lambda: _page_holders(waits=2, waited_s=0.0),
    "waits.by_free_pages _THREADS _starved": _starved,
    "waits.by_free_pages _TOGETHER_US _has_stack": _together,
    "waits.by_locks _SLACK_S _behind_exclusive_request": _before_the_request,
    "waits.fold _LABELS_SHOWN _resources": lambda: (
        "more" in fold._resources(_members("a", "b", "c", "d"))[1]
    ),
    "waits.groups _CYCLE _Shape.__init__": _circle,
    "waits.lock_holders _LONG_S _idle": _idle_since,
    "waits.lock_holders _SLACK_S _idle": _idle,
    "waits.lock_holders _SLACK_S _idle again": lambda: _idle_since(6.0),
    "waits.lock_holders _SLACK_S guess_blocking_write": _writes,
    "waits.lock_holders _SLACK_S guess_global_lock_holder": _backs_up,
    "waits.lock_holders _SLACK_S guess_table_holder": _uses_the_table,
    "waits.lock_holders _SLACK_S guess_table_holder again": lambda: _uses_the_table(waits=True),
    "waits.lock_holders _SLACK_S guess_table_holder idle": lambda: _uses_the_table(idle=True),
    "waits.moments _FEW choose_evenly": _chosen,
    "waits.tally SMALLEST add": lambda: _counted(places=True),
    "waits.tally SMALLEST add again": lambda: _counted(places=False),
    "waits.view FOLD_OVER shown": _folded,
}
