"""Short names for the nodes of a wait graph."""

from __future__ import annotations

from pileup.knowledge import knowledge

_SUBSYSTEMS = {"ahi": "adaptive hash", "btree": "index tree", "fts": "full-text"}
"""Words for subsystems whose name in the knowledge base is not a plain word."""
_PAGE = "buf_block_lock"


def short(label: str) -> str:
    """Return a label without what brackets add, and a transaction by its session."""
    return label.partition(" (")[0].rpartition(" · ")[2]


def resource(label: str) -> str:
    """Return the short name of what is waited for; a known latch in words, with its place.

    'adaptive hash latch (btr0sea.cc:202)', 'metadata lock app.accounts'.
    """
    inside = set(label.partition("(")[2].rpartition(")")[0].split(", "))
    latches = knowledge().latches.values()
    known = next((each for each in latches if inside & {each.id, *each.names}), None)
    if known is None:
        return short(label)
    words = _SUBSYSTEMS.get(known.subsystem, known.subsystem.replace("_", " "))
    if known.id == _PAGE:
        words = "page"
    noun = "mutex" if known.kind == "mutex" else "latch"
    return f"{words} {noun} ({short(label).rpartition(' ')[2]})"


def with_article(noun: str) -> str:
    """'an ALTER TABLE', 'a SELECT'."""
    return f"{'an' if noun[:1].upper() in 'AEIO' else 'a'} {noun}"


__all__ = ["resource", "short", "with_article"]
