#!/bin/sh
# Work on the code: API and worker restart when Python sources change, Vite serves the UI and
# passes /api on. Ctrl-C stops both.
set -eu
cd "$(dirname "$0")/.."
port="${PILEUP_PORT:-8400}"
ui_port="${UI_PORT:-5173}"
export PILEUP_PORT="$port"
export PILEUP_PUBLIC_URL="http://127.0.0.1:$ui_port"
export PILEUP_API="http://127.0.0.1:$port"
.venv/bin/pileup run --reload &
server=$!
trap 'trap - INT TERM EXIT; kill "$server" 2>/dev/null; wait "$server"; exit 0' INT TERM EXIT
cd frontend
npx --no-install vite --host 127.0.0.1 --port "$ui_port" --strictPort --clearScreen false
