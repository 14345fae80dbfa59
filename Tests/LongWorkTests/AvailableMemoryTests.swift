import Foundation
import Testing

@testable import LongWork

@Suite struct AvailableMemoryTests {
  /// What the group that a process is in may have, and each that this one is in.
  @Test(arguments: [
    (
      "0::/system.slice/tablecast.service\n", ["system.slice/tablecast.service/memory.max": "536870912\n"],
      [536_870_912]
    ),
    ("0::/a/b\n", ["a/memory.max": "300\n", "a/b/memory.max": "max\n"], [300]),
    ("0::/a/b\n", ["a/memory.max": "300\n", "a/b/memory.max": "200\n", "memory.max": "100"], [100, 300, 200]),
    ("9:cpu,memory:/x\n1:cpu:/y\n", ["memory/x/memory.limit_in_bytes": "700", "y/memory.max": "1"], [700]),
    // In a container: its own group at the root, under a path that is not there.
    ("0::/docker/0123\n", ["memory.max": "400\n"], [400]),
    ("0::/../../other\n", ["memory/memory.limit_in_bytes": "5"], [5]),
    ("", ["memory.max": "max\n"], []), ("rubbish\n::\n0:", [:], []),
  ])
  func groups(_ groups: String, files: [String: String], expected: [Int]) throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("groups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in files {
      let file = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(AvailableMemory.limits(of: groups, below: root.path) == expected)
  }

  @Test func thisMachineHasSome() { #expect(AvailableMemory.bytes > 1 << 20) }
}
