/// Why a server could not start.
public struct ServerError: Error, CustomStringConvertible, Sendable {
  /// What was tried, and where.
  public let operation: String
  /// The system's number for what was wrong.
  public let code: Int32
  public let description: String
}
