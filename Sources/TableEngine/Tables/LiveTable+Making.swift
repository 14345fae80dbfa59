import Definitions
import Dispatch
import Expressions
import Logging
import Synchronization
import TableMapping
import TableModel
import TableStore
import Upstream

extension LiveTable {
  /// A table that always lives: as the store has it, or new. Nothing is written before ``begin(_:)``.
  ///
  /// - Parameters:
  ///   - stored: what the store has of it.
  ///   - house: where its local items are, if it has any.
  ///   - loans: what it shows or looks up beside them.
  ///   - isReplacing: it stands in for a table that was there until now: what is stored is no older than that.
  /// - Throws: ``StartError`` where the first items can't be taken, or the store can't be read.
  static func restored(
    _ blueprint: TableBlueprint,
    from stored: StoredTable,
    _ house: ItemHouse,
    _ loans: [Loan],
    isReplacing: Bool,
    context: EngineContext
  ) throws -> LiveTable {
    let name = blueprint.definition.name
    var content = TableContent(blueprint, locale: blueprint.locales.first)
    content.borrow(loans)
    if let local = blueprint.local {
      do {
        let items =
          switch house {
          case .own: try stored.items ?? LocalItems(seed: local.definition.items)
          case .inherited(let others): others.unwritten(over: stored.items)
          case .kept: LocalItems.empty
          }
        content.local = TableContent.LocalContent(source: local.name, items: items, definition: local.definition)
      } catch {
        throw StartError(description: "table `\(name)`: its first items can't be taken: \(error)")
      }
    }
    content.sharedToggles = stored.toggled
    if case .own = house { content.layout = blueprint.layout }
    if let keeper = house.keeper {
      content.isGuest = true
      let own = keeper.content.queue.sync { keeper.content.access { $0.own } }
      if let items = own.items { content.follow(items, at: own.base, of: keeper.storedName) }
    }
    content.begin(from: stored, isCurrent: isReplacing || context.replica.isShared)
    let shown = content.isShownAsStored(by: stored) ? stored.feed?.versions.last?.table : nil
    content.isResultOld = shown != nil
    let first = shown ?? content.table(named: name)
    let feed = context.feed(of: first, restored: stored.feed)
    let table = LiveTable(
      TableReference(name: name),
      feed: feed,
      content: content,
      blueprint,
      isMember: false,
      keeper: house.keeper,
      context: context
    )
    if content.own.items != nil { table.writer.guests.withLock { $0.items = content.own } }
    do { _ = try table.translate(blueprint) } catch {
      throw StartError(description: "table `\(name)`: what is stored of it in another language can't be read: \(error)")
    }
    return table
  }

  /// A family's member, whose first reader has just come.
  ///
  /// - Parameter loans: the service's own items that it shows: it comes and goes, and can keep nothing.
  static func member(
    _ reference: TableReference,
    of blueprint: TableBlueprint,
    forwarding: ForwardedFields,
    _ loans: [Loan],
    context: EngineContext
  ) -> LiveTable {
    let parameters = Dictionary(
      reference.parameters.map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
    var content = TableContent(blueprint, parameters: parameters, locale: blueprint.locales.first)
    content.borrow(loans)
    let isShared = context.shares(reference, of: blueprint.definition)
    if isShared { content.expectStored() }
    let feed = context.feed(of: content.table(named: reference.canonical))
    let table = LiveTable(
      reference,
      feed: feed,
      content: content,
      blueprint,
      isMember: true,
      isStored: isShared,
      context: context
    )
    table.writer.loans.withLock { $0 = loans }
    table.writer.comeAsGuest()
    // Nothing of it is read here that could fail.
    _ = try? table.translate(blueprint)
    table.attach(table.polledSources(blueprint, parameters, forwarding))
    // Where no upstream is asked, there is none to be waited for.
    if blueprint.upstreams.isEmpty {
      table.writer.publishAll()
      table.settle(true, refusal: nil)
    }
    return table
  }

  /// This table in another language: as the store has it, or empty until it is given what this one has.
  ///
  /// - Parameter stored: what there is of it; nil where it is not to be stored.
  func translation(_ blueprint: TableBlueprint, into locale: String, from stored: StoredTable?) -> LiveTable {
    var content = TableContent(blueprint, parameters: writer.parameters, locale: locale)
    if let stored {
      content.begin(from: stored, isCurrent: context.replica.isShared)
      let shown = writer.content.queue.sync { writer.content.access { $0 } }
      content.follow(shown, own: shown.own, named: writer.storedName)
    } else if isShared {
      content.expectStored()
    }
    let feed = context.feed(of: content.table(named: name), restored: stored?.feed)
    return LiveTable(
      reference,
      feed: feed,
      content: content,
      blueprint,
      isMember: isMember,
      original: writer,
      isStored: stored != nil || isShared,
      context: context
    )
  }

  private convenience init(
    _ reference: TableReference,
    feed: Feed,
    content: TableContent,
    _ blueprint: TableBlueprint,
    isMember: Bool,
    original: TableWriter? = nil,
    keeper: TableWriter? = nil,
    isStored: Bool = true,
    context: EngineContext
  ) {
    let name = reference.canonical
    let forwards = isMember ? blueprint.definition.forward : []
    let reader = TableReader(
      name: name,
      feed: feed,
      cells: blueprint.cells,
      isMember: isMember,
      context: context
    )
    let writer = TableWriter(
      name,
      content: content,
      reader: reader,
      isStored: isStored,
      isPrivate: !forwards.isEmpty,
      isTranslation: original != nil,
      keeper: keeper,
      isMember: isMember,
      context: context
    )
    if writer.isStored, !isMember { reader.noteLook() }
    self.init(
      reference,
      reader: reader,
      writer: writer,
      forwards: forwards,
      isMember: isMember,
      locale: content.variables.locale,
      original: original
    )
    if isShared { lifecycle.withLock { $0.isUnknown = true } }
  }

  /// Stores and shows what a restored table has become by its definition, in all its languages. `completion` is called
  /// when that is done.
  func begin(_ completion: @escaping @Sendable (StoreError?) -> Void) {
    let group = DispatchGroup()
    let failure = Mutex<StoreError?>(nil)
    // The translations first: what the original then shares goes on from their first versions.
    for writer in all.reversed().map(\.writer) where writer.isStored {
      group.enter()
      writer.content.queue.sync {
        writer.begin { error in
          if let error { failure.withLock { $0 = error } }
          group.leave()
        }
      }
    }
    group.notify(queue: context.background) { completion(failure.withLock { $0 }) }
  }

  /// A family's member's sources, each shared with all members that ask it for the same. They feed it from now on, once it
  /// is read.
  func polledSources(
    _ blueprint: TableBlueprint,
    _ parameters: [String: String],
    _ forwarding: ForwardedFields
  ) -> [PolledSource] {
    blueprint.upstreams.map { source in
      let forwarding = forwarding.sent(to: source.definition, of: blueprint.definition)
      let parameters = source.definition.parameterUse.values(of: parameters)
      let key = SharedSources.Key(
        source,
        parameters: parameters,
        forwarding: forwarding,
        environment: blueprint.environment
      )
      return context.sharedSources.source(key, for: self) {
        PolledSource(
          source.name,
          source.definition,
          parameters: parameters,
          forwarding: forwarding,
          environment: blueprint.environment,
          context: context
        )
      }
    }
  }
}

extension TableWriter {
  /// Of a family's member: `$params`.
  var parameters: [String: String] { content.queue.sync { content.access { $0.variables.parameters } } }

