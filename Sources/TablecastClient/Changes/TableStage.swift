/// One batch of a changeset, as `UITableView.performBatchUpdates` takes it. Deletions count before the stage,
/// insertions after it, and updates come last (docs/protocol.md, "Applying stages").
public struct TableStage: Hashable, Sendable {
  public struct SectionDeletion: Hashable, Sendable {
    public var at: Int
    public var id: String
  }

  public struct SectionInsertion: Hashable, Sendable {
    public var at: Int
    public var section: TableSection
  }

  public struct SectionMove: Hashable, Sendable {
    public var from: Int
    public var to: Int
    public var id: String
  }

  public struct SectionUpdate: Hashable, Sendable {
    public var at: Int
    public var id: String
    public var header: JSONText?
    public var footer: JSONText?
    /// The number of its rows before the window, if that changed.
    public var skipped: Int?
  }

  public struct RowDeletion: Hashable, Sendable {
    public var at: RowPath
    public var id: String
  }

  public struct RowInsertion: Hashable, Sendable {
    public var at: RowPath
    public var row: TableRow
  }

  public struct RowMove: Hashable, Sendable {
    public var from: RowPath
    public var to: RowPath
    public var id: String
  }

  public struct RowUpdate: Hashable, Sendable {
    public var at: RowPath
    public var row: TableRow
    /// Whether the cell must be exchanged. If false, it can be filled again in place.
    public var reload: Bool
  }

  public var deletedSections: [SectionDeletion] = []
  public var insertedSections: [SectionInsertion] = []
  public var movedSections: [SectionMove] = []
  public var updatedSections: [SectionUpdate] = []
  public var deletedRows: [RowDeletion] = []
  public var insertedRows: [RowInsertion] = []
  public var movedRows: [RowMove] = []
  public var updatedRows: [RowUpdate] = []

  /// The table's members that this stage changes, as they came.
  var attributes: [Attribute] = []

  struct Attribute: Hashable, Sendable {
    var name: String
    var value: JSONText
  }

  /// Whether rows or sections are inserted, deleted or moved.
  public var changesStructure: Bool {
    !(deletedSections.isEmpty && insertedSections.isEmpty && movedSections.isEmpty && deletedRows.isEmpty
      && insertedRows.isEmpty && movedRows.isEmpty)
  }

  public var isEmpty: Bool {
    !changesStructure && updatedSections.isEmpty && updatedRows.isEmpty && attributes.isEmpty
  }

  init() {}
}
