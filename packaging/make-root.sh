#!/bin/bash
# make-root.sh BINARY FOLDER [LEAN]: makes the container's file system in FOLDER: the binary, the libraries that it loads, the C
# library, certificate authorities, time zones, and a user. No shell, no package manager. LEAN is as in make-tarball.sh.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
lean=${3:-$root/.build/lean}
"$root/scripts/install-system-packages.sh" patchelf ca-certificates tzdata
"$here/lean-libraries.sh" "$lean"
install -D -m 0755 "$binary" "$out/usr/bin/tablecast"
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$out/usr/bin/tablecast"
"$here/bundle-libraries.sh" "$out/usr/bin/tablecast" "$out/usr/lib/tablecast" "$lean"
# The C library where the binary names its loader; resolv is what names are looked up by.
ldd "$out/usr/bin/tablecast" | grep -o '/[^ )]*' | grep -E '/(ld-linux[^/]*|lib(c|m|dl|pthread|rt|resolv|util)\.so\.[0-9]+)$' |
  sort -u | while read -r library; do install -D -m 0755 "$library" "$out$library"; done
install -D -m 0644 /etc/ssl/certs/ca-certificates.crt "$out/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$out"/{etc/tablecast,proc,dev,tmp,var/lib/tablecast,usr/share}
cp -r --dereference /usr/share/zoneinfo "$out/usr/share/zoneinfo"
rm -rf "$out"/usr/share/zoneinfo/{posix,right,tzdata.zi,leap-seconds.list,leapseconds}
printf 'root:x:0:0::/nonexistent:/nonexistent\ntablecast:x:10001:10001::/var/lib/tablecast:/nonexistent\n' >"$out/etc/passwd"
printf 'root:x:0:\ntablecast:x:10001:\n' >"$out/etc/group"
printf 'hosts: files dns\npasswd: files\ngroup: files\n' >"$out/etc/nsswitch.conf"
"$root/scripts/sbom.py" "$binary" "$out/usr/share/tablecast.spdx.json" "$lean"
chmod 1777 "$out/tmp"
chmod 0700 "$out/var/lib/tablecast"
if [ "$(id -u)" = 0 ]; then chown 10001:10001 "$out/var/lib/tablecast"; fi
