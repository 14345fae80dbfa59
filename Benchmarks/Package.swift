// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that measuring adds nothing to what the service is built from.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "tablecast", path: "..")],
  targets: [
    .executableTarget(
      name: "DiffBenchmarks",
      dependencies: [
        .product(name: "TableModel", package: "tablecast"),
        .product(name: "TableDiff", package: "tablecast"),
      ]
    )
  ]
)
