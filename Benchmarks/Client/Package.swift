// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as an app's would be: without the server's trait nothing but the client is built.
let package = Package(
  name: "client-benchmarks",
  platforms: [.macOS(.v12)],
  dependencies: [.package(name: "tablecast", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "ClientBenchmarks",
      dependencies: [
        .product(name: "TablecastClient", package: "tablecast"),
        .product(name: "TablecastTesting", package: "tablecast"),
        .product(name: "TablecastUI", package: "tablecast"),
      ]
    )
  ]
)
