import Dispatch
import Synchronization
import TableModel

/// The rows of a table as a store gives them, one record after the other, which are read on all cores: what is not read yet
/// is held, and is some megabytes at most.
struct RowBatches {
  private var batches: [Batch] = []
  private var numbers: [UInt64] = []
  private var rows: [Row] = []

  /// Records that one thread reads.
  fileprivate struct Batch: Sendable {
    var bytes: [UInt8] = []
    var ends: [Int] = []
  }

  private static let batchBytes = 256 << 10
  private static let mostBatches = 32

  /// - Parameter number: of the row; they ascend.
  mutating func append(_ number: UInt64, _ record: UnsafeRawBufferPointer) throws {
    if batches.last.map({ $0.bytes.count >= Self.batchBytes }) ?? true {
      if batches.count == Self.mostBatches { try readBatches() }
      batches.append(Batch())
      batches[batches.count - 1].bytes.reserveCapacity(Self.batchBytes + record.count)
    }
    numbers.append(number)
    let last = batches.count - 1
    batches[last].bytes.append(contentsOf: record)
    batches[last].ends.append(batches[last].bytes.count)
  }

  /// The highest number.
  var last: UInt64? { numbers.last }

  /// All of them.
  ///
  /// - Throws: ``RecordError`` for the first record that can't be read.
  mutating func finish() throws -> NumberedRows {
    try readBatches()
    return NumberedRows(numbers, rows)
  }

  private mutating func readBatches() throws(RecordError) {
    let batches = batches
    let read = Mutex([Result<[Row], RecordError>?](repeating: nil, count: batches.count))
    DispatchQueue.concurrentPerform(iterations: batches.count) { place in
      let result = Result { () throws(RecordError) in try batches[place].rows() }
      read.withLock { $0[place] = result }
    }
    for result in read.withLock({ $0 }).compactMap({ $0 }) { rows += try result.get() }
    self.batches = []
  }
}

extension RowBatches.Batch {
  fileprivate func rows() throws(RecordError) -> [Row] {
    var (rows, start, names): ([Row], Int, NameTable) = ([], 0, NameTable())
    rows.reserveCapacity(ends.count)
    for end in ends {
      var reader = RecordReader(bytes, start..<end)
      rows.append(try reader.row(names: &names))
      start = end
    }
    return rows
  }
}
