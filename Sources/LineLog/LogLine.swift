/// A message of the log as one line: whatever stands in it, neither another line nor anything that a terminal would act
/// on comes of it, and it has an end.
struct LogLine {
  /// Bytes of a message, or of one field's value, as they are written; of longer ones the beginning.
  static let valueLimit = 4096
  /// Fields of a line; of more, the first.
  static let fieldLimit = 32

  let time: String
  let level: String
  let message: String
  /// In the order of their names.
  private let fields: [(name: String, value: String)]

  /// Fields that are written without quotes.
  private let numbers: Set<String>

  init(time: String, level: String, message: String, fields: [String: String], numbers: Set<String> = []) {
    (self.time, self.level, self.message, self.numbers) = (time, level, message, numbers)
    self.fields = fields.sorted { $0.key < $1.key }.prefix(LogLine.fieldLimit).map { ($0.key, $0.value) }
  }

  /// For people.
  var text: String {
    let level = level.uppercased()
    var line = "\(time) \(level)\(String(repeating: " ", count: max(8 - level.count, 0))) "
    PrintableText.text.append(message, limit: LogLine.valueLimit, to: &line)
    for (name, value) in fields {
      line += "  "
      PrintableText.text.append(name, limit: 128, to: &line)
      line += ": "
      PrintableText.text.append(value, limit: LogLine.valueLimit, to: &line)
    }
    return line
  }

  /// For programs: an object of strings and numbers, its members in the order of their names. What is cut is cut in here too; what
  /// isn't is the very text, however it is written.
  var json: String {
    let own = ["level": level, "message": message, "time": time]
    let members = fields.filter { own[$0.name] == nil } + own.map { (name: $0.key, value: $0.value) }
    var line = "{"
    for (name, value) in members.sorted(by: { $0.name < $1.name }) {
      if line.utf8.count > 1 { line += "," }
      line += "\""
      PrintableText.json.append(name, limit: 128, to: &line)
      if numbers.contains(name), own[name] == nil {
        line += "\":\(value)"
        continue
      }
      line += "\":\""
      PrintableText.json.append(value, limit: LogLine.valueLimit, to: &line)
      line += "\""
    }
    return line + "}"
  }
}
