/// The address of a table: its name, the parameters of a family's member, and a view.
public struct TableAddress: Hashable, Sendable {
  public var name: String
  public var parameters: [String: String]
  /// The name of this client's own state over the table, such as its expanded rows. 1–64 of `A–Z a–z 0–9 . _ -`.
  public var view: String?
  /// Whose look at it: screens that begin with other windows, or that have names, are followed apart. Not sent.
  var screen: Screen?

  struct Screen: Hashable, Sendable {
    var name: String?
    /// That it began with.
    var window: RowWindow?
  }

  public init(_ name: String, parameters: [String: String] = [:], view: String? = nil) {
    (self.name, self.parameters, self.view) = (name, parameters, view)
  }

  /// Texts are compared by their bytes, as the service does it: two that Swift takes for equal name two tables.
  public static func == (one: TableAddress, other: TableAddress) -> Bool {
    guard Identity(one.name) == Identity(other.name), one.parameters.count == other.parameters.count,
      one.view.map(Identity.init) == other.view.map(Identity.init), one.screen == other.screen
    else { return false }
    return one.parameters.allSatisfy { name, value in
      guard let index = other.parameters.index(forKey: name) else { return false }
      let (otherName, otherValue) = other.parameters[index]
      return Identity(name) == Identity(otherName) && Identity(value) == Identity(otherValue)
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(Identity(name))
    hasher.combine(view.map(Identity.init))
    hasher.combine(screen)
    // In any order.
    var parts = 0
    for (name, value) in parameters {
      var part = Hasher()
      part.combine(Identity(name))
      part.combine(Identity(value))
      parts ^= part.finalize()
    }
    hasher.combine(parts)
  }

  /// `issues;dir=ascending`, percent-encoded: a segment of a path.
  var segment: String {
    parameters.sorted { $0.key < $1.key }.reduce(percentEncoded(name)) {
      "\($0);\(percentEncoded($1.key))=\(percentEncoded($1.value))"
    }
  }

  /// The table itself, without views and screens: the owner of edits. A view's name may be random, and be gone with the
  /// program, but its edits stay in sight.
  var table: TableAddress { TableAddress(name, parameters: parameters) }

  var path: String { "/v1/tables/\(segment)" }

  /// Whether a reply's `table` can be this one's: a family's member is named with all its parameters.
  func canBe(named name: String) -> Bool {
    Identity(name) == Identity(self.name) || name.utf8.starts(with: "\(self.name);".utf8)
  }
}

/// Everything but the unreserved characters of RFC 3986 §2.3 encoded.
func percentEncoded(_ text: String) -> String {
  var result = ""
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      result.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
    }
  }
  return result
}
