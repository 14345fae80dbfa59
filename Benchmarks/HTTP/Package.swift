// swift-tools-version: 6.1
import PackageDescription

// The load tool is C: it must cost less than what it measures.
let package = Package(
  name: "http-benchmarks",
  targets: [
    .executableTarget(name: "http-load", cSettings: [.unsafeFlags(["-O2", "-Wall"])]),
    .executableTarget(name: "bare-sends", cSettings: [.unsafeFlags(["-O2", "-Wall"])]),
  ]
)
