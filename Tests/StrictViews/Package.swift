// swift-tools-version: 6.2
import PackageDescription

// TablecastUITests once more, for the long run with optimisation, which needs nothing else of this repository's tests.
let package = Package(
  name: "strict-views",
  platforms: [.macOS(.v12)],
  dependencies: [.package(name: "tablecast", path: "../..", traits: [])],
  targets: [
    .testTarget(
      name: "StrictViewTests",
      dependencies: [
        "JSON", "TableDiff", "TableEncoding", "TableModel", "TablecastClient", "TablecastTesting", "TablecastUI",
      ]
      .map { .product(name: $0, package: "tablecast") }
    )
  ]
)
