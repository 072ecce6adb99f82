"""Direct calls of functions that compare with a number of their own, by module and function."""

from __future__ import annotations

from tests.analysis.turning.tools import Scenes
from tests.deciding import engine, others, texts

SCENES: Scenes = {
    **{f"analysis.{name}": scene for name, scene in engine.SCENES.items()},
    **others.SCENES,
    **texts.SCENES,
}
