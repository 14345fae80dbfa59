import Definitions
import Dispatch
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

  /// What polls of a view are woken by when it is tapped, whatever its table.
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

  /// Whoever waits with a view uses it until the wait is over.
  func beginFollowing(_ view: String, table: Epoch) { views.beginFollowing(view, table: table) }
  func endFollowing(_ view: String, table: Epoch) { views.endFollowing(view, table: table) }

  /// Toggles a row for a view that is this process's own. Returns the view after the tap.
  func tap(_ row: Fingerprint, view: String, table: Epoch) -> ViewState { views.tap(view, table: table, row: row) }

  // MARK: Shared by replicas

  /// Toggles a row for a view of all replicas: counted in the store, where one tap comes after the other.
  ///
  /// - Parameters:
  ///   - answer: what is kept with the view as the answer to the tap; both or none.
  ///   - completion: given what the others are to be told, when it can be seen here.
  func tap(
    row: String,
    sharedView view: String,
    table: Epoch,
    attempts: Int = 16,
    answer: @escaping @Sendable (ViewState) -> TapReply?,
    _ completion: @escaping @Sendable (Result<ViewTap, StoreError>) -> Void
  ) {
    change(view, table, attempts: attempts, answer: answer) {
      $0.tap(row)
    } then: { result in
      completion(
        result.map { ViewTap(table: table, view: view, incarnation: $0.incarnation, taps: $0.taps, row: row) }
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
        change(view, table, attempts: 4) { _ in
        } then: { result in
          if case .failure(let error) = result { completion(error) } else { completion(nil) }
        }
      case .success(let kept?):
        views.take(kept.view.state, view, table: table)
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
        for view in kept { views.take(view.state, view.name, table: view.table) }
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

  private func change(
    _ view: String,
    _ table: Epoch,
    attempts: Int,
    answer: @escaping @Sendable (ViewState) -> TapReply? = { _ in nil },
    by body: @escaping @Sendable (inout TapHistory<String>) -> Void,
    then completion: @escaping @Sendable (Result<StoredView, StoreError>) -> Void
  ) {
    store.view(view, of: table) { [self] result in
      let kept: KeptView?
      switch result {
      case .failure(let error): return completion(.failure(error))
      case .success(let found): kept = found
      }
      let next = (kept?.view ?? StoredView(table: table, name: view)).changed { history in
        if let kept, isIdle(kept) { history.reset() }
        body(&history)
      }
      store.keep(next, after: kept?.view, for: lifetime, answer: answer(next.state)) { [self] result in
        switch result {
        case .failure(let error): completion(.failure(error))
        case .success(true):
          views.take(next.state, view, table: table)
          completion(.success(next))
        // Another replica was tapped at the same time.
        case .success(false) where attempts > 1:
          change(view, table, attempts: attempts - 1, answer: answer, by: body, then: completion)
        case .success(false): completion(.failure(.superseded))
        }
      }
    }
  }
}
