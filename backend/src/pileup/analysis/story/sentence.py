"""The story of a stall in one sentence of at most 25 words: when, who held what, who waited.

It names what the table of roots names, and no other root. The cause is the finding's title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pileup.analysis.contract import (
    MOST_TIME,
    ActiveSessionsDoc,
    FindingDoc,
    RootDoc,
    StallDoc,
    StoryImpact,
)
from pileup.analysis.evidence.series import short_name
from pileup.analysis.evidence.statements import verb_of
from pileup.analysis.evidence.times import clock_text, parse
from pileup.analysis.stacks.queues import the
from pileup.analysis.stalls.indicators import WORK_UNITS
from pileup.analysis.stalls.refusals import DEADLOCKS_ENDED
from pileup.analysis.story.chain import trigger
from pileup.analysis.story.endings import Ending
from pileup.analysis.story.names import resource, short, with_article
from pileup.numerals import grouped, number, numbers

MOST_WORDS = 25
_ROOT_FROM = 0.3
"""A root with less of the session time is not the story."""
_SURE = 0.8
"""A holder that is inferred with less is not named as a fact."""
_LIKELY = 0.6
"""A holder that is inferred with at least this is named behind a request, as a guess."""
_UNNAMED = re.compile(r"^thread \d{7,}$")
"""A thread that only the operating system's id names: no reader can look it up."""
_CLASSES = {
    "row_lock": "row locks",
    "metadata_lock": "metadata locks",
    "table_lock": "table locks",
    "global_lock": "the global or backup lock",
    "user_lock": "user locks",
    "latch": "latches inside the server",
    "commit_queue": "the commit",
    "log_flush": "a log flush",
    "data_write": "page writes or free pages",
    "redo_space": "space in the redo log",
    "throttled": "a slot to run in",
    "replication": "replication",
}
_HOLDERS = frozenset({"transaction", "session", "thread"})
_NOBODY_HOLDS = frozenset(
    {"queue:free-page", "queue:concurrency", "queue:redo-room", "queue:semisync", "queue:galera"}
    | {"throttled", "data_write", "redo_space", "log_flush", "replication"}
)
"""Nodes and kinds that no session holds: free pages, slots, room, replies of another server."""


def story(
    stall: StallDoc | None,
    roots: Sequence[RootDoc],
    active: ActiveSessionsDoc | None,
    ending: Ending | None = None,
    cost: StoryImpact | None = None,
    busy_with: str = "",
    cause: str = "",
) -> str:
    """Write the sentence; '' without a stall. The fullest variant that is short enough wins.

    ending: what became of the first root when the stall ended.
    cost: what the stall cost, for a stall without a cause to name.
    busy_with: the statement that takes the time where nobody waits: 'SELECT on shop.orders'.
    cause: of waits at many places, where no root has most of the time: see ``wide_cause``.
    """
    if stall is None:
        return ""
    return next(
        text
        for text in _variants(stall, leading(roots), active, ending, cost, busy_with, cause)
        if len(text.split()) <= MOST_WORDS or text.startswith(_LAST)
    )


def of_waits(findings: Sequence[FindingDoc]) -> str:
    """Write who waits and who holds, by what is found in small evidence; '' if nothing is found."""
    first = findings[0] if findings else None
    if first is None or first.verdict != "found":
        return ""
    victims, holder = first.chain.victims, first.chain.holder
    bare = _WITH.sub(".", victims)
    role = "Likely cause" if first.role == "problem" else "Symptom"
    cause = f"{role}: {first.title}."
    if not victims or _NOBODY_NAMED.match(victims):
        return cause
    held = (f"{victims} {holder}", f"{bare} {holder}") if holder else ()
    variants = (*held, f"{victims} {cause}", f"{bare} {cause}", bare)
    return next((text.strip() for text in variants if len(text.split()) <= MOST_WORDS), cause)


_NOBODY_NAMED = re.compile(r"\S{1,12} threads? waits?\.$")
"""Victims of whom only the number is known."""
_WITH = re.compile(r", (?:most of them )?with '.*$", re.DOTALL)
"""The statement of those that wait."""


