internal import Definitions
internal import Expressions
internal import Glibc
internal import JSON
internal import Queues

/// One refresh of a source at a time: all of its pages, and the requests that its items ask for. The outcome is
/// everything, nothing new, or a failure that leaves what was known as it was.
///
/// Touched on the client's queue alone. What an upstream sent is read on a queue of the source's own, so that a big or
/// malicious answer keeps no other source waiting.
final class SourceFetcher {
  struct Outcome {
    var update: SourceUpdate
    /// The `max-age` of the first response.
    var maxAge: Duration?
    /// The bound that was reached while there was more.
    var limit: PageWalk.Limit?
    var itemCount = 0
    var pages = 0
    var unreadPage: String?
    var refusedElements: (count: Int, error: UpstreamError)?
    /// Its pages don't add up.
    var missed: PageWalk.Shortage?
    /// Its pages ended with an answer that may mean something else.
    var ending: String?
    /// Everything was asked for.
    var isWhole = true
    /// Changes that name no item.
    var unnamed = 0
  }

  let name: String
  let definition: UpstreamDefinition
  let builder: RequestBuilder
  let client: TransferClient
  let reading: WorkQueue
  /// Nil where the source has no `auth`.
  let login: Login?
  private let lane: Int
  /// The cache of the last refresh that succeeded.
  var cache = ResponseCache()
  /// The pages of the last refresh that succeeded, in order.
  private(set) var lastPages: [PageKey]?
  /// The hashes of the items that were delivered last, of all pages. Kept where all else is forgotten.
  private(set) var knownIdentities: [Int] = []
  private(set) var missed: PageWalk.Shortage?
  /// Items were delivered that the pages did not have.
  private(set) var hasCarried = false
  /// There was more than was delivered, or may have been.
  private(set) var isCut = false
  private var lastItemCount = 0
  /// The items of a source with `since`, and the time at which everything was last asked for.
  private(set) var changed: ChangedItems?
  private(set) var everything: Duration?
  /// Everything was got page by page: if the first changes after that are any, items may have been missed.
  var mayLackItems = false
  var wholesInARow = 0
  /// The last error when the source's host failed: it is reported again while the host is spared.
  var hostError: UpstreamError?
  private var breakerKey: CircuitBreakers.Key?
  /// Nil while nothing is fetched.
  private(set) var refresh: Refresh?
  /// Called for each answer.
  var onAnswer: (SourceFigures.Answer) -> Void = { _ in }

  init(name: String, _ definition: UpstreamDefinition, context: FetchContext, client: TransferClient) {
    self.name = name
    self.definition = definition
    builder = RequestBuilder(definition: definition, context: context)
    self.client = client
    login = Login(definition, builder.security)
    lane = client.makeLane()
    reading = client.readers.serial("tablecast.source.\(name)")
  }

  /// - Parameters:
  ///   - isUrgent: somebody waits for it: it may be the probe of a host that failed.
  ///   - isWhole: not only for changes is asked.
  ///   - completion: on the client's queue.
  func start(isUrgent: Bool, isWhole: Bool = true, completion: @escaping (Outcome) -> Void) {
    do throws(UpstreamError) {
      let since = changesAsked(isWhole)
      let first = try firstRequest(since: since ?? .null)
      let refresh = Refresh(
        first,
        context: builder.context,
        isUrgent: isUrgent,
        since: since,
        completion: completion
      )
      refresh.hide(login?.secrets ?? [])
      (self.refresh, breakerKey) = (refresh, refresh.breaker)
      refresh.walk = definition.paging.map { PageWalk($0, first: first.url, maxItems: definition.maxItems) }
      fetchPage(first, of: refresh)
    } catch {
      completion(Outcome(update: .failed(error)))
    }
  }

  /// Ends what is under way; its completion is not called.
  func cancel() {
    let transfers = refresh?.transfers.values.map(\.self) ?? []
    refresh = nil
    for transfer in transfers { transfer.cancel() }
  }

  /// Ends what is under way and compares with nothing: the next refresh that succeeds brings content.
  func forget() {
    cancel()
    cache = ResponseCache()
    (lastPages, changed) = (nil, nil)
  }

  /// The first request of a refresh.
  private func firstRequest(since: JSONValue = .null) throws(UpstreamError) -> TransferRequest {
    var first = try builder.page(cursor: PageWalk.firstCursor(definition.paging), since: since)
    first.url = try PageWalk.first(first.url, definition.paging)
    first.lane = lane
    return first
  }

  /// The validators of the last refresh that succeeded; nil where its answer was more than one response, or has none.
  var validators: SourceHandover.Validators? {
    guard !keepsBodies, let lastPages, lastPages.count == 1, let entry = cache[lastPages[0]] else { return nil }
    let (entityTag, lastModified) = (entry.entityTag, entry.lastModified)
    let length = (entityTag?.utf8.count ?? 0) + (lastModified?.utf8.count ?? 0)
    guard length > 0, length <= SourceHandover.Validators.maximumLength else { return nil }
    return SourceHandover.Validators(
      entityTag: entityTag,
      lastModified: lastModified,
      itemCount: entry.page.itemCount,
      isCut: entry.page.isCut
    )
  }

