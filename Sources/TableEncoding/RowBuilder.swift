public import Expressions
internal import JSON
public import TableModel

/// Builds rows in one pass over a writer that is used again and again:
/// `{"id":…,"cellIdentifier":…,"payload":{…},"can":{…},"actions":[…],"select":…,"fallback":{…}}`.
///
/// `actions`, `select` and `fallback` are absent where there is none, and so are fields whose value is null.
public struct RowBuilder: Sendable {
  private var writer = JSONWriter(capacity: 1024)

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
    writer.removeAll()
    writer.beginObject()
    writer.name(encoded: "\"id\":")
    writer.write(id)
    var expansion: Range<Int>?
    let part = write(cell, values, expansion: &expansion)
    writer.name(encoded: "\"can\":")
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
      parts.append(write(cell, values, expansion: &ignored))
    }
    for _ in fallbacks { writer.endObject() }
    writer.endObject()
    return Row(
      id: id,
      encoded: writer.bytes,
      cells: CellChain(part, fallbacks: parts),
      permissions: permissions,
      select: selectRange,
      expansion: expansion
    )
  }

  /// A header or footer.
  public mutating func cellModel(_ layout: CellLayout, values: [Value]) -> CellModel {
    writer.removeAll()
    writer.beginObject()
    var ignored: Range<Int>?
    _ = write(layout, values, expansion: &ignored)
    writer.endObject()
    return CellModel(cellIdentifier: layout.identifier, encoded: writer.bytes)
  }

  private mutating func write(_ cell: CellLayout, _ values: [Value], expansion: inout Range<Int>?) -> CellPart {
    writer.name(encoded: cell.opening)
    let start = writer.count
    writer.beginObject()
    cell.names.withUnsafeBufferPointer { names in
      for index in cell.fields.indices {
        let field = cell.fields[index]
        guard field.slot < values.count else { continue }
        if case .null = values[field.slot] { continue }
        writer.name(encoded: UnsafeBufferPointer(rebasing: names[field.name]))
        let valueStart = writer.count
        values[field.slot].write(to: &writer)
        if index == cell.expansion { expansion = valueStart..<writer.count }
      }
    }
    writer.endObject()
    return CellPart(cellIdentifier: cell.identifier, payload: start..<writer.count)
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
