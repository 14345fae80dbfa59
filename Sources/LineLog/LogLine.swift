import Logging

/// A message of the log as one line of bounded length: whatever stands in it, neither another line nor anything that a
/// terminal would act on comes of it.
struct LogLine {
  /// Bytes of a message, or of one field's value, as they are written; of longer ones the beginning.
  static let valueLimit = 4096
  /// Bytes of a field's name.
  static let nameLimit = 128
  /// Fields of a line; of more, the first.
  static let fieldLimit = 32

  let time: String
  let level: String
  let message: String
  /// In the order of their names.
  private let fields: [Field]

  private struct Field {
    var name: String
    var value: String
    /// A number or a boolean, which JSON writes without quotes.
    var isBare = false
  }

  init(time: String, level: String, message: String, fields: Logger.Metadata) {
    (self.time, self.level, self.message) = (time, level, message)
    let sorted = fields.sorted { $0.key < $1.key }.prefix(LogLine.fieldLimit)
    self.fields = sorted.map { Field(name: $0.key, value: $0.value.text, isBare: $0.value.isNumber) }
  }

  /// For people.
  var text: [UInt8] {
    let level = level.uppercased()
    var line = Array("\(time) \(level)\(String(repeating: " ", count: max(8 - level.count, 0))) ".utf8)
    PrintableText.text.append(message, limit: LogLine.valueLimit, to: &line)
    for field in fields {
      line += "  ".utf8
      PrintableText.text.append(field.name, limit: LogLine.nameLimit, to: &line)
      line += ": ".utf8
      PrintableText.text.append(field.value, limit: LogLine.valueLimit, to: &line)
    }
    return line
  }

  /// For programs: an object of strings and numbers, its members in the order of their names. What is cut is cut in here too; what
  /// isn't is the very text, however it is written.
  var json: [UInt8] {
    var members = fields
    for (name, value) in [("level", level), ("message", message), ("time", time)] {
      let place = members.firstIndex { $0.name >= name } ?? members.endIndex
      let isTaken = place < members.endIndex && members[place].name == name
      members.replaceSubrange(place..<(isTaken ? place + 1 : place), with: [Field(name: name, value: value)])
    }
    var line: [UInt8] = []
    line.reserveCapacity(512)
    for member in members {
      line.append(UInt8(ascii: line.isEmpty ? "{" : ","))
      line.append(UInt8(ascii: "\""))
      PrintableText.json.append(member.name, limit: LogLine.nameLimit, to: &line)
      line.append(UInt8(ascii: "\""))
      line.append(UInt8(ascii: ":"))
      if !member.isBare { line.append(UInt8(ascii: "\"")) }
      PrintableText.json.append(member.value, limit: LogLine.valueLimit, to: &line)
      if !member.isBare { line.append(UInt8(ascii: "\"")) }
    }
    line.append(UInt8(ascii: "}"))
    return line
  }
}

extension Logger.MetadataValue {
  fileprivate var text: String {
    switch self {
    case .string(let text): text
    case .stringConvertible(let value): value.description
    case .array, .dictionary: "\(self)"
    }
  }

  /// True for a number or a boolean, which JSON writes without quotes.
  fileprivate var isNumber: Bool {
    switch self {
    case .stringConvertible(let value):
      value is Int || value is any BinaryInteger || value is Bool || (value as? Double)?.isFinite == true
    case .string, .array, .dictionary: false
    }
  }
}
