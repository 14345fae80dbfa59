import Definitions
import Logging
import Queues
import Synchronization
import TableMapping
import TableModel
import TableStore
import Upstream

/// A message of a source.
enum SourceNews: Sendable {
  /// With its number, of all that this process was given by the source; and why it failed since, where it has.
  case content(SourceContent, UInt64, failedSince: UpstreamError? = nil)
  /// The last answer still holds.
  case unchanged
  case failure(UpstreamError)
}

extension TableWriter {
  /// Takes in what a source has said; `completion` is called when it is published.
  ///
  /// - Parameter isEdit: it was said of an edit: reads that begin from now on wait for it.
  func receive(
    _ news: SourceNews,
    from source: String,
    isEdit: Bool = false,
    then completion: @escaping @Sendable () -> Void
  ) {
    let showsWords = context.current.showsUpstreamsWords
    if isEdit { following.add(1, ordering: .acquiringAndReleasing) }
    content.queue.async { [self] in
      let table = table.withLock { $0.value }
      let isRead = table?.isConcealed != true
      let isNews = content.access { $0.take(news, from: source, showingItsWords: showsWords, revealing: isRead) }
      table?.refuse(upstreamRefusal)
      let done: @Sendable () -> Void = { [self] in
        table?.settle(content.access { $0.isSettled }, refusal: upstreamRefusal)
        if isEdit { following.subtract(1, ordering: .acquiringAndReleasing) }
        completion()
      }
      guard isNews else { return done() }
      publishContent { _ in done() }
      logSkipped()
    }
  }

  /// Tells the sources of answers that are none. On the table's queue.
  func tellOfRefusedAnswers() {
    let refused = content.access { content in
      defer { content.refusedAnswers = [] }
      return content.refusedAnswers
    }
    guard !refused.isEmpty, let sources = table.withLock({ $0.value })?.sources else { return }
    for refused in refused { sources.first { $0.name == refused.source }?.refuse(refused) }
  }

  /// Shows a table that is loading until the upstream has agreed again.
  func conceal() {
    content.queue.async { [self] in
      content.access { $0.conceal() }
      publishContent()
    }
  }

  /// Lets go of the answers that it shares with other tables, until it is read again.
  func letGo() {
    content.queue.async { [self] in
      let shown = versions.latest.table
      content.access { $0.letGo(showing: shown) }
    }
  }

  /// The upstream's refusal of a family's member, or of its caller, as such; on the table's queue. Nil: it is the
  /// service's own trouble, and the table is stale.
  var upstreamRefusal: TableError? {
    guard isMember else { return nil }
    return content.access { $0.inputs.values.lazy.compactMap(self.refusal).first }
  }

  private func refusal(_ input: TableContent.SourceInput) -> TableError? {
    guard let error = input.error, !error.isPartial else { return nil }
    let kind: TableError.Kind
    switch error.status {
    case 404, 410: kind = .unknown
    case 403 where isPrivate: kind = .forbidden
    case 401 where isPrivate: kind = .unauthenticated
    default: return nil
    }
    return TableError(error, kind, at: input.definition, showingItsWords: context.current.showsUpstreamsWords)
  }

  /// The first items without a row, with the reason: each is said once. On the table's queue.
  func logSkipped() {
    // Mostly there are none: nothing is copied to find that out.
    let isPartial = content.access { $0.result.map { !$0.warnings.isEmpty || $0.skippedItems > 0 } ?? false }
    guard isPartial, let result = content.access({ $0.result }) else { return }
    for warning in result.warnings where context.isFirst("\(name)\u{0}\(warning)") {
      context.logger.notice("A part of the table is missing", metadata: ["table": "\(name)", "reason": "\(warning)"])
    }
    for item in result.skipped {
      // Neither its place nor the value that doesn't fit: both may be others each time.
      let which = item.id ?? "\(item.type ?? "")\u{0}"
      let saying = "\(name)\u{0}\(item.source)\u{0}\(which)\u{0}\(item.field ?? item.reason)"
      guard context.isFirst(saying) else { continue }
      context.logger.notice(
        "An item has no row",
        metadata: [
          "table": "\(name)", "source": "\(item.source)", "index": "\(item.index)", "id": "\(item.id ?? "-")",
          "type": "\(item.type ?? "-")", "reason": "\(item.reason)",
        ]
      )
    }
    if result.skippedItems > result.skipped.count, context.isFirst("\(name)\u{0}more skipped items") {
      context.logger.notice(
        "Items without rows",
        metadata: ["table": "\(name)", "count": .stringConvertible(result.skippedItems)]
      )
    }
  }
}
