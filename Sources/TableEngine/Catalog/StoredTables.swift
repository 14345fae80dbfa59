import TableStore

/// What the store has of tables and items, read once each while a configuration is loaded.
struct StoredTables {
  private let context: EngineContext
  private var tables: [String: StoredTable] = [:]

  init(_ context: EngineContext) { self.context = context }

  /// What was read of a record is no longer all that there is.
  mutating func forget(_ name: String) { tables[name] = nil }

  /// - Throws: ``StartError`` where it can't be read.
  mutating func table(_ name: String) throws -> StoredTable {
    if let table = tables[name] { return table }
    do {
      let table = try context.restore(name)
      tables[name] = table
      return table
    } catch {
      throw StartError(description: "table `\(name)`: what is stored of it can't be read: \(error)")
    }
  }
}
