#!/bin/sh
# Runs the tests and sums up at the end. The browser mostly waits, so its specs and the UI's unit
# tests run beside the backend's two processes, which give way to them.
# Usage: test.sh [backend] [frontend] [browser]    (no word: all of them)
set -u

cd "$(dirname "$0")/.."
steps="${*:-backend frontend browser}"
summary=""
failed=0
politeness=0
# The tests start Python some fifty times; without stored bytecode each start takes seconds more.
export PYTHONDONTWRITEBYTECODE=
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
# What runs in the background does not hear Ctrl-C, so it gets another signal.
trap 'trap "" TERM; kill 0; exit 130' INT
trap 'exit 143' TERM

run() { # run NAME COMMAND...: shows the output, keeps it, notes how it went
    name="$1"
    shift
    echo "==== $name"
    began=$(date +%s)
    # The status travels by a file: a pipe into tee would hide it in plain sh.
    { "$@" 2>&1; echo $? >"$folder/$name.status"; } | tee "$folder/$name.log"
    note "$name" $(($(date +%s) - began))
}

aside() { # aside NAME COMMAND...: keeps the output of a step that runs beside another
    name="$1"
    shift
    began=$(date +%s)
    "$@" >"$folder/$name.log" 2>&1
    echo $? >"$folder/$name.status"
    echo $(($(date +%s) - began)) >"$folder/$name.seconds"
}

show() { # show NAME: prints the output of a step that ran beside another, and notes how it went
    echo "==== $1, which ran at the same time"
    cat "$folder/$1.log"
    note "$1" "$(cat "$folder/$1.seconds")"
}

note() { # note NAME SECONDS: how the step went, into the summary
    if [ "$(cat "$folder/$1.status")" = 0 ]; then verdict=passed; else verdict=FAILED; failed=1; fi
    summary="$summary$(printf '%-10s %s in %s s' "$1" "$verdict" "$2")
"
}

# Each of the two processes has one core (three took as long: 18 minutes on two cores); threads of
# polars would only wait for each other.
backend() { (cd backend && exec env POLARS_MAX_THREADS=1 nice -n "$politeness" ../.venv/bin/python -m pytest -n 2 --dist loadgroup -rfEs --durations 25 --durations-min 2 tests); }
# Beside the backend's tests, a share of the specs of screens runs, another one every day; alone,
# all of them do.
share() { if [ "$politeness" = 0 ]; then echo 0/1; else echo "$(($(date +%s) / 86400))/6"; fi; }
# No colours: the summary below looks for plain words.
frontend() { (cd frontend && exec env NO_COLOR=1 npm run --silent test); }
# All on one installation: to start a second, and have it read the sample, costs half a minute.
browser() {
    SHARE="$(share)"
    export SHARE
    (cd frontend && node e2e/run.mjs --project=screens --project=journey)
}

skipped() { # skipped STEP: how many tests it left out
    [ -f "$folder/$1.log" ] || return 0
    counts="$(grep -oE '[0-9]+ skipped' "$folder/$1.log")"
    # vitest reports files, then tests
    total="$(echo "$counts" | tail -n 1 | awk '{ print $1 + 0 }')"
    printf '%-10s %s skipped\n' "$1" "$total"
    # The backend's tests know which skips are foreseen; the UI's have none.
    [ "$1" = backend ] || [ "$total" = 0 ] || failed=1
}

wants() { # wants STEP: whether it is one of the steps to run
    case " $steps " in *" $1 "*) true ;; *) false ;; esac
}

for step in $steps; do
    case "$step" in
    backend | frontend | browser) ;;
    *) echo "test.sh knows backend, frontend and browser, not $step" >&2; exit 2 ;;
    esac
done
# The first of these runs in the foreground, the others beside it.
first=""
others=""
for step in backend browser frontend; do
    wants "$step" || continue
    if [ -z "$first" ]; then first="$step"; else others="$others $step"; fi
done
if [ -n "$others" ]; then
    politeness=10
    export VITEST_MAX_WORKERS=1
fi
for step in $others; do aside "$step" "$step" & done
run "$first" "$first"
wait
for step in $others; do show "$step"; done

echo "==== summary"
printf '%s' "$summary"
for step in backend frontend browser; do skipped "$step"; done
# Repeat the failed and skipped tests after the long logs.
[ -f "$folder/backend.log" ] && grep -E '^(FAILED|ERROR|SKIPPED) ' "$folder/backend.log"
[ -f "$folder/frontend.log" ] && grep -E '^ *FAIL ' "$folder/frontend.log" | sort -u
[ -f "$folder/browser.log" ] && grep -E '^ +[0-9]+\) ' "$folder/browser.log" | sort -u
[ -f "$folder/browser.log" ] && grep -E '^ +[0-9]+ (passed|failed|flaky|skipped|did not run)' "$folder/browser.log"
[ -f "$folder/frontend.log" ] && grep -E '^ *Tests ' "$folder/frontend.log"
[ -f "$folder/backend.log" ] && grep -E '(passed|failed|error|no tests).* in [0-9.]+' "$folder/backend.log" | tail -n 1
exit "$failed"
