/// A table's changes since a revision of it.
public enum CatchUp: Sendable {
  /// Nothing, or what commits have changed.
  case changes(TableChanges)
  /// The stored state can't be reached by changes: so much was written since, or the table was removed, or the store
  /// has lost its data. Where the epoch is another one, so is the table's.
  case replaced(StoredTable)
}

/// The commits to a table after a revision, taken together.
public struct TableChanges: Sendable {
  /// The table's revision with them.
  public var revision: Revision
  /// Oldest first, each after the one before. They share what did not change with the one that they are built on.
  public var versions: [Version] = []
  /// Net; to be applied by ``LocalItems/apply(_:)``.
  public var items: ItemChanges?
  /// The inputs that the table is made of from then on; nil: as before.
  public var inputs: InputRevisions?
  public var objects: [ObjectChange] = []
  public var toggles: [ToggleChange] = []

  init(revision: Revision) { self.revision = revision }

  public var isEmpty: Bool { versions.isEmpty && items == nil && inputs == nil && objects.isEmpty && toggles.isEmpty }

  mutating func add(_ commit: RecentCommits.Entry) {
    if let version = commit.version { versions.append(version) }
    if let later = commit.items {
      if items == nil { items = later } else { items?.merge(later) }
    }
    inputs = commit.inputs ?? inputs
    objects += commit.objects
    toggles += commit.toggles
  }
}
