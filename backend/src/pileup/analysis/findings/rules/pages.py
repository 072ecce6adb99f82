"""Pages and redo: no free pages, a full log."""

from __future__ import annotations

from pileup.analysis.evidence.context import Context
from pileup.analysis.findings import signs
from pileup.analysis.findings.rules import Match, Rule, graded

_FREE = ("innodb.pool_free_pages", "metric.bp_pages_free", "mysql.Innodb_buffer_pool_pages_free")


def free_pages(context: Context) -> Match | None:
    """No free page: sessions flush and search themselves (free-pages)."""
    searching = signs.stacks(
        context,
        signs.having_any(
            "buf_LRU_get_free_block",
            "buf_flush_single_page_from_LRU",
            "buf_LRU_scan_and_free_block",
            "buf_flush_wait_LRU_batch_end",
        ),
        "search for a free page",
    )
    said = signs.events(context, "(?i)difficult to find free blocks")
    free = next(
        (value for name in _FREE if (value := context.median(name, context.stall)) is not None),
        None,
    )
    empty = free is not None and free < 64
    if not searching and not said and not empty:
        return None
    if empty and not searching and not said and not _waits_for_free(context):
        return None
    score = graded(
        (True, 0.25),
        (empty, 0.12),
        (searching.most >= 1, 0.15),
        (searching.most >= 10, 0.2),
        (bool(said), 0.25),
    )
    parts = [
        f"free pages are down to {free:.0f}" if empty else "",
        f"{searching.most} threads search for a free page themselves" if searching else "",
        f"the error log says so {said.most} times" if said else "",
    ]
    why = "The buffer pool has no free pages: " + ", ".join(filter(None, parts)) + "."
    return Match("free-pages", score, why, searching.evidence + said.evidence)


def sync_flush(context: Context) -> Match | None:
    """The redo log is nearly full and writers flush synchronously (sync-flush)."""
    waiting = signs.stacks(
        context,
        signs.having_any(
            "log_checkpoint_margin",
            "log_check_margins",
            "log_free_check_wait",
            "buf_flush_wait_flushed",
            "log_preflush_pool_modified_pages",
        ),
        "wait for room in the redo log",
    )
    age = context.median("innodb.checkpoint_age", context.stall)
    size, files = (
        context.number("innodb_log_file_size"),
        context.number("innodb_log_files_in_group"),
    )
    full = age / (size * files) if age is not None and size and files else None
    if waiting.most < 2 and (full is None or full < 0.75):
        return None
    score = graded(
        (waiting.most >= 2, 0.4),
        (waiting.most >= 10, 0.2),
        (full is not None and full >= 0.75, 0.3),
    )
    parts = [
        f"{waiting.most} threads wait for room in the redo log" if waiting else "",
        f"the checkpoint age is {full:.0%} of the log" if full is not None else "",
    ]
    return Match("sync-flush", score, _sentence(parts), waiting.evidence)


def _waits_for_free(context: Context) -> bool:
    one = signs.shift(context, "mysql.Innodb_buffer_pool_wait_free", "metric.bp_wait_free")
    return one is not None and one.direction == "up"


def _sentence(parts: list[str]) -> str:
    text = ", and ".join(filter(None, parts)) + "."
    return text[0].upper() + text[1:]


RULES: dict[str, Rule] = {"free-pages": free_pages, "sync-flush": sync_flush}
