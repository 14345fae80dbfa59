#!/bin/bash
# lean-libraries.sh FOLDER: builds libcurl and libpq from the sources of the Debian packages that are installed here, without
# what Tablecast never uses (Kerberos, LDAP, SSH, RTMP, FTP, mail …), and puts libcurl.so.4 and libpq.so.5 into FOLDER.
# They have the names and versions of Debian's, so that a binary linked with those loads these as well.
# Does nothing where FOLDER has them of the same versions.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(realpath "$1")
./scripts/install-system-packages.sh dpkg-dev build-essential libnghttp2-dev zlib1g-dev patchelf

curl_version=$(dpkg-query -W -f '${source:Version}' libcurl4-openssl-dev)
postgres_version=$(dpkg-query -W -f '${source:Version}' libpq-dev)
postgres_source=$(dpkg-query -W -f '${source:Package}' libpq-dev)
wanted="curl $curl_version
$postgres_source $postgres_version"
[ "$(cat "$folder/VERSIONS" 2>/dev/null || true)" != "$wanted" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# apt's own lists stay as they are: the lists of sources are beside them.
mkdir -p "$work"/{sources.list.d,lists/partial,src}
for list in /etc/apt/sources.list.d/*.sources; do
  [ -e "$list" ] || continue
  sed 's/^Types:.*/Types: deb-src/' "$list" >"$work/sources.list.d/$(basename "$list")"
done
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -e "$list" ] || continue
  sed -n 's/^deb /deb-src /p' "$list" >"$work/sources.list.d/$(basename "$list" .list)-source.list"
done
# Of other repositories than the distribution's nothing is needed.
for list in "$work"/sources.list.d/*; do
  [ -e "$list" ] || continue
  grep --quiet --ignore-case --extended-regexp 'debian|ubuntu' "$list" || rm -- "$list"
done
apt=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/sources.list.d" -o "Dir::State::Lists=$work/lists"
  -o "Dir::Cache::srcpkgcache=" -o "Dir::Cache::pkgcache=" -o Acquire::Languages=none -o "APT::Sandbox::User=root" -qq)
say() { echo "lean-libraries: $*" >&2; }
say "fetching the sources of $(echo $wanted)"
# A list that can't be had does no harm as long as the two sources can.
apt-get "${apt[@]}" update >"$work/apt.log" 2>&1 || true
(cd "$work/src" && apt-get "${apt[@]}" source "curl=$curl_version" "$postgres_source=$postgres_version") >>"$work/apt.log" 2>&1 || {
  cat "$work/apt.log" >&2
  say "no source of $(echo $wanted): the packages here may be older than what the archive has (apt-get upgrade)"
  exit 1
}
export CFLAGS='-O2 -g0 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIC' LDFLAGS='-Wl,-z,relro,-z,now,-O1,--as-needed'
jobs=$(nproc)

say 'building libcurl: HTTP, HTTP/2, TLS'
cd "$work"/src/curl-*/
# The last patches make of it what Debian builds with other TLS libraries, under other versions of its symbols.
for flavour in $(sed -n '/^[0-9]*_\(gnutls\|nss\)\.patch/p' debian/patches/series | tac); do
  patch --reverse --strip=1 --silent <"debian/patches/$flavour"
done
./configure --quiet --disable-static --enable-shared --enable-versioned-symbols --enable-threaded-resolver \
  --with-openssl --with-nghttp2 --with-zlib --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt --with-ca-path=/etc/ssl/certs \
  --without-brotli --without-zstd --without-libidn2 --without-libpsl --without-librtmp --without-libssh --without-libssh2 \
  --without-gssapi --disable-ldap --disable-ldaps --disable-ftp --disable-file --disable-rtsp --disable-dict --disable-telnet \
  --disable-tftp --disable-pop3 --disable-imap --disable-smb --disable-smtp --disable-gopher --disable-mqtt --disable-ntlm \
  --disable-manual --disable-alt-svc >"$work/curl.log" 2>&1 &&
  make --quiet -j"$jobs" -C lib >>"$work/curl.log" 2>&1 || { tail -40 "$work/curl.log" >&2; exit 1; }
install -m 0644 -s lib/.libs/libcurl.so.4 "$folder/libcurl.so.4"

say 'building libpq: TLS'
cd "$work"/src/postgresql-*/
./configure --quiet --without-readline --without-zlib --without-gssapi --without-ldap --without-icu --with-ssl=openssl \
  >"$work/pq.log" 2>&1 &&
  make --quiet -j"$jobs" -C src/backend generated-headers >>"$work/pq.log" 2>&1 &&
  make --quiet -j"$jobs" -C src/interfaces/libpq all-shared-lib >>"$work/pq.log" 2>&1 || { tail -40 "$work/pq.log" >&2; exit 1; }
install -m 0644 -s src/interfaces/libpq/libpq.so.5 "$folder/libpq.so.5"
# The one folder that it was to be installed in says nothing here.
patchelf --remove-rpath "$folder/libpq.so.5"
echo "$wanted" >"$folder/VERSIONS"
say "made $(cd "$folder" && du -h libcurl.so.4 libpq.so.5 | tr '\n\t' '  ')"
