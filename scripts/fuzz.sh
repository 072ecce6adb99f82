#!/bin/sh
# Fuzzes one target (a format, any, archive, csv-mapping), or each in turn: fuzz.sh TARGET|all SECONDS
# atheris is no dependency of ours: it is installed into .tmp/fuzz on first use.
set -eu
cd "$(dirname "$0")/.."
format="${1:-all}"
seconds="${2:-60}"
python="$PWD/.venv/bin/python"
folder="$PWD/.tmp/fuzz"
mkdir -p "$folder"
if [ ! -d "$folder/atheris" ]; then
    "$python" -m pip --disable-pip-version-check --no-input install -q --target "$folder" atheris==3.0.0
fi
export PYTHONPATH="$PWD/backend/src:$PWD/backend:$folder"
if [ "$format" = all ]; then
    format="$("$python" -c 'from fuzz.targets import TARGETS; print(*TARGETS)')"
fi
cd backend
failed=""
for one in $format; do
    echo "==== $one"
    "$python" -m fuzz "$one" "$seconds" "$folder" 2>"$folder/$one.log" || failed="$failed $one"
    tail -n 3 "$folder/$one.log"
done
[ -z "$failed" ] || { echo "found something in:$failed; see .tmp/fuzz/*.log and .tmp/fuzz/finds"; exit 1; }
