/// The changes from one version of a table to another, in stages that `UITableView.performBatchUpdates` takes.
///
/// Rows that leave are given in coordinates before their stage, rows that arrive in coordinates after it; `update` is
/// applied after the rest of its stage, in coordinates after it. Stages apply in order; there are at most three.
///
/// ```
///     before the stage         the stage                          after it
///   ┌──────────────────┐                                      ┌──────────────────┐
///   │ 0  A   a  b  c   │   delete  [0,1]           b          │ 0  A   a  d  c'  │
///   │ 1  B   d  e      │   move    [1,0] → [0,1]   d          │ 1  B   e  x      │
///   └──────────────────┘   insert  [1,1]           x          └──────────────────┘
///                          update  [0,2]           c'
/// ```
///
/// `b` and `d` are named by where they stood, `d`, `x` and `c'` by where they stand then. What no operation names
/// (`a`, `e`) fills the places that are left, in its old order. How a diff divides changes among stages, and why, is
/// drawn at `init(from:to:)`.
public struct Changeset: Sendable {
  public var stages: [Stage]

  public init(stages: [Stage] = []) { self.stages = stages }

  /// One batch of operations.
  public struct Stage: Sendable {
    public var sections = SectionOperations()
    public var rows = RowOperations()
    /// The table's own attributes, where they changed; in the last stage only.
    public var attributes = Attributes()

    public init() {}
  }

  public struct SectionOperations: Sendable {
    public var delete: [SectionDelete] = []
    public var insert: [SectionInsert] = []
    public var move: [SectionMove] = []
    public var update: [SectionUpdate] = []

    public init() {}
    public var isEmpty: Bool { delete.isEmpty && insert.isEmpty && move.isEmpty && update.isEmpty }
  }

  public struct RowOperations: Sendable {
    public var delete: [RowDelete] = []
    public var insert: [RowInsert] = []
    public var move: [RowMove] = []
    public var update: [RowUpdate] = []

    public init() {}
    public var isEmpty: Bool { delete.isEmpty && insert.isEmpty && move.isEmpty && update.isEmpty }
  }

  /// The table's own attributes that changed.
  public struct Attributes: Sendable {
    public var state: TableState?
    /// `.some(nil)`: there is no problem any more.
    public var problem: Problem??
    public var title: String?
    public var animation: AnimationConfiguration?
    public var counts: Counts?
    /// True if the sources have more items than they may.
    public var isTruncated: Bool?
    /// True if clients may poll the table through caches that they share.
    public var isForEdges: Bool?
    /// `.some(nil)`: the table is whole now.
    public var window: Window??
    /// `.some(nil)`: the client no longer asks.
    public var find: FindMenu??

    public init() {}
    public var isEmpty: Bool {
      state == nil && problem == nil && title == nil && animation == nil && counts == nil && isTruncated == nil
        && isForEdges == nil && window == nil && find == nil
    }
  }

  public struct SectionDelete: Sendable {
    public var at: Int
    public var id: String
    public init(at: Int, id: String) { (self.at, self.id) = (at, id) }
  }

  public struct SectionInsert: Sendable {
    public var at: Int
    public var section: Section
    public init(at: Int, section: Section) { (self.at, self.section) = (at, section) }
  }

  public struct SectionMove: Sendable {
    public var from: Int
    public var to: Int
    public var id: String
    public init(from: Int, to: Int, id: String) { (self.from, self.to, self.id) = (from, to, id) }
  }

  /// The header, the footer, or how many rows stand before the cut has changed; header and footer are given as they are
  /// now.
  public struct SectionUpdate: Sendable {
    public var at: Int
    public var id: String
    public var header: CellModel?
    public var footer: CellModel?
    /// ``Section/skipped``, where it changed.
    public var skipped: Int?
    public init(at: Int, id: String, header: CellModel?, footer: CellModel?, skipped: Int? = nil) {
      (self.at, self.id, self.header, self.footer, self.skipped) = (at, id, header, footer, skipped)
    }
  }

  public struct RowDelete: Sendable {
    public var at: IndexPath
    public var id: String
    public init(at: IndexPath, id: String) { (self.at, self.id) = (at, id) }
  }

  public struct RowInsert: Sendable {
    public var at: IndexPath
    public var row: Row
    public init(at: IndexPath, row: Row) { (self.at, self.row) = (at, row) }
  }

  public struct RowMove: Sendable {
    public var from: IndexPath
    public var to: IndexPath
    public var id: String
    public init(from: IndexPath, to: IndexPath, id: String) { (self.from, self.to, self.id) = (from, to, id) }
  }

  public struct RowUpdate: Sendable {
    public var at: IndexPath
    public var row: Row
    /// The cell identifier changed: exchange the cell. Else it can be filled again in place (`reconfigureRows`).
    public var reload: Bool
    /// The row that stood there before, for a caller that draws both otherwise; nil where that is not known.
    public var former: Row?
    public init(at: IndexPath, row: Row, reload: Bool, former: Row? = nil) {
      (self.at, self.row, self.reload, self.former) = (at, row, reload, former)
    }
  }
}
