/// How current the shown rows are.
public enum TableConnection: String, Hashable, Sendable {
  /// There are no rows yet.
  case connecting
  /// The rows are from an earlier time. The service has not been asked yet.
  case cached
  /// The rows are the service's, as far as the client can know.
  case live
  /// The last request failed. Another one follows.
  case retrying
  /// The app has paused following.
  case paused
  /// The service refuses this table. The client asks again after `reload()`.
  case refused
}

/// What the follower knows of one table.
struct FollowedTable: Sendable {
  let address: TableAddress
  var mirror: TableMirror?
  /// As the service names it, once it has.
  var name: String?
  var connection: TableConnection = .connecting
  var refusal: Problem?

  var observers = 0
  /// When following ends, once nobody observes.
  var endsAt: Double?
  /// Since when it is not followed; nil while it is.
  var leftAt: Double?
  /// Its stored state was purged, and no request was answered since: it is not to be stored.
  var isForgotten = false
  /// Reasons of the app's not to follow this table.
  var pauses: Set<String> = []

  /// Which rows are wanted; nil: all.
  var window: RowWindow?
  /// One row, asked for to find an edit in a table that nobody observes. It is neither shown nor stored.
  var isGlimpse = false
  /// What is looked for; nil: nothing, and no menus are wanted.
  var search: TableSearch?
  /// Of which search the mirror is.
  var foundSearch: TableSearch?
  /// What is being typed, and when it is asked for.
  var typed: (search: TableSearch, due: Double)?
  /// The reason why the service refused the last search.
  var searchProblem: Problem?
  /// The window has to be asked for: the cursor's is another one.
  var asksForWindow = false
  /// It has to be asked for alone and at once before it joins the others.
  var isNewcomer = true
  /// What we have can't be continued.
  var needsSnapshot = false
  /// The service, or a proxy, doesn't answer for several tables at once.
  var isSeparate = false

  /// The slot to ask for next, where the table is polled through caches.
  var slot = FollowedTable.firstSlot
  /// Replies in a row that came at once and empty.
  var emptySlots = 0
  var refusesSlots = false
  static let firstSlot = "0"

  /// It has one of the few streams.
  var hasStream = false
  /// Streams in a row that nothing came by: something between buffers them.
  var silentStreams = 0

  /// Edits that were answered and are not yet seen.
  var awaited: [AwaitedEdit] = []
  var confirmationPolls = 0

  init(_ address: TableAddress) { self.address = address }

  var content: TableContent? { mirror?.content }
  /// The rows for observers and the store.
  var shownContent: TableContent? { isGlimpse ? nil : content }
  /// What the next request asks with.
  var cursor: TableCursor? { needsSnapshot ? nil : content?.cursor }
  /// What the person looks for by now.
  var wantedSearch: TableSearch? { typed?.search ?? search }
  /// By its observers, and for a while after the last one.
  var isFollowed: Bool { observers > 0 || endsAt != nil }
  var isActive: Bool { isFollowed || !awaited.isEmpty }
  /// It is not followed, and has no state that the next observer could not get anew.
  var isIdle: Bool { leftAt != nil && pauses.isEmpty && typed == nil }
  /// The window as a request says it.
  var windowAsk: PollLane.WindowAsk { window.map { PollLane.WindowAsk.window($0) } ?? .all }
}

/// An edit that the service has answered: seen once the table is as new as the answer, or by a snapshot asked for later.
struct AwaitedEdit: Hashable, Sendable {
  var edit: EditID
  var cursor: TableCursor?
  /// Requests with a higher number were made after the answer.
  var answeredBefore: Int

  /// How an answered edit is known to be in the table.
  enum Sight: Hashable, Sendable {
    case shown
    /// By a snapshot that was asked for after the answer, of another epoch than the answer's.
    case otherEpoch
    /// The service refuses the table.
    case never
  }
}
