internal import Definitions
internal import Expressions

/// The service's own verdict on a text: a field of the cell takes it, or its item has no row.
enum FieldReading {
  /// A `date` field takes what the filter `date` makes of the text.
  static func isDate(_ text: String) -> Bool {
    guard let moment = try? date?.evaluate(in: Scope(item: Value.string(text))) else { return false }
    return FieldType.date.admits(moment)
  }

  static func isURL(_ text: String) -> Bool { FieldType.url.admits(Value.string(text)) }

  private static let date = try? Expression("$item | date")
}
