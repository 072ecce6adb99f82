"""Help scripts/check-chart.sh: the digest of the Helm chart, and schemas that work from a folder.

Usage: chart.py digest
       chart.py schemas FROM TO    (folders)
"""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path

CHART = Path(__file__).resolve().parents[1] / "deploy" / "helm" / "pileup"


def chart_digest() -> str:
    """Return a short hash over the paths and contents of all files of the chart."""
    total = sha256()
    for path in sorted(path for path in CHART.rglob("*") if path.is_file()):
        name = path.relative_to(CHART).as_posix()
        total.update(f"{name}\0{sha256(path.read_bytes()).hexdigest()}\0".encode())
    return total.hexdigest()[:16]


def copy_schemas(source: Path, target: Path) -> None:
    """Copy schemas without their addresses, so that references between them are file names."""
    target.mkdir(parents=True)
    for path in source.glob("*.json"):
        schema = json.loads(path.read_text("utf-8"))
        schema.pop("$id", None)
        text = json.dumps(schema).replace('"/api/_definitions.json', '"_definitions.json')
        (target / path.name).write_text(text, "utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "digest":
        sys.stdout.write(f"{chart_digest()}\n")
    else:
        copy_schemas(Path(sys.argv[2]), Path(sys.argv[3]))
