import Definitions
import Dispatch
import Foundation
import Logging
import Synchronization
import TableMapping
import Upstream

/// One upstream as it is polled, and the tables that it feeds.
final class SourceFeed: Sendable {
  let name: String
  private let definition: UpstreamDefinition
  private let context: EngineContext
  private let source: Source
  private let fetchContext: FetchContext
  private let listeners: Listeners

  /// - Parameters:
  ///   - parameters: of a family's member.
  ///   - forwarding: the caller's own header fields.
  ///   - environment: for `env`.
  init(
    _ name: String,
    _ definition: UpstreamDefinition,
    parameters: [String: String] = [:],
    forwarding: ForwardedFields = ForwardedFields(),
    environment: [String: String],
    context: EngineContext
  ) {
    self.name = name
    self.definition = definition
    self.context = context
    let listeners = Listeners(source: name, isCallers: !forwarding.fields.isEmpty, context: context)
    self.listeners = listeners
    fetchContext = FetchContext(
      parameters: parameters,
      environment: environment,
      forwarded: forwarding.fields
    )
    source = Source(
      name: name,
      definition: definition,
      context: fetchContext,
      client: context.client,
      onNotice: { notice in
        guard context.isFirst("\(notice.kind) of \(name)") else { return }
        context.logger.log(
          level: notice.isWarning ? .warning : .notice,
          "\(notice)",
          metadata: ["source": "\(name)", "every": "\(definition.every)"]
        )
      },
      onUpdate: { listeners.hear($0) }
    )
  }

  /// Tells a table from now on.
  func feed(_ table: LiveTable) {
    listeners.add(table)
    table.attach(self)
  }

  /// Whether a table reads it.
  var isRead: Bool { !listeners.isEmpty }

  func start() { source.start() }
  func stop() { source.stop() }
  func suspend() { source.suspend() }
  func resume() { source.resume() }

  /// Fetches now; `completion` is called when what the upstream said is published.
  func refresh(_ completion: @escaping @Sendable () -> Void) {
    source.refresh { [listeners] _ in listeners.afterDeliveries(completion) }
  }

  /// Fetches everything anew after an edit, where `forward` has called back; `completion` is called when what the
  /// upstream said is published.
  func refreshAfterChange(_ completion: @escaping @Sendable () -> Void = {}) {
    source.refreshAfterChange { [listeners] _ in listeners.afterDeliveries(completion) }
  }

  /// What of a caller's own fields an edit would be sent with.
  func sends(_ caller: ForwardedFields, of table: TableDefinition) -> ForwardedFields {
    caller.sent(to: definition, of: table)
  }

  /// Sends an edit to the upstream, with the fields of the caller who edits.
  func forward(
    _ edit: ForwardedEdit,
    as request: EditRequestDefinition,
    caller: ForwardedFields,
    of table: TableDefinition,
    _ completion: @escaping @Sendable (Upstream.EditOutcome) -> Void
  ) {
    var fetchContext = fetchContext
    fetchContext.forwarded = caller.sent(to: definition, of: table).fields
    EditForwarder(source: name, definition, context: fetchContext, client: context.client)
      .forward(edit, as: request, completion: completion)
  }

  // MARK: Webhooks

  var hasWebhook: Bool { definition.webhookSecret != nil }

  /// Refuses a webhook whose signature is not its body's.
  func verify(_ body: [UInt8], header: (String) -> String?) throws(TableError) {
    let verdict = WebhookSignature.verdict(
      on: body,
      secret: definition.webhookSecret ?? "",
      now: Int64(Date().timeIntervalSince1970),
      header: header
    )
    guard verdict == .valid else {
      throw TableError(
        .unauthenticated,
        detail: verdict == .stale
          ? "The webhook's time stamp is more than five minutes off: it is a repetition, or a clock is wrong."
          : "A webhook is signed: `X-Hub-Signature-256: sha256=` and the HMAC-SHA256 of the body, in hexadecimal.",
        field: "X-Hub-Signature-256"
      )
    }
  }
}

/// The tables that an upstream feeds. Weakly held: a table owns its sources.
private final class Listeners: Sendable {
  private struct Listener {
    weak var table: LiveTable?
  }
  private let tables = Mutex<[Listener]>([])
  /// The news that are on their way into tables.
  private let deliveries = DispatchGroup()
  /// The title of the last failure, until it works again.
  private let failure = Mutex<String?>(nil)
  private let source: String
  private let isCallers: Bool
  private let context: EngineContext

  /// - Parameter isCallers: it is asked with a caller's own fields.
  init(source: String, isCallers: Bool, context: EngineContext) {
    (self.source, self.isCallers, self.context) = (source, isCallers, context)
  }

  func add(_ table: LiveTable) { tables.withLock { $0.append(Listener(table: table)) } }

  var isEmpty: Bool { tables.withLock { $0.isEmpty } }

  func afterDeliveries(_ body: @escaping @Sendable () -> Void) {
    deliveries.notify(queue: context.background, execute: body)
  }

  func hear(_ update: SourceUpdate) {
    let news: SourceNews
    switch update {
    case .content(let content):
      switch content.form {
      case .pages(let pages): news = .content(.pages(pages))
      case .items(let items): news = .content(.items(items.map { SourceItem(bytes: $0) }))
      }
    case .unchanged: news = .unchanged
    case .failed(let error): news = .failure(error)
    }
    log(update)
    context.refreshes.count(update, of: source)
    for table in tables.withLock({ $0.compactMap(\.table) }) {
      deliveries.enter()
      table.writer.hear(news, from: source) { [deliveries] in deliveries.leave() }
    }
  }

  /// What happened, when it begins and when it is over: a source that fails each second all night says so twice.
  private func log(_ update: SourceUpdate) {
    let (last, now) = failure.withLock { failure in
      defer { if case .failed(let error) = update { failure = error.title } else { failure = nil } }
      return (failure, update)
    }
    switch now {
    case .content, .unchanged:
      if last != nil, !isCallers { context.logger.notice("A source works again", metadata: ["source": "\(source)"]) }
    case .failed(let error):
      // That a caller is refused is the caller's trouble, and said to them.
      let isExpected = last == error.title || (isCallers && [401, 403, 404].contains(error.status))
      context.logger.log(
        level: isExpected ? .debug : .warning,
        "A source failed",
        metadata: ["source": "\(source)", "title": "\(error.title)", "detail": "\(error.detail)"]
      )
    }
  }
}
