internal import FieldValues

/// A name with `*` for any part of it, the empty one too: `todo*`. Bytes are compared as they are.
public struct Glob: Hashable, Sendable {
  /// As it was written.
  public let text: String
  /// The parts between the stars; one alone where there is no star.
  private let parts: [[UInt8]]

  public init(_ text: String) {
    self.text = text
    parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map { Array($0) }
  }

  /// Returns whether the pattern matches a name. Complexity: O(name + pattern), however both repeat themselves.
  public func matches(_ name: String) -> Bool {
    let name = Array(name.utf8)
    guard let prefix = parts.first, let suffix = parts.last, parts.count > 1 else { return name == parts.first }
    guard name.count >= prefix.count + suffix.count, name.starts(with: prefix),
      name.reversed().starts(with: suffix.reversed())
    else { return false }
    // Each part where it first stands: what comes later is only left more room.
    var rest = name[prefix.count..<name.count - suffix.count]
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      var search = ByteSearch(part)
      guard let end = rest.firstIndex(where: { search.takes($0) }) else { return false }
      rest = rest[(end + 1)...]
    }
    return true
  }

  public static func == (first: Glob, second: Glob) -> Bool { first.parts == second.parts }

  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
