internal import CCurl
internal import Definitions
internal import Expressions
internal import Glibc
internal import JSON
internal import Queues

/// Changes that are asked for, and laid over what there is (`since`).
extension SourceFetcher {
  /// Answers to a request for changes that mean: ask for everything, what was asked with is too old or not known.
  static let asksForEverything: Set = [400, 404, 410, 422]

  /// Returns the `$since` of the next request for changes; nil: everything is asked for.
  ///
  /// - Parameter isWhole: somebody wants everything.
  func changesAsked(_ isWhole: Bool) -> JSONValue? {
    guard let since = definition.since, let changed, !isWhole, let everything, .now - everything < since.whole else {
      return nil
    }
    return changed.next
  }

  /// Asks for everything in place of changes that can't be had.
  func startAnew(_ refresh: Refresh) {
    guard self.refresh === refresh else { return }
    forget()
    start(isUrgent: refresh.isUrgent, isWhole: true, completion: refresh.completion)
  }

  /// All pages are there: of everything, or of changes.
  func lay(_ since: SinceDefinition, of refresh: Refresh) {
    // Of changes that don't all fit nobody knows which are missing.
    if refresh.since != nil, refresh.limit != nil { return startAnew(refresh) }
    let told = refresh.visited.lazy.compactMap { refresh.fetched[$0]?.page.since }.first { $0 != .null }
    guard let next = told ?? (since.next == nil ? refresh.date : nil) else {
      return fail(refresh, .withoutSince(since, refresh.first.url))
    }
    let isWhole = refresh.since == nil
    let isAsBefore = refresh.visited == lastPages && refresh.allUnchanged && (refresh.limit != nil) == isCut
    if isWhole, isAsBefore, !hasCarried, changed != nil {
      refresh.changed = changed
      refresh.changed?.goOn(with: next)
      return succeed(refresh)
    }
    let pages = refresh.visited.compactMap { refresh.bodies[$0] }
    let reading = ChangedItems.Reading(definition: definition, since: since, check: refresh.check)
    let (known, isTruncated, limit, client) = (changed, refresh.limit != nil, definition.maxItems, client)
    // Touched on the client's queue alone, where it comes back to.
    nonisolated(unsafe) let confined = (fetcher: self, refresh: refresh)
    self.reading.async {
      let applied = Result { () throws -> AppliedPages in
        guard !isWhole, var changed = known else {
          let (content, delivery) = try ChangedItems.everything(pages, next: next, isTruncated: isTruncated, reading)
          return AppliedPages(content: content, delivery: delivery)
        }
        let (delivery, unnamed) = try changed.lay(pages, next: next, atMost: limit, reading)
        return AppliedPages(content: changed, delivery: delivery, unnamed: unnamed)
      }
      client.queue.async {
        let (fetcher, refresh) = confined
        guard fetcher.refresh === refresh else { return }
        switch applied {
        case .failure(let error): fetcher.fail(refresh, .unlaid(error, refresh.first.url))
        // Items that moved from one page to another meanwhile may be in neither.
        case .success(let applied) where !isWhole && fetcher.mayLackItems && applied.delivery != nil:
          fetcher.wholesInARow += 1
          fetcher.startAnew(refresh)
        case .success(let applied):
          fetcher.mayLackItems = isWhole && refresh.tookSeveralRequests && fetcher.wholesInARow < Self.mostWholesInARow
          if !isWhole { fetcher.wholesInARow = 0 }
          fetcher.take(applied, of: refresh)
        }
      }
    }
  }

  /// Where a list goes on changing, everything is asked for this often until changes are laid over the result.
  private static let mostWholesInARow = 3

  /// The fate of everything that was there.
  private struct AppliedPages: Sendable {
    var content: ChangedItems
    /// Nil: the pages as they are, or nothing new.
    var delivery: ChangedItems.Delivery?
    var unnamed = 0
  }

  private func take(_ applied: AppliedPages, of refresh: Refresh) {
    (refresh.changed, refresh.delivery, refresh.unnamed) = (applied.content, applied.delivery, applied.unnamed)
    succeed(refresh)
  }

  /// Returns the date of an answer, less what clocks' seconds hide, as most upstreams write it.
  static func date(_ headers: [TransferField]) -> JSONValue? {
    guard let seconds = headers.first(named: "Date").flatMap(ResponseDate.parse) else { return nil }
    var (time, parts) = (time_t(seconds - 2), tm())
    guard gmtime_r(&time, &parts) != nil else { return nil }
    let two = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
    return .string(
      "\(1900 + parts.tm_year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
        + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    )
  }
}
