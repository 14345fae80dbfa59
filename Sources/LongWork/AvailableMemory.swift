internal import Glibc

/// How much memory this process may have: what bounds that nobody has configured are measured by.
public enum AvailableMemory {
  /// In bytes: the machine's, or less where one of the control groups that it is in says so. Read once.
  public static let bytes = {
    let machine = max(sysconf(Int32(_SC_PHYS_PAGES)), 0) * max(sysconf(Int32(_SC_PAGESIZE)), 0)
    let groups = content(of: "/proc/self/cgroup").map { String(decoding: $0, as: UTF8.self) } ?? ""
    return limits(of: groups, below: "/sys/fs/cgroup").reduce(machine, min)
  }()

  /// Returns the limits of a process's groups and of the groups around them.
  ///
  /// - Parameter groups: `hierarchy:controllers:path` in lines, as `/proc/self/cgroup` has them (cgroups(7)).
  static func limits(of groups: String, below root: String) -> [Int] {
    // In a container its own group stands at the root, whatever path it is told.
    var files = ["\(root)/memory.max", "\(root)/memory/memory.limit_in_bytes"]
    for line in groups.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isUnified = parts[1].isEmpty
      guard isUnified || parts[1].split(separator: ",").contains("memory") else { continue }
      var folder = isUnified ? root : "\(root)/memory"
      for name in parts[2].split(separator: "/") where name != ".." {
        folder += "/\(name)"
        files.append(isUnified ? "\(folder)/memory.max" : "\(folder)/memory.limit_in_bytes")
      }
    }
    return files.compactMap(number)
  }

  /// The number that a file begins with; nil where there is none, as in `max`.
  private static func number(in file: String) -> Int? {
    content(of: file).flatMap { Int(String(decoding: $0.prefix { (48...57).contains($0) }, as: UTF8.self)) }
  }

  /// A small file of the system's.
  private static func content(of file: String) -> [UInt8]? {
    guard let opened = fopen(file, "re") else { return nil }
    defer { fclose(opened) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = fread(&bytes, 1, bytes.count, opened)
    return Array(bytes.prefix(count))
  }
}
