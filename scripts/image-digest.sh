#!/bin/sh
# image-digest.sh IMAGE: the image's name with the digest that its tag has now.
set -eu
digest=$(docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}')
name=${1%@*}
# A colon before the last slash is that of the registry's port.
case "${name##*/}" in *:*) name=${name%:*} ;; esac
echo "$name@$digest"
