"""Write docs/analysis.schema.json from the structs of the analysis document."""

from __future__ import annotations

import json
from pathlib import Path

from pileup.analysis.contract import json_schema

TARGET = Path(__file__).resolve().parents[1] / "docs" / "analysis.schema.json"


def text() -> str:
    """Return the content of the file."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
