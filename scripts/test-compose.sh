#!/bin/sh
# Build and start docker-compose.yml and run the browser journey against it; then do work on RabbitMQ, and
# with a bucket. STAGES="s3" runs only the stages that it names (journey, rabbitmq, s3).
#
# Use the running docker daemon. Without one, as root on Debian, install docker.io and start a
# daemon in a scratch folder; without an image registry, build stand-ins for the base images
# from Debian packages. If that fails too, print the reason and skip (exit code 0), because the
# journey itself is part of `make test`.
set -eu

cd "$(dirname "$0")/.."
repository="$PWD"
work="$(mktemp -d "${TMPDIR:-/tmp}/pileup-compose.XXXXXX")"
daemon=""
started=""

say() { echo "test-compose: $*"; }
skip() {
    say "SKIPPED: $*"
    exit 0
}

# shellcheck disable=SC2317
clean() {
    status=$?
    trap - EXIT INT TERM
    if [ -n "$started" ]; then
        [ "$status" = 0 ] || compose ps || true
        [ "$status" = 0 ] || compose logs --tail=40 --no-color || true
        compose down --volumes --timeout 20 >/dev/null 2>&1 || true
    fi
    if [ -n "$daemon" ]; then
        kill "$daemon" 2>/dev/null || true
        wait "$daemon" 2>/dev/null || true
    fi
    [ -n "${PILEUP_COMPOSE_KEEP:-}" ] || rm -rf "$work"
    exit "$status"
}
trap clean EXIT
trap 'exit 130' INT TERM

# Debian's docker first: its client and its compose belong together.
PATH="/usr/bin:/usr/sbin:$PATH"
export PATH

compose() {
    if docker compose version >/dev/null 2>&1; then
        docker compose --project-name "$project" "$@"
    else
        docker-compose --project-name "$project" "$@"
    fi
}

# ---- a docker that answers -----------------------------------------------------------------

if ! docker info >/dev/null 2>&1; then
    [ "$(id -u)" = 0 ] || skip "no docker answers, and starting one needs root"
    if ! [ -x /usr/sbin/dockerd ] || ! [ -x /usr/bin/docker-compose ] || ! [ -x /usr/sbin/debootstrap ]; then
        command -v apt-get >/dev/null || skip "no docker answers, and there is no apt-get to install it"
        say "installing docker.io, docker-compose and debootstrap"
        export DEBIAN_FRONTEND=noninteractive
        install="apt-get -qq install -y --no-install-recommends docker.io docker-compose debootstrap"
        $install >"$work/apt.log" 2>&1 || { apt-get -qq update && $install; } >>"$work/apt.log" 2>&1 ||
            skip "docker.io cannot be installed: $(tail -n 1 "$work/apt.log")"
    fi
    say "starting a docker daemon of our own"
    dockerd --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/pid" \
        -H "unix://$work/docker.sock" --iptables=false --ip6tables=false --ip-forward=false \
        --ip-masq=false --bip 172.31.250.1/24 --default-ulimit nofile=20000:20000 \
        >"$work/dockerd.log" 2>&1 &
    daemon=$!
    export DOCKER_HOST="unix://$work/docker.sock"
    tries=0
    until docker info >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -gt 60 ] || ! kill -0 "$daemon" 2>/dev/null; then
            skip "dockerd does not start here: $(grep -v level=info "$work/dockerd.log" | tail -n 1)"
        fi
        sleep 0.5
    done
fi
export DOCKER_BUILDKIT=1 COMPOSE_DOCKER_CLI_BUILD=1

# ---- base images ---------------------------------------------------------------------------

have() { docker image inspect "$1" >/dev/null 2>&1; }
bases="node:20-trixie-slim python:3.13-slim-trixie postgres:17 valkey/valkey:8 rabbitmq:4 versity/versitygw:v1.8.0"
missing=""
for image in $bases; do
    have "$image" || timeout 120 docker pull --quiet "$image" >/dev/null 2>&1 || missing="$missing $image"
done
if [ -n "$missing" ]; then
    say "no registry gives$missing: making stand-ins from Debian packages"
    sh scripts/compose-base-images.sh "$work" $missing || skip "the stand-in images cannot be made"
    export PILEUP_BUILD_NETWORK=host
