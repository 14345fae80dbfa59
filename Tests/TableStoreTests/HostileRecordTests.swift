import JSON
import TableModel
import TestSupport
import Testing

@testable import TableStore

/// Records that whoever shares a database has written, of any bytes: reading them is refused in words, or gives what the rest of
/// the service can go on with. It never traps, and takes no more memory than what is stored.
@Suite struct HostileRecordTests {
  private static let rounds = 3000

  @Test(arguments: 1...8 as ClosedRange<UInt64>) func damagedRowsAreRefusedOrWhole(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var writer = RecordWriter()
    writer.write(Self.rich)
    for _ in 0..<Self.rounds {
      var reader = RecordReader(Self.damaged(writer.bytes, &random))
      var names = NameTable()
      guard let row = try? reader.row(names: &names) else { continue }
      var end = 0
      for (number, cell) in row.cells.enumerated() {
        #expect(cell.payload.lowerBound >= end && cell.payload.upperBound <= row.encoded.count, "seed \(seed)")
        end = max(cell.payload.upperBound, number == 0 ? row.expansion?.upperBound ?? 0 : 0)
      }
      #expect(row.select.map { $0.upperBound <= row.encoded.count } ?? true, "seed \(seed)")
      if let expansion = row.expansion {
        #expect(["true", "false"].contains(String(decoding: row.encoded[expansion], as: UTF8.self)), "seed \(seed)")
      }
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>) func damagedVersionsTakeNoMoreThanThereIs(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let rows = (0..<40).map { row("r\($0)") }
    let first = table([("a", Array(rows[..<20])), ("b", Array(rows[20...]))], header: "h")
    let second = table([("b", Array(rows[20...].reversed())), ("a", Array(rows[..<19]))])
    let one = VersionRecord(of: first, after: nil, isKeyFrame: true, nextRow: 0)
    let two = VersionRecord(of: second, after: (first, one.numbers), isKeyFrame: false, nextRow: one.nextRow)
    let known = NumberedRows(Dictionary(one.added.map { ($0.number, $0.row) }) { first, _ in first })
    for _ in 0..<Self.rounds {
      var reading = VersionReading(name: "t", rows: known, names: NameTable())
      for record in [one.bytes, two.bytes] {
        let isDamaged = Bool.random(using: &random)
        guard let read = try? reading.read(isDamaged ? Self.damaged(record, &random) : record) else { break }
        #expect(read.sections.reduce(0) { $0 + $1.rows.count } <= 3 * rows.count, "seed \(seed)")
      }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func otherDamagedRecords(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var commit = Commit(table: "t", durability: .full)
    var items = ItemChanges(nextID: 9)
    items.stored = [StoredItem(item: Item(id: ItemID(rawValue: 3), body: Array("{}".utf8)), rank: -7)]
    items.deleted = [ItemID(rawValue: 4)]
    (commit.items, commit.objects) = (
      items, [ObjectChange(row: "r", bytes: [1, 2]), ObjectChange(row: "s", bytes: nil)]
    )
    commit.toggles = [ToggleChange(row: "r", isToggled: true)]
    let edit = EditRecord(commit).bytes
    let toggle = StoredView.Toggle(row: "r", from: 1, until: .max)
    let view = StoredView(
      table: Epoch(rawValue: 7),
      name: "v",
      holder: 1,
      incarnation: 1,
      taps: 2,
      oldestTap: 0,
      toggles: [toggle]
    )
    var local = try LocalItems(seed: [["title": "A"], ["title": "B"], ["title": "C"]])
    for _ in 0..<Self.rounds {
      if let read = try? EditRecord(Self.damaged(edit, &random)).items {
        local.apply(read)
        #expect(local.count == local.stored.count, "seed \(seed)")
        _ = local.unwritten(over: local)
      }
      _ = try? StoredView(Self.damaged(view.bytes, &random), holder: 1)
      _ = try? StoredReply.headers(from: Self.damaged(edit, &random))
      var wild = RecordReader(
        (0..<Int.random(in: 0...40, using: &random)).map { _ in .random(in: 0...255, using: &random) }
      )
      var names = NameTable()
      _ = try? wild.row(names: &names)
    }
  }

  /// A record of some bytes can't ask for rows without end by naming the same ones again and again.
  @Test func aVersionHasEachRowOnce() throws {
    let rows = (0..<1000).map { row("r\($0)") }
    let first = table([("a", rows)])
    let record = VersionRecord(of: first, after: nil, isKeyFrame: true, nextRow: 0)
    let known = NumberedRows(Dictionary(record.added.map { ($0.number, $0.row) }) { first, _ in first })
    func read(_ sections: Int, _ runs: Int, says count: UInt64, isBuiltOn: Bool) throws -> Table {
      var writer = RecordWriter()
      // Format and attributes are as they were; then the sections.
      let attributes = VersionRecord(of: table([]), after: nil, isKeyFrame: true, nextRow: 0).bytes.dropLast()
      for byte in attributes { writer.write(byte: byte) }
      writer.write(count: sections)
      for number in 0..<sections {
        writer.write(byte: (isBuiltOn ? VersionRecord.SectionKind.changed : .new).rawValue)
        if isBuiltOn { writer.write(count: 0) }
        writer.write("s\(number)")
        for _ in 0..<2 { writer.write(byte: VersionRecord.ModelKind.none.rawValue) }
        writer.write(count)
        writer.write(count: runs)
        for _ in 0..<runs {
          writer.write(byte: (isBuiltOn ? VersionRecord.RunKind.positions : .numbers).rawValue)
          writer.write(0)
          writer.write(1000)
        }
      }
      var reading = VersionReading(name: "t", rows: known, names: NameTable())
      _ = try reading.read(record.bytes)
      return try reading.read(writer.bytes)
    }
    #expect(try read(1, 1, says: 1000, isBuiltOn: false).rowCount == 1000)
    #expect(try read(1, 1, says: 1000, isBuiltOn: true).rowCount == 1000)
    for isBuiltOn in [false, true] {
      #expect(throws: RecordError.self) { try read(1, 2000, says: 2_000_000, isBuiltOn: isBuiltOn) }
      #expect(throws: RecordError.self) { try read(1, 2000, says: 1000, isBuiltOn: isBuiltOn) }
      #expect(throws: RecordError.self) { try read(2000, 1, says: 1000, isBuiltOn: isBuiltOn) }
    }
  }

  /// Two items of one rank: an edit finds the one that it names.
  @Test func itemsOfOneRank() throws {
    let stored = (1...200).map { number in
      StoredItem(item: Item(id: ItemID(rawValue: number), body: Array("{\"n\":\(number)}".utf8)), rank: 7)
    }
    var items = LocalItems(stored: stored, nextID: 201)
    for number in [1, 77, 200] as [UInt64] {
      #expect(items[ItemID(rawValue: number)]?.body == Array("{\"n\":\(number)}".utf8))
    }
    try items.delete(ItemID(rawValue: 77))
    try items.move(ItemID(rawValue: 3), to: .end)
    #expect(items.count == 199 && items[ItemID(rawValue: 77)] == nil && items.last?.id == ItemID(rawValue: 3))
    for rank in [Int64.min, .max] {
      var ends = LocalItems(stored: stored.prefix(3).map { StoredItem(item: $0.item, rank: rank) }, nextID: 9)
      for _ in 0..<100 { try ends.insert([:], at: .index(1)) }
      #expect(ends.count == 103)
    }
  }

  /// A row that has all that one can have.
  private static let rich = Row(
    id: "r",
    encoded: Array(#"{"payload":{"open":false},"select":{"a":1},"fallback":{"payload":{"open":false}}}"#.utf8),
    cells: CellChain(
      CellPart(cellIdentifier: "C", payload: 11..<25),
      fallbacks: [CellPart(cellIdentifier: "D", payload: 65..<79)]
    ),
    permissions: [.edit, .select],
    select: 35..<42,
    expansion: 19..<24
  )

  /// Some bytes exchanged, left out, or added, now and then numbers that are as large as can be.
  private static func damaged(_ record: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var record = record
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0..<max(record.count, 1), using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: record = Array(record.prefix(place))
      case 1: record.insert(.random(in: 0...255, using: &random), at: min(place, record.count))
      case 2: record.insert(contentsOf: [UInt8](repeating: 0xff, count: 9) + [1], at: min(place, record.count))
      case 3 where !record.isEmpty: record.remove(at: place)
      case 4 where !record.isEmpty: record[place] = .random(in: 0...255, using: &random)
      default: if !record.isEmpty { record[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
      }
    }
    return record
  }
}
