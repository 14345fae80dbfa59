// swift-tools-version: 6.1
import PackageDescription

// Every target of ours: Swift 6 language mode (from the tools version), warnings are errors.
let ours: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-warnings-as-errors"]),
]

let collections = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

let package = Package(
  name: "tablecast",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // The C faces of system libraries.
    .target(name: "CEventPoll"),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "CSimdJSON", cxxSettings: [.unsafeFlags(["-O3"])], linkerSettings: [.linkedLibrary("simdjson")]),

    .target(name: "TableModel", swiftSettings: ours),
    .target(name: "JSON", dependencies: ["CSimdJSON"], swiftSettings: ours),
    .target(name: "TableDiff", dependencies: ["TableModel"], swiftSettings: ours),
    .target(name: "TableEncoding", dependencies: ["TableModel", "JSON"], swiftSettings: ours),
    .target(
      name: "HTTPServer", dependencies: ["CEventPoll", "CZlib", collections, logging], swiftSettings: ours),
  ],
  cxxLanguageStandard: .cxx17
)
