/// Why a text is not taken as JSON.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  public var kind: Kind
  /// For people: what was wrong.
  public var message: String
  /// Where, in bytes from the start of the text; nil where that is not known.
  public var offset: Int?

  public init(_ kind: Kind, _ message: String, offset: Int? = nil) {
    (self.kind, self.message, self.offset) = (kind, message, offset)
  }

  public enum Kind: Equatable, Sendable {
    /// Not JSON (RFC 8259).
    case syntax
    /// JSON that ends too early: what a broken transfer leaves.
    case truncated
    /// Not UTF-8.
    case encoding
    /// More bytes or deeper nesting than allowed.
    case limit
    /// Another kind of value than was asked for stands there, or none at all.
    case mismatch
  }

  public var description: String {
    if let offset { "\(message), at byte \(offset)" } else { message }
  }
}

/// Bounds on a document's cost.
public struct JSONLimits: Equatable, Sendable {
  /// Below 4 GB.
  public var maximumBytes: Int
  /// Objects and arrays in each other; an empty one in the innermost may not count.
  public var maximumDepth: Int
  /// True if a value that can't be kept as it is, a number beyond 64 bits or a double's range or half of a surrogate
  /// pair, is read as the next best thing instead of failing the document.
  public var allowsRepair: Bool

  public init(maximumBytes: Int = 256 << 20, maximumDepth: Int = 256, allowsRepair: Bool = true) {
    (self.maximumBytes, self.maximumDepth, self.allowsRepair) = (maximumBytes, maximumDepth, allowsRepair)
  }
}
