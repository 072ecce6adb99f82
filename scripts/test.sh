#!/bin/sh
# Runs the tests, one step after another, and sums up at the end.
# Usage: test.sh [backend] [frontend] [browser]    (no word: all of them)
set -u

cd "$(dirname "$0")/.."
steps="${*:-backend frontend browser}"
summary=""
failed=0
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

run() { # run NAME COMMAND...: shows the output, keeps its last lines, notes how it went
    name="$1"
    shift
    echo "==== $name"
    began=$(date +%s)
    # The status travels by a file: a pipe into tee would hide it in plain sh.
    { "$@" 2>&1; echo $? >"$folder/status"; } | tee "$folder/$name.log"
    took=$(($(date +%s) - began))
    if [ "$(cat "$folder/status")" = 0 ]; then verdict=passed; else verdict=FAILED; failed=1; fi
    summary="$summary$(printf '%-10s %s in %s s' "$name" "$verdict" "$took")
"
}

backend() { cd backend && ../.venv/bin/python -m pytest -n 2 --dist loadgroup tests; }
frontend() { cd frontend && npm run --silent test; }
browser() { cd frontend && node e2e/run.mjs --project=journey; }

for step in $steps; do
    case "$step" in
    backend | frontend | browser) run "$step" "$step" ;;
    *) echo "test.sh knows backend, frontend and browser, not $step" >&2; exit 2 ;;
    esac
done

echo "==== summary"
printf '%s' "$summary"
# Which failed stands here once more: long logs lie between.
[ -f "$folder/backend.log" ] && grep -E '^(FAILED|ERROR) ' "$folder/backend.log"
[ -f "$folder/frontend.log" ] && grep -E '^ *FAIL ' "$folder/frontend.log" | sort -u
[ -f "$folder/browser.log" ] && grep -E '^ +[0-9]+\) ' "$folder/browser.log" | sort -u
[ -f "$folder/browser.log" ] && grep -E '^ +[0-9]+ (passed|failed|flaky|skipped|did not run)' "$folder/browser.log"
[ -f "$folder/frontend.log" ] && grep -E '^ *Tests ' "$folder/frontend.log"
[ -f "$folder/backend.log" ] && grep -E '(passed|failed|error|no tests).* in [0-9.]+' "$folder/backend.log" | tail -n 1
exit "$failed"
