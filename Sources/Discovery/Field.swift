internal import Foundation
internal import JSON

/// Statistics of one member over all items.
struct Field: Sendable {
  var path: MemberPath
  /// How many items there are.
  var items = 0
  /// In how many it stands, and is not null.
  var present = 0
  var strings = 0
  var integers = 0
  var doubles = 0
  var booleans = 0
  var containers = 0
  /// The different values, as text; not more than are counted.
  var distinct: Set<String> = []
  /// No two items have the same.
  var isUnique = true
  var bytes = 0
  /// The first value that is there.
  var sample: JSONValue?
  /// The number of texts of each form.
  private(set) var forms: [Form: Int] = [:]
  private var last: JSONValue?
  private(set) var rises = true
  private(set) var falls = true

  enum Form: CaseIterable, Sendable {
    case moment, day, url, imageURL, email, number, markup, uuid, empty, control
    /// Texts that fields of these types take.
    case dateField, urlField
  }

  /// More are not told apart: enough for any page that is read.
  private static let maximumDistinct = 100_000

  init(_ path: MemberPath) { self.path = path }

  var isAlwaysThere: Bool { present == items }
  var isText: Bool { strings > 0 && strings == present }
  var isNumber: Bool { integers + doubles > 0 && integers + doubles == present }
  var isBoolean: Bool { booleans > 0 && booleans == present }
  var isScalar: Bool { containers == 0 && present > 0 }
  var averageBytes: Int { present == 0 ? 0 : bytes / present }

  /// Returns whether nearly all texts that aren't empty are of a form.
  func isMostly(_ form: Form) -> Bool {
    let count = strings - (forms[.empty] ?? 0)
    return count > 0 && (forms[form] ?? 0) * 10 >= count * 9
  }

  /// Returns whether all values are texts, and all that aren't empty are of a form.
  func isAlways(_ form: Form) -> Bool {
    let count = strings - (forms[.empty] ?? 0)
    return isText && count > 0 && forms[form] == count
  }

  /// The expression of its value, null for an empty text.
  var valueWithoutEmpty: String { has(.empty) ? "\(path.expression) | default(null)" : path.expression }

  func has(_ form: Form) -> Bool { (forms[form] ?? 0) > 0 }

  /// Moments whose order as texts is that of time: as many digits in the same places, and no offset from UTC.
  var isOfOneFormInUTC: Bool {
    let shapes = Set(
      distinct.filter { !$0.isEmpty }.map { text -> [Character] in text.map { $0.isNumber ? "0" : $0 } }
    )
    return shapes.count <= 1 && !shapes.contains { $0.dropFirst(10).contains { $0 == "+" || $0 == "-" } }
  }

  mutating func add(_ value: JSONValue) {
    guard !value.isNull else { return }
    present += 1
    if sample == nil { sample = value }
    let text: String
    switch value {
    case .string(let string):
      strings += 1
      text = string
      for form in Form.allCases where form.matches(string) { forms[form, default: 0] += 1 }
    case .integer(let number):
      integers += 1
      text = String(number)
    case .unsigned(let number):
      integers += 1
      text = String(number)
    case .double(let number):
      doubles += 1
      text = String(number)
    case .bool(let boolean):
      booleans += 1
      text = String(boolean)
    case .array, .object, .null:
      containers += 1
      return
    }
    bytes += text.utf8.count
    if distinct.count < Self.maximumDistinct, !distinct.insert(text).inserted { isUnique = false }
    order(value)
  }

  private mutating func order(_ value: JSONValue) {
    defer { last = value }
    guard let last else { return }
    switch (last, value) {
    case (.string(let former), .string(let next)):
      if former.utf8.lexicographicallyPrecedes(next.utf8) { falls = false }
      if next.utf8.lexicographicallyPrecedes(former.utf8) { rises = false }
    case (.integer(let former), .integer(let next)):
      if former < next { falls = false }
      if next < former { rises = false }
    default: (rises, falls) = (false, false)
    }
  }
}

extension Field.Form {
  /// Short looks, but for the forms of fields: those are the service's own checks.
  func matches(_ text: String) -> Bool {
    switch self {
    case .empty: text.isEmpty
    case .moment:
      Self.isDay(text.prefix(10)) && text.utf8.count >= 16
        && (text.dropFirst(10).first.map { "T ".contains($0) } ?? false)
    case .day: text.utf8.count == 10 && Self.isDay(text.prefix(10))
    case .url: text.hasPrefix("http://") || text.hasPrefix("https://")
    case .imageURL: Self.url.matches(text) && Self.isImage(text)
    case .email: text.contains("@") && text.contains(".") && !text.contains(" ") && !text.contains("/")
    case .number:
      // Decimal, as the filter `float` reads it: no `nan`, no `0x1A`.
      text.utf8.count < 20 && text.first != "+" && text.utf8.allSatisfy { "-+.0123456789eE".utf8.contains($0) }
        && Double(text)?.isFinite == true
    case .markup:
      text.contains("</") || text.contains("/>") || text.contains("<p>") || text.contains("&#")
        || text.contains("&amp;")
    case .control: text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    case .uuid: text.utf8.count == 36 && UUID(uuidString: text) != nil
    case .dateField: Self.moment.matches(text) && FieldReading.isDate(text)
    case .urlField: Self.url.matches(text) && FieldReading.isURL(text)
    }
  }

  private static func isDay(_ text: Substring) -> Bool {
    text.utf8.enumerated().allSatisfy { $0 == 4 || $0 == 7 ? $1 == 0x2D : (0x30...0x39).contains($1) }
      && text.utf8.count == 10
  }

  private static func isImage(_ text: String) -> Bool {
    let path = text.prefix { $0 != "?" && $0 != "#" }.lowercased()
    return [".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".ico"].contains { path.hasSuffix($0) }
  }
}

extension [JSONValue] {
  /// The statistics of items that are plain values, as of a member that leads to the item itself. O(values).
  var ownField: Field {
    var field = Field(MemberPath([]))
    for item in self { field.add(item) }
    field.items = count
    return field
  }

  /// What the items have in common: the members of each, and of the objects in them, three deep. In the order in which they
  /// are met. O(values).
  ///
  /// - Parameter inLists: those of the first objects in lists alone, and first texts: Notion's `title[0].plain_text`, `title[0]`.
  func fields(inLists: Bool = false) -> [Field] {
    var fields: [Field] = []
    var places: [MemberPath: Int] = [:]
    func visit(_ value: JSONValue, _ path: MemberPath) {
      for member in value.members ?? [] {
        let path = path.appending(member.name)
        if member.value.members != nil, path.names.count < 4 { visit(member.value, path) }
        if inLists, let first = member.value.elements?.first {
          if first.members != nil, path.names.count < 4 { visit(first, path.first) }
          if first.text != nil { add(first, at: path.first) }
        }
        if inLists, path.lists.isEmpty { continue }
        add(member.value, at: path)
      }
    }
    func add(_ value: JSONValue, at path: MemberPath) {
      // Enough for any item that a person can look at.
      if places[path] == nil, fields.count >= 400 { return }
      let place = places[path] ?? fields.count
      if place == fields.count {
        places[path] = place
        fields.append(Field(path))
      }
      fields[place].add(value)
    }
    for item in self { visit(item, MemberPath([])) }
    for index in fields.indices { fields[index].items = count }
    return fields
  }
}
