import Definitions
import HTTPServer
import JSON
import TableEncoding
import TableEngine
import TableModel
import TableStore

extension TableService {
  // MARK: Snapshots

  func snapshot(_ call: TableCall) throws(ServiceError) -> Reply {
    let lens = try call.lens()
    let query = TableQuery(.snapshot, lens)
    let request = call.request
    let isReadOnly = lens == .readOnly
    let made =
      lens == Lens() || isReadOnly
      ? call.table.wholeSnapshot(isReadOnly: isReadOnly)
      : call.table.readyReply(query, to: call.table.state(for: query).to)
    if let made {
      let representation = made.snapshot(call.replyScope(at: made.cursor))
      if representation.isPrepared(for: request) { return .response(representation.response(to: request)) }
    }
    call.table.render(query, for: ReplyAsker(call.exchange.asker)) { [self] made in
      let isUnanswerable = call.table.isUnanswerable(query, by: made, hasWaited: true)
      let response =
        isUnanswerable
        ? ServiceError.unsearchable.response : made.snapshot(call.replyScope(at: made.cursor)).response(to: request)
      call.finish(response, under: state)
    }
    return .later
  }

  // MARK: Rows and items

  func row(_ call: TableCall) throws(ServiceError) -> Reply {
    let row = call["row"]
    var lens = try call.lens()
    // It is there, whether it is found or not.
    lens.find = nil
    return self.row(call, lens) { $0.indexPath(of: row) }
  }

  func rowAtPath(_ call: TableCall) throws(ServiceError) -> Reply {
    let path = try call.request.indexPath()
    return row(call, try call.lens()) { _ in path }
  }

  /// One row with its place, wherever `place` finds it.
  private func row(_ call: TableCall, _ lens: Lens, at place: @escaping @Sendable (Table) -> IndexPath?) -> Reply {
    let (table, request, exchange) = (call.table, call.request, call.exchange)
    table.read(lens, for: ReplyAsker(exchange.asker), at: place) { [self] shown in
      guard let shown else {
        let isUnanswerable = table.isUnanswerable(TableQuery(.snapshot, lens), isLate: false, waits: false)
        return exchange.finish((isUnanswerable ? ServiceError.unsearchable : ServiceError(table.noSuchRow)).response)
      }
      var writer = JSONWriter(capacity: shown.row.encoded.count + 128)
      writer.beginObject()
      writer.name("row")
      writer.write(raw: shown.row.encoded)
      writer.name("at")
      writer.write(shown.path)
      writer.name("section")
      writer.write(shown.section)
      writer.name("cursor")
      writer.write(shown.cursor.description)
      writer.endObject()
      let scope = call.replyScope(at: shown.cursor)
      let representation = Representation(
        body: writer.bytes,
        contentType: "application/json",
        entityTag: shown.cursor.description,
        cacheControl: scope.cacheControl,
        vary: scope.vary,
        fields: scope.fields
      )
      call.finish(representation.response(to: request), under: state)
    }
    return .later
  }

  /// The represented object, as the upstream gave it. What no section shows is for those alone who may edit it.
  func item(_ call: TableCall) -> Reply {
    let (request, exchange, scope) = (call.request, call.exchange, call.scope)
    let mayEdit = call.state.authorizer.allows(request, .edit, table: call.table.reference.name)
    call.table.item(call["row"], orHidden: mayEdit) { [self] item in
      switch item {
      case .success(let object):
        let representation = Representation(
          body: object.bytes,
          contentType: "application/json",
          entityTag: contentTag(object.bytes),
          // The versions that edits are built on are the table's, and what no row shows of an item makes none.
          hasWeakTag: true,
          cacheControl: object.isHidden ? "private, no-cache" : scope.cacheControl,
          vary: scope.varyWithoutCells,
          fields: scope.fields
        )
        call.finish(representation.response(to: request), under: state)
      case .failure(let error): exchange.finish(ServiceError(error).response)
      }
    }
    return .later
  }
}

/// Why a table is as it is. It shows the configuration's expressions and items that have no row: for those who may edit.
extension TableService {
  /// `GET …/skipped`: the items that got no row, with their reasons; and those that no section takes.
  func skipped(_ call: TableCall) -> Reply {
    let name = call.table.name
    call.table.skipped { [self] skipped in
      var writer = JSONWriter()
      writer.beginObject()
      writer.name("table")
      writer.write(name)
      writer.name("skippedItems")
      writer.write(skipped.count)
      writer.write(skipped.first, named: "items")
      writer.name("unplacedItems")
      writer.write(skipped.unplacedCount)
      writer.write(skipped.unplaced, named: "unplaced")
      writer.endObject()
      call.finish(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes), under: state)
    }
    return .later
  }

  /// `GET …/rows/{row}/placement`: the section that a row stands in, and the rule that put it there.
  func placement(_ call: TableCall) throws(ServiceError) -> Reply {
    let (exchange, table, row) = (call.exchange, call.table, call["row"])
    let definition = call.state.catalog.definition.tables.first { $0.name == table.reference.name }
    table.read(try call.lens(), for: ReplyAsker(exchange.asker), at: { $0.indexPath(of: row) }) { [self] shown in
      guard let shown, let definition, let rule = definition.rule(ofSection: shown.section)
      else { return exchange.finish(ServiceError(table.noSuchRow).response) }
      var writer = JSONWriter()
      writer.beginObject()
      writer.name("row")
      writer.write(row)
      writer.name("at")
      writer.write(shown.path)
      writer.name("section")
      writer.write(shown.section)
      writer.name("rule")
      writer.write(rule)
      writer.endObject()
      call.finish(Response(status: .ok, headers: .jsonNotStored, body: writer.bytes), under: state)
    }
    return .later
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ items: [SkippedItems.Item], named key: String) {
    name(key)
    beginArray()
    for item in items { write(item) }
    endArray()
  }

  private mutating func write(_ item: SkippedItems.Item) {
    beginObject()
    name("source")
    write(item.source)
    name("index")
    write(item.index)
    for (key, text) in [("id", item.id), ("type", item.type), ("field", item.field)] {
      guard let text else { continue }
      name(key)
      write(text)
    }
    name("reason")
    write(item.reason)
    endObject()
  }

  fileprivate mutating func write(_ rule: SectionRule) {
    beginObject()
    name("kind")
    write(rule.kind.rawValue)
    name("expression")
    if let expression = rule.expression { write(expression) } else { writeNull() }
    name("passed")
    beginArray()
    for passed in rule.passed {
      beginObject()
      name("section")
      write(passed.section)
      name("expression")
      write(passed.predicate)
      endObject()
    }
    endArray()
    endObject()
  }
}
