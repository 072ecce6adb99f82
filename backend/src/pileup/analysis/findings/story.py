"""The story of a stall in one sentence of at most 25 words: who held what, who waited, how long.

It names what the table of roots names, and no other root. The cause is the finding's title.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pileup.analysis.contract import ActiveSessionsDoc, RootDoc, StallDoc
from pileup.analysis.evidence.series import short_name
from pileup.knowledge import knowledge
from pileup.numerals import grouped, number

MOST_WORDS = 25
_ROOT_FROM = 0.3
"""A root with less of the session time is not the story."""
_MOSTLY = 0.6
"""With less of the time the story says which share."""
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
_SUBSYSTEMS = {"ahi": "adaptive hash", "btree": "index tree", "buffer_pool": "page"}
"""Words for subsystems whose name in the knowledge base is not a plain word."""
_HOLDERS = frozenset({"transaction", "session", "thread"})


def story(
    stall: StallDoc | None,
    roots: Sequence[RootDoc],
    active: ActiveSessionsDoc | None,
) -> str:
    """Write the sentence; '' without a stall. The fullest variant that is short enough wins."""
    if stall is None:
        return ""
    root = roots[0] if roots and roots[0].share >= _ROOT_FROM else None
    return next(
        text
        for text in _variants(stall, root, active)
        if len(text.split()) <= MOST_WORDS or text.startswith(_LAST)
    )


_LAST = "The server stalled"


def _variants(
    stall: StallDoc, root: RootDoc | None, active: ActiveSessionsDoc | None
) -> Iterator[str]:
    lasted, who = _lasted(stall), _who(stall)
    end = "" if stall.end or not lasted else ", and the capture ends before it did"
    if stall.shape == "refused":
        yield _sentence(f"{lasted}the server refused clients{end}.")
    if root is not None and who:
        for what in (_what(root), f"{_short(root.label)}"):
            part = "" if root.share >= _MOSTLY else f"{root.share:.0%} of the time "
            waited = f"{who} waited, {part}" if part else f"{who} waited "
            yield _sentence(f"{lasted}{waited}for {what}{end}.")
            yield _sentence(f"{lasted}{waited}for {what}.")
    if fell := _fell(stall):
        yield _sentence(f"{lasted}{fell}{end}.")
    top = _top_class(active)
    if top and who:
        title, share = top
        yield _sentence(f"{lasted}{who} waited, {share:.0%} of the time for {title}{end}.")
        yield _sentence(f"{lasted}{who} waited, {share:.0%} of the time for {title}.")
    if stall.shape == "slow":
        yield _sentence(f"{lasted}statements took far longer than before{end}.")
    yield f"{_LAST}{' ' + lasted.strip().rstrip(',').lower() if lasted else ''}{end}."


def _what(root: RootDoc) -> str:
    """Describe a root with what it holds: 'session 390, which held row of app.counters'."""
    name = _short(root.label)
    if root.kind == "cycle":
        return "each other, in a circle"
    if root.kind in _HOLDERS:
        idle = "idle " if root.doing == "idle" else ""
        held = _short(root.path[-2]) if len(root.path) > 2 else ""
        verb = "may have held" if root.inferred and root.confidence < 0.8 else "held"
        return f"{idle}{name}, which {verb} the {held}" if held else f"{idle}{name}"
    if root.kind == "latch":
        name = _latch(root.label)
    elif root.kind in ("fsync", "commit", "queue"):
        name = f"the {name}"
    if root.rotates:
        return f"{name}, whose holders changed all the time"
    return name if root.known else f"{name}, whose holder is unknown"


def _latch(label: str) -> str:
    """Return a latch in words with its place: 'the adaptive hash latch (btr0sea.cc:202)'."""
    inside = set(label.partition("(")[2].rpartition(")")[0].split(", "))
    latches = knowledge().latches.values()
    known = next((each for each in latches if inside & {each.id, *each.names}), None)
    if known is None:
        return _short(label)
    words = _SUBSYSTEMS.get(known.subsystem, known.subsystem.replace("_", " "))
    return f"the {words} latch ({_short(label).rpartition(' ')[2]})"


def _short(label: str) -> str:
    """Return a label without what brackets add, and a transaction by its session."""
    name = label.partition(" (")[0]
    return name.rpartition(" · ")[2]


def _lasted(stall: StallDoc) -> str:
    seconds = stall.duration_s
    if not seconds:
        return ""
    for unit, size, up_to in (("s", 1, 120), ("min", 60, 120), ("h", 3600, 72)):
        if seconds / size <= up_to:
            return f"for {number(round(seconds / size))} {unit}, "
    return f"for {number(round(seconds / 86_400))} days, "


def _who(stall: StallDoc) -> str:
    count = stall.peak_waiters
    if not count:
        return ""
    noun = "session" if count == 1 else "sessions"
    return f"{'up to ' if count > 1 else ''}{grouped(count)} {noun}"


def _fell(stall: StallDoc) -> str:
    """Describe the work that fell: 'qps fell from 300 to 2'; '' unless the work stopped."""
    if stall.shape != "stopped":
        return ""
    moved = next((each for each in stall.evidence if each.direction == "down"), None)
    if moved is None or moved.baseline is None or moved.stall is None:
        return "next to no work was completed"
    name = short_name(moved.series)
    return f"{name} fell from {number(moved.baseline)} to {number(moved.stall)}"


def _top_class(active: ActiveSessionsDoc | None) -> tuple[str, float] | None:
    """Return the class of waits with the most time, and its share."""
    waits = [each for each in active.classes if each.waits] if active else []
    top = max(waits, key=lambda each: each.share, default=None)
    if top is None or top.share < _ROOT_FROM:
        return None
    return _CLASSES.get(top.id, top.title.lower()), top.share


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


__all__ = ["MOST_WORDS", "story"]
