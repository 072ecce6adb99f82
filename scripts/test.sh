#!/bin/sh
# Runs the tests and sums up at the end. The browser mostly waits, and so does who starts and kills
# installations, so these tests and the UI's unit tests run beside the backend's two processes.
# Usage: test.sh [backend] [services] [frontend] [browser]    (no word: all of them)
# INSTALL=yes: with make, install what all of them need. One core has nothing else to do while the
# Python packages are installed, so the UI's unit tests begin then.
set -u

cd "$(dirname "$0")/.."
steps="${*:-backend services frontend browser}"
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
backend() {
    without=""
    for path in $SERVICES; do without="$without --ignore $path"; done
    # shellcheck disable=SC2086
    tests "$politeness" -n 2 --dist loadgroup $without tests
}
# What starts installations, or processes of one, and waits for them.
SERVICES="tests/runtime tests/worker/test_two_machines.py tests/worker/test_real_worker.py"
# shellcheck disable=SC2086
services() { tests 0 $SERVICES; }
tests() { # tests NICE PYTEST...
    nice="$1"
    shift
    (cd backend && exec env POLARS_MAX_THREADS=1 nice -n "$nice" ../.venv/bin/python -m pytest -rfEs --durations 25 --durations-min 2 "$@")
}
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
    [ "$1" = backend ] || [ "$1" = services ] || [ "$total" = 0 ] || failed=1
}

wants() { # wants STEP: whether it is one of the steps to run
    case " $steps " in *" $1 "*) true ;; *) false ;; esac
}

for step in $steps; do
    case "$step" in
    backend | services | frontend | browser) ;;
    *) echo "test.sh knows backend, services, frontend and browser, not $step" >&2; exit 2 ;;
    esac
done
# The first of these runs in the foreground, the others beside it.
first=""
others=""
for step in backend services browser frontend; do
    wants "$step" || continue
    if [ -z "$first" ]; then first="$step"; else others="$others $step"; fi
done
if [ -n "$others" ]; then
    politeness=10
    export VITEST_MAX_WORKERS=1
fi
if [ "${INSTALL:-}" = yes ]; then
    make --no-print-directory prepare-python &
    python=$!
    if ! make --no-print-directory prepare-ui; then kill "$python"; exit 1; fi
    aside frontend frontend &
    wait "$python" || exit 1
fi
for step in $others; do
    if [ "$step" = frontend ] && [ "${INSTALL:-}" = yes ]; then continue; fi
    aside "$step" "$step" &
done
run "$first" "$first"
wait
for step in $others; do show "$step"; done

echo "==== summary"
printf '%s' "$summary"
for step in backend services frontend browser; do skipped "$step"; done
# Repeat the failed and skipped tests after the long logs.
for step in backend services; do
    [ -f "$folder/$step.log" ] && grep -E '^(FAILED|ERROR|SKIPPED) ' "$folder/$step.log"
done
[ -f "$folder/frontend.log" ] && grep -E '^ *FAIL ' "$folder/frontend.log" | sort -u
[ -f "$folder/browser.log" ] && grep -E '^ +[0-9]+\) ' "$folder/browser.log" | sort -u
[ -f "$folder/browser.log" ] && grep -E '^ +[0-9]+ (passed|failed|flaky|skipped|did not run)' "$folder/browser.log"
[ -f "$folder/frontend.log" ] && grep -E '^ *Tests ' "$folder/frontend.log"
for step in services backend; do
    [ -f "$folder/$step.log" ] && grep -E '(passed|failed|error|no tests).* in [0-9.]+' "$folder/$step.log" | tail -n 1
done
exit "$failed"
