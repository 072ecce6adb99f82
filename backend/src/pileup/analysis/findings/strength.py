"""How much one sign of a problem tells, from 0 to 1: no count of waiters is a gate.

A wait tells much when a large share of what is active has it, or when it has lasted: one session
of one that has waited for 50 s is as clear as fifty of fifty. Few and short waits tell little, and
that little is still seen. What a sign means for a problem does not belong here: see ``matching``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a wait of one kind has to last to tell by itself, in seconds."""

    usual: float
    """Up to here its age tells nothing: busy servers have such waits."""
    clear: float
    """From here on one wait is enough."""


LATCH = Patience(0.1, 10.0)
LOCK = Patience(1.0, 60.0)
TRANSACTION = Patience(1.0, 60.0)
"""Of what prints the age of a transaction or statement, which is not that of its wait."""
SHARE = 0.1
"""From this share of its kind on, many waits tell all they can; a sign may name another."""
_BRIEF_S, _BRIEF = 1.0, 0.5
"""A few waits that have all lasted less than a second tell half: busy servers have such at any
moment."""
_MANY_OF = 0.3
"""Share of all latch waits from which on the age of one tells all it can."""
MANY = 5
"""From this count on, chance is ruled out; a sign may name another."""


def strength(
    most: int,
    share: float,
    longest: float | None = None,
    *,
    many: int = MANY,
    full_share: float = SHARE,
    patience: Patience = LOCK,
) -> float:
    """Return how much waits tell: by their share and count, or by the age of the longest."""
    if most <= 0:
        return 0.0
    by_count = math.sqrt(min(1.0, most / max(1, many)))
    few = 0 if patience is TRANSACTION else 2 if patience is LATCH else many
    if longest is not None and longest < _BRIEF_S and most < few:
        by_count *= _BRIEF
    by_share = min(1.0, share / full_share) if full_share > 0 else 1.0
    aged = age(longest, patience)
    if (
        patience is LATCH
    ):  # what is stuck makes others wait as long: an old wait of a few tells less
        aged *= 0.5 + 0.5 * min(1.0, share / _MANY_OF)
    return max(by_count * by_share, aged)


def age(longest: float | None, patience: Patience = LOCK) -> float:
    """Return how much the age of the longest wait tells by itself, on a logarithmic scale."""
    if longest is None or longest <= patience.usual:
        return 0.0
    return min(1.0, math.log(longest / patience.usual) / math.log(patience.clear / patience.usual))


__all__ = ["LATCH", "LOCK", "MANY", "SHARE", "TRANSACTION", "Patience", "age", "strength"]
