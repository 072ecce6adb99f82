"""Rules for problems of one latch in SEMAPHORES that need more than counting its waiters."""

from __future__ import annotations

import re

from pileup.analysis.contract import Locator
from pileup.analysis.evidence.digests import digests
from pileup.analysis.findings.observed import Observed, Seen
from pileup.analysis.findings.rules import Match, Rule, count, having_any, inside_shows, larger
from pileup.analysis.findings.strength import LATCH, MANY, strength
from pileup.analysis.findings.words import share as share_of

_IN_LIST = re.compile(r"\bIN\s*\((?:[^(),]+,){20,}", re.IGNORECASE | re.DOTALL)
# IN (...), IN (?), in(?+), IN (?, ?, ...); or an example with its values
_IN_DIGEST = re.compile(
    r"\bIN\s*\(\s*(?:\.\.\.|\?\+?\s*(?:,\s*\?\s*)*(?:,\s*\.\.\.\s*)?|(?:[^(),]+,){20}[^()]*)\s*\)",
    re.IGNORECASE,
)
_STATEMENTS = 2000
_DROPS_ENTRIES = ["btr_search_drop_page_hash_index", "btr_search_drop_page_hash_when_freed"]
_DROPS_TABLE = [
    *("row_drop_table_for_mysql", "dict_drop_index_tree", "fil_delete_tablespace"),
    *("row_truncate_table_for_mysql", "truncate_t::truncate", "fil_reinit_space_header_for_table"),
    *("fil_reinit_space_header", "buf_LRU_drop_page_hash_for_tablespace"),
]
_EVEN_BET = 0.5


def ahi_build(observed: Observed) -> Match | None:
    """Match many threads that wait for the adaptive hash latch at many places (mysql-100512)."""
    waits = observed.hot_latch("btr_search_latch")
    building = observed.threads(
        having_any("btr_search_build_page_hash_index", "btr_search_info_update_slow"),
        "are building or updating adaptive hash entries",
    )
    if not waits.holds and not building.holds:
        return None
    behind = observed.ends_at("btr_search_latch")
    share = max(waits.share, behind)
    off = (observed.context.setting("innodb_adaptive_hash_index") or "").upper() in ("OFF", "0")
    queued = max(_grade(waits), _grade(building))
    score = min(
        0.97,
        0.45 * queued
        + 0.3 * max(queued * min(1.0, share / 0.3), _grade(building, 0.2))
        + 0.12 * max(queued * min(1.0, share / 0.6), min(1.0, building.most / 30))
        + (0.06 if building.holds else 0.0),
    )
    places = sum(
        len(latch.positions)
        for latch in observed.context.hot_latches
        if latch.latch == "btr_search_latch"
    )
    where_at = f" at {count(places, 'place', 'places')}" if places else ""
    cascade = (
        f", and {behind:.0%} of the time of active sessions ends there"
        if behind > waits.share
        else ""
    )
    if waits.estimated:
        queue = f"{waits.text[0].upper()}{waits.text[1:]}."
    else:
        queue = (
            f"{count(waits.most, 'thread waits', 'threads wait at once')}{where_at} for the "
            f"adaptive hash latch ({share_of(waits.share)} of all latch waits{cascade})."
        )
    why = (
        queue
        if waits.holds
        else f"{count(building.most, 'thread is', 'threads are')} in the code that builds adaptive "
        "hash entries."
    )
    against: tuple[str, ...] = ("innodb_adaptive_hash_index is OFF.",) if off else ()
    dropping = observed.stack(_DROPS_ENTRIES, _DROPS_TABLE, False)
    if dropping.holds and not building.holds:
        against += (f"One of them may hold it while it drops the entries: {dropping.text}.",)
        score = min(score, _EVEN_BET)
    if not building.holds and waits.most < MANY:
        score = min(score, _EVEN_BET)  # one that is stuck makes a wait old, not a crowd
    if waits.holds and not building.holds and share < _MINOR:
        against += (f"Only {share_of(share)} of the latch waits are for it.",)
        score *= _OF_MINOR
    locators = (waits.evidence + building.evidence)[:3]
    if where := observed.setting("innodb_adaptive_hash_index"):
        locators += (where,)
    score = 0.1 if off else round(score, 3)
    return Match("mysql-100512", score, why, locators, against, max(waits.most, building.most))


def ahi_in_list(observed: Observed) -> Match | None:
    """Match waits for the adaptive hash latch with statements with IN lists (ahi-in-list).

    Statements show how long their lists are. Where there is none with a long list, digests show
    which share of the calls has lists of any length, unless they print an example with its values.
    """
    base = ahi_build(observed)
    if base is None:
        return None
    share = _share_of_statements(observed, _IN_LIST)
    if share >= _ENOUGH:
        why = f"{share:.0%} of the running statements have IN lists of more than 20 values."
        return _with_lists(base, why, base.score - 0.01)
    listed = digests(observed.context.evidence)
    calls = sum(digest.calls for digest in listed)
    lists = [digest for digest in listed if _IN_DIGEST.search(digest.text)]
    if not calls or (share := sum(digest.calls for digest in lists) / calls) < _ENOUGH:
        return None
    why = f"{share:.0%} of the calls in the digests have IN lists; digests hide how long."
    most = max(lists, key=lambda digest: digest.calls)
    where = observed.lines(most.table, most.text[:_SHOWN])
    return _with_lists(base, why, base.score - 0.02, where)


