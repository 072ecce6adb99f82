#!/bin/sh
# Build the wheel into dist/: the package with the built UI (frontend/dist), the samples and the
# licence in it, so that it runs without Node and without a checkout; and constraints.txt, the
# versions of requirements.lock in the form that pip and uv take as constraints.
# Usage: dist.sh [FOLDER]
set -eu

cd "$(dirname "$0")/.."
[ -f frontend/dist/index.html ] || { echo "dist: the UI is not built; run make dist" >&2; exit 1; }
folder="${1:-dist}"
mkdir -p "$folder"
stage="$(mktemp -d)"
trap 'rm -rf "$stage"' EXIT

# A copy, because nothing of it belongs into the sources: there a checkout's own UI would be hidden.
cp LICENSE backend/pyproject.toml backend/README.md "$stage"
cp -R backend/src "$stage/src"
mkdir "$stage/src/pileup/bundled"
cp -R samples "$stage/src/pileup/bundled/samples"
cp -R frontend/dist "$stage/src/pileup/bundled/ui"
rm -f "$stage/src/pileup/bundled/ui/.built"

# The same sources give the same bytes.
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct 2>/dev/null || echo 1767225600)"
export SOURCE_DATE_EPOCH
rm -f "$folder"/pileup-*.whl
.venv/bin/python -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation \
    --wheel-dir "$folder" "$stage"
sed -n -E 's/^([A-Za-z0-9_.-]+(\[[^]]*\])?==[^\\]*[^\\ ]) *\\?$/\1/p' requirements.lock >"$folder/constraints.txt"
du -h "$folder"/pileup-*.whl "$folder/constraints.txt"
