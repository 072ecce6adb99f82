#!/bin/sh
# Makes the UI's API types from the OpenAPI document of the API, or checks that they are fresh.
# Usage: api-types.sh write | check
set -eu
cd "$(dirname "$0")/.."
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
PILEUP_HOME="$folder/home" .venv/bin/pileup openapi >"$folder/openapi.json"
case "${1:-check}" in
write)
    cp "$folder/openapi.json" frontend/src/api/openapi.json
    cd frontend && npm run --silent api-types
    ;;
check)
    diff -q "$folder/openapi.json" frontend/src/api/openapi.json >/dev/null || {
        echo "frontend/src/api/openapi.json is not what the API says: run make types" >&2
        exit 1
    }
    ;;
*)
    echo "api-types.sh knows write and check, not $1" >&2
    exit 2
    ;;
esac
