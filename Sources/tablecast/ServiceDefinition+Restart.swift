import Definitions

extension ServiceDefinition {
  /// The keys that say something else than at the start and are read there alone.
  ///
  /// - Parameter isListenGiven: the command line has an address in place of `listen`.
  func keysAwaitingRestart(since start: ServiceDefinition, isListenGiven: Bool) -> [String] {
    let (limits, before) = (limits, start.limits)
    return [
      ("listen", isListenGiven || listen == start.listen),
      ("store", store == start.store),
      ("history", history == start.history),
      ("views", views == start.views),
      ("hosts", hosts == start.hosts),
      ("trustedProxies", trustedProxies == start.trustedProxies),
      ("limits.connections", limits.connections == before.connections),
      ("limits.connectionsPerAddress", limits.connectionsPerAddress == before.connectionsPerAddress),
      ("limits.waiters", limits.waiters == before.waiters),
      ("limits.waitersPerAddress", limits.waitersPerAddress == before.waitersPerAddress),
      ("limits.requestBody", limits.requestBody == before.requestBody),
    ].filter { !$1 }.map { $0.0 }
  }
}
