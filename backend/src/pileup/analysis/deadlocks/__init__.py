"""Explain deadlocks: kind, why these statements collide, what to change, and patterns."""

from pileup.analysis.deadlocks.explain import Explanation, explain
from pileup.analysis.deadlocks.patterns import Pattern, pattern_id, pattern_of, patterns

__all__ = ["Explanation", "Pattern", "explain", "pattern_id", "pattern_of", "patterns"]
