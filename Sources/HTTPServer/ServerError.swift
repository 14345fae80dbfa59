import Glibc

/// Why a server could not start.
public struct ServerError: Error, CustomStringConvertible, Sendable {
  /// The operation that failed, and its object.
  public let operation: String
  /// The system's number for what was wrong.
  public let code: Int32
  /// All of it, for a person.
  public let description: String

  init(_ operation: String, code: Int32, advice: String? = nil) {
    self.operation = operation
    self.code = code
    let reason = advice ?? strerror(code).map { String(cString: $0) } ?? "error \(code)"
    description = "Could not \(operation): \(reason)"
  }
}
