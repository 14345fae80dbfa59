package import Definitions
import Digests
import JSON
import TableEncoding
import TableModel

/// The cells that the configuration declares, and what `/v1/cells` says of them. What rows are drawn with: how it draws the
/// kinds of rows that a version has stands in every cursor that depends on it, so that a change of a cell can't leave a
/// client with other rows than its cursor says, and one that changes nothing for it is not seen.
package struct CellRegistry: Sendable {
  private let definitions: [CellDefinition]
  private let positions: [String: Int]
  /// The cell of rows whose whole chain a client can't show.
  private let defaultCell: String?
  /// The digest of everything that a row's drawing depends on. The same in every process.
  let digest: [UInt8]
  /// The rows that were drawn with it; nil: none are kept.
  private(set) var drawn: DrawnRows?

  package init(_ definitions: [CellDefinition], defaultCell: String? = nil) {
    self.definitions = definitions
    self.defaultCell = defaultCell
    positions = Dictionary(
      definitions.enumerated().map { ($1.identifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let chains = definitions.map { [$0.identifier, "\($0.version)", $0.expands ?? "", $0.fallback ?? ""] }
    let text = chains.map { $0.joined(separator: "\u{0}") }.joined(separator: "\u{1}")
    var writer = JSONWriter(capacity: 512)
    writer.write(payloadSchema: definitions.first { $0.identifier == defaultCell }?.fields ?? [])
    digest = SHA256.digest(of: Array("\(text)\u{1}\(defaultCell ?? "")\u{1}".utf8) + writer.bytes)
  }

  subscript(identifier: String) -> CellDefinition? { positions[identifier].map { definitions[$0] } }

  /// Returns the cells that a client can show; nil where that is all of them. O(cells).
  func appearance(_ accepted: AcceptedCells) -> RowAppearance? {
    drawn?.appearance(accepted) { find(accepted) } ?? find(accepted)
  }

  private func find(_ accepted: AcceptedCells) -> RowAppearance? {
    let names = definitions.filter { accepted.accepts($0.identifier, version: $0.version) }.map(\.identifier)
    return names.count == definitions.count ? nil : RowAppearance(Set(names), of: self)
  }

  /// With cells that rows have and the configuration doesn't: rows that were drawn by another one, as a newer replica's are
  /// that is followed. Whoever lists such a cell can show it. Nil where there are none.
  func knowing(_ kinds: [RowKind]) -> CellRegistry? {
    var missing: [CellDefinition] = []
    for name in kinds.lazy.flatMap(\.cells) where positions[name] == nil {
      if !missing.contains(where: { $0.identifier == name }) { missing.append(CellDefinition(identifier: name)) }
    }
    guard !missing.isEmpty else { return nil }
    let definitions = definitions + missing.sorted { $0.identifier < $1.identifier }
    let registry = CellRegistry(definitions, defaultCell: defaultCell)
    return drawn.map { registry.keeping(DrawnRows(sharing: $0)) } ?? registry
  }

  /// The same, with rows kept that are drawn with it.
  func keeping(_ drawn: DrawnRows) -> CellRegistry {
    var registry = self
    registry.drawn = drawn
    return registry
  }

  /// Returns the drawing of rows of these kinds for a client that is shown them so: equal wherever the rows are
  /// drawn alike, in every process; nil where they are shown as they are. In proportion to the names.
  ///
  /// Without edits it is another one, whether rows of these kinds offer any or not.
  func drawing(of kinds: [RowKind], _ appearance: RowAppearance) -> CellDrawing? {
    let standIn = defaultCell.flatMap { self[$0] }
    var drawn: Set<String> = []
    var isStandInSeen = false
    for chain in kinds.lazy.map(\.cells) {
      let place = chain.firstIndex(where: appearance.contains) ?? chain.firstIndex { $0 == standIn?.identifier }
      if place == nil, standIn != nil {
        isStandInSeen = true
        drawn.insert((chain + [""]).joined(separator: "\u{0}"))
      } else if let shown = place ?? chain.indices.last, shown > 0 {
        drawn.insert((chain + ["\(shown)"]).joined(separator: "\u{0}"))
      }
    }
    guard !drawn.isEmpty || appearance.isReadOnly else { return nil }
    var writer = JSONWriter(capacity: 256)
    writer.beginArray()
    for text in drawn.sorted() { writer.write(text) }
    if isStandInSeen, let standIn {
      writer.write(standIn.identifier)
      writer.write(payloadSchema: standIn.fields)
    }
    if appearance.isReadOnly { writer.write(false) }
    writer.endArray()
    return CellDrawing(SHA256.digest(of: writer.bytes))
  }

  /// A row as a client sees it. O(1) where that is as it is, or it is kept, else O(bytes).
  ///
  /// - Parameter isKept: whether it is to be: of a row that others are shown too.
  func variant(of row: Row, _ appearance: RowAppearance, isKept: Bool = true) -> Row {
    let isReadOnly = appearance.isReadOnly
    if !isReadOnly, appearance.contains(row.cellIdentifier) { return row }
    let standIn = defaultCell.flatMap { self[$0] }
    let place = row.place(accepted: appearance.contains, defaultCell: standIn?.identifier)
    func draw() -> Row {
      let shown = row.showing(at: place, defaultCell: standIn)
      return isReadOnly ? shown.readOnly() : shown
    }
    guard place != 0 || isReadOnly && row.offersEdits else { return row }
    guard isKept, let drawn else { return draw() }
    return drawn.row(row, at: place, isReadOnly: isReadOnly, draw)
  }

  /// `{"cells":[{"cellIdentifier","version","class" or "nib","expands","fallback","schema"}]}`
  package var listing: [UInt8] { Self.listing(definitions) }

  private static func listing(_ definitions: [CellDefinition]) -> [UInt8] {
    var writer = JSONWriter(capacity: 2048)
    writer.beginObject()
    writer.name("cells")
    writer.write(list: definitions) { $0.write(cell: $1) }
    writer.endObject()
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func write(cell: CellDefinition) {
    beginObject()
    name("cellIdentifier")
    write(cell.identifier)
    name("version")
    write(cell.version)
    switch cell.registration {
    case .class(let name):
      self.name("class")
      write(name)
    case .nib(let name):
      self.name("nib")
      write(name)
    case nil: break
    }
    if let expands = cell.expands {
      name("expands")
      write(expands)
    }
    if let fallback = cell.fallback {
      name("fallback")
      write(fallback)
    }
    name("schema")
    write(payloadSchema: cell.fields)
    endObject()
  }

  /// The JSON Schema (2020-12) of a payload with these fields.
  fileprivate mutating func write(payloadSchema fields: [CellDefinition.Field]) {
    beginObject()
    name("$schema")
    write("https://json-schema.org/draft/2020-12/schema")
    name("type")
    write("object")
    name("properties")
    beginObject()
    for field in fields {
      name(field.name)
      write(schema: field.type, isOptional: field.isOptional)
    }
    endObject()
    name("required")
    write(list: fields.filter { !$0.isOptional }) { $0.write($1.name) }
    name("additionalProperties")
    write(false)
    endObject()
  }

  mutating func write(schema type: FieldType, isOptional: Bool) {
    beginObject()
    switch type {
    case .string: write(type: "string", isOptional)
    case .number: write(type: "number", isOptional)
    case .integer: write(type: "integer", isOptional)
    case .boolean: write(type: "boolean", isOptional)
    case .object: write(type: "object", isOptional)
    case .url:
      write(type: "string", isOptional)
      name("format")
      write("uri-reference")
    case .date:
      write(type: "string", isOptional)
      name("format")
      write("date-time")
    case .any: break
    case .list(let element):
      write(type: "array", isOptional)
      name("items")
      write(schema: element, isOptional: false)
    case .oneOf(let values):
      name("enum")
      beginArray()
      for value in values { write(value) }
      if isOptional { writeNull() }
      endArray()
    }
    endObject()
  }

  private mutating func write(type: String, _ isOptional: Bool) {
    name("type")
    guard isOptional else { return write(type) }
    beginArray()
    write(type)
    write("null")
    endArray()
  }
}
