"""Match the signatures of the knowledge base against a stall.

Every sign in ``needs`` must show where it could; each sign that shows earns its weight by its
``strength``, and these add up. Counter-evidence lowers the score and is listed: a sign in
``against``, a needed sign that no record could show, a wait seen in a few dumps only, or a wait
that follows from a larger one. Rules in code do not belong here: see ``rules``.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import msgspec

from pileup.analysis.contract import Locator, SignDoc
from pileup.analysis.evidence.levels import Level
from pileup.analysis.findings.level_words import change, level_name
from pileup.analysis.findings.observed import NO_DATA, Observed, Seen
from pileup.analysis.findings.rules import Match
from pileup.analysis.findings.rules.larger import Larger
from pileup.analysis.findings.seen import distinct
from pileup.analysis.findings.setting_values import amount, is_value
from pileup.analysis.findings.strength import (
    LATCH,
    LOCK,
    MANY,
    SHARE,
    TRANSACTION,
    Patience,
    strength,
)
from pileup.analysis.findings.words import count, in_words
from pileup.knowledge.renamed import look_up
from pileup.knowledge.signature import EXPRESSIONS, Sign, Signature, names
from pileup.numerals import number

MOST = 0.97
FOUND = 0.4
"""From this score on a problem is found; below, it is seen, but there is too little to be sure."""
LEAST = 0.2
"""Matches below this score are no findings; the list of what was checked says that they show."""
_UNCHECKED = 0.6
"""Factor where the evidence has no records in which another needed sign could show."""
_FEW_DUMPS, _RARE = 5, 0.2
_RARE_FACTOR = 0.4
_BY_PRODUCT_FACTOR = 0.5
_MANY = {
    "latch": 5,
    "place": 5,
    "state": 5,
    "transaction": 5,
    "lock": 5,
    "query": 3,
    "user": 5,
    "command": 5,
    "wait": 5,
    "locked": 5,
    "lock_time": 3,
}
"""How many at once rule out chance, by kind of sign; fewer tell less, unless they have lasted."""
_WAITS = ("latch", "place", "locked", "state", "lock", "wait")
_AGED: dict[str, Patience] = {
    **dict.fromkeys(("latch", "place", "locked"), LATCH),
    **dict.fromkeys(("transaction", "query", "lock"), TRANSACTION),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One sign of a signature with what was seen of it."""

    sign: Sign
    seen: Seen
    strength: float = 0.0
    """How much of its weight it earns, 0..1."""
    weight: float = 0.0
    """Of the sign, or of its best alternative."""
    alternative: Sign | None = None
    """The alternative that tells most, for a list of them."""

    @property
    def best(self) -> Sign:
        return self.alternative or self.sign

    @property
    def score(self) -> float:
        return self.weight * self.strength


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of matching one signature."""

    match: Match | None
    """None: a needed sign does not show, or there are no records in which it could."""
    signs: tuple[SignDoc, ...]
    had_data: bool
    """Whether the evidence has any records in which the needed signs could show."""
    partly: str = ""
    """Without a match: which needed sign shows all the same, and which one does not."""


def evaluate(signature: Signature, observed: Observed, larger: Larger) -> Outcome:
    """Match a signature; ``larger`` holds the larger waits that make latch waits a by-product.

    A needed sign that does not show although it could excludes the problem; one that cannot show,
    for lack of records, leaves it open.
    """
    needs = [look(sign, observed) for sign in signature.needs]
    adds = [look(sign, observed) for sign in signature.adds]
    signs = tuple(_doc(answer) for answer in (*needs, *adds))
    excluded = any(answer.seen.holds is False for answer in needs)
    if excluded or not _shows(needs):
        return Outcome(None, signs, excluded, _partly(needs) if excluded else "")
    held = [answer for answer in (*needs, *adds) if answer.seen.holds]
    score = sum(answer.score for answer in held)
    against: list[str] = []
    if any(answer.seen.holds is None for answer in needs):
        score *= _UNCHECKED
        missing = "; ".join(_wanted(row.sign) for row in needs if row.seen.holds is None)
        against.append(f"Not checked, as no record could show it: {missing}.")
    for sign in signature.against:
        answer = look(sign, observed)
        if answer.seen.holds:
            score *= 1 - (1 - sign.factor) * answer.strength
            text = answer.seen.text
            against.append(_sentence(f"{sign.says}: {text}" if sign.says else text))
    waits = [answer.seen for answer in needs if answer.seen.dumps is not None]
    for seen in waits[:1]:
        score, reasons = _reduce_score(score, seen, larger)
        against += reasons
    if score < FOUND and _is_open(needs):
        return Outcome(None, signs, False)
    why = _sentence("; ".join(_without_repeats(list(filter(None, map(_clause, held))))))
    evidence: list[Locator] = [locator for answer in held for locator in answer.seen.evidence]
    waiters = max((row.seen.most for row in needs if _counts_waiters(row)), default=0)
    match = Match(
        signature.issue,
        round(min(MOST, score), 3),
        why,
        tuple(distinct(evidence)[:5]),
        tuple(against),
        waiters,
        holder=next((_sentence(a.seen.text) for a in held if a.best.kind in _HOLDS), ""),
    )
    return Outcome(match, signs, True)


def _without_repeats(clauses: Sequence[str]) -> list[str]:
    """Drop a clause that another one repeats with more."""
    distinct = list(dict.fromkeys(clauses))
    longer = [(clause, each) for clause in distinct for each in distinct if clause != each]
    repeated = {
        clause for clause, each in longer if each.startswith(clause) or each.endswith(f"({clause})")
    }
    quoted: set[str] = set()
    kept = []
    for clause in distinct:
        _, _, quote = clause.partition(" '")
        if clause in repeated or (clause.startswith(_LOGGED) and quote in quoted):
            continue
        quoted.add(quote)
        kept.append(clause)
    return kept


_LOGGED = "the log says "
_HOLDS = ("old_transaction",)
"""Signs that name who holds something back."""


def _is_open(needs: Sequence[Answer]) -> bool:
    """Return whether no record could show the sign that tells most: the rest fits much else."""
    unchecked = [_weight(row.sign) for row in needs if row.seen.holds is None]
    seen = [_weight(row.sign) for row in needs if row.seen.holds]
    return max(unchecked, default=0.0) > max(seen, default=0.0)


def _partly(needs: Sequence[Answer]) -> str:
    """Say what shows of the needed signs, if the one that tells most does; else return nothing."""
    shown = [row for row in needs if row.seen.holds and row.sign.kind != "setting"]
    missing = [row for row in needs if row.seen.holds is False]
    most = max((_weight(row.sign) for row in needs), default=0.0)
    if max((row.score for row in shown), default=0.0) < _PARTLY * most:
        return ""
    clauses = "; ".join(filter(None, map(_clause, shown)))
    return _sentence(f"{clauses}; not there: {'; '.join(_wanted(row.sign) for row in missing)}")


_PARTLY = 0.5
"""Of the weight of the sign that tells most, what has to show."""


def _weight(sign: Sign) -> float:
    return max((item.weight for item in sign.any or ()), default=sign.weight)


def _counts_waiters(answer: Answer) -> bool:
    """Return whether a sign counts sessions that wait, and not the holder or a number."""
    sign = answer.best
    if not answer.seen.holds or sign.least == 1:
        return False
    return sign.kind in _WAITS or (sign.kind == "stack" and sign.waiting is True)


def _shows(needs: Sequence[Answer]) -> bool:
    """Return whether a needed sign shows in what the server did: settings alone show nothing."""
    return any(answer.seen.holds and answer.sign.kind != "setting" for answer in needs)


def look(sign: Sign, observed: Observed) -> Answer:
    """Check one sign against the observed stall."""
    if sign.kind == "any":
        return _best(sign, observed)
    seen = see(sign, observed)
    if not seen.holds:
        return Answer(sign, seen)
    if sign.kind == "counter":
        return Answer(sign, seen, seen.share, sign.weight)
    lasts = sign.lasting is not None and (sign.least or 1) == 1
    if sign.kind in ("setting", "main") or lasts:
        return Answer(sign, seen, 1.0, sign.weight)
    if sign.kind == "log":
        grade = strength(seen.most, 1.0, many=sign.least or 1, full_share=0.0)
        return Answer(sign, seen, grade, sign.weight)
    if sign.kind in ("limit", "deadlocks", "trend", "old_transaction"):
        share = 1.0 if sign.kind == "old_transaction" else min(1.0, seen.share)
        return Answer(sign, seen, share, sign.weight)
    many = sign.least if sign.least is not None else _MANY.get(sign.kind, 1)
    if sign.kind == "stack" and seen.share >= 1.0:  # nothing but these threads was pasted
        many = min(many, MANY)
    counted = (sign.kind in _MANY and sign.kind != "query") or sign.kind == "stack"
    usual_share = SHARE if counted and many > 1 else 0.0
    full_share = sign.share if sign.share is not None else usual_share
    grade = strength(
        seen.most,
        seen.share,
        seen.longest,
        many=many,
        full_share=full_share,
        patience=_AGED.get(sign.kind, LOCK),
    )
    return Answer(sign, seen, grade, sign.weight)


def see(sign: Sign, observed: Observed) -> Seen:
    """Ask the evidence for one sign that is no list of alternatives."""
    match sign.kind:
        case _ if sign.clustered:
            held = see(msgspec.structs.replace(sign, clustered=None), observed)
            return held if not held.holds or observed.is_clustered else Seen(False)
        case "counter":
            return _counter(sign, observed)
        case "setting":
            return _setting(sign, observed)
        case "latch":
            return observed.latch(names(sign.latch))
        case "place":
            return observed.place(names(sign.place))
        case "stack":
            return observed.stack(names(sign.stack), names(sign.within), sign.waiting)
        case "locked":
            return observed.locked(names(sign.locked))
        case "wait":
            kind = sign.wait or ""
            return (
                observed.passed_on(kind)
                if sign.rotates
                else observed.wait(kind, sign.holder, sign.sure)
            )
        case "state" if sign.replicates:
            return observed.replicating(sign.state or "", sign.lasting)
        case "state" | "query" | "transaction" | "command" as kind:
            answer: Seen = getattr(observed, kind)(getattr(sign, kind), sign.lasting)
            return answer
        case kind:
            seen: Seen = getattr(observed, kind)(getattr(sign, kind))
            return seen


def describe_needs(signature: Signature) -> str:
    """Describe in one clause what a signature needs, for the list of checked patterns."""
    if signature.looks_for:
        return signature.looks_for
    return "; ".join(_wanted(sign) for sign in signature.needs)


# ---- parts


def _best(sign: Sign, observed: Observed) -> Answer:
    """Return the alternative that tells most; no data only where none had any that rules out."""
    answers = [look(item, observed) for item in sign.any or ()]
    held = [answer for answer in answers if answer.seen.holds]
    if held:
        best = max(held, key=lambda answer: answer.score)
        return Answer(sign, best.seen, best.strength, best.weight, best.best)
    ruling = [answer for answer in answers if answer.sign.kind not in _ONLY_SHOWS]
    nothing = all(answer.seen.holds is None for answer in ruling or answers)
    return Answer(sign, NO_DATA if nothing else Seen(False))


_ONLY_SHOWS = ("old_transaction",)
"""Signs that tell where they show; without one, another alternative may hold all the same."""


def _counter(sign: Sign, observed: Observed) -> Seen:
    levels = observed.levels_named(names(sign.counter))
    machine = _means_of_cpus(levels)
    fits = [(level, _fits(sign, level)) for level in levels]
    fits = [
        (level, fit and _fits(sign, machine.get(_machine(level), level))) for level, fit in fits
    ]
    fitting = [level for level, fit in fits if fit]
    if not fitting:
        return NO_DATA if all(fit is None for _, fit in fits) else Seen(False)
    item = max(fitting, key=lambda level: level.inside or 0.0)
    text = change(item)
    if sign.peak is not None and not item.inside:
        text = f"{level_name(item)} peaked at {number(item.peak)}"
    if sign.lowest is not None and item.lowest != item.inside:
        text = f"{level_name(item)} fell to {number(item.lowest or 0)}"
    sure = _since_start(sign, item) if item.since_start else 1.0
    return Seen(True, 1, sure, text, (observed.series(item, text),))


_ONE_CPU = re.compile(r"cpu=\d+")


def _machine(level: Level) -> tuple[str, str, bool]:
    """Return what is one for the numbered CPUs of a machine, from the records of one file."""
    return level.artifact, level.series, _ONE_CPU.fullmatch(level.labels) is not None


def _means_of_cpus(levels: Sequence[Level]) -> dict[tuple[str, str, bool], Level]:
    """Return the mean of each series that is printed per CPU: signs speak of the machine."""
    of: dict[tuple[str, str, bool], list[Level]] = {}
    for level in levels:
        if (key := _machine(level))[-1]:
            of.setdefault(key, []).append(level)
    return {key: _mean(cpus) for key, cpus in of.items()}


def _mean(cpus: Sequence[Level]) -> Level:
    inside = [level.inside for level in cpus if level.inside is not None]
    before = [level.before for level in cpus if level.before is not None]
    return replace(
        cpus[0],
        inside=statistics.fmean(inside) if inside else None,
        before=statistics.fmean(before) if before else None,
        peak=statistics.fmean(level.peak for level in cpus),
    )


_AT_MOST, _CLEARLY = 0.8, 100.0


def _since_start(sign: Sign, level: Level) -> float:
    """Return how much an average since the start earns where a change was to be seen.

    It tells nothing of now; so it must be far above what is usual, and earns never all.
    """
    if sign.rises is None:
        return _AT_MOST
    over = (level.inside or 0.0) / (sign.above or 1.0)
    return _AT_MOST * min(1.0, math.log10(max(1.0, over)) / math.log10(_CLEARLY))


def _fits(sign: Sign, level: Level) -> bool | None:
    """Return whether a series changes as the sign says; None: it has no value to compare with."""
    inside, before = level.inside, level.before
    if inside is None:
        return None
    if sign.above is not None and inside < sign.above:
        return False
    if sign.below is not None and inside > sign.below:
        return False
    if sign.peak is not None and level.peak < sign.peak:
        return False
    if sign.lowest is not None and (level.lowest is None or level.lowest > sign.lowest):
        return False
    if level.since_start and sign.rises is not None and sign.above is not None:
        return True
    if (sign.rises is not None or sign.falls is not None) and before is None:
        return None
    if sign.rises is not None and (inside <= 0 or inside < sign.rises * (before or 0.0)):
        return False
    return sign.falls is None or ((before or 0.0) > 0 and inside <= sign.falls * (before or 0.0))


def _setting(sign: Sign, observed: Observed) -> Seen:
    name = sign.setting or ""
    setting = look_up(observed.context.settings, name)
    if setting is None or setting.value is None:
        return NO_DATA
    if sign.is_ is not None and not is_value(setting.value, sign.is_):
        return Seen(False)
    value = amount(setting.value)
    if sign.above is not None and (value is None or value <= sign.above):
        return Seen(False)
    if sign.below is not None and (value is None or value >= sign.below):
        return Seen(False)
    text = f"{name} is {setting.value or 'empty'}"
    where = observed.setting(name, text)
    return Seen(True, 1, 1.0, text, (where,) if where else ())


def _reduce_score(score: float, seen: Seen, larger: Larger) -> tuple[float, list[str]]:
    reasons: list[str] = []
    assert seen.dumps is not None
    shown, of = seen.dumps
    if of >= _FEW_DUMPS and shown < _RARE * of:
        reasons.append(f"Only {shown} of {of} status dumps of the stall show these waits.")
        score *= _RARE_FACTOR
    if bigger := larger.than(seen.most):
        reasons += bigger
        score *= _BY_PRODUCT_FACTOR
    return score, reasons


def _doc(answer: Answer) -> SignDoc:
    seen, sign = answer.seen, answer.sign
    text = _clause(answer) if seen.holds else _wanted(sign)
    shown: Literal["yes", "no", "no_data"]
    shown = "no_data" if seen.holds is None else "yes" if seen.holds else "no"
    return SignDoc(text=text, seen=shown, weight=round(answer.score, 3) or sign.weight)


def _clause(answer: Answer) -> str:
    sign, seen = answer.sign, answer.seen
    return f"{sign.says} ({seen.text})" if sign.says and seen.text else sign.says or seen.text


@lru_cache(maxsize=4096)
def _wanted(sign: Sign) -> str:
    """Describe a sign in words."""
    if sign.any:
        return " or ".join(_wanted(item) for item in sign.any)
    value = getattr(sign, sign.kind)
    text = " or ".join(names(value)) if not isinstance(value, bool | float) else ""
    if sign.kind in EXPRESSIONS:
        text = in_words(text)
    match sign.kind:
        case "latch":
            return f"waits for {text}"
        case "wait":
            held = f" whose holder is like '{in_words(sign.holder)}'" if sign.holder else ""
            held += " whose holder changes from moment to moment" if sign.rotates else ""
            return f"waits for a {text.replace('_', ' ').removeprefix('queue:')}{held}"
        case "main":
            return f"the main thread in '{text}'"
        case "locked":
            return f"waits for a latch last write-locked at {text}"
        case "place":
            return f"waits at {text}"
        case "stack":
            doing = {True: "waiting in", False: "working in", None: "in"}[sign.waiting]
            below = f" below {' or '.join(names(sign.within))}" if sign.within else ""
            return f"threads {doing} {text}{below}"
        case "profile":
            return f"a CPU profile with {text}"
        case "counter":
            return f"{text} {_bounds(sign)}"
        case "setting":
            return f"{text} {_bounds(sign)}"
        case "limit":
            return f"{text} at the limit"
        case "deadlocks":
            return f"{count(round(sign.deadlocks or 0), 'deadlock', 'deadlocks')} per minute"
        case "old_transaction":
            return f"a transaction open for {number(sign.old_transaction or 0)} s"
        case "lock_time":
            return f"{text} of the slow log that waited for locks most of the time"
        case "trend":
            return f"{text} growing without falling"
        case "log":
            return f"log lines like '{text}'"
        case _:
            return f"{sign.kind} like '{text}'"


def _bounds(sign: Sign) -> str:
    bounds = []
    if sign.is_ is not None:
        bounds.append(f"is {' or '.join(sign.is_)}")
    if sign.rises is not None:
        bounds.append(f"rises {number(sign.rises)} times")
    if sign.falls is not None:
        bounds.append(f"falls to {sign.falls:.0%}")
    words = {"above": "above", "below": "below", "peak": "reaches"}
    bounds += [
        f"{word} {number(value)}"
        for name, word in words.items()
        if (value := getattr(sign, name)) is not None
    ]
    return " and ".join(bounds)


def _sentence(text: str) -> str:
    text = text.rstrip(".") + "."
    return text[0].upper() + text[1:]


__all__ = ["FOUND", "LEAST", "Outcome", "describe_needs", "evaluate"]
