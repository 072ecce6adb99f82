"""Direct calls of the engine in which a threshold decides: by module, constant and function.

Each answers so coarsely that only the comparison with the threshold can turn it; a function that
compares with it twice has a second call (``again``). They take a millisecond, and no other test can
change what they are.
"""

from __future__ import annotations

from tests.analysis.turning import (
    blocked,
    causes,
    clocks,
    findings,
    records,
    rules,
    stalls,
    waiting,
)
from tests.analysis.turning.tools import Scenes

SCENES: Scenes = {
    **blocked.SCENES, **causes.SCENES, **clocks.SCENES, **records.SCENES, **findings.SCENES,
    **rules.SCENES, **stalls.SCENES, **waiting.SCENES,
}  # fmt: skip
