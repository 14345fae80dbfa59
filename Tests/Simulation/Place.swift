/// Where a process of the service runs, one after the other.
///
/// `@unchecked Sendable`: there is one thread that does anything at a time.
final class Place: @unchecked Sendable {
  let name: String
  var service: Service?
  /// Of the process that starts there next.
  var release = 0
  /// Nil: it has a store for itself.
  var connection: DatabaseConnection?

  init(_ name: String) { self.name = name }
}
