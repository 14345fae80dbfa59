/// The names that tables are kept under: a table's name, or, in another language than the first, its name and the
/// language, `prices@de-DE`. No table's own name has an `@`. A table that depends on claims of its caller has a digest of them
/// in its name, `mine;$caller=6b0c…`, which no client is told.
public enum StoredName {
  private static let separator: Character = "@"
  /// The parameter that has the digest. No parameter of a configuration is called so.
  public static let caller = "$caller"

  public static func of(_ table: String, in locale: String?) -> String {
    locale.map { "\(table)\(separator)\($0)" } ?? table
  }

  /// The name that clients know.
  static func shown(of stored: String) -> String {
    let table = parts(of: stored).table
    guard table.utf8.contains(UInt8(ascii: "$")) else { return table }
    return table.split(separator: ";", omittingEmptySubsequences: false).filter { !$0.hasPrefix("\(caller)=") }
      .joined(separator: ";")
  }

  /// The name that replicas know, and the language, where it is said.
  public static func parts(of stored: String) -> (table: String, locale: String?) {
    guard let end = stored.lastIndex(of: separator) else { return (stored, nil) }
    return (String(stored[..<end]), String(stored[stored.index(after: end)...]))
  }
}

/// The names that the items of local sources are kept under: a record that is no table's. No table's name has an `@`.
public enum ItemRecord {
  static let prefix = "@items."

  public static func of(_ source: String) -> String { prefix + source }

  /// The source whose items are kept under a name; nil where that is a table's.
  public static func source(of record: String) -> String? {
    record.hasPrefix(prefix) ? String(record.dropFirst(prefix.count)) : nil
  }
}
