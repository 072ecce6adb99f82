#!/bin/sh
# Resolve backend/pyproject.toml for every platform into two hash-pinned lock files.
# Fail when a lock file contains the address of a package index.
# Usage: lock.sh [UV]
set -eu

uv="${1:-uv}"
command -v "$uv" >/dev/null 2>&1 || {
    echo "pileup: uv was not found. Install it (pip install uv, in any environment) or name it: make lock UV=/path/to/uv." >&2
    exit 1
}
cd "$(dirname "$0")/../backend"
compile() {
    "$uv" pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header \
        --python-version 3.11 "$@" pyproject.toml
}
compile --extra build --output-file ../requirements.lock
compile --extra dev --constraint ../requirements.lock --output-file ../requirements-dev.lock
if grep -n -E 'https?://|--(extra-)?index-url|--find-links' ../requirements.lock ../requirements-dev.lock; then
    echo "pileup: a lock file contains an index address (above). Unset the index variables and lock again." >&2
    exit 1
fi
