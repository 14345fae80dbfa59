internal import Definitions
internal import Expressions

extension SourceFetcher {
  /// Bodies are kept where a 304 for one of several responses must be filled in.
  private var keepsBodies: Bool { definition.paging != nil || definition.each != nil }

  func fetchPage(_ request: TransferRequest, of refresh: Refresh) {
    send(request, of: refresh) { [weak self] result in
      guard let self else { return }
      switch result {
      case .failure(var error):
        error.isPartial = !refresh.visited.isEmpty
        fail(refresh, error)
      case .success(let response):
        do throws(UpstreamError) {
          try take(response, for: request, of: refresh)
        } catch {
          fail(refresh, error)
        }
      }
    }
  }

  private func take(
    _ response: TransferResponse,
    for request: TransferRequest,
    of refresh: Refresh
  ) throws(UpstreamError) {
    if refresh.visited.isEmpty { refresh.maxAge = ResponseFreshness.maxAge(response.headers) }
    let entry = try entry(for: response, request, of: refresh)
    refresh.visited.append(request.url)
    refresh.fetched[request.url] = entry
    refresh.itemCount += entry.page.itemCount
    if let body = entry.body ?? (response.status == 304 ? nil : response.body) { refresh.bodies[request.url] = body }
    let step = try refresh.walk?.step(
      after: request.url,
      at: entry.url,
      link: entry.link,
      page: entry.page,
      byteCount: refresh.bodies[request.url]?.count ?? 0,
      digest: entry.digest
    )
    switch step {
    case .next(let url):
      var next = request
      next.url = url
      fetchPage(next, of: refresh)
    case .limit:
      refresh.isTruncated = true
      finishPages(refresh)
    case .end, nil: finishPages(refresh)
    }
  }

  private func entry(
    for response: TransferResponse,
    _ request: TransferRequest,
    of refresh: Refresh
  ) throws(UpstreamError) -> ResponseCache.Entry {
    let cached = cache[request.url]
    if response.status == 304, var entry = cached {
      entry.entityTag = response.headers.first(named: "ETag") ?? entry.entityTag
      entry.lastModified = response.headers.first(named: "Last-Modified") ?? entry.lastModified
      return entry
    }
    let digest = ResponseCache.digest(response.body)
    let link = response.headers.list(named: "Link")
    let page: ResponseCheck.Page
    if let cached, cached.digest == digest {
      page = cached.page
    } else {
      refresh.allUnchanged = false
      page = try refresh.check.read(
        response.body,
        of: response.url,
        items: definition.items,
        next: PageWalk.nextExpression(definition.paging)
      )
    }
    return ResponseCache.Entry(
      entityTag: response.headers.first(named: "ETag"),
      lastModified: response.headers.first(named: "Last-Modified"),
      digest: digest,
      body: keepsBodies ? response.body : nil,
      page: page,
      link: link,
      url: response.url
    )
  }

  private func finishPages(_ refresh: Refresh) {
    guard let each = definition.each else { return succeed(refresh) }
    fetchItems(each, of: refresh)
  }
}
