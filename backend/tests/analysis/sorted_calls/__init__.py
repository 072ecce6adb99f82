"""Direct calls of the functions of the engine that sort, by module and function."""

from __future__ import annotations

from typing import Any

from tests.analysis.sorted_calls import findings

ORDERED: dict[str, Any] = {**findings.ORDERED}
