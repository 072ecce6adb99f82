#!/bin/sh
# Ask the public advisory services for known flaws in what is locked: OSV for the Python packages, the
# npm registry for what is built into the UI. Fails when one is known, or when a service gives no answer.
# pip-audit is installed once into .tools/.
# Usage: audit.sh [OSV_URL]    (npm asks the registry of its configuration)
set -u

PIP_AUDIT=2.10.1

cd "$(dirname "$0")/.."
osv="${1:-https://api.osv.dev/v1/query}"
tool=".tools/pip-audit-$PIP_AUDIT"
failed=""
messages="$(mktemp)"
trap 'rm -f "$messages"' EXIT

if ! [ -d "$tool" ]; then
    echo "audit: installing pip-audit $PIP_AUDIT into $tool"
    mkdir -p .tools && new="$(mktemp -d "$tool.XXXXXX")" || exit 1
    .venv/bin/python -m pip --disable-pip-version-check --no-input --quiet install --target "$new/packages" \
        "pip-audit==$PIP_AUDIT" || exit 1
    # Fails where another run was faster; its packages are the same.
    .venv/bin/python -c 'import os, sys; os.rename(*sys.argv[1:])' "$new/packages" "$tool" 2>/dev/null || [ -d "$tool" ] || exit 1
    rm -rf "$new"
fi

echo "audit: the Python packages of requirements.lock"
PYTHONPATH="$tool" .venv/bin/python -m pip_audit --requirement requirements.lock --disable-pip --strict --progress-spinner off \
    --vulnerability-service osv --osv-url "$osv" --desc off 2>"$messages" || failed="$failed requirements.lock"
tail -n 1 "$messages" # of a traceback, what went wrong

echo "audit: the npm packages of frontend/package-lock.json"
(cd frontend && npm audit --package-lock-only --omit dev) || failed="$failed frontend/package-lock.json"

[ -z "$failed" ] || {
    echo "audit: see above what is known about:$failed. Lock a corrected version (make lock; npm update in frontend)" \
        "within the time that SECURITY.md promises, or, where a service gave no answer, repeat it with a network." >&2
    exit 1
}
echo "audit: no known flaw"
