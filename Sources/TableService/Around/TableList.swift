import Definitions
import HTTPServer
import JSON
import TableEngine
import TableModel
import TableStore

/// The tables and the cells that there are.
struct TableList: Resource {
  let service: TableService
  /// The most tables of a list that is made on an event loop.
  static let shortList = 128

  /// `GET /v1/cells`
  func cells(_ call: Call) -> Reply { .response(call.state.cellsListing.response(to: call.request)) }

  /// `GET /v1/tables`: the tables that the caller may read, with counts; families with their parameters. As a read of each of the
  /// tables it waits for what was committed before.
  func tables(_ call: Call) -> Reply {
    let behind = call.state.catalog.tables.map { $0.localized(call.locale).latest }
      .filter { $0.mayBeBehind && call.state.authorizer.isReadable($0.name, call.request) }
    guard !behind.isEmpty else { return answer(call) }
    return BarrierWait(of: behind.map { BarrierWait.Member(table: $0) }, service.server) { [self] exchange, outcome in
      let call = Call(call.request, call.parsed, call.match, exchange, state: service.state)
      do throws(ServiceError) {
        guard outcome != .late else { throw .unreadable }
        // By a configuration that was read meanwhile the caller may be nobody any more.
        try call.authorize(.capability(.read))
        guard behind.allSatisfy({ $0.latest === $0 }) else { return tables(call) }
        return answer(call)
      } catch {
        return .response(error.response)
      }
    }.begin(call.exchange)
  }

  /// Answers with the list: at once, or, where it is long, when its turn has come.
  private func answer(_ call: Call) -> Reply {
    guard call.state.catalog.definition.tables.count > Self.shortList else { return .response(list(call)) }
    return service.longRequests.answer(call.exchange) { [self] in
      // A client that has gone is owed nothing.
      guard call.exchange.asker.isThere else { return .later }
      do throws(ServiceError) {
        // Its token may have ended while it waited.
        try call.authorize(.capability(.read))
        let response = list(call)
        let now = service.state
        guard now !== call.state else { return .response(response) }
        // By another configuration it is another list, of which the caller may see another part.
        let again = Call(call.request, call.parsed, call.match, call.exchange, state: now)
        try again.authorize(.capability(.read))
        return tables(again)
      } catch {
        return .response(error.response)
      }
    }
  }

  private func list(_ call: Call) -> Response {
    let (catalog, authorizer) = (call.state.catalog, call.state.authorizer)
    let tables = Dictionary(uniqueKeysWithValues: catalog.tables.map { ($0.name, $0) })
    let families = Dictionary(uniqueKeysWithValues: catalog.families.map { ($0.name, $0) })
    var writer = JSONWriter(capacity: 256 * catalog.definition.tables.count)
    writer.beginObject()
    writer.name("tables")
    writer.beginArray()
    for name in catalog.definition.tables.map(\.name) where authorizer.isReadable(name, call.request) {
      let schema = call.state.itemSchemas[name]
      if let table = tables[name]?.localized(call.locale).latest, table.absence == nil {
        writer.write(listed: table, mayEdit: authorizer.mayEdit(call.request, table), schema)
      }
      if let family = families[name] { writer.write(listed: family, schema) }
    }
    writer.endArray()
    writer.endObject()
    let scope = ReplyScope(
      forwards: [],
      isTokenHolders: authorizer.isRestricted(.read),
      distinguishesEditors: authorizer.distinguishesEditors && catalog.tables.contains(where: \.offersEdits),
      locale: call.locale
    )
    // Without an entity tag: cursors change with every version of every table, so it would hardly ever match.
    let representation = Representation(
      body: writer.bytes,
      contentType: "application/json",
      cacheControl: scope.cacheControl,
      vary: scope.varyWithoutCells,
      fields: scope.fields
    )
    return representation.response(to: call.request)
  }
}

extension JSONWriter {
  /// - Parameter mayEdit: the caller, who begins to follow it at the cursor.
  fileprivate mutating func write(listed table: LiveTable, mayEdit: Bool, _ schema: ItemSchema?) {
    let current = table.current
    let cursor = table.cursor(of: current, table.lens(Lens(), mayEdit: mayEdit))
    let counts = current.table.counts
    beginObject()
    name("id")
    write(table.name)
    name("title")
    write(current.table.title)
    name("cursor")
    write(cursor.description)
    name("state")
    write(current.table.state.rawValue)
    name("sections")
    write(counts.sections)
    name("rows")
    write(counts.rows)
    if let fetched = table.lastFetch {
      name("fetched")
      write(fetched)
    }
    name("url")
    write(table.path)
    name("changes")
    write("\(table.path)/changes?after=\(cursor)")
    write(schema)
    endObject()
  }

  fileprivate mutating func write(listed family: TableFamily, _ schema: ItemSchema?) {
    let definition = family.definition
    beginObject()
    name("id")
    write(family.name)
    name("title")
    write(definition.title)
    name("parameters")
    beginArray()
    for parameter in definition.parameters {
      beginObject()
      name("name")
      write(parameter.name)
      name("pattern")
      write(parameter.pattern)
      name("default")
      if let value = parameter.defaultValue { write(value) } else { writeNull() }
      endObject()
    }
    endArray()
    name("members")
    let instances = family.instances
    write(instances.polled + instances.frozen)
    name("url")
    write("/v1/tables/\(TableReference(name: family.name).segment)")
    write(schema)
    endObject()
  }

  /// Writes the schema of the items that edits may write.
  private mutating func write(_ schema: ItemSchema?) {
    guard let schema else { return }
    name("itemSchema")
    write(raw: schema.bytes)
  }
}
