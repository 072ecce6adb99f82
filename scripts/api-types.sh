#!/bin/sh
# Generate the UI's API types from the OpenAPI document of the API, or check that they are current.
# Usage: api-types.sh write | check
set -eu
cd "$(dirname "$0")/.."
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
PILEUP_HOME="$folder/home" .venv/bin/pileup openapi >"$folder/openapi.json"
document=frontend/src/api/openapi.json
types=frontend/src/api/schema.d.ts
case "${1:-check}" in
write)
    cp "$folder/openapi.json" "$document"
    cd frontend && npm run --silent api-types
    ;;
check)
    cmp -s "$folder/openapi.json" "$document" || {
        echo "$document differs from the OpenAPI document of the API: run make types" >&2
        exit 1
    }
    cp -p "$types" "$folder/schema.d.ts"
    (cd frontend && npm run --silent api-types)
    fresh=yes
    cmp -s "$folder/schema.d.ts" "$types" || fresh=no
    cp -p "$folder/schema.d.ts" "$types" # with its time, else make builds the UI again
    [ "$fresh" = yes ] || {
        echo "$types was not generated from $document: run make types" >&2
        exit 1
    }
    ;;
*)
    echo "api-types.sh accepts write and check, not $1" >&2
    exit 2
    ;;
esac
