/// The attributes of a table, beside its sections.
public struct TableAttributes: Hashable, Sendable {
  public var state: TableState = .loading
  /// The reason of `stale` and `failed`.
  public var problem: TableProblem?
  public var title = ""
  public var animation = TableAnimation()
  public var counts: TableCounts?
  /// The window of the table, if there is one.
  public var window: TableWindow?
  /// Whether the sources had more items than they may have.
  public var isTruncated = false
  /// The search that the table offers, after `LiveTable.find`.
  public var find: TableFind?
  /// May be polled through caches.
  var hasEdges = false

  /// Takes a member that stands in a snapshot or a stage; those that don't stand there stay as they are.
  mutating func read(_ name: String, _ value: JSONText) {
    switch name {
    // An unknown state is taken as `ready` (docs/protocol.md, "Growth").
    case "state": state = value.string.map { TableState(rawValue: $0) ?? .ready } ?? state
    case "problem": problem = value.isNull ? nil : TableProblem(value)
    case "title": title = value.string ?? ""
    case "animation": animation = TableAnimation(value)
    case "counts": counts = value.isNull ? nil : TableCounts(value)
    case "window": window = TableWindow(value)
    case "truncated": isTruncated = value.boolean ?? false
    case "find": find = TableFind(value)
    case "edges": hasEdges = value.boolean ?? false
    default: return
    }
  }
}

public enum TableState: String, Hashable, Sendable {
  /// Its source has not answered yet.
  case loading
  case ready
  /// Its source has answered, and there are no rows.
  case empty
  /// The last fetch failed. The rows are from the last good one.
  case stale
  /// No fetch has succeeded.
  case failed
}

/// The reason why a table is stale or failed.
public struct TableProblem: Hashable, Sendable {
  public var title: String
  public var detail: String
  /// The time of the first failure, as in RFC 3339.
  public var since: String?

  init(_ json: JSONText) {
    title = json["title"]?.string ?? ""
    detail = json["detail"]?.string ?? ""
    since = json["since"]?.string
  }
}

/// The animations of rows, by UIKit's names: `fade right left top bottom none middle automatic`.
public struct TableAnimation: Hashable, Sendable {
  public var insert = "automatic"
  public var delete = "automatic"
  public var reload = "automatic"

  public init() {}

  init(_ json: JSONText) {
    insert = json["insert"]?.string ?? insert
    delete = json["delete"]?.string ?? delete
    reload = json["reload"]?.string ?? reload
  }
}

public struct TableCounts: Hashable, Sendable {
  public var sections: Int
  public var rows: Int
  /// The number of sections that are left out because they have no rows.
  public var omittedSections: Int
  /// The number of items that fit no cell.
  public var skippedItems: Int

  init(_ json: JSONText) {
    sections = json["sections"]?.integer ?? 0
    rows = json["rows"]?.integer ?? 0
    omittedSections = json["omittedSections"]?.integer ?? 0
    skippedItems = json["skippedItems"]?.integer ?? 0
  }
}

/// A window of the table: its first rows, or some from the middle.
public struct TableWindow: Hashable, Sendable {
  /// The first row, counted from 0.
  public var from = 0
  /// The maximal number of rows in the window.
  public var rows: Int
  /// The number of rows in the whole table.
  public var of: Int

  /// The integers that a double has exactly; sums of such numbers fit into an `Int`.
  private static let numbers = 0...1 << 53

  /// Nil for what can be no window: the table is shown as one without.
  init?(_ json: JSONText) {
    func number(_ name: String, without: Int? = nil) -> Int? {
      guard let value = json[name] else { return without }
      return value.integer.flatMap { Self.numbers.contains($0) ? $0 : nil }
    }
    guard let from = number("from", without: 0), let rows = number("rows"), let of = number("of") else { return nil }
    (self.from, self.rows, self.of) = (from, rows, of)
  }

  /// Whether there are rows after the window.
  public var hasMore: Bool { of - from > rows }

  /// Whether there are rows before the window.
  public var hasPrevious: Bool { from > 0 }

  /// As the service writes it.
  var json: String { "{\(from > 0 ? "\"from\":\(from)," : "")\"rows\":\(rows),\"of\":\(of)}" }
}