def plain(stall: StallDoc, cost: StoryImpact) -> str:
    """Write the sentence for people who do not run databases: when, how long, how many.

    At most 25 words.
    """
    less = _less(cost, stall)
    who = _who(stall, "database session") if stall.shape == "piled_up" else ""
    did = "waited" if stall.peak_counts == "waiting" else "piled up"
    if stall.shape == "refused" and stall.note.endswith(DEADLOCKS_ENDED):
        what = "the database ended requests because they blocked each other"
    elif stall.shape == "refused":
        what = "the database refused clients"
    elif who:
        what = f"{who} {did}, and {less} were answered" if less else ""
        what = what or f"users' requests were delayed: {who} {did}"
    elif less:
        what = f"the database answered {less}"
    else:
        did = "did next to no work" if stall.shape == "stopped" else "was far slower than usual"
        what = f"the database {did}"
    variants = list(_dated(stall, what, minutes=True))
    return next((text for text in variants if len(text.split()) <= MOST_WORDS), variants[-1])


def wide_cause(findings: Sequence[FindingDoc], root: RootDoc | None) -> str:
    """Return the first finding's title where it explains the waits of many places; else ''.

    Then no root has most of the time, and to name the largest would tell a smaller story.
    """
    first = findings[0] if findings else None
    if first is None or first.verdict != "found" or first.role != "problem":
        return ""
    share, chain = first.impact or 0.0, first.chain
    if share < MOST_TIME or chain.holder or not _NOBODY_NAMED.match(chain.victims):
        return ""
    return first.title if root is None or root.share < MOST_TIME else ""


def wait_class(active: ActiveSessionsDoc | None) -> str:
    """Return what most of the time is waited for: 'latches inside the server'; '' if nothing is."""
    top = _top_class(active)
    return top[0] if top else ""


def _waits_of(active: ActiveSessionsDoc | None) -> str:
    """' for latches inside the server', with the share if it is not most of the time."""
    top = _top_class(active)
    if top is None:
        return ""
    title, share = top
    return f" for {title}" if share >= MOST_TIME else f", {share:.0%} of the time for {title}"


def on_its_day(sentence: str, onset: str) -> str:
    """Put the day of a stall before its time, for a case that spans several days."""
    dated = _FIRST_TIME.sub(rf"\g<from>{onset[:10]} \g<time> UTC", sentence, count=1)
    if len(dated.split()) <= MOST_WORDS:
        return dated
    return _FIRST_TIME.sub(rf"\g<from>{onset[:10]} \g<time>", sentence, count=1)


_FIRST_TIME = re.compile(r"^(?P<from>From |At )(?P<time>\d\d:\d\d(?::\d\d)?) UTC")


def leading(roots: Sequence[RootDoc]) -> RootDoc | None:
    """Return the root that the story names; None if none has enough of the time."""
    return roots[0] if roots and roots[0].share >= _ROOT_FROM else None


_LAST = "The server stalled"
_NOT_OVER = "; it was not over when the capture ended"
_SECONDS = re.compile(r"(?<=^\d\d:\d\d):\d\d(?= UTC)")
_NEARLY_ALL, _HARDLY = 0.98, 0.1


def _less(cost: StoryImpact, stall: StallDoc) -> str:
    """Return how much less work was done: '85% fewer statements'; '' if it hardly fell.

    By the medians that every other sentence about the fall prints.
    """
    if cost.missing is None or not cost.usual_per_s or not stall.duration_s:
        return ""
    share = 1 - (cost.stall_per_s or 0.0) / cost.usual_per_s
    if share >= _NEARLY_ALL:
        return f"next to no {cost.unit}"
    return f"{share:.0%} fewer {cost.unit}" if share >= _HARDLY else ""


