"""Problems of one latch in SEMAPHORES that need more than counting its waiters."""

from __future__ import annotations

from pileup.analysis.evidence.context import Context
from pileup.analysis.findings import signs
from pileup.analysis.findings.rules import Match, Rule, graded, larger

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
        f"{sign.most} threads of one snapshot wait at {places} places for the one adaptive hash "
        f"latch ({sign.share:.0%} of all semaphore waits)."
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


def hot_page(context: Context) -> Match | None:
    """Page latches, most waits for one address (hot-page)."""
    some = [one for one in context.hot_latches if one.latch == "buf_block_lock"]
    sign = signs.latch(context, "buf_block_lock")
    if sign.most < _ENOUGH or sign.share < 0.3 or not some:
        return None
    addresses = sum(one.addresses for one in some)
    few = addresses <= 4
    against = larger.waits(context).than(sign.most)
    if not few:
        against += (f"The waits are spread over {addresses} pages.",)
    score = graded((True, 0.3), (few, 0.25), (sign.most >= 30, 0.15))
    why = (
        f"{sign.most} threads of one snapshot wait for page latches at {addresses} address"
        f"{'' if addresses == 1 else 'es'} ({sign.share:.0%} of semaphore waits)."
    )
    return Match("hot-page", score * 0.5 if against else score, why, sign.evidence, against)


RULES: dict[str, Rule] = {
    "mysql-100512": ahi_build,
    "ahi-in-list": ahi_in_list,
    "hot-page": hot_page,
}
