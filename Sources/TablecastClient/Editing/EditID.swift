import Foundation

/// The name of an edit of this client. It is also the edit's `Idempotency-Key`.
public struct EditID: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init() { description = UUID().uuidString.lowercased() }
  init(_ text: String) { description = text }
}
