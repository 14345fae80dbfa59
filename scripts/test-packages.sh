#!/bin/bash
# test-packages.sh DEB TARBALL [SUITE...]: tries the packages in fresh roots of debootstrap. The .deb on Debian's bookworm: install, serve,
# edit, upgrade from an older version, remove, purge. The tarball on each suite (by default Debian's bookworm and trixie, and Ubuntu's
# noble): unpack, serve, edit. Needs root. ROOTS: a folder that keeps the fresh roots for the next time.
set -euo pipefail
deb=$(realpath "$1")
tarball=$(realpath "$2")
shift 2
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie noble)
for suite in "${suites[@]}"; do
  case "$suite" in
    */*) echo "test-packages: $suite is a file, and no suite: one DEB and one TARBALL come first" >&2; exit 1 ;;
  esac
done
here=$(cd "$(dirname "$0")" && pwd)
"$here/install-system-packages.sh" debootstrap lintian curl
roots=${ROOTS:-$here/../.build/roots}
mkdir -p "$roots"
work=$(mktemp -d)
chmod 0755 "$work"
service=
tidy() {
  if [ -n "$service" ]; then
    kill -KILL "$service" 2>/dev/null || true
    wait "$service" 2>/dev/null || true
  fi
  umount --recursive --lazy "$work"/*/proc 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap tidy EXIT
trap 'exit 1' INT TERM HUP
say() { echo "test-packages: $*"; }
fail() { echo "test-packages: $*" >&2; exit 1; }

# Puts the keys of Ubuntu's archive into a folder: its package, by the checksum that it had when this was written.
ubuntu_keys() { # FOLDER
  curl --silent --show-error --fail --output "$work/keys.deb" \
    http://archive.ubuntu.com/ubuntu/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb
  echo "36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8  $work/keys.deb" | sha256sum --check --quiet
  dpkg-deb --extract "$work/keys.deb" "$1"
}

