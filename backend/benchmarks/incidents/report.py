"""Tables of a benchmark's outcomes: accuracy, reliability, false alarms, failures by class."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from benchmarks.incidents.scoring import Outcome

_BINS = (0.0, 0.3, 0.5, 0.65, 0.75, 0.85, 0.95, 1.01)
_WIDTH = 34
ONSET_S = 5.0
"""Seconds by which an onset may be wrong."""


def report(outcomes: Sequence[Outcome], seconds: float) -> str:
    """Return all tables as text."""
    parts = [
        _head(outcomes, seconds),
        _table("part", outcomes, lambda o: "hold-out" if o.plan.hold_out else "fit"),
        _table("form", outcomes, lambda o: o.plan.form),
        _table("waiting sessions", outcomes, _waiters),
        _table("server", outcomes, lambda o: o.plan.server),
        _table("mechanism", outcomes, lambda o: o.plan.mechanism),
        _reliability("fit", [o for o in outcomes if not o.plan.hold_out]),
        _reliability("hold-out", [o for o in outcomes if o.plan.hold_out]),
    ]
    parts.append(_findings(outcomes))
    unread = [text for o in outcomes for text in o.unread]
    if unread:
        parts.append(f"{len(unread)} files not read as what they are, such as {unread[0]}")
    return "\n\n".join(parts)


def _head(outcomes: Sequence[Outcome], seconds: float) -> str:
    each = 1000 * sum(o.seconds for o in outcomes) / max(1, len(outcomes))
    return f"{len(outcomes)} generated cases in {seconds:.0f} s ({each:.0f} ms of analysis each)"


def _waiters(outcome: Outcome) -> str:
    few = (0, 2, 5, 15, 40)
    low = max(count for count in few if outcome.waiting >= count)
    high = next((f"to {count - 1}" for count in few if count > low), "and more")
    return f"{low:>2} {high}"


def _table(title: str, outcomes: Sequence[Outcome], key: Callable[[Outcome], str]) -> str:
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[key(outcome)].append(outcome)
    head = f"{title:<{_WIDTH}}cases   first  top 3  silent  wrong  "
    head += "not found   root  onset  healthy: alarms"
    lines = [_line(name, group) for name, group in sorted(groups.items())]
    return "\n".join([head, *lines, _line("all", outcomes)])


def _line(name: str, outcomes: Sequence[Outcome]) -> str:
    ill = [o for o in outcomes if not o.healthy and o.shown]
    well = [o for o in outcomes if o.healthy]
    errors = [o.onset_s for o in outcomes if o.onset_s is not None]
    roots = [o.root for o in ill if o.root is not None]
    cells = [
        f"{name:<{_WIDTH}}{len(outcomes):>5}",
        _percent(o.place == 1 for o in ill),
        _percent(o.place is not None and o.place <= 3 for o in ill),
        _percent(not o.findings for o in ill),
        f"{sum(bool(o.wrong) for o in outcomes if not o.healthy):>5}",
        f"{sum(o.not_found for o in ill):>9}",
        _percent(bool(root) for root in roots),
        _percent(abs(error) <= ONSET_S for error in errors),
        f"{sum(bool(o.wrong) or o.stalled for o in well)} of {len(well)}" if well else "",
    ]
    return "  ".join(cells)


def _percent(values: Iterable[bool]) -> str:
    counted = list(values)
    return f"{100 * sum(counted) / len(counted):>4.0f} %" if counted else " " * 6


def _reliability(part: str, outcomes: Sequence[Outcome]) -> str:
    stated = [(score, right) for o in outcomes for _, score, right in o.findings]
    lines = [f"reliability ({part}): a finding's score, how many, how many of them true"]
    for low, high in itertools.pairwise(_BINS):
        inside = [right for score, right in stated if low <= score < high]
        if inside:
            mean = sum(s for s, _ in stated if low <= s < high) / len(inside)
            lines.append(f"  {mean:.2f}  {len(inside):>5}  {_percent(inside)}")
    if stated:
        brier = sum((score - right) ** 2 for score, right in stated) / len(stated)
        lines.append(f"  Brier score {brier:.3f} over {len(stated)} findings")
    return "\n".join(lines)


def _findings(outcomes: Sequence[Outcome]) -> str:
    """Return how often each finding is stated and true, the worst calibrated first."""
    stated: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for outcome in outcomes:
        for name, score, right in outcome.findings:
            stated[name].append((score, right))
    rows = []
    for name, pairs in stated.items():
        mean = sum(score for score, _ in pairs) / len(pairs)
        loss = sum((score - right) ** 2 for score, right in pairs)
        rows.append(
            (loss, f"  {name:<28}{len(pairs):>5}  {mean:.2f}  {_percent(r for _, r in pairs)}")
        )
    head = "findings by squared error: how many, mean score, how many of them true"
    return "\n".join([head, *(line for _, line in sorted(rows, reverse=True))])


def failures(outcomes: Sequence[Outcome]) -> str:
    """Return what failed, by class, the most frequent first, with an example of each."""
    classes: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], Outcome] = {}
    for outcome in outcomes:
        for what in _failed(outcome):
            key = (what, outcome.plan.mechanism, outcome.plan.form)
            classes[key] += 1
            examples.setdefault(key, outcome)
    lines = []
    for (what, mechanism, form), count in classes.most_common():
        outcome = examples[what, mechanism, form]
        stated = ", ".join(f"{name} {score:.2f}" for name, score, _ in outcome.findings[:4])
        lines.append(f"{count:>4}  {what:<38} {mechanism} ({form})")
        lines.append(f"      e.g. {outcome.plan.name}: {stated or 'no finding'}")
        if what == "wrong onset":
            lines.append(f"      onset off by {outcome.onset_s:+.0f} s")
        if what == "wrong root":
            lines.append(f"      root: {outcome.root_text[:200]}")
    return "\n".join(lines) + "\n"


def _failed(outcome: Outcome) -> list[str]:
    if outcome.unread:
        return ["not read: " + outcome.unread[0].split(": ")[1]]
    if outcome.healthy:
        failed = [f"false alarm {name}" for name, _ in outcome.wrong]
        return failed + ["false stall"] * outcome.stalled
    failed = [f"wrong {name}" for name, _ in outcome.wrong]
    if outcome.onset_s is not None and abs(outcome.onset_s) > ONSET_S:
        failed.append("no stall" if math.isinf(outcome.onset_s) else "wrong onset")
    if outcome.shown:
        if outcome.not_found:
            failed.append("listed as not found")
        elif outcome.place is None:
            failed.append("missing" if outcome.findings else "silent")
        elif outcome.place > 1:
            failed.append(f"behind {outcome.findings[0][0]}")
        if outcome.root is False:
            failed.append("wrong root")
    return failed
