public import Definitions
internal import Expressions
internal import JSON
public import TableModel

extension Row {
  /// The row for a client that can't show every cell: the first cell of the chain that it can show becomes the
  /// row's, and what comes after stays its fallback. Where it can show none, the row gets the table's default cell;
  /// rows are never dropped.
  ///
  /// The default cell takes over the fields of the same names from the row's payload where they fit. A required
  /// field that is still missing is `""`, `0`, `false`, `[]`, `{}` or the first of the choices; a date is the first
  /// moment of 1970, and a field of any type is null. The new cell expands where the old one did and has a boolean
  /// field of that name.
  ///
  /// - Parameter defaultCell: Nil where the table has none: the last of the chain then stays.
  /// - Complexity: O(1) where the row's own cell is accepted, else O(bytes).
  public func showing(accepted: (String) -> Bool, defaultCell: CellDefinition?) -> Row {
    showing(at: place(accepted: accepted, defaultCell: defaultCell?.identifier), defaultCell: defaultCell)
  }

  /// The place in the row's chain of the cell that such a client is shown; nil: the default cell, outside the chain.
  /// O(chain).
  public func place(accepted: (String) -> Bool, defaultCell: String?) -> Int? {
    if accepted(cellIdentifier) { return 0 }
    if let position = cells.firstIndex(where: { accepted($0.cellIdentifier) }) { return position }
    guard let defaultCell else { return cells.count - 1 }
    return cells.firstIndex { $0.cellIdentifier == defaultCell }
  }

  /// The row in the cell at a place of its chain, as ``place(accepted:defaultCell:)`` tells it. O(bytes); O(1) for the first.
  public func showing(at place: Int?, defaultCell: CellDefinition?) -> Row {
    if let place { return showing(from: place) }
    return defaultCell.map { assembled([($0.identifier, payload(of: $0))]) } ?? self
  }

  private func showing(from position: Int) -> Row {
    if position == 0 { return self }
    return assembled(cells[position...].map { ($0.cellIdentifier, Array(encoded[$0.payload])) })
  }

  private func assembled(_ chain: [(identifier: String, payload: [UInt8])]) -> Row {
    var writer = JSONWriter(capacity: encoded.count)
    var parts: [CellPart] = []
    func write(_ cell: (identifier: String, payload: [UInt8]), to writer: inout JSONWriter) {
      writer.name("cellIdentifier")
      writer.write(cell.identifier)
      writer.name("payload")
      let start = writer.count
      writer.write(raw: cell.payload)
      parts.append(CellPart(cellIdentifier: cell.identifier, payload: start..<writer.count))
    }
    writer.beginObject()
    writer.name("id")
    writer.write(id)
    if let cell = chain.first { write(cell, to: &writer) }
    writer.name("can")
    writer.write(raw: RowBuilder.encoded(permissions))
    if let actions = encodedActions {
      writer.name("actions")
      writer.write(raw: Array(encoded[actions]))
    }
    var selectRange: Range<Int>?
    if let select {
      writer.name("select")
      let start = writer.count
      writer.write(raw: encoded[select])
      selectRange = start..<writer.count
    }
    for cell in chain.dropFirst() {
      writer.name("fallback")
      writer.beginObject()
      write(cell, to: &writer)
    }
    for _ in chain { writer.endObject() }
    guard let cells = CellChain(parts) else { return self }
    let bytes = writer.bytes
    return Row(
      id: id,
      encoded: bytes,
      cells: cells,
      permissions: permissions,
      select: selectRange,
      expansion: expansion(in: bytes, cells[0].payload),
      findable: findable
    )
  }

  /// Returns the place of the toggled field in another payload, such as a fallback's; nil where that has no boolean of
  /// the name.
  func expansion(in bytes: [UInt8], _ payload: Range<Int>) -> Range<Int>? {
    guard let expansion else { return nil }
    let own = PayloadMembers(encoded, cells[0].payload).first { $0.value == expansion }
    guard let name = own?.name else { return nil }
    return PayloadMembers(bytes, payload).first { member in
      bytes[member.name] == encoded[name]
        && (bytes[member.value].elementsEqual("true".utf8) || bytes[member.value].elementsEqual("false".utf8))
    }?.value
  }

  private func payload(of cell: CellDefinition) -> [UInt8] {
    let members = Array(PayloadMembers(encoded, cells[0].payload))
    var writer = JSONWriter()
    writer.beginObject()
    for field in cell.fields {
      let name = JSONText.encoded(field.name)
      let own = members.first { encoded[$0.name].elementsEqual(name) }
      if let value = own.map({ Array(encoded[$0.value]) }), field.type.admits(json: value) {
        writer.name(field.name)
        writer.write(raw: value)
      } else if !field.isOptional {
        writer.name(field.name)
        writer.write(raw: field.type.zero.bytes)
      }
    }
    writer.endObject()
    return writer.bytes
  }
}

extension FieldType {
  fileprivate func admits(json: [UInt8]) -> Bool {
    (try? JSONValue(parsing: json)).map { admits(Value($0)) } ?? false
  }

  /// The value of a required field that nothing fills.
  fileprivate var zero: JSONValue {
    switch self {
    case .string, .url: ""
    // An empty text is no date, and clients that decode one would refuse the row.
    case .date: "1970-01-01T00:00:00Z"
    case .number, .integer: 0
    case .boolean: false
    case .object: [:]
    case .any: nil
    case .list: []
    case .oneOf(let choices): .string(choices.first ?? "")
    }
  }
}
