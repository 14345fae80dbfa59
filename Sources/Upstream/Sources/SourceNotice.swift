/// A notice that an operator should get once about a source: it works, but perhaps not as meant.
public enum SourceNotice: Hashable, Sendable, CustomStringConvertible {
  /// Its upstream's `Cache-Control` makes the interval longer than configured: what it is then.
  case lengthened(Duration)
  /// There was more than `limit` lets in, a key of the configuration: what came first is served.
  case truncated(items: Int, limit: String)
  /// The upstream names a further page, there, and the source has no `paging`.
  case unread(pageNamedBy: String)
  /// So many elements of its list can't be put into the URL of `each`: they are left out.
  case refused(elements: Int, why: String)
  /// Its pages don't add up to `paging.total`, in two walks over them.
  case missed(items: Int, total: Int)
  /// So many changes, asked for by `since`, have no `key`: they are not laid over anything.
  case unnamed(changes: Int)
  /// Its pages were taken to end where the upstream has refused the next one, after so many items.
  case ended(items: Int, why: String)

  /// The same for all notices of one kind: each is told once.
  public var kind: String {
    switch self {
    case .lengthened: "lengthened"
    case .truncated: "truncated"
    case .unread: "unread"
    case .refused: "refused"
    case .missed: "missed"
    case .ended: "ended"
    case .unnamed: "unnamed"
    }
  }

  /// Something is missing that its tables' readers may expect.
  public var isWarning: Bool {
    switch self {
    case .lengthened: false
    case .truncated, .unread, .refused, .missed, .ended, .unnamed: true
    }
  }

  public var description: String {
    switch self {
    case .lengthened(let interval):
      "An upstream's Cache-Control lengthens the interval of its source to \(interval); `maxAge` bounds that"
    case .truncated(let items, let limit):
      "An upstream has more than `\(limit)` lets in: its tables have the first \(items) items, and say so"
    case .unread(let place):
      "An upstream names a further page, by \(place), and its source has no `paging`: its tables have the first page"
    case .refused(let count, let why):
      "An upstream's list has elements that are not asked for, \(count) of them, and its tables lack these: \(why)"
    case .missed(let items, let total):
      "An upstream says that it has \(total) items, but its pages have \(items), in two walks over them: its tables have "
        + "these, and say that there are more"
    case .unnamed(let count):
      "An upstream's answer has changes that name no item by `since.key`, \(count) of them: they are left out until everything "
        + "is asked for"
    case .ended(let items, let why):
      "An upstream's pages were taken to end after \(items) items, as it refused the next one: \(why)"
    }
  }
}
