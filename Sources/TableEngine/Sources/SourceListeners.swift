import Dispatch
import Logging
import Synchronization
import TableMapping
import Upstream

/// The tables that an upstream feeds. Weakly held: a table owns its sources.
final class SourceListeners: Sendable {
  private struct Listener {
    weak var table: LiveTable?
  }
  private let tables = Mutex<[Listener]>([])
  /// The news that are on their way into tables.
  private let deliveries = DispatchGroup()
  /// The title of the last failure, until it works again.
  private let failure = Mutex<String?>(nil)
  private let worked = Atomic(false)
  /// How many answers with content there were.
  private let answers = Atomic<UInt64>(0)
  /// The last one of them that turned out to be none; 0: none did.
  private let refused = Atomic<UInt64>(0)
  /// None that was mapped since has turned out to be an answer.
  private let isDoubtful = Atomic(false)
  private let source: String
  private let asker: Asker
  private let context: EngineContext

  /// For whom it is asked.
  struct Asker {
    /// Of a family's member.
    var parameters: [String: String]
    /// What tells callers apart in a log, and nothing more; nil where it is asked with nobody's own fields.
    var caller: String?
  }

  init(source: String, asker: Asker, context: EngineContext) {
    (self.source, self.asker, self.context) = (source, asker, context)
  }

  /// Whether it ever gave items.
  var hasWorked: Bool { worked.load(ordering: .relaxed) }

  func add(_ table: LiveTable) {
    tables.withLock { tables in
      tables.removeAll { $0.table == nil || $0.table === table }
      tables.append(Listener(table: table))
    }
  }

  func remove(_ table: LiveTable) { tables.withLock { $0.removeAll { $0.table == nil || $0.table === table } } }

  var isEmpty: Bool { tables.withLock { $0.allSatisfy { $0.table == nil } } }

  /// Of the last answer that was handed on.
  var answer: UInt64 { answers.load(ordering: .relaxed) }

  /// The tables that it feeds.
  var fed: [LiveTable] { tables.withLock { $0.compactMap(\.table) } }

  /// What whoever asks next is to know has changed.
  func noteNews() {
    for table in fed { table.isToBeHandedOver.store(true, ordering: .releasing) }
  }

  /// An answer has turned out to be none. False where that is known.
  func refuse(_ answer: UInt64) -> Bool {
    isDoubtful.store(true, ordering: .relaxed)
    return refused.exchange(answer, ordering: .relaxed) != answer
  }

  func afterDeliveries(_ body: @escaping @Sendable () -> Void) {
    deliveries.notify(queue: context.background, execute: body)
  }

  /// Nobody is told that all is delivered, until `release`.
  func hold() { deliveries.enter() }
  func release() { deliveries.leave() }

  func receive(_ update: SourceUpdate) {
    let news: SourceNews
    switch update {
    case .content(let content):
      worked.store(true, ordering: .relaxed)
      let number = answers.add(1, ordering: .relaxed).newValue
      news = .content(SourceContent(content), number)
    case .unchanged:
      // Of what another process was told, perhaps.
      worked.store(true, ordering: .relaxed)
      news = .unchanged
    case .failed(let error): news = .failure(error)
    }
    context.refreshes.count(update, of: source)
    for table in fed {
      deliveries.enter()
      table.writer.receive(news, from: source) { [deliveries] in deliveries.leave() }
    }
    // Whether it works again, where the answer before was none, is known when this one is mapped.
    if case .content = update, isDoubtful.load(ordering: .relaxed) {
      let answer = answer
      afterDeliveries { [self] in
        guard refused.load(ordering: .relaxed) < answer else { return }
        isDoubtful.store(false, ordering: .relaxed)
        log(update)
      }
    } else {
      log(update)
    }
    noteNews()
  }

  /// What happened, when it begins and when it is over: a source that fails each second all night says so twice.
  private func log(_ update: SourceUpdate) {
    let (last, now) = failure.withLock { failure in
      defer { if case .failed(let error) = update { failure = error.title } else { failure = nil } }
      return (failure, update)
    }
    switch now {
    case .content, .unchanged:
      if last != nil, asker.caller == nil { context.logger.notice("A source works again", metadata: metadata) }
    case .failed(let error):
      // That a caller is refused is the caller's trouble, and said to them.
      let isExpected = last == error.title || (asker.caller != nil && [401, 403, 404].contains(error.status))
      context.logger.log(
        level: isExpected ? .debug : .warning,
        "A source failed",
        metadata: metadata.merging(["title": "\(error.title)", "detail": "\(error.detail)"]) { $1 }
      )
    }
  }

  /// Which source, of which member, for whom.
  private var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["source": "\(source)"]
    if !asker.parameters.isEmpty {
      let parameters = asker.parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
      metadata["parameters"] = "\(parameters.joined(separator: ";"))"
    }
    if let caller = asker.caller { metadata["caller"] = "\(caller)" }
    return metadata
  }
}

extension SourceContent {
  fileprivate init(_ fetched: FetchedContent) {
    switch fetched.form {
    case .pages(let pages): self = .pages(pages, lists: fetched.lists)
    case .items(let items): self = .items(items.map { SourceItem(bytes: $0) })
    }
    isTruncated = fetched.isTruncated
  }
}