fi

wants() { case " ${STAGES:-journey rabbitmq s3} " in *" $1 "*) true ;; *) false ;; esac; }

# ---- build, start, wait ----------------------------------------------------------------------

project="pileup-test-$$"
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
port="$(.venv/bin/python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
cd "$repository"
unset PILEUP_HOME

say "without secrets nothing starts"
: >"$work/no.env"
if (unset POSTGRES_PASSWORD POSTGRES_ADMIN_PASSWORD BROKER_PASSWORD; compose --env-file "$work/no.env" config) \
    >"$work/refused" 2>&1; then
    say "FAILED: the file was accepted without any secret"
    exit 1
fi
grep -q 'set it in .env' "$work/refused" || { cat "$work/refused"; say "FAILED: no sentence"; exit 1; }

POSTGRES_PASSWORD="$(random)" POSTGRES_ADMIN_PASSWORD="$(random)" BROKER_PASSWORD="$(random)"
PILEUP_PORT="$port" PILEUP_PUBLIC_URL="http://127.0.0.1:$port"
export POSTGRES_PASSWORD POSTGRES_ADMIN_PASSWORD BROKER_PASSWORD PILEUP_PORT PILEUP_PUBLIC_URL

say "building"
compose build >"$work/build.log" 2>&1 || { tail -n 60 "$work/build.log"; say "FAILED: the build"; exit 1; }
say "starting on port $port"
started=yes
compose up -d
wait_healthy() {
    tries=0
    until [ "$(docker inspect --format '{{.State.Health.Status}}' "$(compose ps -q "$1")")" = healthy ]; do
        tries=$((tries + 1))
        if [ "$tries" -gt 90 ]; then say "FAILED: $1 is not healthy"; exit 1; fi
        sleep 1
    done
    say "$1 is healthy"
}
for service in postgres broker api worker; do wait_healthy "$service"; done

say "nothing runs as root"
for service in postgres broker api worker; do
    uid="$(compose exec -T "$service" id -u)"
    [ "$uid" != 0 ] || { say "FAILED: $service runs as root"; exit 1; }
done

if wants journey; then
    link="$(compose exec -T api pileup link)"
    say "the browser journey"
    (cd frontend && BASE_URL="http://127.0.0.1:$port" SIGN_IN_LINK="$link" node e2e/run.mjs --project=journey --project=screens)

    say "after a restart of everything it is well again"
    compose restart --timeout 20 >/dev/null 2>&1
    for service in postgres broker api worker; do wait_healthy "$service"; done
    compose exec -T worker pileup doctor
fi

use() { # the running installation: a sample, the worker, the report
    compose up -d
    for service in postgres broker api worker; do wait_healthy "$service"; done
    .venv/bin/python scripts/test_dist.py "$(compose exec -T api pileup link | grep -o 'http[^ ]*' | tr -d '\r')"
    compose exec -T worker pileup doctor
}

if wants rabbitmq; then
    say "with RabbitMQ in place of Valkey"
    COMPOSE_FILE=docker-compose.yml:docker-compose.rabbitmq.yml
    export COMPOSE_FILE
    use
fi

if wants s3; then
    say "with a bucket in place of the shared volume"
    compose down --volumes --timeout 20 >/dev/null 2>&1
    COMPOSE_FILE=docker-compose.yml:docker-compose.s3.yml
    S3_ACCESS_KEY="$(random)" S3_SECRET_KEY="$(random)"
    PILEUP_SECRET_KEY="$(.venv/bin/python -c 'import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())')"
    export COMPOSE_FILE S3_ACCESS_KEY S3_SECRET_KEY PILEUP_SECRET_KEY
    use
    for service in api worker; do
        [ -z "$(compose exec -T "$service" find /data/blobs /data/frames -type f)" ] || {
            say "FAILED: the $service keeps files in its own folder"
            exit 1
        }
    done
    [ -n "$(compose exec -T s3 find /objects -type f)" ] || { say "FAILED: the bucket is empty"; exit 1; }
fi
say "passed"
