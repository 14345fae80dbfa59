internal import Definitions
internal import JSON

/// A refresh under way. Touched on the client's queue alone.
final class Refresh {
  let first: TransferRequest
  private(set) var check: ResponseCheck
  let breaker: CircuitBreakers.Key
  let isUrgent: Bool
  /// The `$since` of a request for changes; nil: everything is asked for.
  let since: JSONValue?
  let completion: (SourceFetcher.Outcome) -> Void
  var walk: PageWalk?
  var transfers: [Int: Transfer] = [:]
  var nextTransfer = 0
  /// In order.
  var visited: [PageKey] = []
  /// As they are delivered: where a list has too many items, it is cut.
  var bodies: [PageKey: ResponseCheck.Text] = [:]
  var fetched = ResponseCache()
  /// The first walk over the pages, where there is a second one.
  var firstLook: [SecondLook.Page]?
  /// A hash of the identity of each item that is delivered; nil where they are not known.
  var identities: [Int]?
  /// Items that the last walk has missed are among them.
  var hasCarried = false
  /// There are so many items by the last page's own account, but not so many were met, in two walks.
  var missed: PageWalk.Shortage?
  /// Why the page behind the last is not there, where that may mean something else.
  var ending: String?
  /// A status has said that there is no further page.
  var endedByStatus = false
  var allUnchanged = true
  /// When it was begun.
  let started = Duration.now
  /// The `Date` of the first page, for the next request's `$since`.
  var date: JSONValue?
  /// The state of a source with `since` from now on, and the items to be shown where these are not its pages.
  var changed: ChangedItems?
  var delivery: ChangedItems.Delivery?
  /// Changes that name no item.
  var unnamed = 0
  var itemCount = 0
  /// The bound that was reached while there was more.
  var limit: PageWalk.Limit?
  var maxAge: Duration?
  /// The further page that the first page names and that nobody asked for.
  var unreadPage: String?
  /// The requests of a fan-out, their results, and the first that was not sent yet.
  var elements: [FanOutElement] = []
  /// How many elements of its list can't be asked for, and why the first of them can't.
  var refusedElements: (count: Int, error: UpstreamError)?
  var itemResults: [[UInt8]?] = []
  var nextItem = 0
  var openItems = 0
  var itemBytes = 0

  init(
    _ first: TransferRequest,
    context: FetchContext,
    isUrgent: Bool,
    since: JSONValue? = nil,
    completion: @escaping (SourceFetcher.Outcome) -> Void
  ) {
    self.first = first
    check = ResponseCheck(redaction: Redaction(context, request: first), context: context)
    breaker = CircuitBreakers.Key(first, parameters: context.parameters)
    (self.isUrgent, self.since) = (isUrgent, since)
    self.completion = completion
  }

  /// Errors don't show these either.
  func hide(_ secrets: [String]) { check.redaction.hide(further: secrets) }

  /// That were read, in one walk or two.
  var pages: Int { visited.count + (firstLook?.count ?? 0) }

  /// Several requests were made for the list: an item may have moved from one page to another between them.
  var tookSeveralRequests: Bool { visited.count > 1 || endedByStatus }

  /// Without those that are gone.
  var itemBodies: [[UInt8]] { itemResults.compactMap(\.self) }
}
