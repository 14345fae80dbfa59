internal import JSON

/// The way to a value through the members of objects.
struct MemberPath: Hashable, Sendable {
  var names: [String]
  /// Places in `names` whose value is a list: its first element is meant.
  private(set) var lists: Set<Int> = []

  init(_ names: [String]) { self.names = names }

  /// As the configuration's expressions write it, from the item or the response: `user.name`, `$item['full name']`.
  var expression: String {
    guard let first = names.first else { return "$item" }
    let start = Self.isWord(first) && !Self.reserved.contains(first) ? first : "$item" + Self.link(first)
    return names.indices.dropFirst().reduce(start + element(0)) { $0 + Self.link(names[$1]) + element($1) }
  }

  /// For people: `user.name`, `names[0].value`; `$item` for the item itself.
  var description: String {
    names.isEmpty ? "$item" : names.indices.map { names[$0] + element($0) }.joined(separator: ".")
  }

  private func element(_ place: Int) -> String { lists.contains(place) ? "[0]" : "" }

  var last: String { names.last ?? "" }

  /// The last name as all spell it: `nextpage` for `next_page`, `next-page` and `nextPage`.
  var plainLast: String { Self.plain(last) }

  static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" && $0 != "-" } }

  func appending(_ name: String) -> MemberPath {
    var path = self
    path.names.append(name)
    return path
  }

  /// The first element of the list that this leads to.
  var first: MemberPath {
    var path = self
    path.lists.insert(names.count - 1)
    return path
  }

  /// Its expression can stand without `${…}` around it: in one that has `${` in a name, that would be a mistake.
  var canBeBare: Bool { !expression.contains("${") }

  /// It leads to the first element of a list, and not further.
  var endsInList: Bool { lists.contains(names.count - 1) }

  /// Names that mean something else at the beginning of an expression, or are refused as other languages' constants.
  private static let reserved: Set<String> = [
    "true", "false", "null", "in", "has", "env", "not", "True", "TRUE", "False", "FALSE", "None", "Null", "NULL", "nil",
    "undefined",
  ]

  private static func isWord(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
    }
  }

  private static func link(_ name: String) -> String {
    if isWord(name) { return ".\(name)" }
    let escaped = name.flatMap { character -> String in
      switch character {
      case "\\": "\\\\"
      case "'": "\\'"
      case "$": "\\$"
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      default: String(character)
      }
    }
    return "['\(String(escaped))']"
  }
}

extension JSONValue {
  subscript(path: MemberPath) -> JSONValue? {
    path.names.enumerated().reduce(Optional(self)) { value, step in
      let next = value?[step.element]
      return path.lists.contains(step.offset) ? next?.elements?.first : next
    }
  }

  var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var isNull: Bool { self == .null }

  /// A number that counts something.
  var count: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .string(let text) where text.utf8.count <= 9: Int(text)
    default: nil
    }
  }
}
