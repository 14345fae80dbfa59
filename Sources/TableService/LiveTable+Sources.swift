import Definitions
import Dispatch
import Logging
import TableMapping
import TableModel
import TableStore
import Upstream

/// What a source has said.
enum SourceNews: Sendable {
  case content(SourceContent)
  /// What it said last still holds.
  case unchanged
  case failure(UpstreamError)
}

extension LiveTable {
  /// A table that always lives: as the store has it, or new.
  ///
  /// - Throws: ``StartError`` where the store can't be read.
  convenience init(restoring plan: TablePlan, context: ServiceContext) throws {
    let name = plan.definition.name
    let stored = try context.restore(name)
    var content = TableContent(definition: plan.definition, mapper: plan.mapper, environment: context.variables)
    for source in plan.upstreams { content.inputs[source.name] = .init(definition: source.definition) }
    if let local = plan.local {
      do {
        let items = try stored.items ?? LocalItems(seed: local.definition.items)
        content.local = TableContent.LocalContent(source: local.name, items: items, definition: local.definition)
      } catch {
        throw StartError(description: "table `\(name)`: its first items can't be taken: \(error)")
      }
    }
    if var table = stored.feed?.versions.last?.table, content.local == nil, table.hasWorked {
      table.state = .stale
      table.problem = Problem(
        title: "Not refreshed yet",
        detail: "These rows are from before the service started; the upstream is being asked.",
        since: Timestamp.now
      )
      content.restored = table
      content.restoredObjects = stored.objects
    }
    content.sharedToggles = stored.toggled
    let changes = content.local?.items.takeChanges()
    let first = content.table(named: name)
    let feed = Feed(initial: first, history: context.history, restored: stored.feed)
    content.durable = content.own
    self.init(
      reference: TableReference(name: name),
      feed: feed,
      content: content,
      forwards: [],
      isStored: true,
      cells: plan.cells,
      context: context
    )
    let next = stored.feed == nil ? feed.current : feed.prepare(first)
    try context.commit(Commit(table: name, durability: .full, version: next, items: changes))
    if stored.feed != nil, let next { feed.publish(next) }
  }

  /// A family's member, whose first reader has just come.
  convenience init(
    member reference: TableReference,
    of plan: TablePlan,
    forwarding: ForwardedFields,
    context: ServiceContext
  ) {
    var content = TableContent(definition: plan.definition, mapper: plan.mapper, environment: context.variables)
    content.parameters = Dictionary(
      reference.parameters.map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
    for source in plan.upstreams { content.inputs[source.name] = .init(definition: source.definition) }
    let parameters = content.parameters
    let feed = Feed(initial: content.table(named: reference.canonical), history: context.history)
    self.init(
      reference: reference,
      feed: feed,
      content: content,
      forwards: plan.definition.forward,
      isStored: false,
      cells: plan.cells,
      context: context
    )
    attachSources(plan, parameters, forwarding)
  }

  /// Sources of a member's own, not started yet.
  private func attachSources(_ plan: TablePlan, _ parameters: [String: String], _ forwarding: ForwardedFields) {
    for source in plan.upstreams {
      let upstream = SourceFeed(
        source.name,
        source.definition,
        parameters: parameters,
        forwarding: forwarding.sent(to: source.definition, of: plan.definition),
        context: context
      )
      upstream.feed(self)
    }
  }

  /// Goes on with another definition as a member that it has too: with its version, its rows and its waiters. The
  /// upstream is asked anew, as it is now configured.
  func reconfigure(member plan: TablePlan, forwarding: ForwardedFields) {
    for source in sources { source.stop() }
    guard canBe(plan) else { return retire() }
    reconfigure(plan)
    attachSources(plan, content.queue.sync { content.access { $0.parameters } }, forwarding)
    for source in sources { source.start() }
  }

  /// Whether it can go on with a definition: not where its items were the service's own and now are not, or the
  /// other way about.
  func canBe(_ plan: TablePlan) -> Bool {
    content.queue.sync { content.access { ($0.local == nil) == (plan.local == nil) } }
  }

  /// Goes on with another definition, that it can be.
  func reconfigure(_ plan: TablePlan) {
    content.queue.sync {
      forgetSources()
      reconfigureRendering(plan.cells)
      content.access { content in
        content.definition = plan.definition
        content.mapper = plan.mapper
        content.environment = context.variables
        content.local?.source = plan.local?.name ?? ""
        if let local = plan.local { content.local?.definition = local.definition }
        // A source that is asked for the same keeps its answer; until the others have one, their rows stay.
        let before = content.inputs
        content.inputs = [:]
        for (source, definition) in plan.upstreams {
          var input = before[source] ?? .init(definition: definition)
          if !input.definition.asksForTheSame(as: definition) { input = .init(definition: definition) }
          input.definition = definition
          content.inputs[source] = input
        }
        content.keep(feed.latest.table)
      }
      publishContent()
    }
  }

  /// Takes in what a source has said; `completion` is called when it is published.
  func hear(_ news: SourceNews, from source: String, then completion: @escaping @Sendable () -> Void) {
    content.queue.async { [self] in
      let isNews = content.access { content in
        guard var input = content.inputs[source] else { return false }
        switch news {
        case .content(let answer):
          (input.content, input.problem, input.error) = (answer, nil, nil)
        case .unchanged:
          guard input.problem != nil || content.isBehind else { return false }
          (input.problem, input.error) = (nil, nil)
        case .failure(let error):
          let since = input.problem?.since ?? Timestamp.now
          (input.problem, input.error) = (Problem(title: error.title, detail: error.detail, since: since), error)
        }
        content.inputs[source] = input
        content.isBehind = false
        return true
      }
      refuseReaders()
      let done: @Sendable () -> Void = { [self] in
        settle()
        completion()
      }
      guard isNews else { return done() }
      publishContent(then: done)
      logSkipped()
    }
  }

  /// The first ten items without a row, with the reason; on the table's queue.
  private func logSkipped() {
    guard let result = content.access({ $0.result }) else { return }
    for warning in result.warnings {
      context.logger.notice("A part of the table is missing", metadata: ["table": "\(name)", "reason": "\(warning)"])
    }
    guard result.skippedItems > 0 else { return }
    for item in result.skipped {
      context.logger.notice(
        "An item has no row",
        metadata: [
          "table": "\(name)", "source": "\(item.source)", "index": "\(item.index)", "id": "\(item.id ?? "-")",
          "type": "\(item.type ?? "-")", "reason": "\(item.reason)",
        ]
      )
    }
    context.logger.notice("Items without rows", metadata: ["table": "\(name)", "count": "\(result.skippedItems)"])
  }
}
