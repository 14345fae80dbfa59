import HTTPServer
import Synchronization
import TableEngine
import TableModel

/// The content of a request's head, read once for all requests whose heads have the same bytes. A part that is wrong is
/// an error only for a route that needs it.
final class ParsedRequest: Sendable {
  /// Nil where there is nothing at the path.
  let match: RouteMatch?
  /// Its bearer token; nil without one.
  let bearer: Bearer?
  /// It proves itself in two ways, and who stands before the service may have looked at the other one.
  let hasTwoCredentials: Bool
  /// How the client sees tables.
  let lens: Result<LensRequest, ServiceError>
  let languages: LanguagePreferences
  /// The client's cursor; nil where it doesn't give one.
  let after: Result<Cursor?, ServiceError>
  /// It searches, or its cursor is of what was found.
  let asksForFound: Bool
  /// A poll through caches.
  let hasSlot: Bool
  /// How long a poll is to wait, in seconds.
  let wait: Result<Double, ServiceError>
  /// The query behind the cursor in the `Link` to the next poll: `&wait=20`.
  let next: String
  /// Limits have counted it by its head. Such a head has a body: no other request shares it.
  let isCounted = Atomic(false)
  private let poll = Mutex<Poll?>(nil)
  private let multiPoll = Mutex<(poll: MultiPoll, state: ServiceState)?>(nil)
  private let destination = Mutex<(table: LiveTable, state: ServiceState)?>(nil)

  init(_ request: Request) {
    match = RouteMatch(request)
    bearer = Bearer(request)
    hasTwoCredentials = request.isRepeated(.authorization)
    languages = LanguagePreferences(request)
    hasSlot = request.query.first("slot") != nil
    lens = Result { () throws(ServiceError) in
      LensRequest(
        cells: try request.acceptedCells(),
        view: try request.viewName(),
        window: try request.window(),
        find: try request.findSearch()
      )
    }
    after = Result { () throws(ServiceError) in
      try request.query.first("after").map { text throws(ServiceError) in try Cursor(parameter: text) }
    }
    let cursor = (try? after.get()) ?? nil
    asksForFound = (try? lens.get())?.find != nil || cursor?.lensTag?.find != nil
    let poll = Result { () throws(ServiceError) in try PollParameters(request) }
    wait = poll.map(\.wait)
    switch (poll, lens) {
    case (.success(let poll), .success(let lens)):
      next =
        "&wait=\(poll.waitText)" + (lens.view.map { "&view=\($0)" } ?? "") + (lens.window == .all ? "&rows=all" : "")
        + request.findQuery
    case (.failure, _), (_, .failure): next = ""
    }
  }

  /// The table that the path names, in the language that is asked for, as one configuration has it. Nil where it is not
  /// known yet, or a family's member, which comes and goes. Whether a caller may read it is for others to say.
  func table(under state: ServiceState) -> LiveTable? {
    destination.withLock { known in known.flatMap { $0.state === state ? $0.table : nil } }
  }

  func note(_ table: LiveTable, under state: ServiceState) { destination.withLock { $0 = (table, state) } }

  /// The poll of several tables, where it is known and the same for all who ask with these bytes under one configuration.
  func multiPoll(under state: ServiceState) -> MultiPoll? {
    multiPoll.withLock { known in known.flatMap { $0.state === state ? $0.poll : nil } }
  }

  func note(_ poll: MultiPoll, under state: ServiceState) { multiPoll.withLock { $0 = (poll, state) } }

  /// The poll of `table`: one for all who ask with these bytes under one configuration, as nothing in it is one client's
  /// own. Whoever is woken finds in the processor's cache what the one before has read.
  func poll(of table: LiveTable, _ state: ServiceState, _ make: () throws(ServiceError) -> Poll) throws(ServiceError)
    -> Poll
  {
    try poll.withLock { known throws(ServiceError) in
      if let poll = known, poll.question.table === table, poll.question.state === state { return poll }
      let poll = try make()
      known = poll
      return poll
    }
  }
}

extension Cursor {
  /// Reads a cursor as a client gives it back.
  ///
  /// - Parameter field: where it stands.
  init(parameter text: String, field: String = "after") throws(ServiceError) {
    guard let cursor = Cursor(text) else {
      throw .malformed(
        "`\(String(text.unicodeScalars.prefix(80)))` is no cursor: give one back as a snapshot or a changeset gave it, such as `8f2c61d09a4e.42`.",
        field: field
      )
    }
    self = cursor
  }
}
