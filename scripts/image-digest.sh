#!/bin/sh
# image-digest.sh IMAGE: the image's name with the digest that its tag has now.
set -eu
digest=$(docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}')
echo "${1%%:*}@$digest"
