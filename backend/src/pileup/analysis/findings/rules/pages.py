"""Rules for pages and redo: no free pages, a full redo log."""

from __future__ import annotations

from pileup.analysis.contract import LimitDoc
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import (
    Match,
    Rule,
    count,
    graded,
    having_any,
    mostly_locked,
    stacks_show,
)
from pileup.analysis.findings.strength import strength

_FEW = 0.1
"""Few free pages and nothing else are seen, and no finding."""
_FREE = ("pool_free_pages", "bp_pages_free", "innodb_buffer_pool_pages_free")


def free_pages(observed: Observed) -> Match | None:
    """Match sessions that flush and search for free pages themselves (free-pages)."""
    searching = observed.threads(
        having_any(
            "buf_LRU_get_free_block",
            "buf_flush_single_page_from_LRU",
            "buf_LRU_scan_and_free_block",
            "buf_flush_wait_LRU_batch_end",
        ),
        "search for a free page",
    )
    logged = observed.log(_NO_FREE)
    free = observed.level(*_FREE)
    empty = free is not None and free < _NO_PAGES
    single = observed.level("pool_pending_single_page_writes") or 0.0
    if not searching.holds and not logged.holds and not empty:
        writes = single + (observed.level("pool_pending_lru_writes") or 0.0)
        why = f"{count(int(writes), 'page is', 'pages are')} written to make room for others."
        return Match("free-pages", _FEW, why, ()) if writes else None
    listed = observed.latch(["free_list_mutex"])
    starved = empty and _evicts_dirty_pages(observed)
    flushed = empty and single >= 1
    signs = (searching, logged, listed)
    if not any(sign.holds for sign in signs) and not (
        starved or flushed or _waits_for_free(observed)
    ):
        why = f"Free pages are down to {free or 0:.0f}; nobody waits for one."
        return Match("free-pages", _FEW, why, ())
    score = graded(
        (True, 0.25),
        (empty, 0.12),
        (starved or flushed, 0.13),
        (single >= _SINGLE, 0.1),
        (searching.most >= 1, 0.15),
        (searching.most >= _MANY, 0.2),
        (bool(logged.holds), 0.1),
        (bool(logged.holds) and (logged.most > 1 or searching.holds or empty), 0.15),
        (bool(listed.holds), 0.05),
    )
    parts = [
        f"free pages are down to {free:.0f}" if empty else "",
        "most pages are dirty and have to be written before they are free" if starved else "",
        f"{count(int(single), 'session writes', 'sessions write')} single pages to free them"
        if flushed
        else "",
        f"{count(searching.most, 'thread searches', 'threads search')} for a free page"
        if searching.holds
        else "",
        f"the error log reports it {count(logged.most, 'time', 'times')}" if logged.holds else "",
        f"{count(listed.most, 'thread waits', 'threads wait')} for the list of free pages"
        if listed.holds
        else "",
    ]
    if logged.most == 1 and not (searching.holds or empty or listed.holds):
        parts.append("which is too little to tell how long, and whether sessions waited")
    why = "The buffer pool has no free pages: " + ", ".join(filter(None, parts)) + "."
    evidence = searching.evidence + logged.evidence + listed.evidence
    return Match("free-pages", score, why, evidence, waiters=searching.most)


_NO_FREE = "(?i)difficult to find free blocks|could not free any blocks in the buffer pool"
_NO_PAGES = 64
"""Fewer pages on the list of free ones: a moment's work takes them all."""
_MANY = 10
"""Threads at once."""
_SINGLE = 4
"""Sessions that write single pages at once, from which on it is no chance."""


