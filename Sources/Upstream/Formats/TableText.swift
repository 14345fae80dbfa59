internal import JSON

/// CSV (RFC 4180): the first line names the members, each other line is an item whose values are texts.
///
/// Where the first line has no comma, a semicolon or a tab may stand between fields. A member that has no name is
/// `columnN`; a name that stands twice gets a number. Spaces around names are dropped, those of values are kept.
struct TableText {
  /// The most bytes of the JSON.
  let maxBytes: Int
  /// The most items; nil: all.
  let limit: Int?

  fileprivate static let mostColumns = 10_000

  func json(of text: [UInt8]) throws(AnswerText.TextError) -> [UInt8] {
    var records = Records(text, separator: Self.separator(of: text))
    var names: [[UInt8]]?
    var json = [UInt8(ascii: "[")]
    json.reserveCapacity(text.count * 2)
    var count = 0
    while let record = try records.next() {
      guard let known = names else {
        names = Self.names(record)
        continue
      }
      if count > 0 { json.append(UInt8(ascii: ",")) }
      try Self.append(record, named: known, at: records.line, to: &json)
      guard json.count <= maxBytes else { throw .tooLong(maxBytes) }
      count += 1
      if let limit, count > limit { break }
    }
    guard names != nil else { throw AnswerText.TextError("it is empty: the first line should have the names") }
    json.append(UInt8(ascii: "]"))
    return json
  }

  /// Returns the first of comma, semicolon and tab that the first line has; a comma where it has none. O(line).
  static func separator(of text: [UInt8]) -> UInt8 {
    let line = text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]
    return candidates.first { line.contains($0) } ?? UInt8(ascii: ",")
  }

  /// As JSON texts.
  private static func names(_ record: [[UInt8]]) -> [[UInt8]] {
    var taken: Set<String> = []
    // The last number behind each name that stands more than once: those before it are not tried again.
    var numbers: [String: Int] = [:]
    return record.enumerated().map { place, field in
      let written = String(decoding: field, as: UTF8.self).trimmingWhitespace
      let name = written.isEmpty ? "column\(place + 1)" : written
      var (unique, number) = (name, numbers[name] ?? 1)
      while !taken.insert(unique).inserted {
        number += 1
        unique = "\(name)_\(number)"
      }
      if number > 1 { numbers[name] = number }
      return quoted(Array(unique.utf8))
    }
  }

  private static func append(
    _ record: [[UInt8]],
    named names: [[UInt8]],
    at line: Int,
    to json: inout [UInt8]
  ) throws(AnswerText.TextError) {
    if record.count > names.count, record[names.count...].contains(where: { !$0.isEmpty }) {
      throw AnswerText.TextError(
        "line \(line) has \(record.count) fields, and the first line \(names.count) names: is a field with a comma not in quotes?"
      )
    }
    json.append(UInt8(ascii: "{"))
    for (place, (name, field)) in zip(names, record).enumerated() {
      if place > 0 { json.append(UInt8(ascii: ",")) }
      json += name
      json.append(UInt8(ascii: ":"))
      json += quoted(field)
    }
    json.append(UInt8(ascii: "}"))
  }

  private static func quoted(_ field: [UInt8]) -> [UInt8] {
    var writer = JSONWriter(capacity: field.count + 2)
    // Bytes that are no UTF-8 are replaced here.
    writer.write(String(decoding: field, as: UTF8.self))
    return writer.bytes
  }

  /// The lines, one after the other.
  private struct Records {
    private let text: [UInt8]
    private let separator: UInt8
    private var position = 0
    private var nextLine = 1
    /// The first line of the record that was given last, from 1.
    private(set) var line = 1

    init(_ text: [UInt8], separator: UInt8) { (self.text, self.separator) = (text, separator) }

    /// Nil at the end. Lines without anything are passed over.
    mutating func next() throws(AnswerText.TextError) -> [[UInt8]]? {
      while position < text.count {
        line = nextLine
        let record = try record()
        if record.count > 1 || record[0].count > 0 { return record }
      }
      return nil
    }

    private mutating func record() throws(AnswerText.TextError) -> [[UInt8]] {
      var fields: [[UInt8]] = []
      while true {
        fields.append(try field())
        guard fields.count <= TableText.mostColumns else {
          throw AnswerText.TextError("line \(line) has more than \(TableText.mostColumns) fields")
        }
        guard position < text.count else { return fields }
        let byte = text[position]
        position += 1
        if byte == separator { continue }
        // CRLF is one end.
        if byte == UInt8(ascii: "\r"), position < text.count, text[position] == UInt8(ascii: "\n") { position += 1 }
        nextLine += 1
        return fields
      }
    }

    /// Up to a separator or the line's end, which is not taken.
    private mutating func field() throws(AnswerText.TextError) -> [UInt8] {
      var field: [UInt8] = []
      if position < text.count, text[position] == UInt8(ascii: "\"") { field = try quotedPart() }
      let start = position
      while position < text.count, !ends(text[position]) { position += 1 }
      // The text behind closing quotes is kept.
      field += text[start..<position]
      return field
    }

    private mutating func quotedPart() throws(AnswerText.TextError) -> [UInt8] {
      var part: [UInt8] = []
      let first = nextLine
      position += 1
      while position < text.count {
        let byte = text[position]
        position += 1
        if byte == UInt8(ascii: "\"") {
          guard position < text.count, text[position] == byte else { return part }
          position += 1
        } else if byte == UInt8(ascii: "\n") {
          nextLine += 1
        }
        part.append(byte)
      }
      throw AnswerText.TextError("a field in line \(first) begins with a quote, and never ends")
    }

    private func ends(_ byte: UInt8) -> Bool {
      byte == separator || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
  }
}
