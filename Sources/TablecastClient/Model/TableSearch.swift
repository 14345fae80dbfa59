/// A search in a table that offers one (docs/protocol.md, "Finding").
public struct TableSearch: Hashable, Sendable {
  /// As the service takes it, in Unicode scalars and in filters; what is beyond is not sent.
  static let (longestText, mostFilters) = (200, 32)

  /// The text. Each of its words must begin a word of the row.
  public var q: String
  /// The chosen values of each filter. Values of one filter are alternatives; all filters must match. `none` is the
  /// value of rows without one.
  public var filters: [String: Set<String>]
  /// Nil: the table's own order.
  public var sort: String?

  public init(q: String = "", filters: [String: Set<String>] = [:], sort: String? = nil) {
    (self.q, self.filters, self.sort) = (q, filters.filter { !$0.value.isEmpty }, sort)
  }

  /// A search as it stands in a query: `q=swi+two&filter=state:open&sort=newest`.
  ///
  /// - Throws: `MalformedReply` in words for a person.
  public init(query: String) throws {
    self.init()
    for part in query.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { Self.decoded($0) }
      guard halves.count == 2 else { throw MalformedReply("`\(part)` is no part of a search: NAME=VALUE is") }
      switch halves[0] {
      case "q": q = halves[1]
      case "sort": sort = halves[1].isEmpty ? nil : halves[1]
      case "filter":
        let pair = halves[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard pair.count == 2 else {
          throw MalformedReply("`\(halves[1])` is no filter: ID:VALUE is, such as state:open")
        }
        filters[pair[0], default: []].insert(pair[1].isEmpty ? "none" : pair[1])
      default: throw MalformedReply("a search has no `\(halves[0])`: it has q, filter and sort")
      }
    }
  }

  /// Whether there is no search: the whole table is shown, in its own order.
  public var isEmpty: Bool { q.isEmpty && filters.isEmpty && sort == nil }

  /// Values are compared by their bytes, as the service does it.
  public static func == (one: TableSearch, other: TableSearch) -> Bool {
    Identity(one.q) == Identity(other.q) && one.sort == other.sort
      && one.filters.mapValues(identities) == other.filters.mapValues(identities)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(Identity(q))
    hasher.combine(sort)
    hasher.combine(filters.mapValues(Self.identities))
  }

  private static func identities(_ values: Set<String>) -> Set<Identity> { Set(values.map { Identity($0) }) }

  /// Whether the filter has this value.
  public func isSelected(_ value: String, of filter: String) -> Bool {
    filters[filter]?.contains { Identity($0) == Identity(value) } ?? false
  }

  /// Adds the value to the filter, or removes it. One that Swift takes for equal leaves the filter: a set can't hold both.
  public mutating func toggle(_ value: String, of filter: String) {
    let wasSelected = isSelected(value, of: filter)
    filters[filter, default: []].remove(value)
    if !wasSelected { filters[filter]?.insert(value) }
    if filters[filter]?.isEmpty == true { filters[filter] = nil }
  }

  /// As a request says it; `find=1` asks for what there is to be found by.
  var parameters: [(name: String, value: String)] {
    guard !isEmpty else { return [("find", "1")] }
    var parameters: [(name: String, value: String)] = []
    if !q.isEmpty {
      parameters.append(("q", String(String.UnicodeScalarView(q.unicodeScalars.prefix(Self.longestText)))))
    }
    let choices = filters.sorted { $0.key < $1.key }.flatMap { id, values in values.sorted().map { "\(id):\($0)" } }
    parameters += choices.prefix(Self.mostFilters).map { ("filter", $0) }
    if let sort { parameters.append(("sort", sort)) }
    return parameters
  }

  /// Percent-decoded, `+` read as a blank, as the service reads a query.
  private static func decoded(_ text: Substring) -> String {
    var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
