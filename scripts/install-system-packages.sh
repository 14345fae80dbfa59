#!/bin/sh
# Installs the system packages that Tablecast builds with, where they are missing (Debian, Ubuntu).
# Silent and instant where all are present. Further package names may be given as arguments.
set -eu
[ "$(uname -s)" = Linux ] || exit 0
command -v dpkg-query >/dev/null 2>&1 || exit 0

missing=""
for package in libcurl4-openssl-dev libssl-dev zlib1g-dev libzstd-dev libpq-dev libre2-dev libsimdjson-dev libexpat1-dev libsqlite3-dev \
  pkg-config python3 "$@"; do
  case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)" in
    *"ok installed"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo DEBIAN_FRONTEND=noninteractive"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# A fresh image has no package lists yet; an old one has stale ones. Try without, then with an update.
if ! $as_root apt-get install -y -qq --no-install-recommends $missing >"$log" 2>&1; then
  $as_root apt-get update -qq >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  # shellcheck disable=SC2086
  $as_root apt-get install -y -qq --no-install-recommends $missing >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
