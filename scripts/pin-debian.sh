#!/bin/sh
# pin-debian.sh [SNAPSHOT]: has apt take its packages from a day of snapshot.debian.org; without one, from where it does.
set -eu
[ -n "${1:-}" ] || exit 0
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
# A snapshot's signatures are as old as it is.
cat >/etc/apt/sources.list <<END
deb [check-valid-until=no] http://snapshot.debian.org/archive/debian/$1 bookworm main
deb [check-valid-until=no] http://snapshot.debian.org/archive/debian/$1 bookworm-updates main
deb [check-valid-until=no] http://snapshot.debian.org/archive/debian-security/$1 bookworm-security main
END
