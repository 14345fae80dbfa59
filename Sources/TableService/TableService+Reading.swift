import Definitions
import HTTPServer
import JSON
import Synchronization
import TableEncoding
import TableModel
import TableStore

extension TableService {
  func lens(_ request: Request) throws(ServiceError) -> Lens {
    var lens = try request.inquiry.lens.get()
    lens.cells = lens.cells.map(context.acceptedCells.interned)
    return lens
  }

  // MARK: Snapshots

  func snapshot(of table: LiveTable, _ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply {
    let lens = try lens(request)
    let ask = TableAsk.snapshot(lens)
    let made =
      lens.cells == nil && lens.view == nil
      ? table.replies.plainSnapshot(table.feed.current.cursor) : table.readyReply(ask, to: table.standing(ask).to)
    if let made, made.isPrepared(for: request) { return .response(made.response(to: request)) }
    table.render(ask) { reply, _ in exchange.finish(reply.response(to: request)) }
    return .later
  }

  // MARK: Changes

  func poll(_ table: LiveTable, _ request: Request, _ exchange: Exchange, mayWait: Bool) throws(ServiceError) -> Reply {
    let inquiry = request.inquiry
    let wait = try inquiry.wait.get()
    let poll = try inquiry.poll(of: table) { () throws(ServiceError) in
      let ask = TableAsk(after: try inquiry.after.get(), lens: try lens(request))
      return Poll(table: table, ask: ask, request: request)
    }
    return poll.begin(exchange, wait: poll.ask.after == nil || !mayWait ? 0 : wait)
  }

  func multiPoll(_ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply {
    let wait = try request.inquiry.wait.get()
    let lens = try lens(request)
    let pairs = request.query.all("after")
    guard (1...MultiPoll.maximum).contains(pairs.count) else {
      throw .malformed(
        "`after=TABLE:CURSOR` stands 1 to \(MultiPoll.maximum) times, once for each table; here \(pairs.count) times.",
        field: "after"
      )
    }
    var members: [MultiPoll.Member] = []
    for pair in pairs {
      guard let colon = pair.lastIndex(of: ":"), let reference = TableReference(segment: pair[..<colon]) else {
        throw .malformed("`\(pair)` is not TABLE:CURSOR.", field: "after")
      }
      try authorizer.withLock { $0 }.authorize(request, .read, table: reference.name)
      let table = try catalog.table(reference, for: caller(request))
      let position = pair[pair.index(after: colon)...]
      let after = position.isEmpty ? nil : try Cursor(parameter: String(position))
      members.append(
        MultiPoll.Member(table: table, ask: TableAsk(after: after, lens: lens))
      )
    }
    let poll = MultiPoll(members: members, request: request)
    let tables = members.map(\.table)
    guard tables.contains(where: \.isAwaitingUpstream) else { return poll.begin(exchange, wait: wait) }
    return FirstFetch(of: tables, patience: wait) { exchange, mayWait in
      poll.begin(exchange, wait: mayWait ? wait : 0)
    }.begin(exchange)
  }

  func stream(_ table: LiveTable, _ request: Request) throws(ServiceError) -> Reply {
    let text = request.header(.lastEventID).flatMap { $0.isEmpty ? nil : $0 } ?? request.query.first("after")
    let after = try text.map { text throws(ServiceError) in try Cursor(parameter: text) }
    let stream = TableStream(table: table, lens: try lens(request), after: after) { [self] in
      authorizer.withLock { $0 }.allows(request, .read, table: table.definedName)
    }
    return .stream(TableStream.head, stream)
  }

  // MARK: Rows and items

  /// One row with its place, wherever `place` finds it.
  func row(
    of table: LiveTable,
    _ request: Request,
    _ exchange: Exchange,
    at place: @escaping @Sendable (Table) -> IndexPath?
  ) throws(ServiceError) -> Reply {
    let lens = try lens(request)
    table.read(lens) { shown, cursor in
      guard let path = place(shown), let row = shown[at: path] else {
        return exchange.finish(ServiceError.notFound("The table `\(table.name)` has no such row.").response)
      }
      var writer = JSONWriter(capacity: row.encoded.count + 128)
      writer.beginObject()
      writer.name("row")
      writer.write(raw: row.encoded)
      writer.name("at")
      writer.write(path)
      writer.name("section")
      writer.write(shown.sections[path.section].id)
      writer.name("cursor")
      writer.write(cursor.description)
      writer.endObject()
      let representation = Representation(
        body: writer.bytes,
        contentType: "application/json",
        entityTag: contentTag(writer.bytes),
        cacheControl: table.cacheControl,
        vary: table.vary
      )
      exchange.finish(representation.response(to: request))
    }
    return .later
  }

  /// The represented object, as the upstream gave it. What no section shows is for those alone who may edit it.
  func item(_ row: String, of table: LiveTable, _ request: Request, _ exchange: Exchange) -> Reply {
    let mayEdit = authorizer.withLock { $0 }.allows(request, .edit, table: table.definedName)
    table.item(row, orHidden: mayEdit) { item in
      switch item {
      case .success(let object):
        let representation = Representation(
          body: object.bytes,
          contentType: "application/json",
          entityTag: contentTag(object.bytes),
          cacheControl: object.isHidden ? "private, no-cache" : table.cacheControl,
          vary: table.forwards
        )
        exchange.finish(representation.response(to: request))
      case .failure(let error): exchange.finish(error.response)
      }
    }
    return .later
  }
}
