import Foundation

/// Names one edit of this client's, also as its `Idempotency-Key`.
public struct EditID: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init() { description = UUID().uuidString.lowercased() }
  init(_ text: String) { description = text }
}
