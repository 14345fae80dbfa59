internal import Definitions
internal import Expressions
internal import JSON
internal import Queues
internal import TableModel

extension SourceFetcher {
  /// The result for a page, read on the source's own queue.
  private struct PageReading: Sendable {
    var entry: ResponseCache.Entry
    /// The body to deliver; nil where nothing changed and nothing is kept.
    var body: [UInt8]?
    /// The list of its items.
    var list: ListedText?
    /// It is as it was in the last refresh.
    var isUnchanged: Bool
    var maxAge: Duration?
    /// The further page that it names.
    var further: String?
    /// When it was answered, as what to ask with next.
    var date: JSONValue?
  }

  /// Bodies are kept where a 304 for one of several responses must be filled in.
  var keepsBodies: Bool { definition.paging != nil || definition.each != nil || definition.since != nil }

  func fetchPage(_ request: TransferRequest, of refresh: Refresh) {
    let remaining = max(1, definition.maxItems - refresh.itemCount)
    let (definition, check, keeps) = (definition, refresh.check, keepsBodies)
    // A second walk is compared with the first.
    let known = refresh.since != nil ? ResponseCache() : refresh.firstLook == nil ? cache : refresh.fetched
    let cached = known[PageKey(request)]
    let walk = refresh.walk
    send(request, of: refresh, conditions: known.conditions(for: request), isExpected: { walk?.isEnd($0) ?? false }) {
      response throws(UpstreamError) in
      var page = try Self.read(response, cached, definition, check, limit: remaining)
      if !keeps { page.entry.body = nil }
      if definition.since != nil { page.date = Self.date(response.headers) }
      return page
    } completion: { [weak self] result in
      guard let self else { return }
      switch result {
      case .failure(let error) where error.status.map { walk?.isEnd($0) ?? false } ?? false:
        // So do some answer for the page after the last.
        if walk?.passed == nil {
          refresh.endedByStatus = true
          if error.status == 400 { refresh.ending = error.detail }
        }
        endOfPages(refresh)
      case .failure(let error)
      where refresh.since != nil && error.status.map(Self.asksForEverything.contains) ?? false:
        startAnew(refresh)
      // It was asked for only to learn whether there is more: that is not known now, and there may be.
      case .failure where refresh.since == nil && definition.whenMore == .truncate && walk?.passed != nil:
        refresh.limit = walk?.passed
        endOfPages(refresh)
      case .failure(var error):
        error.isPartial = !refresh.visited.isEmpty
        fail(refresh, error)
      case .success(let page):
        do throws(UpstreamError) {
          try take(page, for: request, of: refresh)
        } catch {
          fail(refresh, error)
        }
      }
    }
  }

  private static func read(
    _ response: TransferResponse,
    _ cached: ResponseCache.Entry?,
    _ definition: UpstreamDefinition,
    _ check: ResponseCheck,
    limit: Int
  ) throws(UpstreamError) -> PageReading {
    let maxAge = ResponseFreshness.maxAge(response.headers)
    if response.status == 304, var entry = cached {
      entry.takeValidators(of: response)
      // A 304 renews the stored fields (RFC 9111 section 4.3.4): a page that is as it was may have got a next one.
      entry.header =
        PageWalk.nextHeader(definition.paging).flatMap { response.headers.list(named: $0) } ?? entry.header
      guard let body = entry.body else { return PageReading(entry: entry, isUnchanged: true, maxAge: maxAge) }
      let text = try recut(&entry, body, definition, check, limit: limit)
      return PageReading(entry: entry, body: text.body, list: text.list, isUnchanged: true, maxAge: maxAge)
    }
    let format = try check.format(of: response, definition)
    let digest = ContentDigest(of: response.body)
    var (body, next) = (response.body, cached?.feedNext)
    // As JSON it is kept from the last time.
    if let list = cached?.list, cached?.digest == digest, format != .json, cached?.page.isCut == false {
      body = list.bytes
    } else {
      let converted = try check.converted(response, format, definition, limit: limit)
      (body, next) = (converted.body, converted.next)
    }
    var entry = ResponseCache.Entry(
      digest: digest,
      body: body,
      page: cached?.page ?? ResponseCheck.Page(itemCount: 0),
      identities: cached?.identities,
      header: PageWalk.nextHeader(definition.paging).flatMap { response.headers.list(named: $0) }
        ?? (definition.paging?.isByLink == true ? next.map { "<\($0)>; rel=\"next\"" } : nil),
      feedNext: next,
      url: response.url
    )
    entry.takeValidators(of: response)
    let isUnchanged = cached?.digest.map { $0 == entry.digest } ?? false
    entry.list = cached?.list
    let text: ResponseCheck.Text
    if isUnchanged {
      text = try recut(&entry, body, definition, check, limit: limit)
    } else {
      (entry.page, text) = try check.read(
        body,
        of: response.url,
        definition,
        limit: limit,
        after: entry.list,
        type: response.headers.first(named: "Content-Type")
      )
      entry.list = text.list
      if definition.paging != nil { entry.identities = check.identities(in: text, definition) }
    }
    return PageReading(
      entry: entry,
      body: text.body,
      list: text.list,
      isUnchanged: isUnchanged,
      maxAge: maxAge,
      further: definition.paging == nil ? further(response.headers, entry.page) : nil
    )
  }

