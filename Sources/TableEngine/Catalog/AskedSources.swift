import Synchronization

/// The sources that one refresh has asked.
final class AskedSources: Sendable {
  private let asked = Mutex<Set<ObjectIdentifier>>([])

  /// False where it is asked already.
  func isNew(_ source: PolledSource) -> Bool { asked.withLock { $0.insert(ObjectIdentifier(source)).inserted } }
}
