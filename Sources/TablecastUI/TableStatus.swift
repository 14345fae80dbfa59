public import TablecastClient

/// The status of a table beside its rows: loading, empty, failed, or not up to date.
public struct TableStatus: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case loading
    case empty
    /// There are no rows, for a reason.
    case failed
    /// There are rows, and they may be old.
    case stale
  }

  public var kind: Kind
  public var title: String
  /// A further sentence of the service or its source. May be empty.
  public var detail = ""
  /// Whether to offer a retry: the client does not ask again by itself.
  public var offersRetry = false

  public init(_ kind: Kind, title: String, detail: String = "", offersRetry: Bool = false) {
    (self.kind, self.title, self.detail, self.offersRetry) = (kind, title, detail, offersRetry)
  }

  /// Nil if the rows need no explanation.
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

/// The words of the adapters, in English. An app may replace them.
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

/// The words of the search field and menu that the table does not provide, in English. An app may replace them.
public struct FindTexts: Hashable, Sendable {
  /// The prompt of a search field, if the table has none.
  public var prompt = "Search"
  /// The accessibility label of the menu of filters and sorts.
  public var menu = "Filter and sort"
  public var sort = "Sort"
  /// The name of the table's own order, among the sorts.
  public var plainOrder = "Default order"

  public init() {}
}

/// The features of the adapters. They do not replace a background view, a refresh control or an empty state of the app.
public struct AdapterOptions: Sendable {
  /// Shows loading, empty, failed and stale states.
  public var showsStatus = true
  /// Fetches the sources when the user pulls the list down.
  public var refreshesByPull = true
  /// Offers a row's actions, and its deletion if permitted, by swipe and in a context menu.
  public var offersActions = true
  /// Loads further rows of a table with a window when the user scrolls to its ends.
  public var loadsByScroll = true
  public var texts = TableTexts()

  public init() {}
}
