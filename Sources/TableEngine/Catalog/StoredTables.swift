import TableStore

/// Stored records, each read once while a configuration is loaded.
struct StoredTables {
  private let context: EngineContext
  private var tables: [String: StoredTable] = [:]

  init(_ context: EngineContext) { self.context = context }

  /// Drops a record that was read: it has changed since.
  mutating func forget(_ name: String) { tables[name] = nil }

  /// The record of the items that a table shows as its own, as it is called by whoever has stored it.
  mutating func ownRecord(of table: String) async throws -> String? {
    let record = try await self.table(table).inputs.own
    guard let record, try await self.table(record).items == nil else { return record }
    if let name = try await self.table(record).newName { return name }
    // It is lost; or it was given another name after the table was read, or before the record was.
    tables = [:]
    return try await self.table(table).inputs.own
  }

  /// - Throws: ``StartError`` where it can't be read.
  mutating func table(_ name: String) async throws -> StoredTable {
    if let table = tables[name] { return table }
    do {
      let table = try await context.restore(name)
      tables[name] = table
      return table
    } catch {
      throw StartError(description: "table `\(name)`: what is stored of it can't be read: \(error)")
    }
  }
}
