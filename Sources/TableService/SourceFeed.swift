import Definitions
import Dispatch
import HTTPServer
import Logging
import Synchronization
import TableMapping
import Upstream

/// One upstream as it is polled, and the tables that it feeds.
final class SourceFeed: Sendable {
  let name: String
  private let definition: UpstreamDefinition
  private let context: ServiceContext
  private let source: Source
  private let fetchContext: FetchContext
  private let listeners: Listeners

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
    let listeners = Listeners(source: name, context: context)
    self.listeners = listeners
    fetchContext = FetchContext(
      parameters: parameters,
      environment: context.variables,
      forwarded: Self.fields(forwarding)
    )
    source = Source(
      name: name,
      definition: definition,
      context: fetchContext,
      client: context.client,
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

  /// Sends an edit to the upstream, with the fields of the caller who edits.
  func forward(
    _ edit: ForwardedEdit,
    as request: EditRequestDefinition,
    caller: [(name: String, value: String)],
    _ completion: @escaping @Sendable (EditOutcome) -> Void
  ) {
    var fetchContext = fetchContext
    fetchContext.forwarded = Self.fields(caller)
    EditForwarder(definition, context: fetchContext, client: context.client)
      .forward(edit, as: request, completion: completion)
  }

  private static func fields(_ forwarding: [(name: String, value: String)]) -> [Upstream.HeaderField] {
    forwarding.compactMap { Upstream.HeaderField($0.name, $0.value) }
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

/// The tables that an upstream feeds. Weakly held: a table owns its sources.
private final class Listeners: Sendable {
  private struct Listener {
    weak var table: LiveTable?
  }
  private let tables = Mutex<[Listener]>([])
  /// The news that are on their way into tables.
  private let deliveries = DispatchGroup()
  private let source: String
  private let context: ServiceContext

  init(source: String, context: ServiceContext) { (self.source, self.context) = (source, context) }

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
    case .failed(let error):
      context.logger.warning(
        "A source failed",
        metadata: ["source": "\(source)", "title": "\(error.title)", "detail": "\(error.detail)"]
      )
      news = .failure(title: error.title, detail: error.detail, status: error.status)
    }
    for table in tables.withLock({ $0.compactMap(\.table) }) {
      deliveries.enter()
      table.hear(news, from: source) { [deliveries] in deliveries.leave() }
    }
  }
}