# A root as debootstrap leaves it, kept by suite.
fresh() { # SUITE FOLDER [PACKAGES]
  local kept=$roots/$1${3:+-with}
  if [ ! -e "$kept.done" ]; then
    rm -rf "$kept"
    # debootstrap may be older than an Ubuntu suite. All of these are made by one script, and Debian has no keys of theirs.
    local options=() from=()
    if [ "$1" = noble ]; then
      ubuntu_keys "$roots/ubuntu-keys"
      options=("--keyring=$roots/ubuntu-keys/usr/share/keyrings/ubuntu-archive-keyring.gpg")
      from=(http://archive.ubuntu.com/ubuntu gutsy)
    fi
    debootstrap --variant=minbase ${3:+--include="$3"} "${options[@]}" "$1" "$kept" "${from[@]}" >"$kept.log" 2>&1 || {
      tail -5 "$kept.log" >&2
      fail "no root of $1"
    }
    touch "$kept.done"
  fi
  cp -a "$kept" "$2"
  mount -t proc proc "$2/proc"
}

# Runs the service by COMMAND... in the root, as the user; then reads, edits and ends it.
serves() { # ROOT USER COMMAND...
  local root=$1 user=$2 port url
  shift 2
  port=$(python3 -c 'import socket; one = socket.socket(); one.bind(("127.0.0.1", 0)); print(one.getsockname()[1])')
  url=http://127.0.0.1:$port
  chroot --userspec="$user" "$root" env --chdir=/var/lib/tablecast "$@" --listen "127.0.0.1:$port" >"$work/log" 2>&1 &
  service=$!
  for _ in $(seq 150); do
    curl --silent --fail --output /dev/null "$url/readyz" && break
    kill -0 $service 2>/dev/null || { cat "$work/log" >&2; fail 'it ended'; }
    sleep 0.2
  done
  local cursor
  cursor=$(curl --silent --fail "$url/v1/tables/todo" | sed -n 's/.*"cursor":"\([^"]*\)".*/\1/p')
  [ -n "$cursor" ] || fail 'the table has no cursor'
  curl --silent --fail --output /dev/null --json '{"title":"Tried"}' "$url/v1/tables/todo/items" || fail 'no edit'
  curl --silent --fail "$url/v1/tables/todo/changes?after=$cursor&wait=5" | grep --quiet Tried || fail 'no changeset'
  rows=$(curl --silent --fail "$url/v1/tables/todo" | grep --only-matching '"title":"Tried"' | wc -l)
  kill -TERM $service
  wait $service || { cat "$work/log" >&2; fail 'it did not end in order'; }
  service=
}

say "lintian $(lintian --version | sed 's/.*v//')"
lintian --fail-on error,warning --allow-root --no-tag-display-limit "$deb" || fail 'lintian finds fault'
# What says how much of the system the service may reach; 10 is everything.
dpkg-deb --fsys-tarfile "$deb" | tar --extract --directory "$work" ./usr/lib/systemd/system/tablecast.service
exposure=$(systemd-analyze security --offline=yes --no-pager "$work/usr/lib/systemd/system/tablecast.service" |
  sed -n 's/.*Overall exposure level[^:]*: \([0-9.]*\).*/\1/p')
awk -v found="$exposure" 'BEGIN { exit !(found != "" && found <= 2.5) }' || fail "systemd-analyze security: $exposure"
say "systemd-analyze security: $exposure"

say '.deb on bookworm'
root=$work/deb
fresh bookworm "$root"
before() { (cd "$root" && find etc usr var lib -xdev \( -path var/lib/dpkg -o -path var/log -o -path var/cache -o -path var/lib/apt \
  -o -path var/lib/systemd -o -path usr/share/mime \) -prune -o -print | LC_ALL=C sort); }
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"; }
quietly() { "$@" >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log" >&2; fail "$*"; }; }
quietly inside apt-get update
older=$(COMPRESSION=gzip "$here/../packaging/make-deb.sh" "${BINARY:-$here/../.build/release/tablecast}" "$work" 0.9.0~test1)
cp "$older" "$root/tmp/older.deb"
cp "$deb" "$root/tmp/newer.deb"
# What it depends on first: that stays when it goes.
depends=$(dpkg-deb --field "$deb" Depends | tr ',' '\n' | sed 's/|.*//; s/(.*//' | tr '\n' ' ')
# shellcheck disable=SC2086
quietly inside apt-get install -y -qq --no-install-recommends $depends
before >"$work/before"
users=$(cat "$root/etc/passwd" "$root/etc/group")
quietly inside apt-get install -y -qq --no-install-recommends /tmp/older.deb
[ "$(inside dpkg-query -W -f '${Version}' tablecast)" = 0.9.0~test1 ] || fail 'the older version is not installed'
[ "$(stat -c %U:%a "$root/etc/tablecast/credentials")" = root:700 ] || fail 'credentials are readable'
[ "$(inside stat -c %U:%a /var/lib/tablecast)" = tablecast:700 ] || fail 'the state is not its own'
inside sh -c 'test -L /etc/systemd/system/multi-user.target.wants/tablecast.service' || fail 'not enabled'
command=(/usr/bin/tablecast serve --config /etc/tablecast/tablecast.yaml)
serves "$root" tablecast:tablecast "${command[@]}"
[ "$rows" = 1 ] || fail "$rows rows"
echo '# the administrator was here' >>"$root/etc/tablecast/tablecast.yaml"
quietly inside apt-get install -y -qq --no-install-recommends /tmp/newer.deb
[ "$(inside dpkg-query -W -f '${Version}' tablecast)" = "$(dpkg-deb --field "$deb" Version)" ] || fail 'not upgraded'
grep --quiet 'the administrator was here' "$root/etc/tablecast/tablecast.yaml" || fail 'the upgrade took the configuration'
serves "$root" tablecast:tablecast "${command[@]}"
[ "$rows" = 2 ] || fail "the upgrade lost rows: $rows"
for shell in bash-completion/completions/tablecast zsh/vendor-completions/_tablecast fish/vendor_completions.d/tablecast.fish; do
  [ -s "$root/usr/share/$shell" ] || fail "no completion $shell"
done
quietly inside apt-get remove -y -qq tablecast
[ -e "$root/etc/tablecast/tablecast.yaml" ] && [ -e "$root/var/lib/tablecast/tablecast.sqlite" ] || fail 'removal took what is to stay'
quietly inside apt-get purge -y -qq tablecast
before >"$work/after"
diff "$work/before" "$work/after" || fail 'purge leaves something, or takes too much'
[ "$users" = "$(cat "$root/etc/passwd" "$root/etc/group" | grep -v '^tablecast:')" ] || fail 'purge changes other users'
grep --quiet '^tablecast:.*:/usr/sbin/nologin$' "$root/etc/passwd" || fail 'purge takes the user, which may own files elsewhere'
grep --quiet '^tablecast:[!*]' "$root/etc/shadow" || fail 'the user that stays is not locked'
say 'installed, served, edited, upgraded, removed, purged: nothing is left but the locked user'

for suite in "${suites[@]}"; do
  say "tarball on $suite"
  root=$work/$suite
  fresh "$suite" "$root"
  mkdir -p "$root/opt" "$root/var/lib/tablecast"
  tar --extract --file "$tarball" --directory "$root/opt"
  folder=$(cd "$root" && ls -d opt/tablecast-*)
  chown 10001:10001 "$root/var/lib/tablecast"
  if chroot "$root" /lib64/ld-linux-x86-64.so.2 --list "/$folder/bin/tablecast" | grep 'not found'; then fail 'a library is missing'; fi
  serves "$root" 10001:10001 "/$folder/bin/tablecast" serve --config "/$folder/tablecast.yaml"
  [ "$rows" = 1 ] || fail "$rows rows"
  say "served and edited on $suite: $(chroot "$root" "/$folder/bin/tablecast" --version)"
done
say 'all is well'
