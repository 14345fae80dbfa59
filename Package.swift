// swift-tools-version: 6.2
import PackageDescription

// Every target of ours: Swift 6 language mode (from the tools version), warnings are errors.
let ours: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-warnings-as-errors"]),
]

// The packages that the server needs: an app that depends on this package with `traits: []` fetches none of them.
let server = TargetDependencyCondition.when(traits: ["Server"])
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser",
  condition: server
)
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections", condition: server)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift", condition: server)
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift", condition: server)
let hashTrees = Target.Dependency.product(name: "HashTreeCollections", package: "swift-collections", condition: server)
let logging = Target.Dependency.product(name: "Logging", package: "swift-log", condition: server)
let yams = Target.Dependency.product(name: "Yams", package: "Yams", condition: server)

// Plural rules, collation and folding, by the ICU that Foundation brings: a second one would cost 36 MB.
let foundationICU: [LinkerSetting] = [.linkedLibrary("_FoundationICU")]

// What apps take: no flags that the package manager refuses in a dependency, and nothing of the server's.
let forApps: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "tablecast",
  platforms: [.iOS(.v15), .macOS(.v12)],
  products: [
    // For apps.
    .library(name: "TablecastClient", targets: ["TablecastClient"]),
    .library(name: "TablecastUI", targets: ["TablecastUI"]),
    .library(name: "TablecastTesting", targets: ["TablecastTesting"]),
    .executable(name: "tablecast", targets: ["tablecast"]),
    // What the benchmarks measure, and what the client's long trial takes for the service.
    .library(name: "Definitions", targets: ["Definitions"]),
    .library(name: "Expressions", targets: ["Expressions"]),
    .library(name: "JSON", targets: ["JSON"]),
    .library(name: "TableDiff", targets: ["TableDiff"]),
    .library(name: "TableEncoding", targets: ["TableEncoding"]),
    .library(name: "TableMapping", targets: ["TableMapping"]),
    .library(name: "TableModel", targets: ["TableModel"]),
    .library(name: "TableStore", targets: ["TableStore"]),
  ],
  traits: [
    .default(enabledTraits: ["Server"]),
    .trait(name: "Server", description: "The service and its command, for Linux."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // The C faces of system libraries.
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "CEventPoll"),
    .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CZstd", linkerSettings: [.linkedLibrary("zstd")]),
    .target(name: "CJSONMembers", cSettings: [.unsafeFlags(["-O3"])]),
    .target(name: "CSimdJSON", cxxSettings: [.unsafeFlags(["-O3"])], linkerSettings: [.linkedLibrary("simdjson")]),

    .target(name: "Digests", dependencies: ["CCrypto"], swiftSettings: ours),
    .target(name: "LongWork", dependencies: ["CEventPoll"], swiftSettings: ours),
    .target(name: "Queues", dependencies: [deque], swiftSettings: ours),
    .target(name: "TableModel", dependencies: ["FieldValues", "LongWork"], swiftSettings: ours),
    .target(name: "FieldValues", swiftSettings: ours),
    .target(name: "Patterns", dependencies: ["CRE2"], swiftSettings: ours),
    .target(
      name: "JSON",
      dependencies: ["CJSONMembers", "CSimdJSON", "FieldValues", "LongWork"],
      swiftSettings: ours
    ),
    .target(
      name: "Expressions",
      dependencies: ["FieldValues", "JSON"],
      swiftSettings: ours,
      linkerSettings: foundationICU
    ),
    // Who asks: signed tokens, and their issuers' keys.
    .target(name: "Identity", dependencies: ["CCrypto", "Digests", "FieldValues", "JSON"], swiftSettings: ours),
    .target(
      name: "Definitions",
      dependencies: ["Expressions", "FieldValues", "JSON", "LongWork", "Patterns", "TableModel"],
      swiftSettings: ours
    ),
    .target(name: "TableDiff", dependencies: ["FieldValues", "TableModel"], swiftSettings: ours),
    .target(
      name: "TableFinding",
      dependencies: ["Digests", "TableDiff", "TableModel"],
      swiftSettings: ours,
      linkerSettings: foundationICU
    ),
    .target(
      name: "TableEncoding",
      dependencies: ["Definitions", "Expressions", "JSON", "TableModel"],
      swiftSettings: ours
    ),
    .target(
      name: "TableMapping",
      dependencies: [
        "Definitions", "Expressions", "FieldValues", "JSON", "LongWork", "TableEncoding", "TableFinding", "TableModel",
        hashTrees,
      ],
      swiftSettings: ours,
      linkerSettings: foundationICU
    ),
    .target(
      name: "HTTPServer",
      dependencies: ["CEventPoll", "CZlib", "CZstd", "FieldValues", "LongWork", deque, logging],
      swiftSettings: ours
    ),
    .target(
      name: "Configuration",
      dependencies: ["Definitions", "Digests", "Expressions", "FieldValues", "JSON", "Patterns", "TableModel", yams],
      swiftSettings: ours
    ),
    .target(
      name: "Upstream",
      dependencies: [
        "CCurl", "CExpat", "Definitions", "Digests", "Expressions", "FieldValues", "JSON", "Queues", "TableModel",
        deque,
      ],
      swiftSettings: ours
    ),
    .target(
      name: "TableStore",
      dependencies: [
        "CPQ", "CSQLite", "FieldValues", "JSON", "Queues", "TableDiff", "TableModel", deque, hashTrees, grdb, sqlite,
        logging,
      ],
      swiftSettings: ours
    ),
    .target(
      name: "TableEngine",
      dependencies: [
        "Definitions", "Digests", "Expressions", "FieldValues", "JSON", "Queues", "TableDiff", "TableEncoding",
        "TableFinding", "TableMapping", "TableModel", "TableStore", "Upstream", deque, logging,
      ],
      swiftSettings: ours
    ),
    .target(
      name: "TableService",
      dependencies: [
        "Definitions", "Digests", "Expressions", "FieldValues", "HTTPServer", "Identity", "JSON", "LineLog",
        "TableEncoding", "TableEngine", "TableFinding", "TableModel", "TableStore", "Upstream", deque, logging,
      ],
      // The console, and of Clients/JavaScript what it stands on (written there by bundle.mjs).
      resources: [
        .embedInCode("Resources/openapi.json"), .embedInCode("Resources/client"), .embedInCode("Resources/console"),
      ],
      swiftSettings: ours
    ),
    // The log's lines, in which nothing that comes from outside is obeyed by terminals.
    .target(name: "LineLog", dependencies: [logging], swiftSettings: ours),
    .target(name: "TablecastClient", swiftSettings: forApps),
    .target(name: "TablecastUI", dependencies: ["TablecastClient"], swiftSettings: forApps),
    .target(name: "TablecastTesting", dependencies: ["TablecastClient"], swiftSettings: forApps),
    // The client's transport by libcurl, for the command and the tests: no product of it, so that no app needs libcurl.
    .target(name: "TablecastCurl", dependencies: ["Queues", "TablecastClient", "Upstream"], swiftSettings: ours),
    // From an API's answers to a configuration; pure.
    .target(
      name: "Discovery",
      dependencies: ["Definitions", "Expressions", "JSON", "Upstream"],
      swiftSettings: ours
    ),
    .target(name: "CodeGeneration", dependencies: ["Definitions", "Expressions", "JSON"], swiftSettings: ours),
    .target(name: "AirportDemo", dependencies: ["HTTPServer"], swiftSettings: ours),
    .executableTarget(
      name: "tablecast",
      dependencies: [
        "AirportDemo", "CodeGeneration", "Configuration", "Definitions", "Discovery", "Expressions", "HTTPServer",
        "JSON",
        "LineLog", "TableEncoding", "TableFinding", "TableMapping", "TableModel", "TableService", "TableStore",
        "TablecastClient", "TablecastCurl", "Upstream", argumentParser, logging,
      ],
      resources: [.embedInCode("Resources/demo.yaml")],
      swiftSettings: ours
    ),

    // What all tests share.
    .target(name: "CSigning", path: "Tests/CSigning", linkerSettings: [.linkedLibrary("crypto")]),
    .target(
      name: "TestSupport",
      dependencies: ["CSigning", "CZlib", "CZstd", "JSON", "Queues"],
      path: "Tests/TestSupport",
      resources: [.copy("misbehaving_upstream.py")],
      swiftSettings: ours
    ),

    // A folder of tests for each module.
    .testTarget(name: "DigestsTests", dependencies: ["Digests"], swiftSettings: ours),
    .testTarget(
      name: "DiscoveryTests",
      dependencies: ["Configuration", "Discovery", "JSON", "Upstream"],
      resources: [.copy("Answers"), .copy("Conversations")],
      swiftSettings: ours
    ),
    .testTarget(name: "IdentityTests", dependencies: ["Identity", "JSON", "TestSupport"], swiftSettings: ours),
    .testTarget(name: "DefinitionsTests", dependencies: ["Definitions", "Expressions"], swiftSettings: ours),
    .testTarget(name: "FieldValuesTests", dependencies: ["FieldValues"], swiftSettings: ours),
    .testTarget(name: "LongWorkTests", dependencies: ["LongWork"], swiftSettings: ours),
    .testTarget(name: "QueuesTests", dependencies: ["Queues", "TestSupport"], swiftSettings: ours),
    .testTarget(name: "PatternsTests", dependencies: ["Patterns", "TestSupport"], swiftSettings: ours),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"], swiftSettings: ours),
    .testTarget(name: "ExpressionsTests", dependencies: ["Expressions", "JSON", "TestSupport"], swiftSettings: ours),
    .testTarget(
      name: "TableModelTests",
      dependencies: ["TableModel", "TestSupport"],
      swiftSettings: ours + [.unsafeFlags(["-O"])]
    ),
    // Optimised in debug builds too: 200,000 random cases would take most of two minutes otherwise.
    .testTarget(
      name: "TableDiffTests",
      dependencies: ["TableDiff", "TableFinding", "TableModel", "TestSupport"],
      swiftSettings: ours + [.unsafeFlags(["-O"])]
    ),
    .testTarget(
      name: "TableMappingTests",
      dependencies: [
        "Definitions", "Expressions", "JSON", "TableDiff", "TableEncoding", "TableMapping", "TableModel", "TestSupport",
      ],
      swiftSettings: ours
    ),
    // The service under a seed, on one thread; the clocks and random numbers of its machine, too.
    .target(name: "CSimulation", path: "Tests/CSimulation", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Simulation",
      dependencies: [
        "CSimulation", "Configuration", "Definitions", "JSON", "Queues", "TableEngine", "TableFinding", "TableModel",
        "TableStore", "TablecastClient", "TestSupport", "Upstream", logging,
      ],
      path: "Tests/Simulation",
      exclude: ["faults.py"],
      swiftSettings: ours
    ),
    // The server without tables: what its benchmarks and the cases' runner talk to.
    .executableTarget(
      name: "HTTPTestServer",
      dependencies: ["HTTPServer", logging],
      path: "Tests/HTTPTestServer",
      swiftSettings: ours
    ),
    .testTarget(name: "LineLogTests", dependencies: ["LineLog"], swiftSettings: ours),
    .testTarget(name: "HTTPServerTests", dependencies: ["HTTPServer", "TestSupport", logging], swiftSettings: ours),
    .testTarget(
      name: "UpstreamTests",
      dependencies: ["Upstream", "Definitions", "Digests", "Expressions", "JSON", "Queues", "TestSupport"],
      swiftSettings: ours
    ),
    .testTarget(
      name: "ConfigurationTests",
      dependencies: [
        "Configuration", "Definitions", "Expressions", "FieldValues", "JSON", "TableModel", "TestSupport",
      ],
      swiftSettings: ours
    ),
    .testTarget(
      name: "CodeGenerationTests",
      dependencies: [
        "CodeGeneration", "Configuration", "Definitions", "JSON", "TableEncoding", "TableMapping", "TableModel",
        "TablecastClient",
      ],
      exclude: ["Generated/Cells.ts", "Generated/Cells.kt"],
      swiftSettings: ours
    ),
    .testTarget(
      name: "TableStoreTests",
      dependencies: ["FieldValues", "JSON", "TableModel", "TableStore", "TestSupport", grdb],
      swiftSettings: ours
    ),
    .testTarget(
      name: "TableEngineTests",
      dependencies: [
        "Configuration", "Definitions", "FieldValues", "JSON", "Queues", "TableEngine", "TableFinding", "TableModel",
        "TableStore", "TestSupport", "Upstream", logging,
      ],
      swiftSettings: ours
    ),
    .testTarget(
      name: "TableServiceTests",
      dependencies: [
        "Configuration", "Definitions", "HTTPServer", "JSON", "TableEngine", "TableModel", "TableService", "TableStore",
        "TestSupport", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: ours
    ),
    // The built service as a process: killed, starved of disk, held against a model.
    .testTarget(
      name: "DurabilityTests",
      dependencies: ["tablecast"],
      resources: [.copy("Support")],
      swiftSettings: ours
    ),
    .testTarget(
      name: "TablecastClientTests",
      dependencies: ["TablecastClient", "TablecastTesting"],
      swiftSettings: forApps
    ),
    .testTarget(
      name: "TablecastUITests",
      // The server's own differ and encoding: what the client is simulated with is what it will get.
      dependencies: [
        "JSON", "TableDiff", "TableEncoding", "TableModel", "TablecastClient", "TablecastTesting", "TablecastUI",
      ],
      swiftSettings: ours
    ),
    // Drives the built service over sockets.
    .testTarget(
      name: "IntegrationTests",
      dependencies: ["JSON", "TablecastClient", "TablecastCurl", "TestSupport", "tablecast"],
      swiftSettings: ours
    ),
  ],
  cxxLanguageStandard: .cxx17
)

// A build of the service alone, as the container's is, needs no folder of tests.
if Context.environment["TABLECAST_WITHOUT_TESTS"] != nil {
  package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
}
