internal import FieldValues

/// The content of one version of a table: an ordered list of sections, and what stands around them.
///
/// Sections without rows have been left out by whoever made it. Row and section identities are unique:
/// whoever makes a table refuses duplicates at the door.
public struct Table: Sendable {
  /// The table's name in URLs.
  public var name: String
  public var title: String
  public var state: TableState
  /// Why the rows are old or missing: with `.stale` and `.failed` only.
  public var problem: Problem?
  public var animation: AnimationConfiguration
  public var sections: [Section] { didSet { counted = nil } }
  /// Sections left out because they had no rows.
  public var omittedSections: Int
  /// Items that no cell took, or whose identity was taken.
  public var skippedItems: Int
  /// The sources had more items than they may.
  public var isTruncated = false
  /// Clients may poll it through caches that they share.
  public var isForEdges = false
  /// Names what the table offers to be found by, and how that is shown: it is compared where no rows tell. Nil where it is not
  /// known, or nothing.
  public var offer: UInt64?
  /// The state of a client's search field and menus; nil where it doesn't ask.
  public var find: FindMenu?
  /// The part of the table that this is, where it is cut; nil where it is whole.
  public var window: Window?
  /// `rowCount`, where it was counted since `sections` changed.
  var counted: CountedRows?

  /// O(sections) where the rows have to be counted.
  ///
  /// - Parameter rowCount: how many rows the sections have, where it is known.
  public init(
    name: String,
    title: String,
    state: TableState,
    problem: Problem? = nil,
    animation: AnimationConfiguration = .init(),
    sections: [Section] = [],
    omittedSections: Int = 0,
    skippedItems: Int = 0,
    rowCount: Int? = nil
  ) {
    self.name = name
    self.title = title
    self.state = state
    self.problem = problem
    self.animation = animation
    self.sections = sections
    self.omittedSections = omittedSections
    self.skippedItems = skippedItems
    if let rowCount { counted = CountedRows(rowCount) } else { countRows() }
  }

  /// How many rows there are. O(1) where ``countRows()`` came after the last change of ``sections``, else O(sections).
  public var rowCount: Int { counted?.count ?? sections.reduce(0) { $0 + $1.rows.count } }

  /// True if its sources ever answered.
  public var hasWorked: Bool {
    switch state {
    case .ready, .empty, .stale: true
    case .loading, .failed: false
    }
  }

  /// Counts the rows once for all copies. O(sections).
  public mutating func countRows() {
    if counted == nil { counted = CountedRows(rowCount) }
  }

  /// How many sections and rows there are, and how many were left out. As fast as ``rowCount``.
  public var counts: Counts {
    Counts(
      sections: sections.count,
      rows: rowCount,
      omittedSections: omittedSections,
      skippedItems: skippedItems
    )
  }

  /// Equal to the byte on the wire. O(sections).
  public static func same(_ first: Table, _ second: Table) -> Bool {
    guard
      first.name == second.name, first.title.isExactly(second.title), first.state == second.state,
      first.problem == second.problem, first.animation == second.animation,
      first.omittedSections == second.omittedSections, first.skippedItems == second.skippedItems,
      first.isTruncated == second.isTruncated, first.isForEdges == second.isForEdges,
      first.window == second.window, first.find == second.find, offersAlike(first, second),
      first.sections.count == second.sections.count
    else { return false }
    return zip(first.sections, second.sections).allSatisfy { old, new in
      old === new
        || Section.sameIdentity(old, new) && old.skipped == new.skipped && Section.sameFrame(old, new)
          && Section.sameRows(old, new)
    }
  }
}

extension Table {
  /// The row at a path, or nil where there is none. O(1).
  public subscript(at path: IndexPath) -> Row? {
    guard sections.indices.contains(path.section) else { return nil }
    let rows = sections[path.section].rows
    return rows.indices.contains(path.row) ? rows[path.row] : nil
  }

  /// Returns the place of the row with an identity. Expected O(sections + rows / 8,000) once the sections have been
  /// asked before, which counts for all versions that share them.
  public func indexPath(of id: String) -> IndexPath? {
    let identity = Fingerprint(of: id)
    for (section, content) in sections.enumerated() {
      if let row = content.rows.firstIndex(of: id, identity) { return IndexPath(section: section, row: row) }
    }
    return nil
  }

  /// The kinds of its rows, each once, in no order that means anything. O(sections) where the parts are known, else O(rows).
  public var rowKinds: [RowKind] {
    var kinds: [RowKind] = []
    for section in sections { kinds.add(section.rows.root.kinds) }
    return kinds
  }
}

extension Table {
  /// Rows know what they are found by. Of tables without rows only what they offer tells that clients' menus change.
  private static func offersAlike(_ first: Table, _ second: Table) -> Bool {
    guard let offer = first.offer, let other = second.offer else { return true }
    return offer == other || first.rowCount > 0
  }
}

public struct Counts: Equatable, Sendable {
  public var sections: Int
  public var rows: Int
  public var omittedSections: Int
  public var skippedItems: Int

  public init(sections: Int, rows: Int, omittedSections: Int, skippedItems: Int) {
    self.sections = sections
    self.rows = rows
    self.omittedSections = omittedSections
    self.skippedItems = skippedItems
  }
}

public enum TableState: String, Sendable, CaseIterable {
  /// No upstream answer yet, no sections.
  case loading
  case ready
  /// Answered, no rows.
  case empty
  /// The last fetch failed; the rows are the last good ones.
  case stale
  /// It never worked.
  case failed
}

/// Why a table is stale or failed, for a person.
public struct Problem: Equatable, Sendable {
  public var title: String
  public var detail: String
  /// When it began: RFC 3339, UTC.
  public var since: String

  public init(title: String, detail: String, since: String) {
    self.title = title
    self.detail = detail
    self.since = since
  }

  /// By their bytes, as clients get them: Swift's strings hold two spellings of “é” equal.
  public static func == (first: Problem, second: Problem) -> Bool {
    first.title.isExactly(second.title) && first.detail.isExactly(second.detail) && first.since.isExactly(second.since)
  }
}

/// `UITableView.RowAnimation`.
public enum RowAnimation: String, Sendable, CaseIterable {
  case fade, right, left, top, bottom, none, middle, automatic
}

/// How a client animates a changeset.
public struct AnimationConfiguration: Equatable, Sendable {
  public var insert: RowAnimation
  public var delete: RowAnimation
  public var reload: RowAnimation

  public init(insert: RowAnimation = .automatic, delete: RowAnimation = .automatic, reload: RowAnimation = .automatic) {
    self.insert = insert
    self.delete = delete
    self.reload = reload
  }
}