  /// Asks with another one's validators from now on: 304 then means that what that one has shown still holds.
  func adopt(_ validators: SourceHandover.Validators) {
    guard !keepsBodies, let first = try? firstRequest() else { return }
    let page = PageKey(first)
    cache[page] = ResponseCache.Entry(
      entityTag: validators.entityTag,
      lastModified: validators.lastModified,
      page: ResponseCheck.Page(itemCount: validators.itemCount, isCut: validators.isCut),
      url: first.url
    )
    (lastPages, lastItemCount, isCut) = ([page], validators.itemCount, validators.isCut)
  }

  /// The state of the host's breaker for this source.
  var breaker: SourceFigures.Breaker {
    switch breakerKey.flatMap({ client.breakerState(of: $0) }) {
    case nil, .closed?: .closed
    case .open?: .open
    case .halfOpen?: .probing
    }
  }

  func fail(_ refresh: Refresh, _ error: UpstreamError) {
    guard self.refresh === refresh else { return }
    cancel()
    let hidden = refresh.check.redaction.hide(error)
    refresh.completion(Outcome(update: .failed(hidden), pages: refresh.pages))
  }

  /// All is there: now, and only now, it replaces what was known.
  func succeed(_ refresh: Refresh) {
    guard self.refresh === refresh else { return }
    if let limit = refresh.limit, limit != .each, definition.whenMore == .fail {
      return fail(refresh, excess(limit, refresh))
    }
    self.refresh = nil
    hostError = nil
    let outcome = {
      Outcome(
        update: $0,
        maxAge: refresh.maxAge,
        limit: refresh.limit,
        itemCount: refresh.itemCount,
        pages: refresh.pages,
        unreadPage: refresh.unreadPage,
        refusedElements: refresh.refusedElements,
        missed: refresh.missed,
        ending: refresh.ending,
        isWhole: refresh.since == nil,
        unnamed: refresh.unnamed
      )
    }
    if refresh.since != nil { return refresh.completion(outcome(takeChanges(of: refresh))) }
    let isUnchanged =
      refresh.visited == lastPages && refresh.allUnchanged && !hasCarried && (refresh.missed == nil) == (missed == nil)
      && (refresh.limit != nil) == isCut
    if isUnchanged {
      (knownIdentities, missed) = (refresh.identities ?? [], refresh.missed)
      // A validator may be new for the same bytes.
      cache = refresh.fetched
      takeEverything(of: refresh)
      return refresh.completion(outcome(.unchanged))
    }
    if refresh.itemCount == 0, lastItemCount > 0, definition.emptyMeans == .keep {
      return refresh.completion(outcome(.unchanged))
    }
    let bodies = refresh.visited.compactMap { refresh.bodies[$0] }
    (knownIdentities, missed) = (refresh.identities ?? [], refresh.missed)
    cache = refresh.fetched
    lastPages = refresh.visited
    lastItemCount = refresh.itemCount
    (hasCarried, isCut) = (refresh.hasCarried, refresh.limit != nil)
    takeEverything(of: refresh)
    if let delivery = refresh.delivery {
      return refresh.completion(outcome(.content(fetched(delivery, isTruncated: refresh.limit != nil))))
    }
    let content = FetchedContent(
      form: definition.each == nil ? .pages(bodies.map(\.body)) : .items(refresh.itemBodies),
      lists: definition.each == nil ? bodies.map(\.list) : [],
      itemCount: refresh.itemCount,
      isTruncated: refresh.limit != nil || refresh.missed != nil
    )
    refresh.completion(outcome(.content(content)))
  }

  private func takeEverything(of refresh: Refresh) {
    guard let changed = refresh.changed else { return }
    (self.changed, everything) = (changed, refresh.started)
  }

  private func takeChanges(of refresh: Refresh) -> SourceUpdate {
    changed = refresh.changed
    guard let delivery = refresh.delivery else { return .unchanged }
    // The next complete answer is compared with more than the pages of the last time.
    (lastPages, lastItemCount) = (nil, delivery.count)
    return .content(fetched(delivery, isTruncated: changed?.isTruncated ?? false))
  }

  private func fetched(_ delivery: ChangedItems.Delivery, isTruncated: Bool) -> FetchedContent {
    FetchedContent(
      form: delivery.form,
      lists: delivery.lists,
      itemCount: delivery.count,
      isTruncated: isTruncated || missed != nil
    )
  }

  private func excess(_ limit: PageWalk.Limit, _ refresh: Refresh) -> UpstreamError {
    UpstreamError(
      .excess,
      title: "The upstream has more than may be fetched",
      detail:
        "\(refresh.first.url) has more than `\(limit.rawValue)` lets in: raise that, or let `whenMore: truncate` serve the "
        + "first \(refresh.itemCount) items"
    )
  }
}

extension Result {
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
