/// A small tree: constants of a configuration, edits, local items. What is big is read by `Document` instead.
public enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// An integer above `Int64.max`: identities of 64 bits are no doubles.
  case unsigned(UInt64)
  /// Finite.
  case double(Double)
  case string(String)
  case array([JSONValue])
  /// In the order of the text. Of members with one name, the first counts.
  case object([Member])

  public struct Member: Equatable, Sendable {
    public var name: String
    public var value: JSONValue

    public init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }

    /// By code units (RFC 8259 section 8.3): strings that Swift holds equal, `é` and `e` with an accent, are two names.
    public func hasName(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
  }

  /// The member of an object; nil where there is none, or no object. Setting nil removes it.
  /// Complexity: O(members).
  public subscript(name: String) -> JSONValue? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.hasName(name) }?.value
    }
    set {
      guard case .object(var members) = self else { return }
      let position = members.firstIndex { $0.hasName(name) }
      switch (position, newValue) {
      case (let position?, let value?): members[position].value = value
      case (let position?, nil): members.remove(at: position)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): return
      }
      self = .object(members)
    }
  }
}

extension JSONValue {
  /// Parses a text.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    let document = try Document(bytes, limits: limits)
    let root = try document.unmanagedRoot()
    self = withExtendedLifetime(document) { JSONValue(root) }
  }

  /// Parses a text.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// A copy of a view, which outlives its document.
  public init(_ view: JSONView) {
    switch view.kind {
    case .null: self = .null
    case .bool: self = .bool(view.bool ?? false)
    case .integer: self = .integer(view.int64 ?? 0)
    case .unsigned: self = .unsigned(view.uint64 ?? 0)
    case .double: self = .double(view.double ?? 0)
    case .string: self = .string(view.string.map { String($0) } ?? "")
    case .array: self = .array(view.elements.map { JSONValue($0) })
    case .object: self = .object(view.members.map { Member(name: String($0.name), value: JSONValue($0.value)) })
    }
  }

  /// Minified JSON text.
  public var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(self)
    return writer.bytes
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member(name: $0.0, value: $0.1) })
  }
}

extension JSONValue {
  /// An object with those members of another one that it lacks, behind its own: the members of a member are not merged, and one that
  /// is null is not lacking. O(members).
  public func completed(by other: JSONValue) -> JSONValue {
    guard case .object(let members) = self, case .object(let others) = other, !others.isEmpty else { return self }
    let present = Set(members.map { Array($0.name.utf8) })
    return .object(members + others.filter { !present.contains(Array($0.name.utf8)) })
  }
}
