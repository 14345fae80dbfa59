import CPQ

/// A parameter of a statement. All go in PostgreSQL's binary formats, so nothing is quoted or read again as text.
///
/// What comes from outside is given as bytes, never as text, which can't hold U+0000 there.
enum PostgresValue: Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case bytes([UInt8])
  case text(String)
  case ints([Int64])
  case byteStrings([[UInt8]])

  static func int(_ value: UInt64) -> PostgresValue { .int(Int64(bitPattern: value)) }
  static func name(_ value: String) -> PostgresValue { .bytes(Array(value.utf8)) }

  /// The length of ``encoded`` in bytes; of an empty array a little more.
  var size: Int {
    switch self {
    case .null: 0
    case .int: 8
    case .bool: 1
    case .bytes(let value): value.count
    case .text(let value): value.utf8.count
    case .ints(let values): Self.headSize + values.count * 12
    case .byteStrings(let values): Self.headSize + values.reduce(0) { $0 + 4 + $1.count }
    }
  }

  /// The most that stands before the elements of an array.
  private static let headSize = 20

  /// Nil for null. At most ``PostgresStatement/maximumSize`` long.
  var encoded: [UInt8]? {
    switch self {
    case .null: nil
    case .int(let value): Self.bigEndian(value)
    case .bool(let value): [value ? 1 : 0]
    case .bytes(let value): value
    case .text(let value): Array(value.utf8)
    case .ints(let values): Self.array(of: 20, values.map(Self.bigEndian))
    case .byteStrings(let values): Self.array(of: 17, values)
    }
  }

  /// An array of one dimension: dimensions, whether there are nulls, the element's type, length, first index, elements.
  private static func array(of type: Int32, _ elements: [[UInt8]]) -> [UInt8] {
    guard !elements.isEmpty else { return bigEndian(Int32(0)) + bigEndian(Int32(0)) + bigEndian(type) }
    var bytes = bigEndian(Int32(1)) + bigEndian(Int32(0)) + bigEndian(type)
    bytes += bigEndian(Int32(clamping: elements.count)) + bigEndian(Int32(1))
    for element in elements { bytes += bigEndian(Int32(clamping: element.count)) + element }
    return bytes
  }

  private static func bigEndian<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}

/// The result of a statement: rows of columns in binary formats.
struct PostgresRows: Sendable {
  /// Nil where a value is null.
  private var values: [[UInt8]?] = []
  private let columns: Int
  let count: Int

  init(_ result: OpaquePointer) {
    columns = Int(PQnfields(result))
    count = Int(PQntuples(result))
    values.reserveCapacity(columns * count)
    for row in 0..<Int32(count) {
      for column in 0..<Int32(columns) {
        if PQgetisnull(result, row, column) == 1 {
          values.append(nil)
        } else {
          let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column),
            count: Int(PQgetlength(result, row, column))
          )
          values.append(Array(bytes))
        }
      }
    }
  }

  /// Nil where the value is null, or there is no such place.
  func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    guard row < count, column < columns else { return nil }
    return values[row * columns + column]
  }

  /// Returns a value of the types `smallint`, `integer`, `bigint`, `boolean`; 0 for null.
  func int(_ row: Int, _ column: Int) -> Int64 {
    guard let bytes = bytes(row, column), let first = bytes.first else { return 0 }
    guard bytes.count > 1 else { return Int64(first) }
    var value = Int64(Int8(bitPattern: first))
    for byte in bytes.dropFirst() { value = value << 8 | Int64(byte) }
    return value
  }

  func unsigned(_ row: Int, _ column: Int) -> UInt64 { UInt64(bitPattern: int(row, column)) }

  /// A number that is counted on from here: of a commit, a version, a row, an item. Whoever shares the database may have
  /// written anything.
  ///
  /// - Throws: ``RecordError`` where it is negative, or so large that nothing can have counted so far.
  func count(_ row: Int, _ column: Int) throws(RecordError) -> UInt64 {
    let number = int(row, column)
    guard (0..<Self.countLimit).contains(number) else {
      throw RecordError(description: "\(number) is no number of a commit, a version, a row or an item")
    }
    return UInt64(number)
  }

  private static let countLimit: Int64 = 1 << 62

  func isNull(_ row: Int, _ column: Int) -> Bool { bytes(row, column) == nil }

  func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column) ?? [], as: UTF8.self) }
}

/// Why statements were not carried out.
enum PostgresError: Error, Sendable {
  /// The server refused; nothing of the transaction is there.
  case refused(state: String, message: String)
  /// The connection is gone: what was under way may be there or not.
  case lost(String)

  var state: String? {
    guard case .refused(let state, _) = self else { return nil }
    return state
  }

  /// Another transaction was in the way, and is through.
  var isConflict: Bool { state == "40001" || state == "40P01" }
}
