/// A table whose edits, sections, actions and searches have types.
///
/// The edits here wait for the service, and throw if it refuses. `live` is the same table without types and without
/// waiting.
public struct TypedTable<Schema: TableSchema, Cell: CellModel>: Sendable {
  public let live: LiveTable<Cell>

  public init(_ live: LiveTable<Cell>) { self.live = live }

  /// Adds an item. Returns the row's identity.
  ///
  /// - Parameters:
  ///   - index: the place in the section; nil: its end. `section` must not be nil then.
  ///   - preview: the cell to show until the service has made the row.
  ///   - version: only if the table has not moved on from there (`TableSnapshot.cursor`); else it is refused with 412.
  @discardableResult
  public func add(
    _ item: Schema.Item.New,
    in section: Schema.Section? = nil,
    at index: Int? = nil,
    preview: Cell? = nil,
    ifMatch version: TableCursor? = nil
  ) async throws -> String where Cell: Encodable {
    let place = try EditPlace(section: section?.rawValue, at: index)
    let edit = try live.perform(
      .add(item: JSONText(encoding: item), place, preview: preview.map { try JSONText(encoding: $0) }),
      ifMatch: version
    )
    let answer = try await edit.confirmed()
    return answer["id"]?.string ?? edit.row
  }

  /// Adds an item beside a row.
  @discardableResult
  public func add(
    _ item: Schema.Item.New,
    _ place: EditPlace,
    ifMatch version: TableCursor? = nil
  ) async throws -> String {
    let edit = try live.perform(.add(item: JSONText(encoding: item), place, preview: nil), ifMatch: version)
    let answer = try await edit.confirmed()
    return answer["id"]?.string ?? edit.row
  }

  /// Changes one member of a row's item; nil removes an optional one.
  public func patch<Value: Encodable>(
    _ row: String,
    _ member: KeyPath<Schema.Item, Value>,
    _ value: Value,
    ifMatch version: TableCursor? = nil
  ) async throws {
    try await live.perform(Self.patching(row, member, value), ifMatch: version).confirmed()
  }

  public func delete(_ row: String, ifMatch version: TableCursor? = nil) async throws {
    try await live.perform(.delete(row: row), ifMatch: version).confirmed()
  }

  public func move(
    _ row: String,
    to section: Schema.Section,
    at index: Int? = nil,
    ifMatch version: TableCursor? = nil
  ) async throws {
    try await live.perform(.move(row: row, .section(section.rawValue, at: index)), ifMatch: version).confirmed()
  }

  public func move(_ row: String, _ place: EditPlace, ifMatch version: TableCursor? = nil) async throws {
    try await live.perform(.move(row: row, place), ifMatch: version).confirmed()
  }

  /// Carries out an action of the table on a row.
  @discardableResult
  public func act(_ action: Schema.Action, on row: String, body: JSONText? = nil) async throws -> JSONText {
    try await live.act(action.rawValue, on: row, body: body).confirmed()
  }

  /// Does several edits as one: all of them, in one version, or none.
  ///
  /// ```swift
  /// try await tasks.batch { batch in
  ///   try batch.add(.init(title: "Buy milk"), in: .today)
  ///   batch.delete(row.id)
  /// }
  /// ```
  ///
  /// - Throws: where an edit is refused, `EditFailure`; the problem's `field` is its number in the batch, from 0.
  public func batch(
    ifMatch version: TableCursor? = nil,
    _ body: @Sendable (inout TableBatch<Schema>) throws -> Void
  ) async throws {
    var batch = TableBatch<Schema>()
    try body(&batch)
    guard !batch.edits.isEmpty else { return }
    try await live.perform(.batch(batch.edits), ifMatch: version).confirmed()
  }

  /// Shows the found rows; see `LiveTable.find(q:filters:sort:)`.
  public func find(q: String = "", filters: [Schema.Filter: Set<String>] = [:], sort: Schema.Sort? = nil) {
    var values: [String: Set<String>] = [:]
    for (filter, chosen) in filters { values[filter.rawValue] = chosen }
    live.find(q: q, filters: values, sort: sort?.rawValue)
  }

  static func patching<Value: Encodable>(_ row: String, _ member: KeyPath<Schema.Item, Value>, _ value: Value) throws
    -> TableEdit
  {
    guard let path = Schema.Item.path(of: member), !path.isEmpty else {
      throw MalformedReply("`\(member)` is no member of the table's items")
    }
    let json = try JSONText(encoding: value)
    let patch = try path.reversed().reduce(json) { inner, name in
      try JSONOutput.checked { output in
        output.raw("{")
        output.member(name, inner)
        output.raw("}")
      }
    }
    return .patch(row: row, patch, preview: nil)
  }
}

/// Edits that are done together.
public struct TableBatch<Schema: TableSchema>: Sendable {
  private(set) var edits: [TableEdit] = []

  /// - Parameter index: the place in the section; nil: its end. `section` must not be nil then.
  public mutating func add(_ item: Schema.Item.New, in section: Schema.Section? = nil, at index: Int? = nil) throws {
    let place = try EditPlace(section: section?.rawValue, at: index)
    edits.append(.add(item: try JSONText(encoding: item), place, preview: nil))
  }

  public mutating func patch<Value: Encodable>(_ row: String, _ member: KeyPath<Schema.Item, Value>, _ value: Value)
    throws
  {
    edits.append(try TypedTable<Schema, AnyCell>.patching(row, member, value))
  }

  public mutating func delete(_ row: String) { edits.append(.delete(row: row)) }
  public mutating func move(_ row: String, to section: Schema.Section, at index: Int? = nil) {
    edits.append(.move(row: row, .section(section.rawValue, at: index)))
  }
}

extension TablecastClient {
  /// A table of the configuration that the app's code was generated from.
  public func table<Schema: TableSchema>(
    _ schema: Schema,
    view: String? = nil,
    rows: Int? = nil,
    screen: String? = nil
  ) -> TypedTable<Schema, Cell> {
    TypedTable(table(Schema.name, parameters: schema.parameters, view: view, rows: rows, screen: screen))
  }
}
