"""Match the signatures of the knowledge base against a stall.

Every sign in ``needs`` must hold; the weights of the signs that hold add up. Counter-evidence
lowers the score and is listed: a sign in ``against``, a wait seen in a few dumps only, or a wait
that follows from a larger one. Rules in code do not belong here: see ``rules``.
"""

from __future__ import annotations

from dataclasses import dataclass

from pileup.analysis.contract import Locator, SignDoc
from pileup.analysis.evidence.levels import Level
from pileup.analysis.evidence.series import short_name
from pileup.analysis.findings.observed import NO_DATA, Observed, Seen
from pileup.analysis.findings.rules import Match
from pileup.analysis.findings.rules.larger import Larger
from pileup.analysis.findings.setting_values import amount, is_value
from pileup.knowledge.signature import Sign, Signature, names
from pileup.numerals import number

MOST = 0.97
_LEAST = {"latch": 5, "place": 5, "state": 5, "transaction": 5, "lock": 5, "query": 3, "user": 5}
_FEW_DUMPS, _RARE = 5, 0.2
_RARE_FACTOR = 0.4
_BY_PRODUCT_FACTOR = 0.5


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of matching one signature."""

    match: Match | None
    signs: tuple[SignDoc, ...]
    had_data: bool
    """Whether the evidence has any records in which the needed signs could show."""


def evaluate(signature: Signature, observed: Observed, larger: Larger) -> Outcome:
    """Match a signature; ``larger`` holds the larger waits that make latch waits a by-product."""
    needs = [(sign, see(sign, observed)) for sign in signature.needs]
    adds = [(sign, see(sign, observed)) for sign in signature.adds]
    signs = tuple(_doc(*row) for row in (*needs, *adds))
    if not all(seen.holds for _, seen in needs):
        had_data = all(seen.holds is not None for _, seen in needs) or any(
            seen.holds is False for _, seen in needs
        )
        return Outcome(None, signs, had_data)
    held = [(sign, seen) for sign, seen in (*needs, *adds) if seen.holds]
    score = sum(_weight(sign, observed) for sign, _ in held)
    against: list[str] = []
    for sign in signature.against:
        seen = see(sign, observed)
        if seen.holds:
            score *= sign.factor
            against.append(_sentence(f"{sign.says}: {seen.text}" if sign.says else seen.text))
    waits = [seen for sign, seen in needs if seen.dumps is not None]
    for seen in waits[:1]:
        score, reasons = _reduce_score(score, seen, larger)
        against += reasons
    texts = [_clause(sign, seen) for sign, seen in held]
    evidence: list[Locator] = [locator for _, seen in held for locator in seen.evidence]
    why = _sentence("; ".join(dict.fromkeys(filter(None, texts))))
    match = Match(
        signature.issue, round(min(MOST, score), 3), why, tuple(evidence[:5]), tuple(against)
    )
    return Outcome(match, signs, True)


def see(sign: Sign, observed: Observed) -> Seen:
    """Check one sign against the observed stall."""
    match sign.kind:
        case "any":
            return _best(sign, observed)[1]
        case "counter":
            return _counter(sign, observed)
        case "setting":
            return _setting(sign, observed)
        case "latch":
            seen = observed.latch(names(sign.latch))
        case "place":
            seen = observed.place(names(sign.place))
        case "stack":
            seen = observed.stack(names(sign.stack), names(sign.within), sign.waiting)
        case kind:
            seen = getattr(observed, kind)(getattr(sign, kind))
    least = sign.least if sign.least is not None else _LEAST.get(sign.kind, 1)
    if seen.holds and (seen.most < least or seen.share < (sign.share or 0.0)):
        return Seen(False)
    return seen


def describe_needs(signature: Signature) -> str:
    """Describe in one clause what a signature needs, for the list of checked patterns."""
    if signature.looks_for:
        return signature.looks_for
    return "; ".join(_wanted(sign) for sign in signature.needs)


# ---- parts


def _best(sign: Sign, observed: Observed) -> tuple[float, Seen]:
    """Return the alternative with the largest weight; no data only where no alternative had any."""
    seen = [(item, see(item, observed)) for item in sign.any or ()]
    held = [(_weight(sign, observed), answer) for sign, answer in seen if answer.holds]
    if held:
        return max(held, key=lambda row: row[0])
    nothing = all(answer.holds is None for _, answer in seen)
    return 0.0, NO_DATA if nothing else Seen(False)


def _weight(sign: Sign, observed: Observed) -> float:
    return sign.weight or (_best(sign, observed)[0] if sign.any else 0.0)


def _counter(sign: Sign, observed: Observed) -> Seen:
    levels = observed.levels_named(names(sign.counter))
    if not levels:
        return NO_DATA
    fitting = [level for level in levels if _fits(sign, level)]
    if not fitting:
        return Seen(False)
    item = max(fitting, key=lambda level: level.inside or 0.0)
    text = _change(item)
    if sign.peak is not None and not item.inside:
        text = f"{text.partition(' ')[0]} peaked at {number(item.peak)}"
    return Seen(True, 1, 1.0, text, (observed.series(item, text),))


def _change(level: Level) -> str:
    """Describe the change of a series: 'com_select fell from 400 to 12'."""
    before, inside = level.before, level.inside
    name = short_name(level.series) + (f" ({level.labels})" if level.labels else "")
    if before is None or inside is None:
        return f"{name} is {number(inside or 0)} (peak {number(level.peak)})"
    verb = "rose" if inside > before else "fell" if inside < before else "stayed"
    if verb == "stayed":
        return f"{name} stayed at {number(inside)} (peak {number(level.peak)})"
    return f"{name} {verb} from {number(before)} to {number(inside)}"


def _fits(sign: Sign, level: Level) -> bool:
    inside, before = level.inside, level.before
    if inside is None:
        return False
    if sign.above is not None and inside < sign.above:
        return False
    if sign.below is not None and inside > sign.below:
        return False
    if sign.peak is not None and level.peak < sign.peak:
        return False
    if sign.rises is not None and (before is None or inside <= 0 or inside < sign.rises * before):
        return False
    return sign.falls is None or (
        before is not None and before > 0 and inside <= sign.falls * before
    )


def _setting(sign: Sign, observed: Observed) -> Seen:
    name = sign.setting or ""
    setting = observed.context.settings.get(name)
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
    count, of = seen.dumps
    if of >= _FEW_DUMPS and count < _RARE * of:
        reasons.append(f"Only {count} of {of} status dumps of the stall show these waits.")
        score *= _RARE_FACTOR
    if bigger := larger.than(seen.most):
        reasons += bigger
        score *= _BY_PRODUCT_FACTOR
    return score, reasons


def _doc(sign: Sign, seen: Seen) -> SignDoc:
    text = _clause(sign, seen) if seen.holds else _wanted(sign)
    answer = "no_data" if seen.holds is None else "yes" if seen.holds else "no"
    return SignDoc(text=text, seen=answer, weight=sign.weight)  # type: ignore[arg-type]


def _clause(sign: Sign, seen: Seen) -> str:
    return f"{sign.says} ({seen.text})" if sign.says and seen.text else sign.says or seen.text


def _wanted(sign: Sign) -> str:
    """Describe a sign in words."""
    if sign.any:
        return " or ".join(_wanted(item) for item in sign.any)
    value = getattr(sign, sign.kind)
    text = " or ".join(names(value)) if not isinstance(value, bool) else ""
    match sign.kind:
        case "latch":
            return f"waits for {text}"
        case "place":
            return f"waits at {text}"
        case "stack":
            doing = {True: "waiting in", False: "working in", None: "in"}[sign.waiting]
            below = f" below {' or '.join(names(sign.within))}" if sign.within else ""
            return f"threads {doing} {text}{below}"
        case "counter":
            return f"{text} {_bounds(sign)}"
        case "setting":
            return f"{text} {_bounds(sign)}"
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


__all__ = ["Outcome", "describe_needs", "evaluate", "see"]
