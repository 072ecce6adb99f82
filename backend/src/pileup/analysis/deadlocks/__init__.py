"""Explain deadlocks: kind, why these statements collide, what to change, and patterns."""

from pileup.analysis.deadlocks.explain import Explanation, explain
from pileup.analysis.deadlocks.patterns import Pattern, pattern_id, pattern_of, patterns
from pileup.analysis.deadlocks.prints import by_deadlock

__all__ = [
    "Explanation",
    "Pattern",
    "by_deadlock",
    "explain",
    "pattern_id",
    "pattern_of",
    "patterns",
]
