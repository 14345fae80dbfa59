import Definitions
import Dispatch
import Synchronization
import TableModel
import TableStore

/// The views of all tables, by the clock of this machine; where replicas share tables, also in the store.
final class ViewDirectory: Sendable {
  private let views: Views
  private let salt = UInt64.random(in: .min ... .max)
  private let store: any Store
  private let maximum: Int
  /// How long the store keeps a view that nobody uses: half of it with what was tapped.
  private let lifetime: Duration
  /// How many views this process has kept since it looked for too many; it looks at the first one.
  private let unlimited = Mutex(Int.max / 2)

  init(_ definition: ViewsDefinition, _ store: any Store) {
    views = Views(
      maximum: definition.maximum,
      idle: definition.idle,
      now: { Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000_000) }
    )
    (self.store, maximum, lifetime) = (store, definition.maximum, definition.idle * 2)
  }

  /// How many there are.
  var count: Int { views.count }

  /// Returns the topic that wakes polls of a view when it is tapped, whatever its table.
  func topic(view: String) -> ChangeTopic {
    ChangeTopic(rawValue: Fingerprint(of: "view \(view)").rawValue ^ salt)
  }

  /// A view of a table as it is now; nil where nothing was ever tapped in it. O(toggles).
  func state(of view: String, table: Epoch) -> ViewState? {
    let state = views.state(of: view, table: table)
    if state != nil, views.isToBeProlonged(view, table: table) {
      store.prolong(view, of: table, for: lifetime) { _ in }
    }
    return state
  }

  /// A waiter with a view uses it until the wait is over.
  func beginFollowing(_ view: String, table: Epoch) { views.beginFollowing(view, table: table) }
  func endFollowing(_ view: String, table: Epoch) { views.endFollowing(view, table: table) }

  /// Toggles a row for a view that is this process's own. Returns the view after the tap.
  func tap(_ row: Fingerprint, view: String, table: Epoch, by holder: ViewHolder) -> ViewState {
    views.tap(view, table: table, row: row, by: holder)
  }

  // MARK: Shared by replicas

  /// Toggles a row for a view of all replicas: counted in the store, where one tap comes after the other.
  ///
  /// - Parameters:
  ///   - record: the table, by the name under which it is stored.
  ///   - holder: who taps.
  ///   - answer: what is kept with the view as the answer to the tap; both or none.
  ///   - completion: given what the others are to be told, when it can be seen here.
  func tap(
    row: String,
    sharedView view: String,
    of record: String,
    table: Epoch,
    by holder: ViewHolder,
    attempts: Int = 16,
    answer: @escaping @Sendable (ViewState) -> TapReply?,
    _ completion: @escaping StoreCompletion<ViewTap>
  ) {
    change(view, of: record, table, by: holder, attempts: attempts, answer: answer) {
      $0.tap(row)
    } then: { result in
      completion(
        result.map {
          let holder = ViewHolder(rawValue: $0.holder)
          return ViewTap(
            table: table,
            view: view,
            incarnation: $0.incarnation,
            taps: $0.taps,
            row: row,
            holder: holder
          )
        }
      )
    }
  }

  /// Reads a view as all replicas have it. One that was idle for too long has its defaults again.
  func read(_ view: String, table: Epoch, _ completion: @escaping @Sendable (StoreError?) -> Void) {
    store.view(view, of: table) { [self] result in
      switch result {
      case .failure(let error): completion(error)
      case .success(nil):
        views.drop(view, table: table)
        completion(nil)
      case .success(let kept?) where isIdle(kept):
        change(view, of: nil, table, by: ViewHolder(rawValue: kept.view.holder), attempts: 4) { _ in
        } then: { result in
          if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
      case .success(let kept?):
        views.take(kept.view, table: table)
        completion(nil)
      }
    }
  }

  /// Reads those that are kept, for who comes late or has not heard of the others for a while.
  func readAll(_ completion: @escaping @Sendable (StoreError?) -> Void) {
    store.views(atMost: maximum) { [views] result in
      switch result {
      case .failure(let error): completion(error)
      case .success(let kept):
        for view in kept { views.take(view, table: view.table) }
        completion(nil)
      }
    }
  }

  /// Takes over what another replica has counted. `completion` is called when it can be seen.
  func follow(_ tap: ViewTap, _ completion: @escaping @Sendable () -> Void) {
    if views.follow(tap) { completion() } else { read(tap.view, table: tap.table) { _ in completion() } }
  }

  /// Nobody has used it for so long that its rows have their defaults again.
  private func isIdle(_ kept: KeptView) -> Bool { kept.remaining <= lifetime / 2 }

  /// One more is kept. Counting them takes time, so it is done once in a while; with room for what all replicas keep until
  /// the next time.
  private func limitKept() {
    let interval = max(maximum / 64, 1)
    let isDue = unlimited.withLock { count in
      count += 1
      guard count >= interval else { return false }
      count = 0
      return true
    }
    if isDue { store.limitViews(to: maximum - 8 * (interval - 1)) { _ in } }
  }

  private func change(
    _ view: String,
    of record: String?,
    _ table: Epoch,
    by holder: ViewHolder,
    attempts: Int,
    answer: @escaping @Sendable (ViewState) -> TapReply? = { _ in nil },
    by body: @escaping @Sendable (inout TapHistory<String>) -> Void,
    then completion: @escaping StoreCompletion<StoredView>
  ) {
    store.view(view, of: table) { [self] result in
      let kept: KeptView?
      switch result {
      case .failure(let error): return completion(.failure(error))
      case .success(let found): kept = found
      }
      let next = (kept?.view ?? StoredView(table: table, name: view, holder: holder)).changed { history in
        if let kept, isIdle(kept) { history.reset() }
        body(&history)
      }
      store.keep(next, of: record, after: kept?.view, for: lifetime, answer: answer(next.state)) { [self] result in
        switch result {
        case .failure(let error): completion(.failure(error))
        case .success(true):
          views.take(next, table: table)
          if kept == nil { limitKept() }
          completion(.success(next))
        // Another replica was tapped at the same time, or has begun another epoch.
        case .success(false) where attempts > 1:
          let attempts = attempts - 1
          change(view, of: record, table, by: holder, attempts: attempts, answer: answer, by: body, then: completion)
        case .success(false): completion(.failure(.superseded))
        }
      }
    }
  }
}

extension Views {
  /// Takes over a view as it is kept.
  fileprivate func take(_ view: StoredView, table: Epoch) {
    take(view.state, view.name, table: table, of: ViewHolder(rawValue: view.holder))
  }
}
