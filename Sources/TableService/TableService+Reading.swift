import Definitions
import HTTPServer
import JSON
import Synchronization
import TableEncoding
import TableModel
import TableStore

extension TableService {
  func lens(_ request: Request) throws(ServiceError) -> Lens {
    Lens(cells: try request.acceptedCells(context.acceptedCells), view: try request.viewName())
  }

  // MARK: Snapshots

  func snapshot(of table: LiveTable, _ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply {
    let lens = try lens(request)
    let ask = TableAsk.snapshot(lens)
    let cursor = table.feed.current.cursor
    let made =
      lens.cells == nil && lens.view == nil
      ? table.replies.plainSnapshot(cursor) : table.readyReply(ask, to: cursor)
    if let made, made.isPrepared(for: request) { return .response(made.response(to: request)) }
    table.render(ask) { reply, _ in exchange.finish(reply.response(to: request)) }
    return .later
  }

  // MARK: Changes

  func poll(_ table: LiveTable, _ request: Request, _ exchange: Exchange, mayWait: Bool) throws(ServiceError) -> Reply {
    let parameters = try PollParameters(request)
    let lens = try lens(request)
    let after = try request.query.first("after").map { text throws(ServiceError) in try cursor(text) }
    let ask = TableAsk(after: after, lens: lens, next: next(parameters, lens))
    return Poll(table: table, ask: ask, request: request).begin(
      exchange,
      wait: after == nil || !mayWait ? 0 : parameters.wait
    )
  }

  func multiPoll(_ request: Request, _ exchange: Exchange) throws(ServiceError) -> Reply {
    let parameters = try PollParameters(request)
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
      let after = position.isEmpty ? nil : try cursor(String(position))
      members.append(
        MultiPoll.Member(table: table, ask: TableAsk(after: after, lens: lens, next: next(parameters, lens)))
      )
    }
    let poll = MultiPoll(members: members, request: request, next: next(parameters, lens))
    let tables = members.map(\.table)
    guard tables.contains(where: \.isAwaitingUpstream) else { return poll.begin(exchange, wait: parameters.wait) }
    return FirstFetch(of: tables, patience: parameters.wait) { exchange, mayWait in
      poll.begin(exchange, wait: mayWait ? parameters.wait : 0)
    }.begin(exchange)
  }

  func stream(_ table: LiveTable, _ request: Request) throws(ServiceError) -> Reply {
    let text = request.header(.lastEventID).flatMap { $0.isEmpty ? nil : $0 } ?? request.query.first("after")
    let after = try text.map { text throws(ServiceError) in try cursor(text) }
    return .stream(TableStream.head, TableStream(table: table, lens: try lens(request), after: after))
  }

  private func cursor(_ text: String) throws(ServiceError) -> Cursor {
    guard let cursor = Cursor(text) else {
      throw .malformed(
        "`\(text.prefix(80))` is no cursor: give one back as a snapshot or a changeset gave it, such as `8f2c61d09a4e.42`.",
        field: "after"
      )
    }
    return cursor
  }

  private func next(_ parameters: PollParameters, _ lens: Lens) -> String {
    "&wait=\(parameters.waitText)" + (lens.view.map { "&view=\($0)" } ?? "")
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

  /// The represented object, as the upstream gave it.
  func item(_ row: String, of table: LiveTable, _ request: Request, _ exchange: Exchange) -> Reply {
    table.item(row) { item in
      switch item {
      case .success(let bytes):
        let representation = Representation(
          body: bytes,
          contentType: "application/json",
          entityTag: contentTag(bytes),
          cacheControl: table.cacheControl,
          vary: table.forwards
        )
        exchange.finish(representation.response(to: request))
      case .failure(let error): exchange.finish(error.response)
      }
    }
    return .later
  }
}
