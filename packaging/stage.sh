#!/bin/bash
# stage.sh BINARY FOLDER: what all packages have, below FOLDER/usr: the stripped binary, manual page, completions, documentation.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
install -D -m 0755 "$binary" "$out/usr/bin/tablecast"
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$out/usr/bin/tablecast"

mkdir -p "$out"/usr/share/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
"$here/manual.py" "$binary" "$out/usr/share/man/man1/tablecast.1"
gzip -9n "$out/usr/share/man/man1/tablecast.1"
"$binary" --generate-completion-script bash | sed "1{/^#!/d}" >"$out/usr/share/bash-completion/completions/tablecast"
"$binary" --generate-completion-script zsh >"$out/usr/share/zsh/vendor-completions/_tablecast"
"$binary" --generate-completion-script fish >"$out/usr/share/fish/vendor_completions.d/tablecast.fish"

documentation=$out/usr/share/doc/tablecast
mkdir -p "$documentation/examples"
install -m 0644 "$here/copyright" "$documentation/copyright"
install -m 0644 "$root/config/schema.json" "$documentation/schema.json"
install -m 0644 "$root/config/reference.yaml" "$documentation/reference.yaml"
install -m 0644 "$root/deploy/nginx.conf" "$documentation/examples/nginx.conf"
find "$out" -type d -exec chmod 0755 {} +
find "$out/usr/share" -type f -exec chmod 0644 {} +
