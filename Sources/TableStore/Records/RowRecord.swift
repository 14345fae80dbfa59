import TableModel

/// Rows and cell models as records. Fingerprints are not in them: their seed is new in every process.
extension RecordWriter {
  mutating func write(_ row: Row) {
    write(byte: row.permissions.rawValue)
    write(byte: (row.select == nil ? 0 : 1) | (row.expansion == nil ? 0 : 2))
    if let select = row.select { write(select) }
    if let expansion = row.expansion { write(expansion) }
    write(count: row.cells.count)
    for cell in row.cells {
      write(cell.cellIdentifier)
      write(cell.payload)
    }
    write(row.id)
    write(row.encoded)
  }

  mutating func write(_ model: CellModel) {
    write(model.cellIdentifier)
    write(model.encoded)
  }
}

extension RecordReader {
  mutating func row(names: inout NameTable) throws(RecordError) -> Row {
    let permissions = Permissions(rawValue: try byte())
    let flags = try byte()
    let select = flags & 1 == 0 ? nil : try range()
    let expansion = flags & 2 == 0 ? nil : try range()
    var cells: [CellPart] = []
    for _ in 0..<(try count(of: 3)) {
      cells.append(CellPart(cellIdentifier: names.shared(try string()), payload: try range()))
    }
    let id = try string()
    let encoded = try content()
    let ranges = cells.map(\.payload) + [select, expansion].compactMap { $0 }
    guard let cells = CellChain(cells), ranges.allSatisfy({ $0.upperBound <= encoded.count }) else {
      throw RecordError(description: "a row's record points outside the row")
    }
    return Row(
      id: id,
      encoded: encoded,
      cells: cells,
      permissions: permissions,
      select: select,
      expansion: expansion
    )
  }

  mutating func cellModel(names: inout NameTable) throws(RecordError) -> CellModel {
    CellModel(cellIdentifier: names.shared(try string()), encoded: try content())
  }
}

/// Cell identifiers, each held once however many rows name it.
struct NameTable {
  private var names: Set<String> = []

  mutating func shared(_ name: String) -> String { names.insert(name).memberAfterInsert }
}

extension Row {
  /// Equal in all that is stored: the bytes, and what is known about them beside.
  static func identical(_ first: Row, _ second: Row) -> Bool {
    if first === second { return true }
    return Row.same(first, second) && first.permissions == second.permissions && first.select == second.select
      && first.expansion == second.expansion && first.cells.count == second.cells.count
      && zip(first.cells, second.cells).allSatisfy {
        $0.cellIdentifier == $1.cellIdentifier && $0.payload == $1.payload
      }
  }
}
