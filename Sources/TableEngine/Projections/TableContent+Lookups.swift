import JSON
import TableMapping

extension TableContent {
  /// Returns the items that the lookups named by an edit find for a row's item.
  ///
  /// - Throws: where one of their sources has not answered yet: what is not known is not taken for what is not there.
  func lookedUp(_ names: Set<String>, for row: String) throws(TableError) -> [String: JSONValue] {
    guard !names.isEmpty else { return [:] }
    let found = result?.lookedUp(for: row) ?? [:]
    for name in names.sorted() where found[name] == nil {
      throw TableError(
        .unavailable,
        detail: "The edit names `$\(name)`, and what that is for row `\(row)` is not known here yet: the source of the "
          + "lookup has not answered.",
        retryAfter: .seconds(2)
      )
    }
    return found
  }

  /// The item around that of a row.
  ///
  /// - Throws: where another replica has mapped it: what stands around items is not stored.
  func parent(of row: String) throws(TableError) -> JSONValue {
    if let bytes = result?.parent(of: row), let parent = try? JSONValue(parsing: bytes) { return parent }
    throw TableError(
      .unavailable,
      detail: "The edit names `$parent`, and what that is for row `\(row)` is not known here yet: the source has not "
        + "answered.",
      retryAfter: .seconds(2)
    )
  }
}
