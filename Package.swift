// swift-tools-version: 6.1
import PackageDescription

// Every target of ours: Swift 6 language mode (from the tools version), warnings are errors.
let ours: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-warnings-as-errors"]),
]

let package = Package(
  name: "tablecast",
  platforms: [.macOS(.v15)],
  targets: [
    .target(name: "TableModel", swiftSettings: ours)
  ]
)
