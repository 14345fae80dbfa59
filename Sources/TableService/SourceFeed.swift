import Definitions
import Dispatch
import HTTPServer
import Synchronization
import TableMapping
import Upstream

/// One upstream as it is polled, and the tables that it feeds.
final class SourceFeed: Sendable {
  let name: String
  private let definition: UpstreamDefinition
  private let context: ServiceContext
  private let source: Source
  private let state: Mutex<State>

  private struct State {
    var tables: [LiveTable] = []
    /// The news that are on their way into tables.
    let deliveries = DispatchGroup()
  }

  /// - Parameters:
  ///   - parameters: of a family's member.
  ///   - forwarding: the caller's own header fields.
  init(
    _ name: String,
    _ definition: UpstreamDefinition,
    parameters: [String: String] = [:],
    forwarding: [(name: String, value: String)] = [],
    context: ServiceContext
  ) {
    self.name = name
    self.definition = definition
    self.context = context
    state = Mutex(State())
    source = Source(
      name: name,
      definition: definition,
      context: FetchContext(
        parameters: parameters,
        environment: context.variables,
        forwarded: forwarding.compactMap { Upstream.HeaderField($0.name, $0.value) }
      ),
      client: context.client
    )
    source.onUpdate = { [weak self] update in self?.hear(update) }
  }

  /// Tells a table from now on.
  func feed(_ table: LiveTable) {
    state.withLock { $0.tables.append(table) }
    table.attach(self)
  }

  /// Whether a table reads it.
  var isRead: Bool { state.withLock { !$0.tables.isEmpty } }

  func start() { source.start() }
  func stop() { source.stop() }
  func suspend() { source.suspend() }
  func resume() { source.resume() }

  /// Fetches now; `completion` is called when what the upstream said is published.
  func refresh(_ completion: @escaping @Sendable () -> Void) {
    source.refresh { [self] in
      state.withLock { $0.deliveries }.notify(queue: context.background, execute: completion)
    }
  }

  private func hear(_ update: SourceUpdate) {
    let news: SourceNews
    switch update {
    case .content(let content): news = .content(SourceContent(content))
    case .unchanged: news = .unchanged
    case .failed(let error):
      context.logger.warning(
        "A source failed",
        metadata: ["source": "\(name)", "title": "\(error.title)", "detail": "\(error.detail)"]
      )
      news = .failure(title: error.title, detail: error.detail, status: error.status)
    }
    let (tables, deliveries) = state.withLock { ($0.tables, $0.deliveries) }
    for table in tables {
      deliveries.enter()
      table.hear(news, from: name) { deliveries.leave() }
    }
  }

  // MARK: Webhooks

  var hasWebhook: Bool { definition.webhookSecret != nil }

  /// Refuses a webhook whose signature is not its body's.
  func verify(_ request: Request) throws(ServiceError) {
    let signature = request.header("X-Hub-Signature-256") ?? request.header("X-Signature")
    guard let secret = definition.webhookSecret, let signature,
      WebhookSignature.isValid(signature, of: request.body, secret: secret)
    else {
      throw ServiceError(
        status: .unauthorized,
        detail: "A webhook is signed: `X-Hub-Signature-256: sha256=` and the HMAC-SHA256 of the body, in hexadecimal.",
        field: "X-Hub-Signature-256"
      )
    }
  }
}