def _with_lists(base: Match, why: str, score: float, *evidence: Locator) -> Match:
    return Match(
        "ahi-in-list",
        round(score, 3),
        f"{base.why} {why}",
        (*base.evidence, *evidence),
        base.against,
        base.waiters,
    )


_ENOUGH = 0.2
_FEW_PAGES = 4
"""Addresses of one latch, the most that are a few pages."""
_SHOWN = 200
_MINOR, _OF_MINOR = 0.15, 0.7
"""Share of the latch waits below which others explain the stall, and the factor then."""


def hot_page(observed: Observed) -> Match | None:
    """Match page latch waits that concentrate on one address (hot-page)."""
    latches = [
        hot_latch
        for hot_latch in observed.context.hot_latches
        if hot_latch.latch == "buf_block_lock"
    ]
    waits = observed.hot_latch("buf_block_lock")
    if not waits.holds or not latches:
        return None
    addresses = sum(latch.addresses for latch in latches)
    few = 0 < addresses <= _FEW_PAGES
    against = larger.waits(observed).than(waits.most)
    if not few and addresses:
        against += (f"The waits are spread over {addresses} pages.",)
    score = strength(waits.most, waits.share, waits.longest, full_share=0.3, patience=LATCH) * (
        0.3 + (0.25 if few else 0.0) + 0.15 * min(1.0, waits.most / 30)
    )
    at = f" at {count(addresses, 'address', 'addresses')}" if addresses else ""
    why = (
        f"{count(waits.most, 'thread waits', 'threads wait at once')} for page latches{at} "
        f"({share_of(waits.share)} of the latch waits)."
    )
    reads = (observed.locked(["buf0buf.*", "buf0rea.*"]), observed.place(["buf_wait_for_read"]))
    if any(seen.holds and seen.share >= _READ_IN for seen in reads):
        against += ("The pages are being read from disk: whoever reads holds the latch.",)
    score = score * 0.5 if against else score
    if observed.record_counts["status dumps"] <= 1:
        score = min(score, _EVEN_BET if few and waits.most >= _CROWD else _ONE_DUMP)
    return Match("hot-page", round(score, 3), why, waits.evidence, against, waits.most)


_CIRCLE, _CIRCLE_LOGGED = 0.7, 0.6
"""Scores of latches whose holders wait for each other, and of a log line that says so."""


def latch_circle(observed: Observed) -> Match | None:
    """Match threads that each hold a latch and wait for that of another (latch-circle)."""
    for root in () if observed.blocked is None else observed.blocked.roots:
        nodes = [name.partition(":")[::2] for name in root.key.removeprefix("cycle:").split(",")]
        held = [name for kind, name in nodes if kind == "latch"]
        threads = [name for kind, name in nodes if kind == "thread"]
        if root.kind != "cycle" or not held[1:] or len(held) + len(threads) != len(nodes):
            continue
        why = (
            f"{count(len(threads), 'thread holds', 'threads hold')} latches that the others of "
            f"them wait for ({', '.join(held)}): none of them can go on."
        )
        waits = observed.hot_latch(held[0])
        many = max(root.behind, len(threads))
        return Match("latch-circle", _CIRCLE, why, waits.evidence, waiters=many)
    logged = observed.log(_DEADLOCK_OF_THREADS)
    if not logged.holds:
        return None
    return Match("latch-circle", _CIRCLE_LOGGED, f"The log says: {logged.text}.", logged.evidence)


_DEADLOCK_OF_THREADS = r"(?i)\bdeadlock of threads detected"


_ONE_DUMP = 0.39
"""One dump does not show whether a page stays hot: whoever holds it may wait for something else."""
_CROWD = 20
"""Threads that wait for the same few pages at one moment: an even bet even so."""
_READ_IN = 0.5
"""Share of the latch waits from which on reads of pages explain them."""


def _grade(seen: Seen, full_share: float = 0.0) -> float:
    return strength(seen.most, seen.share, seen.longest, full_share=full_share, patience=LATCH)


def _share_of_statements(observed: Observed, expression: re.Pattern[str]) -> float:
    """Return the share of the stall's transaction statements that match (in a sample of 2,000)."""
    frame = observed.during("transaction")
    texts = [] if frame is None else frame["query"].drop_nulls().head(_STATEMENTS).to_list()
    return sum(1 for text in texts if expression.search(text)) / len(texts) if texts else 0.0


HAS_DATA = dict.fromkeys(("mysql-100512", "ahi-in-list", "hot-page"), inside_shows)
RULES: dict[str, Rule] = {
    "mysql-100512": ahi_build,
    "ahi-in-list": ahi_in_list,
    "hot-page": hot_page,
    "latch-circle": latch_circle,
}
