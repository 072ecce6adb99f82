"""What the runtime raises.

StartError     something outside the code is in the way; its text is one sentence with the remedy
"""

from __future__ import annotations


class StartError(Exception):
    """A service cannot start or go on. The message says what happened and what to do."""


def disk_full(where: object) -> StartError:
    """The sentence for a full disk, whoever met it."""
    return StartError(
        f"the disk that holds {where} is full: free some space, or choose another folder with "
        "PILEUP_HOME, and start again. Nothing that was stored is lost."
    )
