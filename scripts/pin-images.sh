#!/bin/sh
# Print the images of docker-compose.yml with the digests that the registry gives for them now, as
# lines for .env: what was tested is then what runs, whatever becomes of a tag.
# Usage: pin-images.sh >>.env
set -eu

cd "$(dirname "$0")/.."
sed -n -E 's/.*\$\{(PILEUP_[A-Z]+_IMAGE):-([^}]+)\}.*/\1 \2/p' docker-compose.yml docker-compose.*.yml |
    sort -u | while read -r name image; do
    digest="$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")" || {
        echo "pin-images: the registry gives no digest for $image; nothing is pinned" >&2
        exit 1
    }
    case "$digest" in
    sha256:*) echo "$name=$image@$digest" ;;
    *) echo "pin-images: $image has the digest '$digest', which is none" >&2; exit 1 ;;
    esac
done
