#!/bin/sh
# Fuzz one target (a format, any, archive, csv-mapping), or each in turn: fuzz.sh TARGET|all SECONDS [SEED]
# atheris is not a dependency of Pileup: the first run installs it into .tmp/fuzz.
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
for target in $format; do
    echo "==== $target"
    "$python" -m fuzz "$target" "$seconds" "$folder" ${3:+"$3"} 2>"$folder/$target.log" || failed="$failed $target"
    tail -n 3 "$folder/$target.log"
done
[ -z "$failed" ] || { echo "found defects in:$failed; see .tmp/fuzz/*.log and .tmp/fuzz/finds"; exit 1; }
