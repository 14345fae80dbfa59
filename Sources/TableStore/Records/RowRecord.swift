import FieldValues
import TableModel

/// Rows and cell models as records. Fingerprints are not in them: their seed is new in every process.
extension RecordWriter {
  mutating func write(_ row: Row) {
    write(byte: row.permissions.rawValue)
    write(byte: (row.select == nil ? 0 : 1) | (row.expansion == nil ? 0 : 2) | (row.findable.isEmpty ? 0 : 4))
    if let select = row.select { write(select) }
    if let expansion = row.expansion { write(expansion) }
    write(count: row.cells.count)
    for cell in row.cells {
      write(cell.cellIdentifier)
      write(cell.payload)
    }
    write(row.id)
    write(row.encoded)
    if !row.findable.isEmpty { write(row.findable) }
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
    // The earliest place of the next fallback's payload: cells stand one behind the other, and the toggled field before
    // fallbacks.
    var end = 0
    let count = try count(of: 3)
    guard count > 0 else { throw RecordError(description: "a row's record has no cell") }
    let cell = try cellPart(&names, behind: &end)
    end = max(end, expansion?.upperBound ?? 0)
    var fallbacks: [CellPart] = []
    for _ in 1..<count { fallbacks.append(try cellPart(&names, behind: &end)) }
    let id = try string()
    let encoded = try content()
    let findable = flags & 4 == 0 ? [] : try content()
    guard max(end, select?.upperBound ?? 0) <= encoded.count else {
      throw RecordError(description: "a row's record points outside the row")
    }
    if let expansion {
      let literal = encoded[expansion]
      guard literal.elementsEqual("true".utf8) || literal.elementsEqual("false".utf8) else {
        throw RecordError(description: "what a tap toggles in a row is no boolean")
      }
    }
    return Row(
      id: id,
      encoded: encoded,
      cells: CellChain(cell, fallbacks: fallbacks),
      permissions: permissions,
      select: select,
      expansion: expansion,
      findable: findable
    )
  }

  private mutating func cellPart(_ names: inout NameTable, behind end: inout Int) throws(RecordError) -> CellPart {
    let (name, payload) = (try name(&names), try range())
    guard payload.lowerBound >= end else { throw RecordError(description: "the cells of a row's record overlap") }
    end = payload.upperBound
    return CellPart(cellIdentifier: name, payload: payload)
  }

  /// A cell's identifier.
  private mutating func name(_ names: inout NameTable) throws(RecordError) -> String {
    if let last = names.last, try skip(last) { return last }
    return names.shared(try string())
  }

  mutating func cellModel(names: inout NameTable) throws(RecordError) -> CellModel {
    CellModel(cellIdentifier: try name(&names), encoded: try content())
  }
}

/// Cell identifiers, each held once however many rows name it. Two spellings of one text are two identifiers.
struct NameTable {
  private var names: Set<ByteText> = []
  /// Most rows have the cell of the one before.
  private(set) var last: String?

  mutating func shared(_ name: String) -> String {
    let shared = names.insert(ByteText(name)).memberAfterInsert.text
    last = shared
    return shared
  }
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
