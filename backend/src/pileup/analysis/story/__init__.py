"""Tell the leading stall on one page: sentence, chain, impact, turning points, what helps now."""

from pileup.analysis.story.compose import tell
from pileup.analysis.story.impact import missing
from pileup.analysis.story.sentence import MOST_WORDS, story

__all__ = ["MOST_WORDS", "missing", "story", "tell"]
