#!/bin/sh
# Check that a refactoring changes no output: collect what the engine, the API and the report
# print from an earlier commit and from the working tree, and compare.
#
# Usage: same-as-before.sh [--bench] [--only PART]... [COMMIT]
#   COMMIT   the commit to compare with (default: HEAD)
#   --only   one of: analysis, summaries, openapi, served, schema (default: all five)
#   --bench  also read the benchmark inputs with both, in pairs; 10 % slower fails
#
# The results of a commit are stored in .tmp/same-as-before/, so a second comparison is faster.
set -eu

cd "$(dirname "$0")/.."
repository="$PWD"
bench=""
parts=""
base="HEAD"
while [ $# -gt 0 ]; do
    case "$1" in
    --bench) bench=yes ;;
    --only) shift; parts="$parts --only $1" ;;
    -*) echo "same-as-before.sh does not know $1" >&2; exit 2 ;;
    *) base="$1" ;;
    esac
    shift
done
python="$repository/.venv/bin/python"
[ -x "$python" ] || { echo "run make install-dev first" >&2; exit 2; }
commit="$(git rev-parse --verify "$base^{commit}")"
results="$repository/.tmp/same-as-before"
tree="$results/tree-$commit"
mkdir -p "$results"

if ! [ -d "$tree" ]; then
    git worktree prune
    git worktree add --quiet --detach "$tree" "$commit"
fi

collect() { # collect TREE FOLDER
    PYTHONPATH="$1/backend/src:$1/backend" "$python" "$repository/scripts/same_as_before.py" \
        collect "$1" "$2" --repository "$repository" $parts
}

echo "same-as-before: collecting from $base ($commit)"
collect "$tree" "$results/$commit"
echo "same-as-before: collecting from the working tree"
rm -rf "$results/now"
collect "$repository" "$results/now"
status=0
"$python" scripts/same_as_before.py compare "$results/$commit" "$results/now" $parts || status=1
if [ -n "$bench" ]; then
    "$python" scripts/same_as_before.py bench "$tree" "$repository" || status=1
fi
exit "$status"
