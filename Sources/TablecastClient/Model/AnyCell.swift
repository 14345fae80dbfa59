/// A cell as JSON, for programs that show tables without knowing their cells.
public struct AnyCell: CellModel {
  public var cellIdentifier: String

  public static var acceptedCells: String? { nil }
  public static func decodes(cellIdentifier: String) -> Bool { true }
}
