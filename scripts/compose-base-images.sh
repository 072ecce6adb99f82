#!/bin/sh
# Build stand-ins for the base images of docker-compose.yml from Debian 13 packages, for machines
# that reach a Debian mirror but no image registry. They have the versions of their tags (Python 3.13,
# PostgreSQL 17, Valkey 8, RabbitMQ 4; Node is this machine's; versitygw is built from its source, with
# Go) and test our files, not the official images.
# Usage: compose-base-images.sh SCRATCH_FOLDER IMAGE...
set -eu

work="$1"
shift

mirror="$(sed -n -E 's/^(URIs: *|deb +(\[[^]]*\] +)?)(https?:[^ ]+\/debian)\/?( .*)?$/\3/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)"
[ -n "$mirror" ] || { echo "no Debian mirror in /etc/apt" >&2; exit 1; }

if ! docker image inspect debian:trixie-slim >/dev/null 2>&1; then
    echo "  debian:trixie-slim"
    debootstrap --variant=minbase --include=ca-certificates trixie "$work/trixie" "$mirror" \
        >"$work/debootstrap.log" 2>&1 || { tail -n 5 "$work/debootstrap.log" >&2; exit 1; }
    tar -C "$work/trixie" -c . | docker import - debian:trixie-slim >/dev/null
    rm -rf "$work/trixie"
fi

build() { # build TAG: Dockerfile on stdin, files in $work/context
    echo "  $1"
    cat >"$work/context/Dockerfile"
    docker build --quiet --network host --tag "$1" "$work/context" >"$work/base.log" 2>&1 || {
        tail -n 30 "$work/base.log" >&2
        exit 1
    }
}

for image in "$@"; do
    rm -rf "$work/context"
    mkdir "$work/context"
    # This machine's certificates: the one that signs its way out may be a private one.
    cp /etc/ssl/certs/ca-certificates.crt "$work/context/ca.crt"
    case "$image" in
    python:*)
        build "$image" <<'D'
FROM debian:trixie-slim
RUN apt-get -qq update && apt-get -qq install -y --no-install-recommends python3 python3-venv \
    && python3 -m venv /usr/local && rm -rf /var/lib/apt/lists/*
COPY ca.crt /etc/ssl/certs/ca-certificates.crt
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt PIP_CERT=/etc/ssl/certs/ca-certificates.crt
CMD ["python3"]
D
        ;;
    node:*)
        mkdir -p "$work/context/node/bin" "$work/context/node/lib/node_modules"
        cp "$(readlink -f "$(command -v node)")" "$work/context/node/bin/node"
        npm_folder="$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")"
        cp -RL "$npm_folder" "$work/context/node/lib/node_modules/npm"
        build "$image" <<'D'
FROM debian:trixie-slim
RUN apt-get -qq update && apt-get -qq install -y --no-install-recommends libatomic1 libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
COPY node/ /usr/local/
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
    && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx && node --version && npm --version
COPY ca.crt /etc/ssl/certs/ca-certificates.crt
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
D
        ;;
    postgres:*)
        cat >"$work/context/entry" <<'D'
#!/bin/sh
# As the official image does: make the data folder once, with the user, database and password.
set -eu
export PGDATA=/var/lib/postgresql/data PATH="/usr/lib/postgresql/17/bin:$PATH"
if [ "$1" = postgres ] && [ ! -s "$PGDATA/PG_VERSION" ]; then
    printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
    initdb --username "$POSTGRES_USER" --encoding UTF8 --locale C.UTF-8 \
        --auth-host scram-sha-256 --auth-local trust --pwfile /tmp/password
    rm /tmp/password
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    pg_ctl start --wait --options "-c listen_addresses=''"
    [ "$POSTGRES_DB" = postgres ] || createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
    for script in /docker-entrypoint-initdb.d/*.sh; do [ ! -f "$script" ] || sh "$script"; done
    pg_ctl stop --wait --mode fast
fi
exec "$@" -c listen_addresses='*'
D
        build "$image" <<'D'
FROM debian:trixie-slim
RUN apt-get -qq update && apt-get -qq install -y --no-install-recommends postgresql-common \
    && sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
    && apt-get -qq install -y --no-install-recommends postgresql-17 && rm -rf /var/lib/apt/lists/* \
    && install -d -o postgres -g postgres -m 0700 /var/lib/postgresql/data \
    && install -d -o postgres -g postgres -m 3777 /var/run/postgresql
COPY --chmod=0755 entry /usr/local/bin/entry
ENV PATH=/usr/lib/postgresql/17/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["entry"]
CMD ["postgres"]
D
        ;;
    valkey/valkey:*)
        build "$image" <<'D'
FROM debian:trixie-slim
RUN apt-get -qq update && apt-get -qq install -y --no-install-recommends valkey-server valkey-tools \
    && rm -rf /var/lib/apt/lists/* && install -d -o valkey -g valkey -m 0755 /data
WORKDIR /data
VOLUME /data
CMD ["valkey-server"]
D
        ;;
    rabbitmq:*)
        build "$image" <<'D'
FROM debian:trixie-slim
RUN echo 'exit 101' >/usr/sbin/policy-rc.d && chmod 0755 /usr/sbin/policy-rc.d \
    && apt-get -qq update && apt-get -qq install -y --no-install-recommends rabbitmq-server \
    && rm -rf /var/lib/apt/lists/* /var/lib/rabbitmq/*
ENV RABBITMQ_LOGS=- HOME=/var/lib/rabbitmq PATH=/usr/lib/rabbitmq/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
VOLUME /var/lib/rabbitmq
CMD ["rabbitmq-server"]
D
        ;;
    versity/versitygw:*) # the program itself, built from its source
        go="$(command -v go || echo /usr/local/go/bin/go)"
        GOBIN="$work/context" CGO_ENABLED=0 "$go" install \
            "github.com/versity/versitygw/cmd/versitygw@${image##*:}" >"$work/go.log" 2>&1 || {
            tail -n 5 "$work/go.log" >&2
            exit 1
        }
        build "$image" <<'D'
FROM debian:trixie-slim
COPY versitygw /app/versitygw
ENTRYPOINT ["/app/versitygw"]
D
        ;;
    *)
        echo "no stand-in is known for $image" >&2
        exit 1
        ;;
    esac
done
