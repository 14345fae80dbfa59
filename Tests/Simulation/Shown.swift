import JSON
import TableModel
import TestSupport

/// What all readers together were shown: one content a cursor, and in a window what the whole table has there.
final class Shown {
  /// Of a cursor, with its table and language: a hash of all that is shown.
  private var contents: [String: UInt64] = [:]
  /// Of a version: the whole plain table.
  private var plain: [String: [(section: String, row: [UInt8])]] = [:]
  private var windows: [String: [(range: WindowRange, rows: [[UInt8]])]] = [:]
  private let fail: (String) -> Void

  init(_ fail: @escaping (String) -> Void) { self.fail = fail }

  func note(_ mirror: TableMirror, of request: TableRequest) {
    let name = "\(request.table) \(request.locale ?? "")"
    let all = JSONValue.array(
      mirror.sections.map(\.json) + [
        .object(mirror.attributes.sorted { $0.key < $1.key }.map { JSONValue.Member(name: $0.key, value: $0.value) })
      ]
    )
    let hash = all.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let key = "\(name) \(mirror.cursor)"
    if let known = contents[key], known != hash {
      fail("\(key) has two contents, one is \(String(decoding: all.bytes, as: UTF8.self))")
    }
    contents[key] = hash
    guard request.view == nil, request.find == nil, let cursor = Cursor(mirror.cursor) else { return }
    let version = "\(name) \(cursor.epoch).\(cursor.version)"
    let rows = mirror.sections.flatMap { section in section.rows.map { (section: section.id, row: $0.bytes) } }
    if let range = cursor.lensTag?.rows {
      if let whole = plain[version] { check(rows.map(\.row), range, whole.map(\.row), key) }
      windows[version, default: []].append((range, rows.map(\.row)))
    } else {
      plain[version] = rows
      for window in windows[version] ?? [] { check(window.rows, window.range, rows.map(\.row), key) }
    }
    if contents.count > 20_000 { (contents, plain, windows) = ([:], [:], [:]) }
  }

  private func check(_ rows: [[UInt8]], _ range: WindowRange, _ whole: [[UInt8]], _ key: String) {
    let expected = Array(whole.dropFirst(range.from).prefix(range.end - range.from))
    if rows != expected {
      fail(
        "\(key): a window \(range) of \(rows.count) rows is not the \(expected.count) rows that the whole table has there"
      )
    }
  }
}
