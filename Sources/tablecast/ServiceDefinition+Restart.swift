import Definitions

extension ServiceDefinition {
  /// The keys that say something else than at the start and are read there alone.
  func keysAwaitingRestart(since start: ServiceDefinition) -> [String] {
    [
      ("listen", listen == start.listen),
      ("store", store == start.store),
      ("history", history == start.history),
      ("views", views == start.views),
      ("cors", cors == start.cors),
      ("hosts", hosts == start.hosts),
      ("trustedProxies", trustedProxies == start.trustedProxies),
      ("limits", limits == start.limits),
    ].filter { !$1 }.map { $0.0 }
  }
}
