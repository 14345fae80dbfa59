import JSON
import TableModel

/// A tap in a view, as the other replicas are told of it. It stands in the store before: who can't make anything of this
/// reads that.
struct ViewTap: Equatable, Sendable {
  /// The epoch of the table.
  let table: Epoch
  let view: String
  /// The beginning of the view's past: its taps are counted from there.
  let incarnation: UInt64
  /// How many there were with this one.
  let taps: UInt32
  let row: String
  /// The holder of the view.
  let holder: ViewHolder

  /// As much as a store passes on.
  static let maximumBytes = 4000

  /// Nil where the row's name is too long.
  var text: String? {
    let json = JSONValue.array([
      .string(table.description), .string(view), .string(String(incarnation)), .integer(Int64(taps)), .string(row),
      .string(String(holder.rawValue)),
    ])
    let bytes = json.bytes
    return bytes.count <= Self.maximumBytes ? String(decoding: bytes, as: UTF8.self) : nil
  }

  init(table: Epoch, view: String, incarnation: UInt64, taps: UInt32, row: String, holder: ViewHolder) {
    (self.table, self.view, self.incarnation, self.taps, self.row) = (table, view, incarnation, taps, row)
    self.holder = holder
  }

  /// Nil where another release says it otherwise.
  init?(_ text: String) {
    guard case .array(let parts)? = try? JSONValue(parsing: Array(text.utf8)), (5...6).contains(parts.count),
      case .string(let epoch) = parts[0], let table = Epoch(epoch), case .string(let view) = parts[1],
      case .string(let digits) = parts[2], let incarnation = UInt64(digits),
      case .integer(let count) = parts[3], let taps = UInt32(exactly: count), case .string(let row) = parts[4]
    else { return nil }
    // Replicas of earlier releases don't say whose the view is.
    let holder: UInt64? = if case .string(let digits)? = parts.dropFirst(5).first { UInt64(digits) } else { 0 }
    guard let holder else { return nil }
    self.init(
      table: table,
      view: view,
      incarnation: incarnation,
      taps: taps,
      row: row,
      holder: ViewHolder(rawValue: holder)
    )
  }
}
