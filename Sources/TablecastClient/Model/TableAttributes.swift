/// What a table is beside its sections.
public struct TableAttributes: Hashable, Sendable {
  public var state: TableState = .loading
  /// With `stale` and `failed`: why.
  public var problem: TableProblem?
  public var title = ""
  public var animation = TableAnimation()
  public var counts: TableCounts?
  /// Where the table is cut.
  public var window: TableWindow?
  /// The sources had more items than they may.
  public var isTruncated = false
  /// What the table can be searched by: where somebody searches it, or asks for that (`LiveTable.find`).
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
  /// No answer of its source yet.
  case loading
  case ready
  /// Answered, without rows.
  case empty
  /// The last fetch failed: the rows are the last good ones.
  case stale
  /// It never worked.
  case failed
}

/// Why a table is stale or failed.
public struct TableProblem: Hashable, Sendable {
  public var title: String
  public var detail: String
  /// RFC 3339.
  public var since: String?

  init(_ json: JSONText) {
    title = json["title"]?.string ?? ""
    detail = json["detail"]?.string ?? ""
    since = json["since"]?.string
  }
}

/// UIKit's names for how rows come and go: `fade right left top bottom none middle automatic`.
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
  /// Left out because they have no rows.
  public var omittedSections: Int
  /// Items that no cell takes.
  public var skippedItems: Int

  init(_ json: JSONText) {
    sections = json["sections"]?.integer ?? 0
    rows = json["rows"]?.integer ?? 0
    omittedSections = json["omittedSections"]?.integer ?? 0
    skippedItems = json["skippedItems"]?.integer ?? 0
  }
}

/// The table cut: after its first rows, or out of the middle.
public struct TableWindow: Hashable, Sendable {
  /// The first row, counted from 0.
  public var from = 0
  /// How many rows the client may have at most.
  public var rows: Int
  /// How many the table has in all.
  public var of: Int

  init?(_ json: JSONText) {
    guard let rows = json["rows"]?.integer, let of = json["of"]?.integer else { return nil }
    (self.rows, self.of) = (rows, of)
    from = json["from"]?.integer ?? 0
  }

  /// There are rows behind it.
  public var hasMore: Bool { of - from > rows }

  /// There are rows before it.
  public var hasPrevious: Bool { from > 0 }

  /// As the service writes it.
  var json: String { "{\(from > 0 ? "\"from\":\(from)," : "")\"rows\":\(rows),\"of\":\(of)}" }
}