  /// A page that is as it was, but perhaps not all of it may be taken now, or may that was cut off then.
  private static func recut(
    _ entry: inout ResponseCache.Entry,
    _ body: [UInt8],
    _ definition: UpstreamDefinition,
    _ check: ResponseCheck,
    limit: Int
  ) throws(UpstreamError) -> ResponseCheck.Text {
    guard entry.page.isCut || entry.page.itemCount > limit else {
      // The bytes are those of the list, where that is known: what is delivered is one and the same array.
      return ResponseCheck.Text(body: entry.list?.bytes ?? body, list: entry.list)
    }
    let (page, cut) = try check.read(body, of: entry.url, definition, limit: limit)
    (entry.page, entry.list) = (page, cut.list)
    if definition.paging != nil { entry.identities = check.identities(in: cut, definition) }
    return cut
  }

  private static func further(_ headers: [TransferField], _ page: ResponseCheck.Page) -> String? {
    if headers.list(named: "Link").flatMap(LinkHeader.next) != nil { return "`Link: rel=\"next\"`" }
    if let target = headers.first(named: "Next-Page"), !target.isEmpty { return "the header `Next-Page`" }
    return page.namesNext ? "the member `next`" : nil
  }

  private func take(
    _ page: PageReading,
    for request: TransferRequest,
    of refresh: Refresh
  ) throws(UpstreamError) {
    let key = PageKey(request)
    let isBeyond = refresh.walk?.passed != nil
    if refresh.visited.isEmpty { refresh.date = page.date }
    if refresh.visited.isEmpty { (refresh.maxAge, refresh.unreadPage) = (page.maxAge, page.further) }
    if !page.isUnchanged || page.entry.page != cache[key]?.page { refresh.allUnchanged = false }
    refresh.fetched[key] = page.entry
    if !isBeyond {
      refresh.visited.append(key)
      refresh.itemCount += page.entry.page.itemCount
      if let body = page.body { refresh.bodies[key] = ResponseCheck.Text(body: body, list: page.list) }
    }
    guard
      let step = try refresh.walk?.step(
        after: PageWalk.Page(
          requested: request.url,
          url: page.entry.url,
          header: page.entry.header,
          read: page.entry.page,
          byteCount: page.body?.count ?? 0,
          digest: page.entry.digest
        )
      )
    else {
      if page.entry.page.isCut { refresh.limit = .maxItems }
      return endOfPages(refresh)
    }
    switch step {
    case .next(let url):
      var next = request
      next.url = url
      fetchPage(next, of: refresh)
    case .cursor(let cursor):
      try fetchPage(builder.page(cursor: cursor, since: refresh.since ?? .null).on(request.lane), of: refresh)
    case .limit(let limit):
      refresh.limit = limit
      endOfPages(refresh)
    case .end: endOfPages(refresh)
    case .repeated:
      refresh.visited.removeLast()
      refresh.bodies[key] = nil
      refresh.itemCount -= page.entry.page.itemCount
      endOfPages(refresh)
    }
  }

  private func finishPages(_ refresh: Refresh) {
    if let since = definition.since { return lay(since, of: refresh) }
    guard let each = definition.each else { return succeed(refresh) }
    fetchItems(each, of: refresh)
  }