def sync_flush(observed: Observed) -> Match | None:
    """Match a nearly full redo log with writers that flush synchronously (sync-flush)."""
    waiting = observed.threads(
        having_any(
            "log_checkpoint_margin",
            "log_check_margins",
            "log_free_check_wait",
            "buf_flush_wait_flushed",
            "log_preflush_pool_modified_pages",
        ),
        "wait for room in the redo log",
    )
    if not waiting.holds:
        waiting = observed.stack(["log_free_check", "log_checkpoint_margin"], [], True)
    log = _redo_log(observed)
    full = None if log is None else log.share
    logged = observed.log(_NO_ROOM)
    main = observed.main(_MAIN_WAITS)
    if not waiting.holds and not logged.holds and (full is None or full < _NEARLY_FULL):
        return None
    grade = strength(waiting.most, waiting.share, many=2, full_share=0.0)
    score = 0.4 * grade + graded(
        (waiting.most >= _MANY, 0.2),
        (full is not None and full >= _NEARLY_FULL, 0.3),
        (full is not None and full >= _FULL, 0.2),
        (log is not None and log.share >= _FULL and _filled(log), 0.1),
        (full is not None and full >= _NEARLY_FULL and main.share >= _OFTEN, 0.1),
    )
    if logged.holds:
        score += 0.42 + 0.1 * min(1.0, (logged.most - 1) / 2)
    many = count(waiting.most, "thread waits", "threads wait")
    parts = [
        f"{many} for room in the redo log" if waiting.holds else "",
        f"the checkpoint age is {full:.0%} of what the log has room for"
        if full is not None
        else "",
        logged.text if logged.holds else "",
        main.text if main.share >= _OFTEN else "",
    ]
    evidence = waiting.evidence + logged.evidence + main.evidence
    against: tuple[str, ...] = ()
    if not waiting.holds and not logged.holds and (reason := _elsewhere(observed)):
        against = (reason,)
        score *= _LOCKED
    score = min(0.97, round(score, 3))
    return Match("sync-flush", score, _sentence(parts), evidence, against, waiting.most)


def _elsewhere(observed: Observed) -> str:
    """Say what is waited for instead of room in the redo log; "" if nothing shows that."""
    if reason := mostly_locked(observed):
        return reason
    return "No thread of the stacks waits for room in it." if stacks_show(observed) else ""


def _filled(log: LimitDoc) -> bool:
    """Return whether the redo log had room before the stall."""
    return log.before is not None and log.before < _NEARLY_FULL * log.ceiling


def _redo_log(observed: Observed) -> LimitDoc | None:
    """Return the checkpoint age against its ceiling (limits.yaml); None: either is unknown."""
    return next((limit for limit in observed.limits if limit.id == "redo-log"), None)


_NO_ROOM = (
    r"(?i)exceeds the log (group )?capacity|unable to reserve space in redo log"
    r"|log writer is waiting for (a new redo log file|checkpointer)"
    r"|overwriting data after checkpoint|out of space in the redo log"
    r"|insufficient innodb_log_file_size|redo log .{0,40}(is full|capacity .{0,20}exceeded)"
)
"""Lines by which servers of any release report a redo log without room."""
_MAIN_WAITS = r"(?i)^(checking free log space|making checkpoint)"
_OFTEN = 0.25
"""Share of the dumps in which the main thread is there: it passes this in no time otherwise."""
_NEARLY_FULL = 0.83
"""Share of the room from which on servers flush synchronously, or soon will."""
_FULL = 0.87
"""Share from which on writers wait: 7/8 of what a log has beside its reserve (log0log.cc)."""


_LOCKED = 0.5
"""Factor where the log is full and what waits, waits for something else."""
_DIRTY = 0.75
_WRITES = ("pool_pending_lru_writes", "pool_pending_single_page_writes")


def _evicts_dirty_pages(observed: Observed) -> bool:
    """Return whether pages are written from the LRU list's end while most pages are dirty."""
    dirty, pages = observed.level("pool_modified_pages"), observed.level("pool_pages")
    writes = [
        observed.level(name)
        for name in ("pool_pending_lru_writes", "pool_pending_single_page_writes")
    ]
    full = dirty is not None and bool(pages) and dirty >= _DIRTY * (pages or 1.0)
    return full and any((pending or 0) > 0 for pending in writes)


def _waits_for_free(observed: Observed) -> bool:
    shift = observed.shift("mysql.Innodb_buffer_pool_wait_free", "metric.bp_wait_free")
    return shift is not None and shift.direction == "up"


def _sentence(parts: list[str]) -> str:
    text = ", and ".join(filter(None, parts)) + "."
    return text[0].upper() + text[1:]


def _redo_shows(observed: Observed) -> bool:
    """Return whether stacks, a log, or the checkpoint age of a log of known size are there."""
    seen = observed.record_counts
    return bool(_redo_log(observed) or seen["stack samples"] or seen["log lines"])


HAS_DATA = {"sync-flush": _redo_shows}
RULES: dict[str, Rule] = {"free-pages": free_pages, "sync-flush": sync_flush}
