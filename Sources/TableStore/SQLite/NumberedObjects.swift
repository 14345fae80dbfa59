import FieldValues
import GRDB
import TableModel

/// The objects that are stored under the numbers of the last version's rows.
struct NumberedObjects {
  private var numbers: [UInt64] = []
  private var bodies: [[UInt8]] = []

  init(of table: SQLiteTable, in db: Database) throws {
    guard table.hasRowObjects else { return }
    let keys = StoreSchema.keys(of: table.id)
    try RecordStatement("SELECT key, body FROM row_object WHERE key BETWEEN ? AND ? ORDER BY key", in: db).forEach(keys)
    {
      numbers.append(UInt64($0 - keys.lowerBound))
      bodies.append(Array($1))
    }
  }

  /// With their rows' names, once the version is known. O(rows).
  func named(by last: (version: Version, numbers: [RowNumberList])?) -> [(row: String, bytes: [UInt8])] {
    guard let last, !numbers.isEmpty else { return [] }
    let places = NumberedPlaces(ascending: numbers)
    var objects: [(row: String, bytes: [UInt8])] = []
    objects.reserveCapacity(bodies.count)
    for (section, numbers) in zip(last.version.table.sections, last.numbers) {
      for (row, number) in zip(section.rows, numbers) {
        if let place = places.place(of: number) { objects.append((row.id, bodies[place])) }
      }
    }
    return objects
  }
}

/// The numbers of a version's rows, by identity.
struct RowNumbers {
  private let added: [(number: UInt64, row: TableModel.Row)]
  private let last: (version: Version, numbers: [RowNumberList])?
  /// Most objects come in the order of their rows.
  private var next = 0
  private var byName: [ByteText: UInt64]?

  init(_ record: VersionRecord?, of table: SQLiteTable) {
    (added, last) = (record?.added ?? [], table.last)
  }

  /// Expected O(1) for rows that the version has brought, and as fast as the table finds it for others.
  mutating func number(of row: String) -> UInt64? {
    let name = ByteText(row)
    if next < added.count, ByteText(added[next].row.id) == name {
      next += 1
      return added[next - 1].number
    }
    let known = byName ?? Dictionary(added.map { (ByteText($0.row.id), $0.number) }) { first, _ in first }
    byName = known
    if let number = known[name] { return number }
    guard let last, let path = last.version.table.indexPath(of: row) else { return nil }
    return last.numbers[path.section][path.row]
  }
}
