import Foundation

/// The identity of a row or a section, as a key. As in the service, two are the same if their bytes are.
///
/// A `String` would not do: for Swift `é` in one scalar and in two are equal, and a table may have both.
public struct Identity: Hashable, Sendable, CustomStringConvertible {
  public let text: String

  public init(_ text: String) { self.text = text }

  public var description: String { text }

  /// O(bytes).
  public static func == (one: Identity, other: Identity) -> Bool {
    var (one, other) = (one.text, other.text)
    return one.withUTF8 { one in
      other.withUTF8 { other in
        guard one.count == other.count else { return false }
        guard let first = one.baseAddress, let second = other.baseAddress else { return one.isEmpty }
        return memcmp(first, second, one.count) == 0
      }
    }
  }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xff as UInt8)
  }
}

extension TableRow {
  /// `id` as a key.
  public var identity: Identity { Identity(id) }
}

extension TableSection {
  /// `id` as a key.
  public var identity: Identity { Identity(id) }
}
