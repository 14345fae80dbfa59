import Glibc

/// The configured limits as far as the process can keep them, and what one address may have of them.
struct Capacity: Equatable {
  let connections: Int
  let waiters: Int
  let connectionsPerAddress: Int
  let waitersPerAddress: Int

  /// - Parameter descriptors: how many the process may have open.
  init(_ limits: Configuration.Limits, descriptors: Int) {
    // The store, the upstreams and the log need theirs whatever clients do.
    let kept = limits.keptDescriptors ?? min(max(descriptors / 8, 48), descriptors / 2)
    connections = max(min(limits.connections, descriptors - kept), 1)
    // Waiters leave room for edits and reads.
    waiters = max(min(limits.waiters, connections - min(connections / 8, 256)), 1)
    connectionsPerAddress = limits.connectionsPerAddress ?? Capacity.share(connections)
    waitersPerAddress = limits.waitersPerAddress ?? Capacity.share(waiters)
  }

  private static func share(_ limit: Int) -> Int { (limit + 3) / 4 }

  /// How many descriptors the process may have open (RLIMIT_NOFILE).
  static var descriptors: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }
}
