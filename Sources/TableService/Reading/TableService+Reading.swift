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
    let (scope, request) = (call.scope, call.request)
    let made =
      lens == Lens() ? call.table.plainSnapshot : call.table.readyReply(query, to: call.table.state(for: query).to)
    if let representation = made?.snapshot(scope), representation.isPrepared(for: request) {
      return .response(representation.response(to: request))
    }
    let exchange = call.exchange
    call.table.render(query, for: ReplyAsker(exchange.asker)) {
      exchange.finish($0.snapshot(scope).response(to: request))
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
    let (table, request, exchange, scope) = (call.table, call.request, call.exchange, call.scope)
    table.read(lens, for: ReplyAsker(exchange.asker), at: place) { shown in
      guard let shown else {
        return exchange.finish(ServiceError.notFound("The table `\(table.name)` has no such row.").response)
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
      let representation = Representation(
        body: writer.bytes,
        contentType: "application/json",
        entityTag: contentTag(writer.bytes),
        cacheControl: scope.cacheControl,
        vary: scope.vary,
        fields: scope.fields
      )
      exchange.finish(representation.response(to: request))
    }
    return .later
  }

  /// The represented object, as the upstream gave it. What no section shows is for those alone who may edit it.
  func item(_ call: TableCall) -> Reply {
    let (request, exchange, scope) = (call.request, call.exchange, call.scope)
    let mayEdit = call.state.authorizer.allows(request, .edit, table: call.table.reference.name)
    call.table.item(call["row"], orHidden: mayEdit) { item in
      switch item {
      case .success(let object):
        let representation = Representation(
          body: object.bytes,
          contentType: "application/json",
          entityTag: contentTag(object.bytes),
          cacheControl: object.isHidden ? "private, no-cache" : scope.cacheControl,
          vary: scope.varyWithoutCells,
          fields: scope.fields
        )
        exchange.finish(representation.response(to: request))
      case .failure(let error): exchange.finish(ServiceError(error).response)
      }
    }
    return .later
  }
}
