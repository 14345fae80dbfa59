public import TablecastClient

/// What is to be said of a table beside its rows: that it is loading, empty, failed, or not up to date.
public struct TableStatus: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case loading
    case empty
    /// There are no rows, and there is a reason why.
    case failed
    /// There are rows, and they may be old.
    case stale
  }

  public var kind: Kind
  public var title: String
  /// A sentence more, as the service or its source said it; may be empty.
  public var detail = ""
  /// Asking again is for the user to do: nothing happens by itself.
  public var offersRetry = false

  public init(_ kind: Kind, title: String, detail: String = "", offersRetry: Bool = false) {
    (self.kind, self.title, self.detail, self.offersRetry) = (kind, title, detail, offersRetry)
  }

  /// Nil where the rows speak for themselves.
  public init?(_ snapshot: TableSnapshot, texts: TableTexts = TableTexts()) {
    let hasRows = snapshot.rowCount > 0
    if let refusal = snapshot.refusal {
      let title = refusal.title.isEmpty ? texts.failed : refusal.title
      self.init(hasRows ? .stale : .failed, title: title, detail: refusal.detail, offersRetry: true)
    } else if snapshot.cursor == nil {
      switch snapshot.connection {
      case .retrying: self.init(.failed, title: texts.offline, detail: texts.retrying)
      case .paused: self.init(.failed, title: texts.paused)
      case .connecting, .cached, .live, .refused: self.init(.loading, title: texts.loading)
      }
    } else if snapshot.connection == .retrying {
      self.init(hasRows ? .stale : .failed, title: texts.offline, detail: texts.retrying)
    } else {
      let detail = snapshot.problem.map { $0.detail.isEmpty ? $0.title : $0.detail } ?? ""
      switch snapshot.state {
      case .loading where !hasRows: self.init(.loading, title: texts.loading)
      case .failed: self.init(hasRows ? .stale : .failed, title: texts.failed, detail: detail)
      case .stale: self.init(hasRows ? .stale : .failed, title: texts.stale, detail: detail)
      case .empty, .ready, .loading:
        if hasRows { return nil }
        self.init(.empty, title: texts.empty)
      }
    }
  }
}

/// The words of the adapters: in English, to be replaced by an app's own.
public struct TableTexts: Hashable, Sendable {
  public var loading = "Loading…"
  public var empty = "Nothing here yet"
  public var failed = "This can’t be shown"
  public var stale = "This may be out of date"
  public var offline = "No connection"
  public var retrying = "Trying again…"
  public var paused = "Paused"
  public var retry = "Try again"
  public var delete = "Delete"

  public init() {}
}

/// The words beside what a table says of itself to be found by: in English, to be replaced by an app's own.
public struct FindTexts: Hashable, Sendable {
  /// In a search field for which the table has no words.
  public var prompt = "Search"
  /// Of the menu of filters and sorts, for who can't see it.
  public var menu = "Filter and sort"
  public var sort = "Sort"
  /// The table's own order, among the sorts.
  public var plainOrder = "Default order"

  public init() {}
}

/// What the adapters do by themselves. A view that the app has given a background, a refresh control or an empty state
/// of its own keeps it.
public struct AdapterOptions: Sendable {
  /// Loading, empty, failed and stale states are shown.
  public var showsStatus = true
  /// Pulling the list down has the sources fetched.
  public var refreshesByPull = true
  /// A row's actions, and deletion where it may be deleted, are offered by a swipe and in a context menu.
  public var offersActions = true
  /// Of a table that is cut, more rows are asked for as the list is scrolled to their end, or to their beginning.
  public var loadsByScroll = true
  public var texts = TableTexts()

  public init() {}
}
