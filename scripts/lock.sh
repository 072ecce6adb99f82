#!/bin/sh
# Resolve backend/pyproject.toml for every platform into two hash-pinned lock files, and uv into a
# third: it installs the other two (install-python.sh).
# Fail when a lock file contains the address of a package index.
# Usage: lock.sh [UV]
set -eu

uv="${1:-uv}"
command -v "$uv" >/dev/null 2>&1 || {
    echo "pileup: uv was not found. make install-dev installs it into .venv; or name yours: make lock UV=/path/to/uv." >&2
    exit 1
}
cd "$(dirname "$0")/../backend"
compile() {
    "$uv" pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
        --python-version 3.11 "$@"
}
compile --extra build --output-file ../requirements.lock pyproject.toml
compile --extra dev --constraint ../requirements.lock --output-file ../requirements-dev.lock pyproject.toml
echo uv | compile --no-annotate --output-file ../requirements-installer.lock -
if grep -n -E 'https?://|--(extra-)?index-url|--find-links' ../requirements*.lock; then
    echo "pileup: a lock file contains an index address (above). Unset the index variables and lock again." >&2
    exit 1
fi
