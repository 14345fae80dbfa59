import TableEngine
import TableModel
import TableStore

/// The replies of several tables that one response tells, where all of them may be too many bytes for it: the smallest first until
/// there are enough bytes, and one further by turns. The client's next request is told of the others.
///
/// It depends on the request and on sizes, and not on which reply is made first: equal requests are told the same. No table is left
/// out for a larger one, and none is left out each time, whatever always moves beside it.
struct TellingOrder: Sendable {
  /// So many bytes are enough: a response has no more but for its last part and the one by turns, however many windows its client
  /// follows.
  static let enough = 8 << 20

  /// The places of the replies, the smallest one first.
  let places: [Int]
  /// The place of the reply that is told by turns; nil: there is none.
  let turn: Int?
  private let enough: Int

  /// - Parameters:
  ///   - sizes: of the replies, in bytes, about.
  ///   - cursors: that the client has asked from: after others it is another one's turn.
  init(sizes: [Int], cursors: [Cursor?], enough: Int = TellingOrder.enough) {
    self.enough = enough
    places = sizes.indices.sorted { (sizes[$0], $0) < (sizes[$1], $1) }
    var hash: UInt64 = 0
    for cursor in cursors {
      let point = cursor.map { $0.version ^ $0.taps << 32 } ?? 0
      hash = (hash ^ point) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash >> 32
    }
    turn = sizes.isEmpty ? nil : Int(hash % UInt64(sizes.count))
  }

  /// Returns the places of the replies that are told, in the order of ``places``. With each one more that is made, these are fewer
  /// or the same. O(replies).
  ///
  /// - Parameter bytes: of the replies; nil where one is not made.
  func told(_ bytes: [Int?]) -> [Int] {
    var told: [Int] = []
    var sum = 0
    for place in places {
      told.append(place)
      sum += bytes[place] ?? 0
      if sum >= enough { break }
    }
    if let turn, !told.contains(turn) { told.append(turn) }
    return told
  }
}

extension MultiPoll.Member {
  /// The bytes of its reply, about, where that is not made: of all rows that are shown, by a sample of them; of what has changed
  /// since a cursor, a small part of that. O(1).
  var expectedBytes: Int {
    let (cursor, shown) = (table.current.cursor, table.current.table)
    let count = query.lens.rows.map { min($0.rows, max(shown.rowCount - $0.from, 0)) } ?? shown.rowCount
    let sample: [Row?] = [shown.sections.first?.rows.first, shown.sections.last?.rows.last]
    let bytes = count * sample.reduce(0) { max($0, $1?.encoded.count ?? 0) }
    guard let after = query.after, after.epoch == cursor.epoch else { return bytes }
    return bytes / 16
  }
}
