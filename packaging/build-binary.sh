#!/bin/bash
# build-binary.sh FOLDER: builds .build/release/tablecast as packages have it: Swift's library is linked in, with the ICU data that Tablecast
# uses (lean-icu.py, made in FOLDER), without exported symbols, and with relative relocations packed, which glibc reads since 2.36.
# Needs lld, which comes with Swift.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
data=$(realpath "$1")/icu-data.o
symbol=$(./packaging/lean-icu.py "$data")
flags=()
for flag in "--defsym=$symbol" "$data" --no-export-dynamic -z pack-relative-relocs; do flags+=(-Xlinker "$flag"); done
# shellcheck disable=SC2086 # SWIFT may be a command with arguments.
${SWIFT:-swift} build --configuration release --product tablecast --static-swift-stdlib -Xswiftc -use-ld=lld "${flags[@]}"
