#!/bin/sh
# Check for a tool; print what is missing on this machine, and how to install it.
# Usage: require.sh python PYTHON | node
set -eu

fail() { echo "pileup: $1" >&2; exit 1; }

case "$1" in
python)
    python="${2:-python3}"
    command -v "$python" >/dev/null 2>&1 ||
        fail "$python was not found. Install Python 3.11 or newer (Debian: apt install python3 python3-venv), or name yours: make PYTHON=/path/to/python3."
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        fail "$("$python" --version 2>&1 || echo "$python") is too old. Pileup needs Python 3.11 or newer; name another one with: make PYTHON=/path/to/python3."
    "$python" -c 'import venv, ensurepip' 2>/dev/null ||
        fail "this Python has no venv module. Install it (Debian: apt install python3-venv) and run make again."
    ;;
node)
    command -v node >/dev/null 2>&1 ||
        fail "node was not found. Install Node.js 20.19 or newer (it brings npm) and run make again."
    node -e 'const [major, minor] = process.versions.node.split(".").map(Number)
        process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' ||
        fail "Node $(node --version) is too old. Pileup needs Node.js 20.19 or newer to build its UI."
    command -v npm >/dev/null 2>&1 ||
        fail "npm was not found next to node. Install npm 10 or newer and run make again."
    ;;
*)
    fail "require.sh knows python and node, not $1."
    ;;
esac
