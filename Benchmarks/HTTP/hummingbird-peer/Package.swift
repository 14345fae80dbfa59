// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "hummingbird-peer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1")
  ],
  targets: [
    .executableTarget(
      name: "hummingbird-peer",
      dependencies: [.product(name: "Hummingbird", package: "hummingbird")]
    )
  ]
)
