"""Problems that show as waits for one latch in SEMAPHORES."""

from __future__ import annotations

from pileup.analysis import signs
from pileup.analysis.context import Context
from pileup.analysis.rules import Match, Rule, graded
from pileup.analysis.rules.commit import commit_waiters
from pileup.analysis.rules.concurrency import collapse

_IN_LIST = r"\bIN\s*\((?:[^(),]+,){20,}"
_ENOUGH = 5
"""Waiters at once below which a latch is a by-product."""


def ahi_build(context: Context) -> Match | None:
    """Everybody wants the adaptive hash latch, from many places (mysql-100512)."""
    sign = signs.latch(context, "btr_search_latch")
    building = signs.stacks(
        context,
        signs.having_any("btr_search_build_page_hash_index", "btr_search_info_update_slow"),
        "build or update adaptive hash entries",
    )
    if sign.most < _ENOUGH and not building:
        return None
    off = (context.setting("innodb_adaptive_hash_index") or "").upper() in ("OFF", "0")
    score = graded(
        (sign.most >= _ENOUGH or building.most >= _ENOUGH, 0.45),
        (sign.share >= 0.3 or building.share >= 0.2, 0.3),
        (sign.share >= 0.6 or building.most >= 30, 0.12),
        (building.most > 0, 0.06),
    )
    places = sum(
        len(one.positions) for one in context.hot_latches if one.latch == "btr_search_latch"
    )
    why = (
        f"{sign.most} threads at once wait at {places} places for the one adaptive hash latch "
        f"({sign.share:.0%} of all semaphore waits)."
        if sign
        else f"{building.most} threads are in the code that builds adaptive hash entries."
    )
    against = ("innodb_adaptive_hash_index is OFF.",) if off else ()
    found = (sign.evidence + building.evidence)[:3]
    if where := signs.setting(context, "innodb_adaptive_hash_index"):
        found += (where,)
    return Match("mysql-100512", 0.1 if off else score, why, found, against)


def ahi_in_list(context: Context) -> Match | None:
    """The same latch, with statements that look up long IN lists (ahi-in-list)."""
    base = ahi_build(context)
    if base is None:
        return None
    share = signs.queries(context, _IN_LIST)
    if share < 0.2:
        return None
    why = f"{base.why} {share:.0%} of the running statements have IN lists of more than 20 values."
    return Match("ahi-in-list", round(base.score - 0.01, 3), why, base.evidence, base.against)


# latch -> (issue, what the waits mean in one clause)
_ONE_LATCH = {
    "kernel_mutex": ("kernel-mutex", "the kernel mutex"),
    "trx_sys_mutex": ("trx-sys-mutex", "the transaction system's mutex"),
    "log_sys_mutex": ("log-mutex", "the redo log's mutex"),
    "lock_sys_mutex": ("lock-sys-shard", "the lock system's mutex"),
    "fil_system_mutex": ("fil-system", "the file system mutex"),
    "fil_space_latch": ("fil-extend", "a tablespace latch"),
    "index_tree_lock": ("index-lock", "an index tree latch"),
    "rseg_mutex": ("rseg-contention", "a rollback segment"),
    "ibuf_mutex": ("ibuf-merge", "the change buffer"),
    "buf_dblwr_mutex": ("doublewrite-single", "the doublewrite buffer"),
    "dict_operation_lock": ("dict-fk", "the dictionary operation lock"),
    "buf_pool_mutex": ("mysql-51325", "the buffer pool mutex"),
    "sync_array_mutex": ("sync-array", "the sync array's mutex"),
    "srv_innodb_monitor_mutex": ("innodb-status", "the monitor's mutex"),
}


def _one_latch(latch_id: str) -> Rule:
    issue, name = _ONE_LATCH[latch_id]

    def rule(context: Context) -> Match | None:
        sign = signs.latch(context, latch_id)
        if sign.most < _ENOUGH or sign.share < 0.2:
            return None
        score = graded((True, 0.35), (sign.share >= 0.5, 0.2), (sign.most >= 30, 0.2))
        against = _by_product(context, sign)
        why = f"{sign.most} threads at once wait for {name} ({sign.share:.0%} of semaphore waits)."
        return Match(issue, score * 0.5 if against else score, why, sign.evidence, against)

    return rule


def hot_page(context: Context) -> Match | None:
    """Page latches, most waits for one address (hot-page)."""
    some = [one for one in context.hot_latches if one.latch == "buf_block_lock"]
    sign = signs.latch(context, "buf_block_lock")
    if sign.most < _ENOUGH or sign.share < 0.3 or not some:
        return None
    addresses = sum(one.addresses for one in some)
    few = addresses <= 4
    against = _by_product(context, sign)
    if not few:
        against += (f"The waits are spread over {addresses} pages.",)
    score = graded((True, 0.3), (few, 0.25), (sign.most >= 30, 0.15))
    why = (
        f"{sign.most} threads at once wait for page latches at {addresses} address"
        f"{'' if addresses == 1 else 'es'} ({sign.share:.0%} of semaphore waits)."
    )
    return Match("hot-page", score * 0.5 if against else score, why, sign.evidence, against)


def semaphore_abort(context: Context) -> Match | None:
    """The server itself warned of long semaphore waits (semaphore-abort)."""
    sign = signs.events(context, "(?i)a long semaphore wait")
    if not sign:
        return None
    why = f"The error log has {sign.most} long semaphore waits; the server aborts after 600 s."
    return Match("semaphore-abort", 0.6, why, sign.evidence)


def _by_product(context: Context, sign: signs.Sign) -> tuple[str, ...]:
    """Why waits for a latch may follow from something larger."""
    said = []
    if collapse(context) is not None:
        said.append("Throughput collapses as threads rise: the latch is where they meet.")
    waiters = commit_waiters(context)
    if waiters.most > 2 * sign.most:
        said.append(f"{waiters.most} sessions wait for the commit, many more than for this latch.")
    rows, _, _ = signs.lock_waiters(context)
    if rows.most > 2 * sign.most:
        said.append(f"{rows.most} transactions wait for a row lock, many more than for this latch.")
    return tuple(said)


RULES: tuple[Rule, ...] = (
    ahi_build,
    ahi_in_list,
    *(_one_latch(latch_id) for latch_id in _ONE_LATCH),
    hot_page,
    semaphore_abort,
)
