#!/bin/sh
# Run formatters, linters, type checks, import contracts and checks of generated files; sum up.
set -u

cd "$(dirname "$0")/.."
bin="$PWD/.venv/bin"
failed=""

step() {
    name="$1"
    shift
    if output=$("$@" 2>&1); then
        echo "ok      $name"
        echo "$output" | grep SKIPPED
    else
        echo "NOT OK  $name"
        echo "$output"
        failed="$failed $name"
    fi
}

inside() { (cd "$1" && shift && "$@"); }

step "ruff-format" inside backend "$bin/ruff" format --check . ../scripts
step "ruff" inside backend "$bin/ruff" check . ../scripts
step "mypy" inside backend "$bin/mypy"
step "import-contract" inside backend "$bin/lint-imports"
step "tsc" inside frontend npm run --silent typecheck
step "eslint" inside frontend npx --no-install eslint .
step "knip" inside frontend npx --no-install knip
step "css" inside frontend node css-owners.mjs
step "prettier" inside frontend npx --no-install prettier --check .
step "api-types" sh scripts/api-types.sh check
step "limits" "$bin/python" scripts/check_limits.py
step "words" "$bin/python" scripts/check_words.py
step "locks" sh scripts/check-locks.sh
step "chart" sh scripts/check-chart.sh

if [ -n "$failed" ]; then
    echo "not ok:$failed (make format settles the formats, make types the API types)"
    exit 1
fi
