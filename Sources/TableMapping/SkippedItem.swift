/// An item that has no row, and why.
public struct SkippedItem: Equatable, Sendable {
  /// The source that it came from.
  public var source: String
  /// Its place among the source's items, from 0.
  public var index: Int
  /// The identity that its row would have, where that could be told.
  public var id: String?
  /// Its type, where the table tells types apart and the item has one.
  public var type: String?
  /// For a person: what was wrong, where, and what would be right.
  public var reason: String
  /// The field of the cell's payload that is to blame, where one is.
  public var field: String?

  public init(
    source: String,
    index: Int,
    id: String? = nil,
    type: String? = nil,
    reason: String,
    field: String? = nil
  ) {
    (self.source, self.index, self.id, self.type, self.reason) = (source, index, id, type, reason)
    self.field = field
  }
}

extension SkippedItem {
  init(_ skip: MappedItem.Skip, of source: String, at index: Int) {
    self.init(source: source, index: index, id: skip.id, type: skip.type, reason: skip.reason, field: skip.field)
  }
}

/// A source whose answer can't be mapped.
public struct SourceProblem: Equatable, Sendable {
  public var source: String
  public var kind: Kind
  public var detail: String

  public init(source: String, kind: Kind = .noItems, detail: String) {
    (self.source, self.kind, self.detail) = (source, kind, detail)
  }

  public enum Kind: Sendable {
    /// It has no list of items where the configuration says that it stands.
    case noItems
    /// An item in it is no JSON, so that the whole isn't.
    case malformed
    /// Mapping it would take more memory than it may.
    case tooLarge
    /// Evaluating its items would take more work than it may.
    case tooMuchWork
  }

  /// For people, as a table's problem is headed.
  public var title: String {
    switch kind {
    case .noItems: "The upstream's answer has no items"
    case .malformed: "The upstream's answer is no JSON"
    case .tooLarge: "The upstream's answer is too large"
    case .tooMuchWork: "The upstream's answer takes too much work"
    }
  }
}
