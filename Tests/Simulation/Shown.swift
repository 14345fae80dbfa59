import JSON
import TableModel
import TestSupport

/// What all readers together were shown: one content a cursor, and in a window what the whole table has there.
final class Shown {
  /// Of a cursor, with its table and language: a hash of all that is shown.
  private var contents: [String: UInt64] = [:]
  /// Of a version: the whole plain table.
  private var plain: [String: [ShownRow]] = [:]
  private var parts: [String: [Part]] = [:]

  struct ShownRow: Equatable {
    var section: String
    /// What is searched.
    var value: String
    var row: [UInt8]
  }

  /// What somebody has seen of a version.
  struct Part {
    var range: WindowRange?
    var find: FindSearch?
    var rows: [ShownRow]
  }
  private let fail: (String) -> Void

  init(_ fail: @escaping (String) -> Void) { self.fail = fail }

  func note(_ mirror: TableMirror, of request: TableRequest) {
    let find = request.find.flatMap { $0.isEmpty ? nil : "\($0)" } ?? ""
    let name = "\(request.table) \(request.locale ?? "") \(request.caller ?? "") \(request.view ?? "")"
    let all = JSONValue.array(
      mirror.sections.map(\.json) + [
        .object(mirror.attributes.sorted { $0.key < $1.key }.map { JSONValue.Member(name: $0.key, value: $0.value) })
      ]
    )
    let hash = all.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let key = "\(name) \(mirror.cursor) \(find)"
    if let known = contents[key], known != hash {
      fail("\(key) has two contents, one is \(String(decoding: all.bytes, as: UTF8.self))")
    }
    contents[key] = hash
    guard request.view == nil, let cursor = Cursor(mirror.cursor) else { return }
    let version = "\(name) \(cursor.epoch).\(cursor.version)"
    let rows = mirror.sections.flatMap { section in
      section.rows.map { ShownRow(section: section.id, value: Self.text($0["payload"]?["value"]), row: $0.bytes) }
    }
    let part = Part(range: cursor.lensTag?.rows, find: request.find.flatMap { $0.isEmpty ? nil : $0 }, rows: rows)
    if part.range != nil || part.find != nil {
      if let whole = plain[version] { check(part, whole, key) }
      parts[version, default: []].append(part)
    } else {
      plain[version] = rows
      for part in parts[version] ?? [] { check(part, rows, key) }
    }
    if contents.count > 20_000 { (contents, plain, parts) = ([:], [:], [:]) }
  }

  private func check(_ part: Part, _ whole: [ShownRow], _ key: String) {
    var expected = whole
    var isInOrder = true
    if let find = part.find {
      expected = expected.filter { row in
        let isChosen = find.choices.isEmpty || find.choices.contains { $0.value.elementsEqual(row.section.utf8) }
        return isChosen && find.words.allSatisfy { Array(row.value.utf8).starts(with: $0) }
      }
      isInOrder = find.sort == nil
    }
    if let range = part.range { expected = Array(expected.dropFirst(range.from).prefix(range.end - range.from)) }
    // Under a sort it is known which rows there are, and in a window how many.
    let isRight =
      isInOrder
      ? part.rows == expected
      : part.range == nil ? Set(part.rows.map(\.row)) == Set(expected.map(\.row)) : part.rows.count == expected.count
    let isSorted =
      isInOrder
      || Dictionary(grouping: part.rows, by: \.section).values.allSatisfy { rows in
        zip(rows, rows.dropFirst()).allSatisfy { $0.value <= $1.value }
      }
    guard !isRight || !isSorted else { return }
    let words = [part.range.map { "the window \($0)" }, part.find.map { "what is found by \($0)" }].compactMap(\.self)
    fail(
      "\(key): \(words.joined(separator: " of ")) has \(part.rows.map(\.value)), where the whole table makes it \(expected.map(\.value))"
    )
  }

  private static func text(_ value: JSONValue?) -> String { if case .string(let text)? = value { text } else { "" } }
}
