#!/bin/bash
# An app's view of this package: depends on a tagged clone by URL and version, without the server's trait, builds the
# client and uses it, and finds that no package of the server's was fetched.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet "$root" "$folder/tablecast"
git -C "$folder/tablecast" tag 99.0.0
mkdir -p "$folder/app/Sources/App"
cat > "$folder/app/Package.swift" <<PACKAGE
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "app",
  platforms: [.iOS(.v15), .macOS(.v12)],
  dependencies: [.package(url: "file://$folder/tablecast", from: "99.0.0", traits: [])],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [
        .product(name: "TablecastClient", package: "tablecast"),
        .product(name: "TablecastUI", package: "tablecast"),
        .product(name: "TablecastTesting", package: "tablecast"),
      ]
    )
  ]
)
PACKAGE
cat > "$folder/app/Sources/App/main.swift" <<'MAIN'
import Foundation
import TablecastClient
import TablecastUI

guard let url = URL(string: "http://127.0.0.1:8080") else { exit(1) }
let client = TablecastClient(url: url, cells: AnyCell.self)
print(client.table("issues").address.name)
MAIN
cd "$folder/app"
"${SWIFT:-swift}" build
test "$("${SWIFT:-swift}" run --skip-build App)" = issues
fetched=$(ls .build/checkouts)
if [ "$fetched" != tablecast ]; then
  echo "an app fetches more than this package: $fetched" >&2
  exit 1
fi
if ls .build/debug/Modules | grep -E '^(TableService|HTTPServer|JSON|Upstream)\.swiftmodule$'; then
  echo "an app builds the server's modules" >&2
  exit 1
fi
echo "an app takes the client, and nothing of the server"
