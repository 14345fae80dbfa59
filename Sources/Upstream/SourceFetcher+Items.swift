internal import Definitions
internal import Expressions

extension SourceFetcher {
  /// One request for each element of the list, `concurrency` at a time.
  func fetchItems(_ each: FanOutDefinition, of refresh: Refresh) {
    do throws(UpstreamError) {
      refresh.itemRequests = try itemRequests(each, of: refresh)
    } catch {
      return fail(refresh, error)
    }
    refresh.itemCount = refresh.itemRequests.count
    refresh.itemResults = Array(repeating: nil, count: refresh.itemRequests.count)
    guard !refresh.itemRequests.isEmpty else { return succeed(refresh) }
    for _ in 0..<max(1, each.concurrency) { fetchNextItem(of: refresh) }
  }

  private func itemRequests(_ each: FanOutDefinition, of refresh: Refresh) throws(UpstreamError) -> [TransferRequest] {
    var requests: [TransferRequest] = []
    do {
      for url in refresh.visited {
        requests += try refresh.check.forEachItem(of: refresh.bodies[url] ?? [], items: definition.items) {
          item,
          index in
          try builder.each(each.url, item: item, index: requests.count + index, list: refresh.first)
        }
      }
    } catch let error as UpstreamError {
      throw error
    } catch {
      throw UpstreamError(
        .unexpectedShape,
        title: "The upstream's answer is not as configured",
        detail: "\(refresh.first.url): \(error)"
      )
    }
    if requests.count > each.limit {
      refresh.isTruncated = true
      requests.removeLast(requests.count - each.limit)
    }
    return requests
  }

  private func fetchNextItem(of refresh: Refresh) {
    guard self.refresh === refresh, refresh.nextItem < refresh.itemRequests.count else { return }
    let index = refresh.nextItem
    refresh.nextItem += 1
    refresh.openItems += 1
    let request = refresh.itemRequests[index]
    send(request, of: refresh) { [weak self] result in
      guard let self else { return }
      refresh.openItems -= 1
      switch result {
      // It went between the list and now: left out.
      case .failure(let error) where error.status == 404 || error.status == 410: refresh.allUnchanged = false
      case .failure(var error):
        error.isPartial = true
        return fail(refresh, error)
      case .success(let response):
        do throws(UpstreamError) {
          try take(response, at: index, of: refresh)
        } catch {
          return fail(refresh, error)
        }
      }
      if refresh.nextItem < refresh.itemRequests.count {
        fetchNextItem(of: refresh)
      } else if refresh.openItems == 0 {
        succeed(refresh)
      }
    }
  }

  private func take(_ response: TransferResponse, at index: Int, of refresh: Refresh) throws(UpstreamError) {
    let request = refresh.itemRequests[index]
    let cached = cache[request.url]
    var entry: ResponseCache.Entry
    if response.status == 304, let cached {
      entry = cached
    } else {
      let digest = ResponseCache.digest(response.body)
      if cached?.digest != digest {
        refresh.allUnchanged = false
        try refresh.check.checkItem(response.body, of: response.url)
      }
      entry = ResponseCache.Entry(
        digest: digest,
        body: response.body,
        page: ResponseCheck.Page(itemCount: 1, next: nil),
        url: response.url
      )
    }
    entry.entityTag = response.headers.first(named: "ETag") ?? entry.entityTag
    entry.lastModified = response.headers.first(named: "Last-Modified") ?? entry.lastModified
    refresh.fetched[request.url] = entry
    let body = entry.body ?? []
    refresh.itemBytes += body.count
    guard refresh.itemBytes <= itemsByteLimit else {
      throw .paging("the items have more than \(itemsByteLimit) bytes in all", refresh.first.url)
    }
    refresh.itemResults[index] = ResponseCheck.isNull(body) ? nil : body
  }

  private var itemsByteLimit: Int { definition.paging?.maxBytes ?? 128 << 20 }
}
