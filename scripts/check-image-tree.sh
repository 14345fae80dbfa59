#!/bin/bash
# check-image-tree.sh BINARY: runs the image's tree without an engine for containers: the binary and the libraries that it
# is linked with, no shell, everything read-only but the volume, as the image's user. Needs root, for unshare and chroot.
set -euo pipefail
binary=$(realpath "$1")
root=$(mktemp -d)
chmod 0755 "$root"
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/usr/local/bin "$root"/etc/tablecast "$root"/etc/ssl/certs "$root"/var/lib/tablecast "$root"/proc
cp "$binary" "$root"/usr/local/bin/tablecast
for library in $(ldd "$binary" | grep -o '/[^ ]*'); do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
cp -L /etc/ssl/certs/ca-certificates.crt "$root"/etc/ssl/certs/
echo 'tablecast:x:10001:10001::/nonexistent:/usr/sbin/nologin' > "$root"/etc/passwd
port=$((20000 + RANDOM % 20000))
cat > "$root"/etc/tablecast/tablecast.yaml <<YAML
listen: 127.0.0.1:$port
store: {path: /var/lib/tablecast/tables.sqlite}
tables: {todo: {source: {local: {items: [{title: A}]}}}}
YAML
chown 10001:10001 "$root"/var/lib/tablecast
chmod 0700 "$root"/var/lib/tablecast

unshare --mount bash -euo pipefail -s "$root" "http://127.0.0.1:$port" <<'INSIDE'
root=$1 url=$2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root"/proc
mount --bind "$root"/var/lib/tablecast "$root"/var/lib/tablecast
mount -o remount,bind,rw "$root"/var/lib/tablecast
tablecast=(chroot --userspec=10001:10001 "$root" /usr/local/bin/tablecast)
"${tablecast[@]}" serve --config /etc/tablecast/tablecast.yaml &
service=$!
trap 'kill "$service" 2>/dev/null || true' EXIT
for _ in $(seq 100); do "${tablecast[@]}" health --url "$url" 2>/dev/null && break; sleep 0.2; done
"${tablecast[@]}" health --url "$url"
curl --silent --fail --output /dev/null --json '{"title":"B"}' "$url"/v1/tables/todo/items
grep --quiet '^Uid:\s*10001' /proc/$service/status
grep --quiet '^CapEff:\s*0*$' /proc/$service/status
if touch "$root"/etc/written 2>/dev/null; then echo 'the root is not read-only' >&2; exit 1; fi
if find "$root"/var/lib/tablecast -type f ! -perm 600 | grep .; then echo 'readable by others' >&2; exit 1; fi
kill -TERM "$service"
wait "$service"
trap - EXIT
echo 'the tree serves, is healthy, takes an edit and ends in order'
INSIDE
