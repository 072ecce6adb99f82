"""Rules for pages and redo: no free pages, a full redo log."""

from __future__ import annotations

from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import Match, Rule, graded, having_any

_FREE = ("innodb.pool_free_pages", "metric.bp_pages_free", "mysql.Innodb_buffer_pool_pages_free")


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
    logged = observed.log("(?i)difficult to find free blocks")
    context = observed.context
    medians = (context.median(name, context.stall) for name in _FREE)
    free = next((value for value in medians if value is not None), None)
    empty = free is not None and free < 64
    if not searching.holds and not logged.holds and not empty:
        return None
    if empty and not searching.holds and not logged.holds and not _waits_for_free(observed):
        return None
    score = graded(
        (True, 0.25),
        (empty, 0.12),
        (searching.most >= 1, 0.15),
        (searching.most >= 10, 0.2),
        (bool(logged.holds), 0.25),
    )
    parts = [
        f"free pages are down to {free:.0f}" if empty else "",
        f"{searching.most} threads search for a free page themselves" if searching.holds else "",
        f"the error log reports it {logged.most} times" if logged.holds else "",
    ]
    why = "The buffer pool has no free pages: " + ", ".join(filter(None, parts)) + "."
    return Match("free-pages", score, why, searching.evidence + logged.evidence)


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
    context = observed.context
    age = context.median("innodb.checkpoint_age", context.stall)
    size = context.number("innodb_log_file_size")
    files = context.number("innodb_log_files_in_group")
    full = age / (size * files) if age is not None and size and files else None
    if waiting.most < 2 and (full is None or full < 0.75):
        return None
    score = graded(
        (waiting.most >= 2, 0.4),
        (waiting.most >= 10, 0.2),
        (full is not None and full >= 0.75, 0.3),
    )
    parts = [
        f"{waiting.most} threads wait for room in the redo log" if waiting.holds else "",
        f"the checkpoint age is {full:.0%} of the log" if full is not None else "",
    ]
    return Match("sync-flush", score, _sentence(parts), waiting.evidence)


def _waits_for_free(observed: Observed) -> bool:
    shift = observed.shift("mysql.Innodb_buffer_pool_wait_free", "metric.bp_wait_free")
    return shift is not None and shift.direction == "up"


def _sentence(parts: list[str]) -> str:
    text = ", and ".join(filter(None, parts)) + "."
    return text[0].upper() + text[1:]


RULES: dict[str, Rule] = {"free-pages": free_pages, "sync-flush": sync_flush}
