#!/bin/bash
# check-image-tree.sh BINARY [LEAN]: runs the image's tree (packaging/make-root.sh) without an engine for containers: no shell,
# everything read-only but the volume, as the image's user; and the HTTP cases against it. Needs root, for unshare and chroot.
set -euo pipefail
binary=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
chmod 0755 "$root"
trap 'rm -rf "$root"' EXIT
"$here/../packaging/make-root.sh" "$binary" "$root" ${2:+"$2"}
echo "the tree: $(du --summarize --block-size=1M --apparent-size "$root" | cut -f1) MB, compressed $(tar --create --directory "$root" . |
  gzip | wc -c | awk '{ printf "%.1f", $1 / 1e6 }') MB"
port=$(python3 -c 'import socket; one = socket.socket(); one.bind(("127.0.0.1", 0)); print(one.getsockname()[1])')
cat > "$root"/etc/tablecast/tablecast.yaml <<YAML
listen: 127.0.0.1:$port
store: {path: /var/lib/tablecast/tables.sqlite}
# As the HTTP cases want it: a table x that takes any item, time-outs of at most 10 s, and a list of tables worth compressing.
tables:
  todo: {source: {local: {items: [{title: A}]}}}
$(for name in x one two three four five six seven eight nine ten eleven twelve; do
  echo "  $name: {title: \"The table $name, which is one of many in a list\", source: {local: {items: []}}}"
done)
YAML
cases=$here/../../shared/http
[ -e "$cases/run_cases.py" ] || cases=

unshare --mount bash -euo pipefail -s "$root" "http://127.0.0.1:$port" "$cases" <<'INSIDE'
root=$1 url=$2 cases=$3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root"/proc
mount --bind "$root"/var/lib/tablecast "$root"/var/lib/tablecast
mount -o remount,bind,rw "$root"/var/lib/tablecast
tablecast=(chroot --userspec=10001:10001 "$root" /usr/bin/tablecast)
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
if [ -n "$cases" ]; then
  python3 "$cases/run_cases.py" 127.0.0.1 "${url##*:}" </dev/null | tail -3
fi
kill -TERM "$service"
wait "$service"
trap - EXIT
echo 'the tree serves, is healthy, takes an edit and ends in order'
INSIDE
