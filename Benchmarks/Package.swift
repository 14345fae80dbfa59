// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that measuring adds nothing to what the service is built from.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "tablecast", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "DiffBenchmarks",
      dependencies: [
        .product(name: "TableModel", package: "tablecast"),
        .product(name: "TableDiff", package: "tablecast"),
      ]
    ),
    .executableTarget(
      name: "MappingBenchmarks",
      dependencies: [
        .product(name: "Definitions", package: "tablecast"),
        .product(name: "Expressions", package: "tablecast"),
        .product(name: "JSON", package: "tablecast"),
        .product(name: "TableMapping", package: "tablecast"),
        .product(name: "TableModel", package: "tablecast"),
      ]
    ),
    .executableTarget(
      name: "ExpressionBenchmarks",
      dependencies: [
        .product(name: "Expressions", package: "tablecast"),
        .product(name: "JSON", package: "tablecast"),
      ]
    ),
    .executableTarget(
      name: "StoreBenchmarks",
      dependencies: [
        .product(name: "JSON", package: "tablecast"),
        .product(name: "TableModel", package: "tablecast"),
        .product(name: "TableStore", package: "tablecast"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]
    ),
  ]
)
