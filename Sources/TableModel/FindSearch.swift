internal import FieldValues

/// A client's search in a table: words, filters and a sort. Two searches that find the same by their terms are equal.
///
/// Written into cursors: ``description`` has only letters, digits, `-`, `_` and `~`.
///
/// ```
/// swi-two_state-open_-newest     q=swi two, filter=state:open, sort=newest
/// ```
public struct FindSearch: Hashable, Sendable, CustomStringConvertible {
  /// A value that is chosen in a filter.
  public struct Choice: Hashable, Comparable, Sendable {
    public let filter: [UInt8]
    public let value: [UInt8]

    public init(filter: [UInt8], value: [UInt8]) { (self.filter, self.value) = (filter, value) }

    public static func < (first: Choice, second: Choice) -> Bool {
      first.filter == second.filter
        ? first.value.lexicographicallyPrecedes(second.value) : first.filter.lexicographicallyPrecedes(second.filter)
    }
  }

  /// Folded, each once, in the order of their bytes. UTF-8.
  public let words: [[UInt8]]
  /// Each once, in order.
  public let choices: [Choice]
  /// UTF-8; nil: the plain order.
  public let sort: [UInt8]?

  public static let maximumScalars = 200
  public static let maximumChoices = 32

  public init(words: [[UInt8]] = [], choices: [Choice] = [], sort: [UInt8]? = nil) {
    self.words = Self.sorted(words) { $0.lexicographicallyPrecedes($1) }
    self.choices = Self.sorted(choices) { $0 < $1 }
    self.sort = sort
  }

  private static func sorted<Element: Equatable>(
    _ elements: [Element],
    by precedes: (Element, Element) -> Bool
  ) -> [Element] {
    var result: [Element] = []
    for element in elements.sorted(by: precedes) where result.last != element { result.append(element) }
    return result
  }

  /// It finds all rows, in their order.
  public var isEmpty: Bool { words.isEmpty && choices.isEmpty && sort == nil }

  /// The values that are chosen in a filter.
  public func values(of filter: String) -> [[UInt8]] {
    choices.lazy.filter { $0.filter.elementsEqual(filter.utf8) }.map(\.value)
  }

  // MARK: As a text

  public var description: String {
    var bytes: [UInt8] = []
    for (index, word) in words.enumerated() {
      if index > 0 { bytes.append(Self.join) }
      Self.write(word, to: &bytes)
    }
    for choice in choices {
      bytes.append(Self.field)
      Self.write(choice.filter, to: &bytes)
      bytes.append(Self.join)
      Self.write(choice.value, to: &bytes)
    }
    if let sort {
      bytes += [Self.field, Self.join]
      Self.write(sort, to: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads what ``description`` writes; nil for anything else. O(characters).
  public init?(_ text: some StringProtocol) {
    let fields = Array(text.utf8).split(separator: Self.field, omittingEmptySubsequences: false)
    guard let first = fields.first else { return nil }
    let words: [[UInt8]?] = first.split(separator: Self.join).map { Self.read($0) }
    var (choices, sort): ([Choice], [UInt8]?) = ([], nil)
    for field in fields.dropFirst() {
      guard let middle = field.firstIndex(of: Self.join), let name = Self.read(field[..<middle]),
        let value = Self.read(field[(middle + 1)...])
      else { return nil }
      if name.isEmpty { sort = value } else { choices.append(Choice(filter: name, value: value)) }
    }
    guard !words.contains(where: { $0 == nil }), choices.count <= Self.maximumChoices else { return nil }
    self.init(words: words.compactMap(\.self), choices: choices, sort: sort)
    // It is written in one way only.
    guard description.utf8.elementsEqual(text.utf8) else { return nil }
  }

  private static let (join, field, escape) = (UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"))

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static func write(_ text: [UInt8], to bytes: inout [UInt8]) {
    for byte in text {
      if isPlain(byte) {
        bytes.append(byte)
      } else {
        bytes += [escape] + Array(UInt64(byte).lowercaseHex(digits: 2).utf8)
      }
    }
  }

  private static func read(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([], text)
    while let byte = rest.popFirst() {
      if byte != escape {
        bytes.append(byte)
      } else {
        guard let value = UInt64(lowercaseHex: String(decoding: rest.prefix(2), as: UTF8.self), digits: 2) else {
          return nil
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
        rest = rest.dropFirst(2)
      }
    }
    return bytes
  }
}

/// The state of a client's search field and menus, beside the rows found. Its texts are compared by their bytes: as
/// clients get them.
public struct FindMenu: Equatable, Sendable {
  public struct Sort: Equatable, Sendable {
    public var id: String
    public var title: String
    public init(id: String, title: String) { (self.id, self.title) = (id, title) }

    public static func == (first: Sort, second: Sort) -> Bool {
      first.id.isExactly(second.id) && first.title.isExactly(second.title)
    }
  }

  public struct Value: Equatable, Sendable {
    /// UTF-8.
    public var value: [UInt8]
    public var title: String
    /// How many rows would be found with it.
    public var count: Int
    public var isSelected: Bool
    public init(value: [UInt8], title: String, count: Int, isSelected: Bool) {
      (self.value, self.title, self.count, self.isSelected) = (value, title, count, isSelected)
    }

    public static func == (first: Value, second: Value) -> Bool {
      first.value == second.value && first.title.isExactly(second.title) && first.count == second.count
        && first.isSelected == second.isSelected
    }
  }

  public struct Filter: Equatable, Sendable {
    public var id: String
    public var title: String
    public var values: [Value]
    /// There are values that are not among these.
    public var hasMore: Bool
    public init(id: String, title: String, values: [Value], hasMore: Bool) {
      (self.id, self.title, self.values, self.hasMore) = (id, title, values, hasMore)
    }

    public static func == (first: Filter, second: Filter) -> Bool {
      first.id.isExactly(second.id) && first.title.isExactly(second.title) && first.values == second.values
        && first.hasMore == second.hasMore
    }
  }

  /// Nil where nothing is searched.
  public var prompt: String?
  /// Nil where none is chosen.
  public var sort: String?
  public var sorts: [Sort]
  public var filters: [Filter]

  public init(prompt: String? = nil, sort: String? = nil, sorts: [Sort] = [], filters: [Filter] = []) {
    (self.prompt, self.sort, self.sorts, self.filters) = (prompt, sort, sorts, filters)
  }

  public static func == (first: FindMenu, second: FindMenu) -> Bool {
    first.prompt.map(ByteText.init) == second.prompt.map(ByteText.init)
      && first.sort.map(ByteText.init) == second.sort.map(ByteText.init) && first.sorts == second.sorts
      && first.filters == second.filters
  }
}
