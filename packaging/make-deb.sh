#!/bin/bash
# make-deb.sh BINARY FOLDER [VERSION]: makes FOLDER/tablecast_VERSION_ARCH.deb of a built binary. It depends on the system's
# libraries, so that they get their security updates from there. VERSION: another one than the binary's, to test upgrades.
# COMPRESSION=gzip is quicker than xz. Times in it are SOURCE_DATE_EPOCH (by default the last commit's): on one system, the same binary
# makes the same bytes.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
version=${3:-$("$binary" --version)}
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
"$root/scripts/install-system-packages.sh" dpkg-dev
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
architecture=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 0755 "$work"
tree=$work/tree
"$here/stage.sh" "$binary" "$tree"

install -D -m 0644 "$here/tablecast.service" "$tree/usr/lib/systemd/system/tablecast.service"
install -D -m 0644 "$here/tablecast.sysusers" "$tree/usr/lib/sysusers.d/tablecast.conf"
install -D -m 0644 "$here/tablecast.yaml" "$tree/etc/tablecast/tablecast.yaml"
install -d -m 0700 "$tree/etc/tablecast/credentials"
install -D -m 0644 "$here/lintian-overrides" "$tree/usr/share/lintian/overrides/tablecast"
documentation=$tree/usr/share/doc/tablecast
{
  printf 'tablecast (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n' "$version"
  printf ' -- The Tablecast authors <maintainers@tablecast.example>  %s\n' "$(date --utc --date="@$SOURCE_DATE_EPOCH" -R)"
} | gzip -9n >"$documentation/changelog.gz"
chmod 0644 "$documentation/changelog.gz"

# The packages of what it is linked with, in the versions that have the symbols it uses.
mkdir -p "$work/debian"
printf 'Source: tablecast\n\nPackage: tablecast\nArchitecture: any\nDepends: ${shlibs:Depends}\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e"$tree/usr/bin/tablecast" 2>"$work/shlibdeps.log" | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { cat "$work/shlibdeps.log" >&2; exit 1; }

# In KiB: each file's size rounded up, and 1 for any other entry, as dpkg-gencontrol counts.
installed_size=$(find "$tree" -mindepth 1 -printf '%y %s\n' | awk '{ sum += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print sum }')
mkdir "$tree/DEBIAN"
cat >"$tree/DEBIAN/control" <<CONTROL
Package: tablecast
Version: $version
Architecture: $architecture
Maintainer: The Tablecast authors <maintainers@tablecast.example>
Installed-Size: $installed_size
Depends: $depends, ca-certificates, init-system-helpers (>= 1.54), systemd | systemd-standalone-sysusers | systemd-sysusers
Section: web
Priority: optional
Homepage: https://tablecast.example/
Description: serves live table view-models over HTTP
 Tablecast reads items from HTTP APIs, or stores them itself, and serves them
 as sections of typed cells. Clients read a table once and follow it by long
 poll: each reply is one exact changeset that a table view can animate.
 .
 The package has the service with a systemd unit, and the command: it checks
 configurations, writes one for an API, generates typed cells for apps, and
 shows a table in the terminal.
CONTROL
echo /etc/tablecast/tablecast.yaml >"$tree/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 0755 "$here/$script" "$tree/DEBIAN/$script"; done
(cd "$tree" && find . -type f ! -path './DEBIAN/*' -printf '%P\n' | LC_ALL=C sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
chmod 0644 "$tree"/DEBIAN/{control,conffiles,md5sums}
find "$tree" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group --threads-max=1 "-Z${COMPRESSION:-xz}" --build "$tree" "$folder/tablecast_${version}_$architecture.deb" >/dev/null
echo "$folder/tablecast_${version}_$architecture.deb"
