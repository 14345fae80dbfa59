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
  ///   - chain: The row's cell, then its fallbacks in order; not empty.
  ///   - values: What the slots of the layouts name. A slot beyond them is null.
  ///   - actions: What the row offers, in order.
  ///   - select: What a tap leads to; null: nothing.
  /// - Complexity: O(bytes).
  public mutating func row(
    id: String,
    chain: [CellLayout],
    values: [Value],
    permissions: Permissions,
    actions: [RowAction] = [],
    select: Value = .null
  ) -> Row {
    writer.removeAll()
    writer.beginObject()
    writer.name(encoded: Self.idName)
    writer.write(id)
    var parts: [CellPart] = []
    parts.reserveCapacity(chain.count)
    var expansion: Range<Int>?
    if let cell = chain.first { parts.append(write(cell, values, expansion: &expansion)) }
    writer.name(encoded: Self.canName)
    writer.write(raw: Self.encodedPermissions[Int(permissions.rawValue & 7)])
    if !actions.isEmpty {
      writer.name(encoded: Self.actionsName)
      writer.write(list: actions) { $0.write(raw: $1.encoded) }
    }
    var selectRange: Range<Int>?
    if !select.isNull {
      writer.name(encoded: Self.selectName)
      let start = writer.count
      select.write(to: &writer)
      selectRange = start..<writer.count
    }
    for cell in chain.dropFirst() {
      var ignored: Range<Int>?
      writer.name(encoded: Self.fallbackName)
      writer.beginObject()
      parts.append(write(cell, values, expansion: &ignored))
    }
    for _ in chain { writer.endObject() }
    return Row(
      id: id,
      encoded: writer.bytes,
      cells: parts,
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
      for (index, field) in cell.fields.enumerated() where field.slot < values.count {
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

  private static let idName = Array("\"id\":".utf8)
  private static let canName = Array("\"can\":".utf8)
  private static let actionsName = Array("\"actions\":".utf8)
  private static let selectName = Array("\"select\":".utf8)
  private static let fallbackName = Array("\"fallback\":".utf8)

  /// By raw value.
  static let encodedPermissions: [[UInt8]] = (0..<8).map { (raw: UInt8) in
    let permissions = Permissions(rawValue: raw)
    return Array(
      """
      {"edit":\(permissions.contains(.edit)),"move":\(permissions.contains(.move)),\
      "select":\(permissions.contains(.select))}
      """.utf8
    )
  }
}
