#!/bin/sh
# Install what a lock file names, and pileup itself, into a virtual environment: with uv, which takes
# a tenth of pip's time; with pip where uv cannot be had or fails. The lock file names every package,
# so there is nothing to resolve: --no-deps.
# Usage: install-python.sh VENV LOCK_FILE
set -eu

bin="$1/bin"
lock="$2"
pip() { "$bin/python" -m pip --disable-pip-version-check --no-input "$@"; }

# uv does not read the settings of pip: an index of a company, its certificate, a proxy.
settings="$(pip config list 2>/dev/null || true)"
of_pip() { printf '%s\n' "$settings" | sed -n "s/^[^=]*\.$1='\(.*\)'\$/\1/p" | tail -n 1; }
hand_on() { # hand_on VARIABLE SETTING: gives uv a setting of pip, unless it has one of its own
    value="$(of_pip "$2")"
    if [ -n "$value" ] && [ -z "$(printenv "$1" || true)" ]; then export "$1=$value"; fi
}
hand_on UV_DEFAULT_INDEX index-url
hand_on UV_INDEX extra-index-url
hand_on UV_FIND_LINKS find-links
hand_on UV_NO_INDEX no-index
hand_on SSL_CERT_FILE cert
hand_on ALL_PROXY proxy
hand_on UV_HTTP_TIMEOUT default-timeout
export UV_INDEX_STRATEGY=unsafe-best-match # a hash decides, wherever the file comes from

with_uv() {
    [ -x "$bin/uv" ] || pip install -q --no-deps --require-hashes -r requirements-installer.lock || return 1
    "$bin/uv" pip install -q --python "$bin/python" --no-deps --require-hashes -r "$lock" &&
        "$bin/uv" pip install -q --python "$bin/python" --no-deps --no-build-isolation -e backend
}

if with_uv; then exit 0; fi
echo "make: that did not work with uv, so now with pip (a minute)" >&2
# Neither compiles: what runs imports a quarter of these modules, and Python stores those then.
pip install -q --no-deps --no-compile --require-hashes -r "$lock"
pip install -q --no-deps --no-build-isolation -e backend
