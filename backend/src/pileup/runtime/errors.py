"""Errors of the runtime.

StartError     something outside the code prevents the start; its text is a sentence with the remedy
"""

from __future__ import annotations


class StartError(Exception):
    """A service cannot start or go on. The message says what happened and what to do."""


def disk_full(where: object) -> StartError:
    """Build the error for a full disk."""
    return StartError(
        f"the disk that holds {where} is full: free some space, or choose another folder with "
        "PILEUP_HOME, and start again. Nothing that was stored is lost."
    )
