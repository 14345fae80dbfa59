// swift-tools-version: 6.2
import PackageDescription

// The adapters of TablecastUI compiled and driven on Linux, against stand-ins for UIKit and AppKit: `canImport` is true
// for a target of that name. In a package of their own, so that no app ever sees a module named UIKit that isn't.
let package = Package(
  name: "adapter-tests",
  platforms: [.iOS(.v15), .macOS(.v12)],
  dependencies: [.package(name: "tablecast", path: "../..", traits: [])],
  targets: [
    .target(name: "UIKit"),
    .target(name: "AppKit"),
    .target(name: "SwiftUI"),
    .target(
      name: "Adapters",
      dependencies: ["UIKit", "AppKit", "SwiftUI", .product(name: "TablecastClient", package: "tablecast")],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
      ]
    ),
    // An app as it is in Examples, which knows the adapters by their own name.
    .executableTarget(
      name: "TasksExample",
      dependencies: ["SwiftUI", "Adapters", .product(name: "TablecastClient", package: "tablecast")],
      swiftSettings: [.unsafeFlags(["-module-alias", "TablecastUI=Adapters"])]
    ),
    .testTarget(
      name: "AdapterTests",
      dependencies: ["UIKit", "AppKit", "Adapters", .product(name: "TablecastTesting", package: "tablecast")]
    ),
  ]
)
