import TableStore

/// Stored records, each read once while a configuration is loaded.
struct StoredTables {
  private let context: EngineContext
  private var tables: [String: StoredTable] = [:]

  init(_ context: EngineContext) { self.context = context }

  /// Drops a record that was read: it has changed since.
  mutating func forget(_ name: String) { tables[name] = nil }

  /// The record of the items that a table shows as its own, as it is called by whoever has stored it.
  mutating func ownRecord(of table: String) throws -> String? {
    let record = try self.table(table).inputs.own
    guard let record, try self.table(record).items == nil else { return record }
    if let name = try self.table(record).newName { return name }
    // It is lost; or it was given another name after the table was read, or before the record was.
    tables = [:]
    return try self.table(table).inputs.own
  }

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
