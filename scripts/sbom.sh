#!/bin/sh
# Write the bill of materials of the wheel in dist/, as CycloneDX 1.6: the Python packages of an
# environment that has the wheel and nothing else, and the npm packages that are built into the UI.
# cyclonedx-bom is installed once into .tools/sbom. A lock file that is older than SECURITY.md promises
# is refused, in a checkout with its history.
# Usage: sbom.sh [FOLDER]
set -eu

CYCLONEDX_BOM=7.5.0

cd "$(dirname "$0")/.."
folder="${1:-dist}"
tool=".tools/sbom-$CYCLONEDX_BOM"
set -- "$folder"/pileup-*.whl
[ -f "$1" ] || { echo "sbom: no wheel in $folder; run make sbom" >&2; exit 1; }
MOST_DAYS=90
for lock in requirements.lock frontend/package-lock.json; do
    locked="$(git log -1 --format=%ct -- "$lock" 2>/dev/null)" || locked=""
    [ -n "$locked" ] || continue
    days=$((($(date +%s) - locked) / 86400))
    [ "$days" -le "$MOST_DAYS" ] || {
        echo "sbom: $lock was locked $days days ago, and SECURITY.md promises $MOST_DAYS: run make lock, and npm update in frontend" >&2
        exit 1
    }
done
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
pip() { "$1/bin/python" -m pip --disable-pip-version-check --no-input --quiet install $2; }

if ! [ -x "$tool/bin/cyclonedx-py" ]; then
    echo "sbom: installing cyclonedx-bom $CYCLONEDX_BOM into $tool"
    rm -rf "$tool"
    .venv/bin/python -m venv "$tool"
    pip "$tool" "cyclonedx-bom==$CYCLONEDX_BOM"
fi

echo "sbom: installing $1 into an environment of its own"
.venv/bin/python -m venv --without-pip "$work/venv"
.venv/bin/python -m pip --disable-pip-version-check --no-input --quiet --python "$work/venv/bin/python" install \
    --constraint "$folder/constraints.txt" "$1"
"$tool/bin/cyclonedx-py" environment "$work/venv/bin/python" --pyproject backend/pyproject.toml \
    --mc-type application --spec-version 1.6 --output-reproducible --validate \
    --output-file "$folder/pileup-python.cdx.json"
(cd frontend && npm sbom --sbom-format cyclonedx --sbom-type application --omit dev --package-lock-only) \
    >"$folder/pileup-ui.cdx.json"

"$tool/bin/python" - "$folder"/pileup-*.cdx.json <<'PYTHON'
import json
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for name in sys.argv[1:]:
    text = Path(name).read_text("utf-8")
    document = json.loads(text)
    version = SchemaVersion.from_version(document["specVersion"])
    problem = JsonStrictValidator(version).validate_str(text)
    if problem is not None:
        raise SystemExit(f"sbom: {name} is no valid CycloneDX {document['specVersion']}: {problem}")
    parts = document["components"]
    bare = [part["name"] for part in parts if not part.get("licenses")]
    print(f"sbom: {name}: {len(parts)} packages; without a licence: {', '.join(bare) or 'none'}")
PYTHON
