import TableModel

/// Rows that were read of their records, with their numbers.
struct RowsRead: Sendable {
  /// Ascending.
  var numbers: [UInt64] = []
  var rows: [Row] = []
}

/// Reads rows of records that come one after the other: some are gathered, and then read together.
struct RowBatch {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  private var names = NameTable()
  private var read = RowsRead()

  private static let size = 128 << 10

  /// - Parameter number: of the row; they ascend.
  /// - Throws: ``RecordError`` for a record that can't be read, this one or an earlier one.
  mutating func append(_ number: UInt64, _ record: UnsafeRawBufferPointer) throws(RecordError) {
    read.numbers.append(number)
    bytes.append(contentsOf: record)
    ends.append(bytes.count)
    if bytes.count >= Self.size { try readRows() }
  }

  /// All of them.
  mutating func finish() throws(RecordError) -> RowsRead {
    try readRows()
    return read
  }

  private mutating func readRows() throws(RecordError) {
    var reader = RecordReader(bytes, 0..<0)
    for end in ends {
      reader.begin(to: end)
      read.rows.append(try reader.row(names: &names))
    }
    // So that the bytes' memory is used again: the reader has them, too.
    reader = RecordReader([])
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