def _variants(
    stall: StallDoc,
    root: RootDoc | None,
    active: ActiveSessionsDoc | None,
    ending: Ending | None,
    cost: StoryImpact | None,
    busy_with: str,
    cause: str,
) -> Iterator[str]:
    who = _who(stall)
    if stall.shape == "refused" and stall.note.endswith(DEADLOCKS_ENDED):
        yield from _dated(stall, stall.note.removesuffix("."))
    if stall.shape == "refused":
        yield from _dated(stall, "the server refused clients")
    if cause and who and (what := _waits_of(active)):
        yield from _dated(stall, f"{who} waited{what}; likely cause: {cause}")
        yield from _dated(stall, f"{who} waited; likely cause: {cause}")
    if root is not None and who:
        yield from _triggered(stall, root, ending)
        until = _until(root, ending)
        for what in (_what(root), _classes_of(root) or short(root.name)):
            part = "" if root.share >= MOST_TIME else f"{root.share:.0%} of the time "
            waited = f"{who} waited, {part}" if part else f"{who} waited "
            if until:
                yield from _dated(stall, f"{waited}for {what}, {until}")
            yield from _dated(stall, f"{waited}for {what}")
    if busy_with and who and root is None:
        yield from _busy(stall, busy_with, cost)
    if fell := _fell(stall):
        yield from _dated(stall, fell)
    top = _top_class(active)
    if top and who:
        title, share = top
        yield from _dated(stall, f"{who} waited, {share:.0%} of the time for {title}")
    if stall.shape == "slow":
        yield from _dated(stall, "statements took far longer than before")
    if who and (usual := _usual(stall)):
        less = _less(cost, stall) if cost else ""
        if less:
            yield from _dated(stall, f"{who} piled up, usually {usual}, and {less} were answered")
        yield from _dated(stall, f"{who} piled up, usually {usual}")
    yield f"{_LAST} {_when(stall).removesuffix(', ')}{_NOT_OVER if _is_open(stall) else ''}."


def _dated(stall: StallDoc, what: str, *, minutes: bool = False) -> Iterator[str]:
    """Put when and how long before a clause; the shorter variant says 'for at least'."""
    if _is_open(stall):
        yield _sentence(f"{_when(stall, minutes=minutes)}{what}{_NOT_OVER}.")
        yield _sentence(f"{_when(stall, minutes=minutes, at_least=True)}{what}.")
    else:
        yield _sentence(f"{_when(stall, minutes=minutes)}{what}.")


def _busy(stall: StallDoc, statement: str, cost: StoryImpact | None) -> Iterator[str]:
    """Tell of sessions at work on one kind of statement, which wait for nobody."""
    less = _less(cost, stall) if cost else ""
    piled = f"{_who(stall)} piled up, most of them in {with_article(statement)}"
    if less:
        yield from _dated(stall, f"{piled}, and {less} were answered")
    yield from _dated(stall, piled)


def _triggered(stall: StallDoc, root: RootDoc, ending: Ending | None) -> Iterator[str]:
    """Tell of a request that queued behind the root, and of everybody behind this request."""
    gate = trigger(root)
    if gate is None or root.confidence < _LIKELY or root.share < MOST_TIME:
        return
    request = verb_of(gate.statement)
    request = f"{with_article(request)} (session {gate.session_id})" if request else ""
    request = request or f"session {gate.session_id}"
    table = f" on {root.table}" if root.table and gate.statement else ""
    verb = verb_of(root.steps[-1].statement)
    idle = "idle " if root.steps[-1].idle else ""
    behind = f"{with_article(verb)} (session {root.session_id})" if verb else ""
    behind = behind or f"{idle}session {root.session_id}"
    if root.confidence < _SURE:
        behind = f", probably behind {behind}"
    else:
        behind = f" behind {behind}"
    at = f"At {clock_text(parse(stall.onset))}, "
    lasted, until = _lasted(stall), _until(root, ending)
    if stall.end is None:
        rest = _NOT_OVER
    elif until and lasted:
        rest = f" {until} {lasted} later"
    else:
        rest = f" for {lasted}" if lasted else ""
    bare = request.partition(" ")[2] if verb_of(gate.statement) else request
    for what in (request.replace(" (", f"{table} (", 1), request, bare):
        yield _sentence(f"{at}{what} queued{behind}; {_who(stall)} waited{rest}.")


def _until(root: RootDoc, ending: Ending | None) -> str:
    """'until session 197 ended'; '' if nothing shows what ended the stall."""
    if ending is None or root.session_id is None:
        return ""
    if ending.how == "gone":
        return f"until session {root.session_id} ended"
    idle = bool(root.steps) and root.steps[-1].idle
    return f"until session {root.session_id} went on" if idle else "until its statement ended"


