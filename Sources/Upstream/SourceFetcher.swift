internal import Definitions
internal import Dispatch
internal import Expressions

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One refresh of a source at a time: all of its pages, and the requests that its items ask for. The outcome is
/// everything, nothing new, or a failure that leaves what was known as it was.
///
/// Touched on the client's queue alone.
final class SourceFetcher {
  struct Outcome {
    var update: SourceUpdate
    /// Of the first response.
    var maxAge: Duration?
  }

  let definition: UpstreamDefinition
  let builder: RequestBuilder
  let client: TransferClient
  /// Of the last refresh that succeeded.
  var cache = ResponseCache()
  /// The URLs of the last refresh that succeeded, in order.
  private var lastURLs: [UpstreamURL]?
  private var lastItemCount = 0
  /// Nil while nothing is fetched.
  private(set) var refresh: Refresh?

  init(_ definition: UpstreamDefinition, context: FetchContext, client: TransferClient) {
    self.definition = definition
    builder = RequestBuilder(definition: definition, context: context)
    self.client = client
  }

  /// - Parameters:
  ///   - isUrgent: somebody waits for it: it may be the probe of a host that failed.
  ///   - completion: on the client's queue.
  func start(isUrgent: Bool, completion: @escaping (Outcome) -> Void) {
    do throws(UpstreamError) {
      var first = try builder.first()
      first.url = try PageWalk.first(first.url, definition.paging)
      let refresh = Refresh(first, builder: builder, isUrgent: isUrgent, completion: completion)
      self.refresh = refresh
      refresh.walk = definition.paging.map { PageWalk($0, first: first.url) }
      fetchPage(first, of: refresh)
    } catch {
      completion(Outcome(update: .failed(error), maxAge: nil))
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
    lastURLs = nil
  }

  func fail(_ refresh: Refresh, _ error: UpstreamError) {
    guard self.refresh === refresh else { return }
    cancel()
    refresh.completion(Outcome(update: .failed(refresh.check.redaction.hide(error)), maxAge: nil))
  }

  /// All is there: now, and only now, it replaces what was known.
  func succeed(_ refresh: Refresh) {
    guard self.refresh === refresh else { return }
    self.refresh = nil
    let outcome = { Outcome(update: $0, maxAge: refresh.maxAge) }
    let isUnchanged = refresh.visited == lastURLs && refresh.allUnchanged
    if isUnchanged {
      // A validator may be new for the same bytes.
      cache = refresh.fetched
      return refresh.completion(outcome(.unchanged))
    }
    if refresh.itemCount == 0, lastItemCount > 0, definition.emptyMeans == .keep {
      return refresh.completion(outcome(.unchanged))
    }
    let bodies = refresh.visited.compactMap { refresh.bodies[$0] }
    cache = refresh.fetched
    lastURLs = refresh.visited
    lastItemCount = refresh.itemCount
    refresh.completion(
      outcome(
        .content(
          FetchedContent(
            form: definition.each == nil ? .pages(bodies) : .items(refresh.itemBodies),
            itemCount: refresh.itemCount,
            isTruncated: refresh.isTruncated
          )
        )
      )
    )
  }

  /// Sends a request if the host's breaker lets it pass; its completion is called only while the refresh goes on.
  func send(
    _ request: TransferRequest,
    of refresh: Refresh,
    completion: @escaping (Result<TransferResponse, UpstreamError>) -> Void
  ) {
    let origin = request.url.origin
    guard client.permits(origin, isUrgent: refresh.isUrgent) else {
      return completion(.failure(client.lastError(of: origin) ?? .noResources))
    }
    let conditional = request.adding(cache.conditions(for: request))
    let number = refresh.nextTransfer
    refresh.nextTransfer += 1
    // The completion is called on the queue that this call is made on.
    nonisolated(unsafe) let confined = (fetcher: self, refresh: refresh, completion: completion)
    refresh.transfers[number] = client.send(conditional) { result in
      let (fetcher, refresh, completion) = confined
      refresh.transfers[number] = nil
      let checked = fetcher.check(result, conditional, of: refresh)
      fetcher.client.record(checked, of: origin)
      guard fetcher.refresh === refresh else { return }
      completion(checked)
    }
  }

  /// A status that is no success is a failure from here on; 304 is a success where it was asked for.
  private func check(
    _ result: Result<TransferResponse, UpstreamError>,
    _ request: TransferRequest,
    of refresh: Refresh
  ) -> Result<TransferResponse, UpstreamError> {
    result.flatMap { response in
      if response.status == 304,
        request.headers.first(named: "If-None-Match") != nil
          || request.headers.first(named: "If-Modified-Since") != nil
      {
        return .success(response)
      }
      if let error = refresh.check.failure(of: response, request: request, now: Int64(time(nil))) {
        return .failure(error)
      }
      return .success(response)
    }
  }
}

/// A refresh under way. Touched on the client's queue alone.
final class Refresh {
  let first: TransferRequest
  let check: ResponseCheck
  let isUrgent: Bool
  let completion: (SourceFetcher.Outcome) -> Void
  var walk: PageWalk?
  var transfers: [Int: Transfer] = [:]
  var nextTransfer = 0
  /// In order.
  var visited: [UpstreamURL] = []
  var bodies: [UpstreamURL: [UInt8]] = [:]
  var fetched = ResponseCache()
  var allUnchanged = true
  var itemCount = 0
  var isTruncated = false
  var maxAge: Duration?
  /// Of a fan-out: the requests, what came of them, and the first that was not sent yet.
  var itemRequests: [TransferRequest] = []
  var itemResults: [[UInt8]?] = []
  var nextItem = 0
  var openItems = 0
  var itemBytes = 0

  init(
    _ first: TransferRequest,
    builder: RequestBuilder,
    isUrgent: Bool,
    completion: @escaping (SourceFetcher.Outcome) -> Void
  ) {
    self.first = first
    check = ResponseCheck(redaction: Redaction(builder.context, request: first))
    self.isUrgent = isUrgent
    self.completion = completion
  }

  /// Without those that are gone.
  var itemBodies: [[UInt8]] { itemResults.compactMap(\.self) }
}
