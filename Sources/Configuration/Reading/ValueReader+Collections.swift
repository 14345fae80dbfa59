import FieldValues

/// A map's entry: the name with its place.
typealias NamedEntry<Value> = (name: Located<String>, value: Value)

extension ValueReader {
  /// A list; elements that are wrong are left out, with a diagnostic each.
  static func list<Element>(of element: ValueReader<Element>, noun: String, atLeast minimum: Int = 0) -> ValueReader
  where Value == [Element] {
    ValueReader(.list(element.schema, atLeast: minimum)) { node, reading in
      guard let elements = node.elements else {
        reading.wrong(node, expected: noun, write: "a list: `[…]`, or lines with `- ` before each")
        return nil
      }
      if elements.count < minimum { reading.error(at: node.place, "\(noun) is empty", "it has at least \(minimum)") }
      return elements.compactMap { element.read($0, reading) }
    }
  }

  /// A mapping with names of one's own choice; entries that are wrong are left out, with a diagnostic each.
  static func map<Element>(of element: ValueReader<Element>, noun: String, names: NameRule) -> ValueReader
  where Value == [NamedEntry<Element>] {
    ValueReader(.map(element.schema)) { node, reading in
      guard let entries = node.entries else {
        if node.isNull { return [] }
        reading.wrong(node, expected: noun, write: "a mapping: a name, a colon, and what it is")
        return nil
      }
      return entries.compactMap { entry in
        names.check(entry.key, reading)
        let value = reading.within(entry.key.value) { element.read(entry.value, reading) }
        return value.map { (entry.key, $0) }
      }
    }
  }

  static func object<Keys: ObjectKeys>(_ keys: Keys.Type) -> ValueReader where Value == Keys.Value {
    ValueReader(.object(keys)) { node, reading in
      ObjectReader(node, of: keys, reading: reading).flatMap(keys.value(of:))
    }
  }

  /// One reader for what `matches`, another for the rest.
  static func either(
    _ first: ValueReader,
    when matches: @escaping @Sendable (YAMLNode) -> Bool,
    or second: ValueReader
  ) -> ValueReader {
    ValueReader(.anyOf([first.schema, second.schema])) { node, reading in
      matches(node) ? first.read(node, reading) : second.read(node, reading)
    }
  }
}

extension ValueReader where Value == [String] {
  /// A list of texts that are all different, byte by byte; one that stands there again is left out, with a diagnostic.
  static func list(
    ofDifferent element: ValueReader<String>,
    noun: String,
    atLeast minimum: Int = 0,
    ignoringCase: Bool = false
  ) -> ValueReader {
    let located = ValueReader<Located<String>>(element.schema) { node, reading in
      element.read(node, reading).map { Located(value: $0, place: node.place) }
    }
    let list = ValueReader<[Located<String>]>.list(of: located, noun: noun, atLeast: minimum)
    return ValueReader(.list(element.schema, atLeast: minimum, isSet: true)) { node, reading in
      var known: Set<ByteText> = []
      return list.read(node, reading)?.compactMap { text in
        guard known.insert(ByteText(ignoringCase ? text.value.lowercased() : text.value)).inserted else {
          reading.error(at: text.place, "\(excerpt(text.value)) stands twice in \(noun)", "keep one of them")
          return nil
        }
        return text.value
      }
    }
  }
}

/// The rule for names of one's own choice.
enum NameRule: Sendable {
  case any
  /// A value of an item, which may be empty.
  case value
  /// Stands in URLs: a table, a source.
  case url
  /// An identifier: a parameter, an environment variable.
  case identifier
  /// An HTTP field name (RFC 9110 §5.1: a token).
  case header

  func check(_ name: Located<String>, _ reading: Reading) {
    let text = name.value
    switch self {
    case .any:
      if text.isEmpty { reading.error(at: name.place, "an empty name", "write a name") }
    case .value: return
    case .url:
      guard !text.isEmpty, text.utf8.count <= 64, text.utf8.allSatisfy(Self.isURLCharacter), text != ".", text != ".."
      else {
        reading.error(
          at: name.place,
          "the name \(excerpt(text)) can't stand in a URL",
          "a name has 1–64 of the characters A–Z a–z 0–9 . _ -"
        )
        return
      }
    case .identifier:
      guard
        let first = text.utf8.first, text.utf8.count <= 64, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
        text.utf8.allSatisfy({ Self.isURLCharacter($0) && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "-") })
      else {
        reading.error(
          at: name.place,
          "the name \(excerpt(text)) is no identifier",
          "a name has letters, digits and _, no digit first"
        )
        return
      }
    case .header:
      guard !text.isEmpty, text.utf8.allSatisfy(Self.isTokenCharacter) else {
        reading.error(
          at: name.place,
          "\(excerpt(text)) is no header name",
          "write for example `Accept-Language`"
        )
        return
      }
    }
  }

  private static func isURLCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    isURLCharacter(byte) || "!#$%&'*+^`|~".utf8.contains(byte)
  }
}
