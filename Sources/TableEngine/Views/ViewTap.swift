import JSON

/// A tap in a view as the other replicas are told of it: what was tapped, and what has come of it, so that a replica
/// that knows nothing of the view, or has missed a tap, has it whole.
struct ViewTap: Equatable, Sendable {
  let table: String
  let view: String
  /// Of the view's past: its taps are counted from there.
  let incarnation: UInt64
  /// How many there were with this one.
  let taps: UInt32
  let row: String
  /// All rows that are toggled now; nil where they are too many to be told.
  var toggled: [String]?

  /// As much as a store passes on.
  static let maximumBytes = 4000

  /// Nil where even the one row's name is too long.
  var text: String? {
    for toggled in [toggled, nil] {
      let json = JSONValue.array([
        .string(table), .string(view), .string(String(incarnation)), .integer(Int64(taps)), .string(row),
        toggled.map { .array($0.map { .string($0) }) } ?? .null,
      ])
      let bytes = json.bytes
      if bytes.count <= Self.maximumBytes { return String(decoding: bytes, as: UTF8.self) }
    }
    return nil
  }

  init(table: String, view: String, _ state: ViewState, row: String, toggled: [String]) {
    (self.table, self.view, self.row, self.toggled) = (table, view, row, toggled)
    (incarnation, taps) = (state.incarnation, state.taps)
  }

  /// Nil where another release says it otherwise.
  init?(_ text: String) {
    guard case .array(let parts)? = try? JSONValue(parsing: Array(text.utf8)), parts.count == 6,
      case .string(let table) = parts[0], case .string(let view) = parts[1],
      case .string(let digits) = parts[2], let incarnation = UInt64(digits),
      case .integer(let count) = parts[3], let taps = UInt32(exactly: count), case .string(let row) = parts[4]
    else { return nil }
    (self.table, self.view, self.incarnation, self.taps, self.row) = (table, view, incarnation, taps, row)
    if case .array(let rows) = parts[5] {
      toggled = rows.compactMap { if case .string(let row) = $0 { row } else { nil } }
    }
  }
}