  fileprivate func begin(_ completion: @escaping @Sendable (StoreError?) -> Void) {
    guard !beginAsStored() else { return completion(nil) }
    let (changes, table, isKnown) = content.access { content in
      let changes = isDerived ? nil : content.local?.items.takeChanges()
      content.durable = content.own
      return (changes, content.table(named: name), content.isKnownToStore)
    }
    if content.access({ $0.local != nil }) { logSkipped() }
    // What another replica has made of its configuration is not this one's to change, before it leads.
    guard !(isKnown && context.replica.isShared) || changes?.stored.isEmpty == false else {
      share(publishing: false)
      return completion(nil)
    }
    let latest = feed.latest.table
    let version = isKnown ? prepare(table) : feed.current
    guard version != nil || changes != nil else {
      share()
      return completion(nil)
    }
    // Where another replica was first, its version is followed.
    var commit = Commit(table: storedName, durability: .full, version: version, items: changes)
    if version == nil, let layout = content.access({ $0.layout }), Table.areStoredAlike(latest, table) {
      commit.layout = layout
    }
    store(commit, retry: { completion(nil) }, then: completion)
  }
}

extension TableWriter {
  /// Shows what is stored as it is, where it was laid out of these items as they would be now: they are mapped when readers
  /// have it, and before anything is built on that. Whatever comes of it is then shown, be it another thing.
  fileprivate func beginAsStored() -> Bool {
    let isShown = content.access { content in
      guard content.isResultOld else { return false }
      content.durable = content.own
      return true
    }
    guard isShown else { return false }
    share()
    content.queue.async { [self] in
      content.access { $0.refreshResult(named: name) }
      logSkipped()
      publishContent()
    }
    return true
  }
}

extension TableContent {
  /// Whether its items, which are its own, would make the version that is stored.
  fileprivate func isShownAsStored(by stored: StoredTable) -> Bool {
    layout != nil && layout == stored.layout && stored.items != nil && isKnownToStore
  }

  /// The store may have it, which is found out when it is looked there.
  fileprivate mutating func expectStored() {
    base = StoredTable().revision
    durable = own
  }

  /// Begins with what the store has of the table: what stands in for the sources until they answer.
  ///
  /// - Parameter isCurrent: the upstream was asked until now, by this process or perhaps by others: what was shown is not old.
  fileprivate mutating func begin(from stored: StoredTable, isCurrent: Bool) {
    isKnownToStore = stored.feed != nil
    base = stored.revision
    defer { noteInputs(stored) }
    guard var table = stored.feed?.versions.last?.table, local == nil, table.hasWorked else { return }
    if !isCurrent {
      table.state = .stale
      table.problem = Problem(
        title: "Not refreshed yet",
        detail: "These rows are from before the service started; the upstream is being asked.",
        since: Timestamp.now
      )
    }
    (restored, restoredObjects) = (table, stored.objects)
  }
}
