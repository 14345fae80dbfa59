public import Foundation

/// A Tablecast service, as an app sees it: tables that are followed, shown and edited.
///
/// ```swift
/// let client = TablecastClient(url: server, cells: Cell.self)
/// let table = client.table("issues")
/// for await change in table.changes { … }
/// ```
///
/// One client serves an app: it keeps one poll for all tables that are on the screen.
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
    // Caches keep replies that are the same for all: not those that may depend on who asks.
    follower.usesSlots = options.token == nil && options.headers.isEmpty
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

  /// A table cut out of the middle: the rows from one to another, counted from 0, both included, 10,000 at most.
  /// `LiveTable.show(_:)` moves the window.
  public func table(
    _ name: String,
    parameters: [String: String] = [:],
    view: String? = nil,
    window: ClosedRange<Int>,
    screen: String? = nil
  ) -> LiveTable<Cell> {
    LiveTable(engine, TableAddress(name, parameters: parameters, view: view), RowWindow(window), screen)
  }

  /// What happens, from now on: requests, states, edits; for a log, or for a developer to look at. Of a reader that is slow
  /// the oldest go.
  public var events: AsyncStream<ClientEvent> { engine.setup.events.stream }

  /// The last request that failed or was refused, or edit that ended badly; nil where there was none.
  public var lastError: ClientEvent? { engine.setup.events.lastError }

  /// Stops all polls for a reason of the app's; they go on when no reason is left.
  public func pause(_ reason: String = "app") { engine.perform { $0.handle(.pause(reason, nil)) } }
  /// Takes back a reason to pause. Edits that wait because of a login or of something on the way (`trouble`) are tried
  /// again with their keys, and so are tables that were refused.
  public func resume(_ reason: String = "app") {
    engine.perform { engine in
      engine.handle(.resume(reason, nil))
      engine.tryAgain()
    }
  }

  /// The app came to the foreground, or the network came back: what waits, perhaps in vain, is asked and sent again at
  /// once, edits with their keys. More than once a second it isn't done.
  public func wake() { engine.perform { $0.wake() } }

  /// Takes another token, or another way to get one: after a login. What waited for it goes on with the same keys.
  public func useToken(_ token: TokenProvider?) {
    engine.setup.transport.use(token)
    engine.perform { $0.tryAgain() }
  }

  /// Keeps the shown states now, instead of within a second: before the program ends.
  public func flush() { engine.flush() }

  /// Forgets what is kept of all tables, and gives up edits that the service has not answered: when the user logs out.
  public func purge() {
    engine.setup.store?.purge()
    engine.setup.editStore?.purge()
    // Those under way are known on the engine's queue alone.
    engine.perform { $0.purgeEdits() }
  }
}

/// What can be chosen about a client.
public struct ClientOptions: Sendable {
  /// Seconds that a poll waits: 1 to 55.
  public var wait = 20.0
  /// Follows each table by a stream of server-sent events instead of all by one long poll: a request less for each
  /// change, a connection more for each table. Where nothing gets through, it is polled.
  public var usesStreams = false
  /// Sent with every request.
  public var headers: [String: String] = [:]
  /// Asked for the caller's token before every request, and once more after a 401. One that throws, or doesn't answer
  /// for 30 s, is told as `trouble`, and asked again.
  public var token: TokenProvider?
  /// Names the user, so that kept states of one aren't shown to another. Not sent.
  public var caller = ""
  /// Where states are kept between starts; nil: nowhere.
  public var store: (any SnapshotStore)?
  /// Where edits are kept until the service has answered them: the next client of this service and `caller` takes them
  /// up, with the same idempotency keys. Nil: they end with the program.
  public var editStore: (any EditStore)?
  /// Instead of the cells' own: the value of `Accept-Cells`.
  public var acceptedCells: String?
  /// What makes requests; nil: a `URLSession`.
  public var transport: (any Transport)?
  public var scheduler: any Scheduler = SystemScheduler()
  /// Told what happens, as `TablecastClient.events` is: on a queue of the client's, and soon to return.
  public var log: (@Sendable (ClientEvent) -> Void)?
  /// Of the jitter between retries, to repeat a test.
  public var seed: UInt64?

  public init() {}
}
