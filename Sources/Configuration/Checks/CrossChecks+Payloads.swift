import Definitions
import Expressions
import FieldValues

extension CrossChecks {
  /// Payloads fit their cells as far as constants tell; fallbacks' fields come from the cells that have them.
  func checkPayloads() {
    let cells = Dictionary(definition.cells.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    for use in reading.mappings {
      guard let cell = cells[use.cell.value] else { continue }
      for field in use.fields { check(field, of: cell) }
      guard use.isRead, !use.fields.contains(where: { $0.key.value.hasPrefix("$") }) else { continue }
      let given = Set(use.fields.map(\.key.value))
      for field in cell.fields where !field.isOptional && !given.contains(field.name) && field.name != cell.expands {
        let message = "the field '\(field.name)' of \(cell.identifier) is not filled: no item fits"
        let suggestion = "give it a value, or declare it `optional \(field.type.written)`"
        // With a fallback every item takes that: a mistake most likely, but it is served.
        if cell.fallback == nil {
          reading.error(at: use.place, message, suggestion)
        } else {
          reading.warning(at: use.place, message, suggestion)
        }
      }
    }
    for name in declarations(.cell) {
      guard let cell = cells[name.value], let fallback = cell.fallback.flatMap({ cells[$0] }) else { continue }
      for field in fallback.fields where !field.isOptional {
        guard !cell.fields.contains(where: { $0.name == field.name }) else { continue }
        reading.warning(
          at: name.place,
          "the fallback \(fallback.identifier) needs the field '\(field.name)', which \(name.value) does not have",
          "give \(name.value) that field, or declare it optional in \(fallback.identifier)"
        )
      }
    }
  }

  /// Optional fields that are null in every row. Those of a fallback are filled from the cells that fall back on it;
  /// required ones have their own warnings.
  func warnOfUnfilledFields() {
    let cells = Dictionary(definition.cells.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    var filled: [String: Set<String>] = [:]
    for use in reading.mappings {
      let isKnown = use.isRead && !use.fields.contains { $0.key.value.hasPrefix("$") }
      var next = cells[use.cell.value]
      // Fallbacks in a circle have their own error.
      for _ in cells {
        guard let cell = next else { break }
        filled[cell.identifier, default: []].formUnion(
          isKnown ? use.fields.map(\.key.value) : cell.fields.map(\.name)
        )
        next = cell.fallback.flatMap { cells[$0] }
      }
    }
    for name in declarations(.cell) {
      guard let cell = cells[name.value], let given = filled[name.value] else { continue }
      for field in cell.fields where field.isOptional && !given.contains(field.name) && field.name != cell.expands {
        reading.warning(
          at: name.place,
          "no payload fills the field '\(field.name)' of \(name.value)",
          "it is null in every row"
        )
      }
    }
  }

  private func check(_ entry: YAMLEntry, of cell: CellDefinition) {
    let name = entry.key.value
    guard let field = cell.fields.first(where: { $0.name == name }) else {
      guard !name.hasPrefix("$") else { return }
      let near = Nearest.name(to: name, among: cell.fields.map(\.name))
      reading.error(
        at: entry.key.place,
        "\(cell.identifier) has no field \(excerpt(name))",
        near.map { "did you mean '\($0)'?" }
          ?? (cell.fields.isEmpty ? "declare it under `fields`" : "it has \(alternatives(cell.fields.map(\.name)))")
      )
      return
    }
    if field.isOptional, entry.value.isNull { return }
    warnOfOtherTemplate(entry.value)
    check(entry.value, is: field.type, of: "the field '\(name)' of \(cell.identifier)")
  }

  /// `{{ title }}`, as other languages write `${title}`, would be the same text in every row.
  private func warnOfOtherTemplate(_ node: YAMLNode) {
    guard let text = node.scalar?.text, !text.contains("${"), let open = text.firstRange(of: "{{"),
      let close = text[open.upperBound...].firstRange(of: "}}")
    else { return }
    let name = text[open.upperBound..<close.lowerBound].filter { !$0.isWhitespace }
    guard !name.isEmpty else { return }
    reading.warning(
      at: node.place,
      "\(excerpt(text)) is another language's template, and the same text in every row",
      "write `${\(name)}` for a member of the item"
    )
  }

  private func check(_ node: YAMLNode, is type: FieldType, of what: String) {
    if case .list(let element) = type, let elements = node.elements {
      for node in elements { check(node, is: element, of: "an element of \(what)") }
      return
    }
    guard !node.isConstant(of: type) else { return }
    reading.error(at: node.place, "\(what) is \(type.noun), and this is \(node.seen)", type.example)
  }
}

extension YAMLNode {
  /// Returns whether it may become a value of the type: an expression may become any, text with expressions is text.
  fileprivate func isConstant(of type: FieldType) -> Bool {
    switch content {
    case .mapping(let entries):
      return type == .object || type == .any || entries.contains { $0.key.value.hasPrefix("$") }
    case .sequence:
      return type == .any
    case .scalar(let scalar):
      let text = TemplateParts(scalar.text)
      if scalar.resolved == .string, text.whole != nil { return true }
      switch (type, scalar.resolved) {
      case (.any, .null): return false
      case (.any, _), (.string, .string), (.boolean, .boolean), (.number, .number), (.number, .integer),
        (.number, .unsigned), (.integer, .integer), (.integer, .unsigned):
        return true
      case (.url, .string), (.date, .string): return !text.expressions.isEmpty || scalar.isText(of: type)
      case (.oneOf(let words), .string): return !text.expressions.isEmpty || words.contains(scalar.text)
      case (.string, _), (.boolean, _), (.number, _), (.integer, _), (.url, _), (.date, _), (.oneOf, _), (.object, _),
        (.list, _):
        return false
      }
    }
  }
}

extension YAMLScalar {
  fileprivate func isText(of type: FieldType) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      switch type {
      case .url: TextFormat.isURL(bytes)
      case .date: TextFormat.isDateTime(bytes)
      case .string, .number, .integer, .boolean, .object, .any, .list, .oneOf: true
      }
    }
  }
}

extension FieldType {
  /// As it stands in a configuration.
  var written: String {
    switch self {
    case .string: "string"
    case .number: "number"
    case .integer: "integer"
    case .boolean: "boolean"
    case .url: "url"
    case .date: "date"
    case .object: "object"
    case .any: "any"
    case .list(let element): "list of \(element.written)"
    case .oneOf(let words): "{oneOf: [\(words.joined(separator: ", "))]}"
    }
  }

  fileprivate var example: String {
    switch self {
    case .string: "put it in quotes, or write \"${…}\""
    case .number: "write a number such as 3.5, or \"${…}\""
    case .integer: "write a whole number such as 3, or \"${…}\""
    case .boolean: "write true or false, or \"${…}\""
    case .url: "write a URL such as https://example.com/a.png, or \"${…}\""
    case .date: "write a date such as 2026-05-01T09:15:00Z, or \"${…}\""
    case .object: "write a mapping, or \"${…}\""
    case .any: "write any value"
    case .list: "write a list, or \"${…}\""
    case .oneOf(let words): "write \(alternatives(words))"
    }
  }
}