  // MARK: - The second look

  /// All pages are there. Where they miss something, they are read once more: it may have slipped through between two of
  /// them.
  private func endOfPages(_ refresh: Refresh) {
    // An item that is not among changes has not gone.
    guard definition.paging != nil, refresh.since == nil else { return finishPages(refresh) }
    let pages = refresh.visited.map { SecondLook.Page(refresh.fetched[$0], refresh.bodies[$0]) }
    let shortage = shortage(of: refresh)
    if let first = refresh.firstLook { return merge(first, pages, shortage, of: refresh) }
    let isAsBefore = refresh.visited == lastPages && refresh.allUnchanged
    // Items beyond the limit are not missed: a second walk would leave them out, too.
    let missesKnown =
      refresh.limit == nil && refresh.tookSeveralRequests && !isAsBefore
      && SecondLook.misses(pages.map(\.identities), of: knownIdentities)
    // Items that two walks have missed are not looked for again while nothing changes.
    guard missesKnown || shortage != nil && !(isAsBefore && missed == shortage) else {
      (refresh.identities, refresh.missed) = (Self.identities(of: refresh), shortage)
      return finishPages(refresh)
    }
    refresh.firstLook = pages
    refresh.visited = []
    refresh.bodies = [:]
    (refresh.itemCount, refresh.limit, refresh.allUnchanged) = (0, nil, false)
    refresh.walk = definition.paging.map { PageWalk($0, first: refresh.first.url, maxItems: definition.maxItems) }
    fetchPage(refresh.first, of: refresh)
  }

  /// Carries over what only the first of two walks has met. On the source's own queue, as it copies pages.
  private func merge(
    _ first: [SecondLook.Page],
    _ second: [SecondLook.Page],
    _ shortage: PageWalk.Shortage?,
    of refresh: Refresh
  ) {
    guard Self.identities(of: refresh) != nil, refresh.limit == nil else {
      (refresh.identities, refresh.missed) = (Self.identities(of: refresh), shortage)
      return finishPages(refresh)
    }
    let (client, known) = (client, knownIdentities)
    // Touched on the client's queue alone, where it comes back to.
    nonisolated(unsafe) let confined = (fetcher: self, refresh: refresh)
    reading.async {
      let merged = try? SecondLook.merge(first, into: second, known: known)
      client.queue.async {
        let (fetcher, refresh) = confined
        guard fetcher.refresh === refresh else { return }
        for (key, page) in zip(refresh.visited, merged?.pages ?? []) { refresh.bodies[key] = page.text }
        let carried = merged?.carried ?? 0
        refresh.itemCount += carried
        refresh.identities = merged?.identities ?? second.flatMap(\.identities)
        refresh.hasCarried = carried > 0
        refresh.missed = fetcher.shortage(of: refresh)
        fetcher.finishPages(refresh)
      }
    }
  }

  /// The identities of all items that were read; nil where they are not known.
  private static func identities(of refresh: Refresh) -> [Int]? {
    var all: [Int] = []
    for page in refresh.visited {
      guard let identities = refresh.fetched[page]?.identities else { return nil }
      all += identities
    }
    return all
  }

  /// Returns the difference, where the pages don't add up to the total that the last of them states.
  private func shortage(of refresh: Refresh) -> PageWalk.Shortage? {
    guard refresh.limit == nil, let total = refresh.visited.last.flatMap({ refresh.fetched[$0]?.page.total }) else {
      return nil
    }
    // An item that stands on two pages is one.
    let met = (refresh.identities ?? Self.identities(of: refresh)).map { Set($0).count } ?? refresh.itemCount
    return met < total ? PageWalk.Shortage(items: met, total: total) : nil
  }
}

extension PagingDefinition {
  fileprivate var isByLink: Bool { if case .link = style { true } else { false } }
}

extension SecondLook.Page {
  /// A page whose items can't be told from each other has no items for this.
  fileprivate init(_ entry: ResponseCache.Entry?, _ text: ResponseCheck.Text?) {
    self.init(text: text ?? ResponseCheck.Text(body: [], list: nil), identities: entry?.identities ?? [])
  }
}
