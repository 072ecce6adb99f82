"""Short names for the nodes of a wait graph."""

from __future__ import annotations


def short(label: str) -> str:
    """Return a label without what brackets add, and a transaction by its session."""
    return label.partition(" (")[0].rpartition(" · ")[2]


def with_article(noun: str) -> str:
    """'an ALTER TABLE', 'a SELECT'."""
    return f"{'an' if noun[:1].upper() in 'AEIO' else 'a'} {noun}"


__all__ = ["short", "with_article"]
