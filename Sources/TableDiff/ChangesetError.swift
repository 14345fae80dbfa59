/// A changeset that does not fit the table it is applied to: the table is not at the changeset's `from`.
public struct ChangesetError: Error, Equatable, CustomStringConvertible {
  /// The stage, from 0.
  public let stage: Int
  /// The operation and where it stands, as on the wire: `rows.move from [0, 4]`.
  public let operation: String
  /// The error, and what would be right.
  public let reason: String

  public var description: String { "stage \(stage), \(operation): \(reason)" }
}
