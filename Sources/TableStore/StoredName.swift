/// What a table is kept under: its name, or, in another language than the first, its name and the language,
/// `prices@de-DE`. No table's own name has an `@`.
public enum StoredName {
  private static let separator: Character = "@"

  public static func of(_ table: String, in locale: String?) -> String {
    locale.map { "\(table)\(separator)\($0)" } ?? table
  }

  /// The name that clients know, and the language, where it is said.
  public static func parts(of stored: String) -> (table: String, locale: String?) {
    guard let end = stored.lastIndex(of: separator) else { return (stored, nil) }
    return (String(stored[..<end]), String(stored[stored.index(after: end)...]))
  }
}
