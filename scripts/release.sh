#!/bin/bash
# release.sh [FOLDER]: a release's files, in FOLDER (by default .build/release-files): the Debian package, the archive, the source, the
# JavaScript client, the list of parts (SPDX), the notes, and the checksums of all of these. Its number is the binary's. The tree must
# be committed, and a tag at this commit must have that number. A former release in FOLDER is replaced when all is made.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.build/release-files}
fail() { echo "release: $*" >&2; exit 1; }
[ ! -e "$folder" ] || [ -d "$folder" ] || fail "$folder is no folder"
[ ! -d "$folder" ] || [ -z "$(ls -A "$folder")" ] || [ -e "$folder/SHA256SUMS" ] || fail "$folder has files, and none of a release"
[ -z "$(git status --porcelain)" ] || fail 'there are changes that are not committed'
make release-binary SWIFT="${SWIFT:-swift}"
binary=.build/release/tablecast
version=$("$binary" --version)
tag=$(git tag --points-at HEAD | grep -E '^[0-9]+\.[0-9]+\.[0-9]+$' || true)
[ -z "$tag" ] || [ "$tag" = "$version" ] || fail "the tag is $tag, the binary $version"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
target=$folder
mkdir -p "$(dirname "$target")"
folder=$(mktemp -d "$(dirname "$target")/release.XXXXXX")
trap 'rm -rf "$folder"' EXIT
chmod 0755 "$folder"

# This release's part of the changelog.
awk -v heading="## $version" '$0 == heading { found = 1; next } /^## / { found = 0 } found' CHANGELOG.md | sed '1{/^$/d}' >"$folder/NOTES.md"
[ -s "$folder/NOTES.md" ] || fail "CHANGELOG.md has nothing under $version"
./packaging/make-deb.sh "$binary" "$folder"
./packaging/make-tarball.sh "$binary" "$folder"
./scripts/sbom.py "$binary" "$folder/tablecast-$version.spdx.json"
git archive --format=tar --prefix="tablecast-$version-source/" HEAD | xz -9 --threads=1 >"$folder/tablecast-$version-source.tar.xz"
(cd Clients/JavaScript && tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
  --transform 's#^\.#package#' --exclude ./test . | gzip -9n) >"$folder/tablecast-$version.tgz"
install -m 0644 Sources/TableService/Resources/openapi.json "$folder/tablecast-$version.openapi.json"
(cd "$folder" && LC_ALL=C find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
rm -rf "$target"
mv "$folder" "$target"
ls -l "$target"
