public import Foundation

/// The client of a Tablecast service, for an app that follows, shows and edits tables.
///
/// ```swift
/// let client = TablecastClient(url: server, cells: Cell.self)
/// let table = client.table("issues")
/// for await change in table.changes { … }
/// ```
///
/// An app needs one client. It has one poll for all tables on the screen.
public final class TablecastClient<Cell: CellModel>: Sendable {
  let engine: ClientEngine

  /// - Parameters:
  ///   - url: where the service is; a path before `/v1` counts.
  ///   - cells: the app's cells, as `tablecast generate swift` makes them: the service sends no others.
  ///   - options: what else can be chosen.
  public init(url: URL, cells: Cell.Type = Cell.self, options: ClientOptions = ClientOptions()) {
    var base = url.absoluteString
    while base.hasSuffix("/") { base.removeLast() }
    let acceptedCells = options.acceptedCells ?? Cell.acceptedCells
    var follower = Follower.Settings()
    follower.wait = min(max(options.wait, 1), 55)
    follower.acceptedCells = acceptedCells
    follower.usesSlots = Follower.usesSlots(hasToken: options.token != nil, headers: options.headers)
    let transport = AuthorizedTransport(
      options.transport ?? URLSessionTransport(),
      token: options.token,
      scheduler: options.scheduler
    )
    follower.usesStreams = options.usesStreams && transport.canStream
    engine = ClientEngine(
      ClientEngine.Setup(
        url: base,
        headers: options.headers,
        transport: transport,
        scheduler: options.scheduler,
        store: options.store,
        editStore: options.editStore,
        caller: options.caller,
        acceptedCells: acceptedCells,
        follower: follower,
        seed: options.seed ?? .random(in: 0 ... .max),
        queue: options.queue ?? DispatchClientQueue(),
        events: ClientEvents(options.log)
      )
    )
  }

  /// A table, followed as soon as somebody observes it and for 5 s after the last one has gone.
  ///
  /// - Parameters:
  ///   - parameters: those of a family's member.
  ///   - view: names the state of one screen, which rows are expanded; best a random name.
  ///   - rows: cuts the table after its first rows; `loadMore()` widens it by as many.
  ///   - screen: names who looks at it: screens have windows and searches of their own. Tables that begin with different
  ///     windows are different screens without a name, too; edits are of all.
  public func table(
    _ name: String,
    parameters: [String: String] = [:],
    view: String? = nil,
    rows: Int? = nil,
    screen: String? = nil
  ) -> LiveTable<Cell> {
    let address = TableAddress(name, parameters: parameters, view: view)
    return LiveTable(engine, address, rows.map { RowWindow($0) }, screen)
  }

  /// A table with a window in the middle: a range of rows, counted from 0, at most 10,000. `LiveTable.show(_:)` moves
  /// the window.
  public func table(
    _ name: String,
    parameters: [String: String] = [:],
    view: String? = nil,
    window: ClosedRange<Int>,
    screen: String? = nil
  ) -> LiveTable<Cell> {
    LiveTable(engine, TableAddress(name, parameters: parameters, view: view), RowWindow(window), screen)
  }

  /// Events from now on: requests, states and edits, for a log or for debugging. If the reader is slow, the oldest
  /// events are dropped.
  public var events: AsyncStream<ClientEvent> { engine.setup.events.stream }

  /// The last failed or refused request, or failed edit; nil if there was none.
  public var lastError: ClientEvent? { engine.setup.events.lastError }

  /// Stops all polls for a reason of the app. They continue when no reason is left.
  public func pause(_ reason: String = "app") { engine.perform { $0.handle(.pause(reason, nil)) } }
  /// Withdraws a reason to pause. Edits that wait because of `trouble` are tried again with their keys, and so are
  /// refused tables.
  public func resume(_ reason: String = "app") {
    engine.perform { engine in
      engine.handle(.resume(reason, nil))
      engine.tryAgain()
    }
  }

  /// Call this when the app comes to the foreground, or the network returns. Waiting requests are cancelled and sent
  /// again at once, edits with their keys, but not before a time that the service has asked for (`Retry-After`). This
  /// happens at most once a second.
  public func wake() { engine.perform { $0.wake() } }

  /// Sets another token provider, after a login. All requests for tables are made anew with it. Edits that waited for the
  /// former provider, or for a login, continue with the same keys.
  public func useToken(_ token: TokenProvider?) {
    engine.setup.transport.use(token)
    let isGiven = token != nil
    engine.perform { $0.useToken(isGiven: isGiven) }
  }

  /// Stores the shown states now, instead of within a second. Call it before the program ends, on any thread.
  public func flush() { engine.flush() }

  /// Deletes the stored states of all tables, and drops edits that the service has not answered. Call it when the user
  /// has logged out: when the token provider gives their token no more.
  ///
  /// Requests under way are cancelled and sent anew. A table's state is stored again after the answer to a request that
  /// was sent after the purge. This returns at once; `flush()` waits until it is done.
  public func purge() { engine.perform { $0.purge() } }
}

/// The options of a client.
public struct ClientOptions: Sendable {
  /// The wait of a poll, in seconds: 1 to 55.
  public var wait = 20.0
  /// Follows up to eight tables by streams of server-sent events, and further ones by one long poll. That saves a
  /// request for each change, and costs a connection for each table. If nothing gets through a stream, the table is
  /// polled.
  public var usesStreams = false
  /// Additional headers of every request.
  public var headers: [String: String] = [:]
  /// Gives the caller's token. It is called before every request, and once more after a 401. If it throws, or does not
  /// answer within 30 s, `trouble` says so, and it is called again.
  public var token: TokenProvider?
  /// The name of the user, so that stored states are not shown to another user. It is not sent.
  public var caller = ""
  /// The store for states between starts; nil for none.
  public var store: (any SnapshotStore)?
  /// The store for edits until the service has answered them. The next client of this service and `caller` continues
  /// them, with the same keys. Without a store they end with the program.
  public var editStore: (any EditStore)?
  /// The value of `Accept-Cells`, in place of that of the cells.
  public var acceptedCells: String?
  /// The transport for requests; nil for a `URLSession`.
  public var transport: (any Transport)?
  public var scheduler: any Scheduler = SystemScheduler()
  /// Called with every event, like `TablecastClient.events`, on a queue of the client. It should return soon.
  public var log: (@Sendable (ClientEvent) -> Void)?
  /// The seed of the random delays between retries, to repeat a test.
  public var seed: UInt64?
  /// The queue on which the client works; nil: one of its own.
  package var queue: (any ClientQueue)?

  public init() {}
}
