"""How often Python looks for garbage, in every process of ours."""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """Look for garbage after many new objects; call it first, before the large imports.

    The import of the API creates a million objects that stay, and a wait graph of thousands of
    nodes as many at once: with Python's default of 700, the search takes up to a fifth of the time.
    """
    gc.set_threshold(50_000, 20, 50)