def _what(root: RootDoc) -> str:
    """Describe a root with what it holds: 'session 390, which held row of app.counters'."""
    name = _UNNAMED.sub("one thread", _classes_of(root) or short(root.name))
    if root.kind == "cycle":
        return "each other, in a circle"
    if root.kind in _HOLDERS:
        idle = "idle " if root.doing == "idle" else ""
        held = resource(root.steps[-2]) if len(root.steps) > 2 else ""
        held = held.removeprefix("exclusive ")  # that is what the next in line requests
        if held and name.startswith(("thread ", "one thread")):
            return f"{the(held)}, held by {'a ' if name.startswith('thread in ') else ''}{name}"
        verb = "may have held" if root.inferred and root.confidence < _SURE else "held"
        return f"{idle}{name}, which {verb} {the(held)}" if held else f"{idle}{name}"
    if root.kind == "latch":
        name = the(root.name)
    elif root.kind in ("row_lock", "table_lock", "metadata_lock", "fsync", "commit", "queue"):
        name = the(name)
    if root.rotates:
        return f"{name}, {short(root.holders_do) or 'whose holders changed'}"
    if root.known or {root.node, root.kind} & _NOBODY_HOLDS:
        return name
    return f"{name}, whose holder is unknown"


def _classes_of(root: RootDoc) -> str:
    """Return what a root without a name is waited for as: 'row locks'; '' if it has a name."""
    return _CLASSES.get(root.kind, "") if root.key.startswith("class:") else ""


def _is_open(stall: StallDoc) -> bool:
    """Return whether a stall lasted to the end of the capture."""
    return stall.end is None and bool(stall.duration_s)


def _when(stall: StallDoc, *, minutes: bool = False, at_least: bool = False) -> str:
    """'from 22:19:50 UTC for 57 s, '; of a single moment 'at 22:19:50 UTC, '."""
    lasted, at = _lasted(stall), clock_text(parse(stall.onset))
    if minutes:
        at = _SECONDS.sub("", at)
    if not lasted:
        return f"at {at}, "
    return f"from {at} for {'at least ' if at_least else ''}{lasted}, "


def _lasted(stall: StallDoc) -> str:
    """Format how long: '57 s', '3 min'; '' for a single moment."""
    seconds = stall.duration_s
    if not seconds:
        return ""
    for unit, size, up_to in (("s", 1, 120), ("min", 60, 120), ("h", 3600, 72)):
        if seconds / size <= up_to:
            return f"{number(round(seconds / size))} {unit}"
    return f"{number(round(seconds / 86_400))} days"


def _who(stall: StallDoc, noun: str = "session") -> str:
    count = stall.peak_waiters
    if not count:
        return ""
    up_to = "up to " if stall.duration_s else ""
    return f"{up_to}{grouped(count)} {noun}s" if count > 1 else f"1 {noun}"


def _usual(stall: StallDoc) -> str:
    """Return the usual number of sessions; '' if no series shows it."""
    moved = next((each for each in stall.evidence if each.direction == "up"), None)
    known = moved is not None and moved.baseline is not None and moved.baseline >= 1
    return f"about {number(round(moved.baseline))}" if known and moved and moved.baseline else ""


def _fell(stall: StallDoc) -> str:
    """Describe the fall of stopped work: 'statements per second fell from 300 to 2'; else ''."""
    if stall.shape != "stopped":
        return ""
    moved = next((each for each in stall.evidence if each.direction == "down"), None)
    if moved is None or moved.baseline is None or moved.stall is None:
        return "next to no work was completed"
    name = short_name(moved.series.partition("@")[0])
    unit = WORK_UNITS.get(name.lower())
    name = f"{unit} per second" if unit else name
    before, during = numbers(moved.baseline, moved.stall)
    return f"{name} fell from {before} to {during}"


def _top_class(active: ActiveSessionsDoc | None) -> tuple[str, float] | None:
    """Return the class of waits with the most time, and its share."""
    waits = [each for each in active.classes if each.waits] if active else []
    top = max(waits, key=lambda each: each.share, default=None)
    if top is None or top.share < _ROOT_FROM:
        return None
    return _CLASSES.get(top.id, top.title.lower()), top.share


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


__all__ = ["MOST_WORDS", "leading", "plain", "story", "wait_class", "wide_cause"]
