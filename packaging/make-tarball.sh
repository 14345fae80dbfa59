#!/bin/bash
# make-tarball.sh BINARY FOLDER [LEAN]: makes FOLDER/tablecast-VERSION-linux-ARCH.tar.xz of a built binary. It runs on Linux
# with glibc 2.36 or newer (Debian 12, Debian 13, Ubuntu 24.04) without another package: the libraries that these have in other
# versions or not at all lie beside the binary, and its search path begins with `$ORIGIN/../lib/tablecast`. Of the system it takes the C
# library alone. XZ_LEVEL=1 is quicker than 9. libcurl and libpq are built lean (lean-libraries.sh); LEAN is where they are or are to be.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
lean=${3:-$root/.build/lean}
version=$("$binary" --version)
"$root/scripts/install-system-packages.sh" patchelf xz-utils
"$here/lean-libraries.sh" "$lean"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=tablecast-$version-linux-$(uname -m)
"$here/stage.sh" "$binary" "$work/staged"
mv "$work/staged/usr" "$work/$name"
"$here/bundle-libraries.sh" "$work/$name/bin/tablecast" "$work/$name/lib/tablecast" "$lean"

documentation=$work/$name/share/doc/tablecast
"$root/scripts/sbom.py" "$binary" "$documentation/tablecast.spdx.json" "$lean"
install -m 0644 "$root/LICENSE" "$root/CHANGELOG.md" "$root/UPGRADING.md" "$work/$name/"
install -m 0644 "$here/tablecast.yaml" "$work/$name/tablecast.yaml"
install -D -m 0644 "$here/tablecast.service" "$documentation/examples/tablecast.service"
install -D -m 0644 "$here/tablecast.sysusers" "$documentation/examples/sysusers.conf"
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --directory "$work" "$name" |
  xz "-${XZ_LEVEL:-9}" --threads=1 >"$folder/$name.tar.xz"
echo "$folder/$name.tar.xz"
