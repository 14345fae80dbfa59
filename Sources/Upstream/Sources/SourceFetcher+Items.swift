internal import Definitions
internal import Expressions
internal import JSON
internal import Queues
internal import TableModel

/// An element of a list that is asked for by a request of its own.
struct FanOutElement: Sendable {
  var request: TransferRequest
  /// The text before the answer where it is joined to the element: its members, and the answer's name. Nil where the
  /// answer is the item.
  var opening: [UInt8]?

  /// The item, of what was answered. A byte order mark is no part of it: no JSON has one in its middle.
  func item(_ answer: [UInt8]) -> [UInt8] {
    let mark = TextEncoding.byteOrderMark
    let value = answer.starts(with: mark) ? Array(answer.dropFirst(mark.count)) : answer
    return opening.map { $0 + value + [UInt8(ascii: "}")] } ?? value
  }

  /// An element that is no object stands under `item`.
  static func opening(_ element: Value, name: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    for member in element.members ?? [.init(name: "item", value: element)] where member.name != name {
      writer.name(member.name)
      member.value.write(to: &writer)
    }
    writer.name(name)
    return writer.bytes
  }
}

/// The elements of a list, as far as they are asked for.
struct FanOutElements: Sendable {
  var all: [FanOutElement] = []
  /// How many can't be, and why the first of them can't.
  var refused: (count: Int, error: UpstreamError)?
  /// The list goes on.
  var hasMore = false

  /// How many were looked at.
  var count: Int { all.count + (refused?.count ?? 0) }
}

extension SourceFetcher {
  /// The result for one element, read on the source's own queue.
  private struct ItemReading: Sendable {
    var entry: ResponseCache.Entry
    /// Nil where the upstream no longer has it.
    var item: [UInt8]?
    var isUnchanged: Bool
  }

  /// One request for each element of the list, `concurrency` at a time.
  func fetchItems(_ each: FanOutDefinition, of refresh: Refresh) {
    let lists = refresh.visited.compactMap { refresh.bodies[$0]?.body }
    let (builder, check, first, client) = (builder, refresh.check, refresh.first, client)
    let limit = min(each.limit, definition.maxItems)
    // Touched on the client's queue alone, where it comes back to.
    nonisolated(unsafe) let confined = (fetcher: self, refresh: refresh)
    reading.async {
      let elements = Result { () throws(UpstreamError) in
        try Self.elements(each, of: lists, builder, check, first, limit: limit)
      }
      client.queue.async {
        let (fetcher, refresh) = confined
        guard fetcher.refresh === refresh else { return }
        fetcher.begin(elements, concurrency: each.concurrency, of: refresh)
      }
    }
  }

  private func begin(
    _ elements: Result<FanOutElements, UpstreamError>,
    concurrency: Int,
    of refresh: Refresh
  ) {
    switch elements {
    case .failure(let error): return fail(refresh, error)
    case .success(let elements):
      refresh.elements = elements.all
      if elements.hasMore { refresh.limit = .each }
      refresh.refusedElements = elements.refused
    }
    refresh.itemCount = refresh.elements.count
    refresh.itemResults = Array(repeating: nil, count: refresh.elements.count)
    guard !refresh.elements.isEmpty else { return succeed(refresh) }
    for _ in 0..<max(1, concurrency) { fetchNextItem(of: refresh) }
  }

  /// The first `limit` elements of the lists. One whose value can't be put into the URL is left out, so that no item keeps
  /// the others from being there; where that is so of all, the configuration is to blame.
  private static func elements(
    _ each: FanOutDefinition,
    of lists: [[UInt8]],
    _ builder: RequestBuilder,
    _ check: ResponseCheck,
    _ first: TransferRequest,
    limit: Int
  ) throws(UpstreamError) -> FanOutElements {
    var elements = FanOutElements()
    do {
      for body in lists {
        let left = limit - elements.count
        let hasMore = try check.forEachItem(of: body, items: builder.definition.items, atMost: left) { item in
          do throws(UpstreamError) {
            let request = try builder.each(each.url, item: item, index: elements.count, list: first)
            elements.all.append(
              FanOutElement(request: request, opening: each.name.map { FanOutElement.opening(item, name: $0) })
            )
          } catch {
            guard error.kind == .unusableValue else { throw error }
            elements.refused = ((elements.refused?.count ?? 0) + 1, elements.refused?.error ?? error)
          }
        }
        if hasMore { elements.hasMore = true }
      }
      if elements.all.isEmpty, let refused = elements.refused { throw refused.error }
    } catch let error as UpstreamError {
      throw error
    } catch {
      throw UpstreamError(
        .unexpectedShape,
        title: "The upstream's answer is not as configured",
        detail: "\(first.url): \(error)"
      )
    }
    return elements
  }

  private func fetchNextItem(of refresh: Refresh) {
    guard self.refresh === refresh, refresh.nextItem < refresh.elements.count else { return }
    let index = refresh.nextItem
    refresh.nextItem += 1
    refresh.openItems += 1
    let (element, check) = (refresh.elements[index], refresh.check)
    let cached = cache[PageKey(element.request)]
    send(element.request, of: refresh) { response throws(UpstreamError) in
      try Self.read(response, cached, element, check)
    } completion: { [weak self] result in
      guard let self else { return }
      refresh.openItems -= 1
      switch result {
      // It went between the list and now: left out.
      case .failure(let error) where error.status == 404 || error.status == 410: refresh.allUnchanged = false
      case .failure(var error):
        error.isPartial = true
        return fail(refresh, error)
      case .success(let reading):
        do throws(UpstreamError) {
          try take(reading, at: index, of: refresh)
        } catch {
          return fail(refresh, error)
        }
      }
      if refresh.nextItem < refresh.elements.count {
        fetchNextItem(of: refresh)
      } else if refresh.openItems == 0 {
        succeed(refresh)
      }
    }
  }

  private static func read(
    _ response: TransferResponse,
    _ cached: ResponseCache.Entry?,
    _ element: FanOutElement,
    _ check: ResponseCheck
  ) throws(UpstreamError) -> ItemReading {
    var entry: ResponseCache.Entry
    var isUnchanged = true
    if response.status == 304, let cached {
      entry = cached
    } else {
      try check.checkIsJSON(response)
      let digest = ContentDigest(of: response.body)
      isUnchanged = cached?.digest.map { $0 == digest } ?? false
      if !isUnchanged {
        let type = response.headers.first(named: "Content-Type")
        try check.checkItem(response.body, of: response.url, type: type)
      }
      entry = ResponseCache.Entry(
        digest: digest,
        body: response.body,
        page: ResponseCheck.Page(itemCount: 1),
        url: response.url
      )
    }
    entry.takeValidators(of: response)
    let body = entry.body ?? []
    let isGone = element.opening == nil && ResponseCheck.isNull(body)
    let item = isGone ? nil : element.item(body)
    return ItemReading(entry: entry, item: item, isUnchanged: isUnchanged)
  }

  private func take(_ reading: ItemReading, at index: Int, of refresh: Refresh) throws(UpstreamError) {
    if !reading.isUnchanged { refresh.allUnchanged = false }
    refresh.fetched[PageKey(refresh.elements[index].request)] = reading.entry
    refresh.itemBytes += reading.item?.count ?? 0
    guard refresh.itemBytes <= itemsByteLimit else {
      throw .excess("the items have more than \(itemsByteLimit) bytes in all", refresh.first.url)
    }
    refresh.itemResults[index] = reading.item
  }

  private var itemsByteLimit: Int { definition.paging?.maxBytes ?? 128 << 20 }
}
