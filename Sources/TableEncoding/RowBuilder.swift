public import Expressions
public import JSON
public import TableModel

/// Builds rows in one pass over a writer that is used again and again:
/// `{"id":…,"cellIdentifier":…,"payload":{…},"can":{…},"actions":[…],"select":…,"fallback":{…}}`.
///
/// `actions`, `select` and `fallback` are absent where there is none, and so are fields whose value is null.
public struct RowBuilder: Sendable {
  public var writer = JSONWriter(capacity: 1024)
  /// The texts that the next row is found by; see ``Row/findable``.
  public var findable: [UInt8] = []
  /// The start of the cell that was begun last.
  private var payloadStart = 0

  public init() {}

  /// A row whose cell and fallbacks are filled from the same values.
  ///
  /// - Parameters:
  ///   - fallbacks: Of the cell, in order.
  ///   - values: What the slots of the layouts name. A slot beyond them is null.
  ///   - actions: What the row offers, in order.
  ///   - select: What a tap leads to; null: nothing.
  /// - Complexity: O(bytes).
  public mutating func row(
    id: String,
    cell: CellLayout,
    fallbacks: ArraySlice<CellLayout> = [],
    values: [Value],
    permissions: Permissions,
    actions: [RowAction] = [],
    select: Value = .null
  ) -> Row {
    begin(id: id, cell: cell)
    var expansion: Range<Int>?
    write(cell, values, expansion: &expansion)
    return end(
      id: id,
      cell: cell,
      expansion: expansion,
      permissions: permissions,
      actions: actions,
      select: select,
      fallbacks: fallbacks,
      values: values
    )
  }

  // MARK: A row whose payload somebody else writes

  /// Writes what stands before the payload's members, which ``writer`` takes then.
  public mutating func begin(id: String, cell: CellLayout) {
    writer.removeAll()
    writer.append(verbatim: #"{"id":"#)
    writer.write(id)
    begin(cell)
  }

  /// Writes the rest.
  ///
  /// - Parameter expansion: where the boolean stands that a tap toggles.
  public mutating func end(
    id: String,
    cell: CellLayout,
    expansion: Range<Int>?,
    permissions: Permissions,
    actions: [RowAction] = [],
    select: Value = .null,
    fallbacks: ArraySlice<CellLayout> = [],
    values: [Value] = []
  ) -> Row {
    let part = end(cell)
    writer.append(verbatim: #","can":"#)
    writer.write(raw: Self.encoded(permissions))
    if !actions.isEmpty {
      writer.name(encoded: "\"actions\":")
      writer.write(list: actions) { $0.write(raw: $1.encoded) }
    }
    var selectRange: Range<Int>?
    if !select.isNull {
      writer.name(encoded: "\"select\":")
      let start = writer.count
      select.write(to: &writer)
      selectRange = start..<writer.count
    }
    var parts: [CellPart] = []
    for cell in fallbacks {
      var ignored: Range<Int>?
      writer.name(encoded: "\"fallback\":")
      writer.beginObject()
      begin(cell)
      write(cell, values, expansion: &ignored)
      parts.append(end(cell))
    }
    for _ in fallbacks { writer.endObject() }
    writer.endObject()
    return Row(
      id: id,
      encoded: writer.bytes,
      cells: CellChain(part, fallbacks: parts),
      permissions: permissions,
      select: selectRange,
      expansion: expansion,
      findable: findable
    )
  }

  /// A header or footer.
  public mutating func cellModel(_ layout: CellLayout, values: [Value]) -> CellModel {
    writer.removeAll()
    writer.beginObject()
    var ignored: Range<Int>?
    begin(layout)
    write(layout, values, expansion: &ignored)
    _ = end(layout)
    writer.endObject()
    return CellModel(cellIdentifier: layout.identifier, encoded: writer.bytes)
  }

  private mutating func begin(_ cell: CellLayout) {
    writer.name(encoded: cell.opening)
    payloadStart = writer.count - 1
  }

  private mutating func end(_ cell: CellLayout) -> CellPart {
    writer.endObject()
    return CellPart(cellIdentifier: cell.identifier, payload: payloadStart..<writer.count)
  }

  private mutating func write(_ cell: CellLayout, _ values: [Value], expansion: inout Range<Int>?) {
    cell.withFields { field, name, expands in
      guard field.slot < values.count else { return }
      if case .null = values[field.slot] { return }
      writer.name(encoded: name)
      let valueStart = writer.count
      values[field.slot].write(to: &writer)
      if expands { expansion = valueStart..<writer.count }
    }
  }

  /// As texts that are part of the program: an array's references would be counted, by all threads at once.
  static func encoded(_ permissions: Permissions) -> StaticString {
    switch permissions.rawValue & 7 {
    case 0: #"{"edit":false,"move":false,"select":false}"#
    case 1: #"{"edit":true,"move":false,"select":false}"#
    case 2: #"{"edit":false,"move":true,"select":false}"#
    case 3: #"{"edit":true,"move":true,"select":false}"#
    case 4: #"{"edit":false,"move":false,"select":true}"#
    case 5: #"{"edit":true,"move":false,"select":true}"#
    case 6: #"{"edit":false,"move":true,"select":true}"#
    default: #"{"edit":true,"move":true,"select":true}"#
    }
  }
}
