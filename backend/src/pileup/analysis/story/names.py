"""Short names for the nodes of a wait graph."""

from __future__ import annotations

import re

from pileup.analysis.contract import PathStepDoc

_BRACKETS = re.compile(r" \([^()]{0,200}\)")


def short(label: str) -> str:
    """Return a label without what brackets add, and a transaction by its session."""
    return _BRACKETS.sub("", label).partition(" (")[0].rpartition(" · ")[2]


def resource(step: PathStepDoc) -> str:
    """Return the short name of what is waited for; a known latch in words, with its place.

    'adaptive hash latch (btr0sea.cc:202)', 'metadata lock app.accounts'.
    """
    return step.label if step.latch else short(step.label)


def with_article(noun: str) -> str:
    """'an ALTER TABLE', 'a SELECT'."""
    return f"{'an' if noun[:1].upper() in 'AEIO' else 'a'} {noun}"


__all__ = ["resource", "short", "with_article"]
