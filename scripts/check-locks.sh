#!/bin/sh
# No lock file, script or document may name the address of a package index.
set -eu
cd "$(dirname "$0")/.."
bad=0
for file in requirements*.lock; do
    if grep -n -E '://|--(extra-)?index-url|--find-links' "$file"; then bad=1; fi
done
for file in $(git ls-files '*package-lock.json'); do
    if grep -n '"resolved"' "$file"; then bad=1; fi
done
[ "$bad" = 0 ] || {
    echo "a lock file contains a download address (above): lock again without one" >&2
    exit 1
}
