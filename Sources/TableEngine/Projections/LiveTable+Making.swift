import Definitions
import Expressions
import Logging
import Queues
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
  ///   - logs: the items of the service's own sources.
  ///   - origin: of what is stored, where no table was there until now.
  ///   - former: the table that was there until now: what is stored is no older than that.
  /// - Throws: ``StartError`` where the store can't be read.
  static func restored(
    _ blueprint: TableBlueprint,
    from stored: StoredTable,
    _ logs: ItemLogs,
    _ origin: StoredOrigin,
    replacing former: LiveTable?,
    context: EngineContext
  ) async throws -> LiveTable {
    let name = blueprint.definition.name
    var content = TableContent(blueprint, locale: blueprint.locales.first)
    let log = logs.log(of: blueprint)
    if let log, let local = blueprint.local {
      let snapshot = log.committed
      content.local = TableContent.LocalContent(
        source: log.source,
        items: snapshot.items,
        revision: snapshot.revision,
        definition: local.definition
      )
      content.show(snapshot, of: log)
    }
    let otherLogs = logs.others(of: blueprint)
    content.takeOthers(otherLogs)
    content.sharedToggles = stored.toggled
    content.layout = blueprint.layout
    content.begin(from: stored, former == nil ? origin : .former, isShared: context.replica.isShared)
    let shown = content.isShownAsStored(by: stored, log) ? stored.versions?.all.last?.table : nil
    content.isResultOld = shown != nil
    let first = shown ?? content.table(named: name)
    let isLaidOutAlike = blueprint.layout == nil || stored.layout == nil || stored.layout == blueprint.layout
    let restored = isLaidOutAlike ? stored.versions : stored.versions?.offering(content.offer.map { ~$0 })
    let versions = context.versions(of: first, restored: restored)
    let table = LiveTable(
      TableReference(name: name),
      versions: versions,
      content: content,
      blueprint,
      isMember: false,
      log: log,
      otherLogs: otherLogs,
      context: context
    )
    let languages = try await table.restoreLanguages(blueprint)
    _ = table.translate(blueprint, origin, replacing: former, languages, beside: content)
    return table
  }

  /// A family's member, whose first reader has just come.
  ///
  /// - Parameters:
  ///   - digest: of what its rows depend on of a caller.
  ///   - otherLogs: the items of the service's own sources that it shows. It comes and goes, so that only callers edit
  ///     through it, each their own rows.
  ///   - sharesItems: it maps these in common with other members.
  static func member(
    _ reference: TableReference,
    of blueprint: TableBlueprint,
    forwarding: ForwardedFields,
    digest: [UInt8],
    _ otherLogs: [ItemLog],
    sharesItems: Bool,
    context: EngineContext
  ) -> LiveTable {
    let parameters = Dictionary(
      reference.parameters.map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
    var content = TableContent(
      blueprint,
      parameters: parameters,
      caller: forwarding.values,
      locale: blueprint.locales.first
    )
    content.sharesItems = sharesItems
    let log = blueprint.callersLog(among: otherLogs)
    let others = otherLogs.filter { $0 !== log }
    if let log, let local = blueprint.callersLocal { content.own(log.committed, of: log, local.definition) }
    content.takeOthers(others)
    let shared = reference.ofCaller(blueprint.definition.dependsOnCaller ? digest : nil)
    let isShared = context.shares(shared, of: blueprint.definition, for: forwarding.values)
    if isShared { content.expectStored() }
    let versions = context.versions(of: content.table(named: reference.canonical))
    let table = LiveTable(
      reference,
      sharedName: isShared ? shared.canonical : nil,
      versions: versions,
      content: content,
      blueprint,
      isMember: true,
      log: log,
      isStored: isShared,
      otherLogs: others,
      context: context
    )
    _ = table.translate(blueprint, .left)
    for table in table.all { table.writer.followItems() }
    table.attach(table.polledSources(blueprint, parameters, forwarding))
    // Where no upstream is asked, there is none to be waited for. An event loop may make a member: it waits for no
    // queue of the table's, as the threads for these may all be taken.
    if blueprint.upstreams.isEmpty {
      for table in table.all {
        table.writer.content.queue.async {
          table.settle(true, refusal: nil)
          _ = MemberWeighing(writer: table.writer).hasRoom(for: nil)
        }
      }
    }
    return table
  }

  /// This table in another language: as the store has it, and with what this one has been told.
  ///
  /// - Parameters:
  ///   - stored: what there is of it; nil where it is not to be stored.
  ///   - shown: what this table is made of, of one that is stored.
  func translation(
    _ blueprint: TableBlueprint,
    into locale: String,
    from stored: StoredTable?,
    beside shown: TableContent?,
    _ origin: StoredOrigin
  ) -> LiveTable {
    let variables = writer.variables
    let otherLogs = writer.otherLogs.withLock { $0 }
    var content = TableContent(
      blueprint,
      parameters: variables.parameters,
      caller: variables.caller,
      locale: locale
    )
    content.sharesItems = writer.sharesItems
    if let stored, let shown {
      content.begin(from: stored, origin, isShared: context.replica.isShared)
      (content.local, content.inputRevisions) = (shown.local, shown.inputRevisions)
      content.begin(beside: shown)
    } else {
      if let log = writer.log, let local = blueprint.callersLocal {
        content.own(log.committed, of: log, local.definition)
      }
      content.takeOthers(otherLogs)
      if isShared { content.expectStored() }
    }
    let versions = context.versions(of: content.table(named: name), restored: stored?.versions)
    return LiveTable(
      reference,
      sharedName: writer.sharedName,
      versions: versions,
      content: content,
      blueprint,
      isMember: isMember,
      original: writer,
      log: writer.log,
      isStored: stored != nil || isShared,
      otherLogs: otherLogs,
      context: context
    )
  }

  private convenience init(
    _ reference: TableReference,
    sharedName: String? = nil,
    versions: TableVersions,
    content: TableContent,
    _ blueprint: TableBlueprint,
    isMember: Bool,
    original: TableWriter? = nil,
    log: ItemLog? = nil,
    isStored: Bool = true,
    otherLogs: [ItemLog] = [],
    context: EngineContext
  ) {
    let name = reference.canonical
    let forwards = isMember ? blueprint.definition.callerFields : []
    let reader = TableReader(
      name: name,
      versions: versions,
      cells: blueprint.cells,
      finding: TableFinder(blueprint.mapper, content.variables, memory: context.findMemory),
      // Rows that are stored may offer some by another definition.
      offersEdits: content.offersEdits || content.isKnownToStore,
      isMember: isMember,
      context: context
    )
    let writer = TableWriter(
      name,
      sharedName: sharedName ?? name,
      content: content,
      reader: reader,
      isStored: isStored,
      isPrivate: isMember && !blueprint.definition.forward.isEmpty,
      isTranslation: original != nil,
      log: log,
      isMember: isMember,
      context: context
    )
    writer.otherLogs.withLock { $0 = otherLogs }
    if writer.isStored, !isMember { reader.expectNews() }
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

  /// Stores and shows what a restored table has become by its definition, in all its languages. It has begun when this returns, and
  /// `completion` is called when that is done.
  func begin(_ completion: @escaping @Sendable (StoreError?) -> Void) async {
    let failure = JoinedCalls<StoreError?, StoreError?>(nil) { $0 = $1 ?? $0 }
    // The translations first: what is stored with the original goes on from their first versions.
    for writer in all.reversed().map(\.writer) where writer.isStored {
      let finish = failure.begin()
      await writer.content.queue.run { writer.begin(finish) }
    }
    failure.notify(on: context.background, completion)
  }

  /// The sources, each shared with all tables that ask it for the same. They answer this one from now on, once it is read.
  ///
  /// - Parameters:
  ///   - parameters: of a family's member.
  ///   - forwarding: the same, of its callers.
  func polledSources(
    _ blueprint: TableBlueprint,
    _ parameters: [String: String] = [:],
    _ forwarding: ForwardedFields = ForwardedFields()
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

extension StoredVersions {
  /// The versions, the last one with this offer if it has no rows. The offer is stored with rows alone: a table without rows that another
  /// configuration has made gets any other offer than the present one, so that clients get the new menus with a new version.
  fileprivate func offering(_ offer: UInt64?) -> StoredVersions {
    guard let last = all.last, last.table.rowCount == 0 else { return self }
    var table = last.table
    table.offer = offer
    let version = Version(cursor: last.cursor, table: table)
    return StoredVersions(epoch: epoch, versions: all.dropLast() + [version]) ?? self
  }
}
