import Dispatch
import Queues
import Synchronization
import TableStore

/// Fetching when somebody asks for it, here or at another replica.
extension Engine {
  /// Fetches all sources of a table now.
  ///
  /// - Parameter completion: called when what they said is shown here, with the table that shows it, which may be another
  ///   one by then; or with why it is not; on any queue.
  package func refresh(_ table: LiveTable, _ completion: @escaping @Sendable (Result<LiveTable, TableError>) -> Void) {
    table.writer.whenStoreAnswers { [self] error in
      if let error { return completion(.failure(error)) }
      // A member that is not shared has sources of its own; all other sources are asked by the leader.
      guard table.isMember && !table.writer.isStored || context.replica.isLeading else {
        return LeadersTable(writer: table.writer).whenFound { [self] error in
          if let error { completion(.failure(error)) } else { refreshElsewhere(table, completion) }
        }
      }
      fetch(table, completion)
    }
  }

  private func refreshElsewhere(
    _ table: LiveTable,
    _ completion: @escaping @Sendable (Result<LiveTable, TableError>) -> Void
  ) {
    context.replica.askLeader(.refresh(table.writer.sharedName)) { outcome in
      if case .failure(let error) = outcome { return completion(.failure(error)) }
      let shown = table.latest
      shown.writer.lookForNews(attempts: TableWriter.attemptsToRead) { isRead in
        completion(isRead ? .success(shown) : .failure(TableError(.unreadable)))
      }
    }
  }

  /// - Parameter completion: when what the sources said is stored, in all of the table's languages.
  func fetch(_ table: LiveTable, _ completion: @escaping @Sendable (Result<LiveTable, TableError>) -> Void) {
    let (original, term) = (table.original?.table.withLock { $0.value } ?? table, context.replica.lease?.term)
    let refresh: @Sendable () -> Void = { [self] in
      fetch(original.sources, of: original) {
        // One that a reload has put in its place may not have been told yet. Where another language comes first by then, it is a
        // translation of that.
        let shown = original.latest.untranslated
        let untold = shown === original ? [] : Set(shown.sources.map(\.name))
        shown.whenAllFollow(untold) { [self] isShown in
          if let error = shown.departure { return completion(.failure(error)) }
          // It may have ended, or left the sources to another replica, before they answered.
          let isAnswered = isStarted.withLock { $0 } && (!shown.writer.isShared || context.replica.leads(since: term))
          guard isShown, isAnswered else { return completion(.failure(.notStoredForNow)) }
          whenStillStored(shown) { isStored in
            completion(isStored ? .success(shown.localized(table.locale)) : .failure(.notStoredForNow))
          }
        }
      }
    }
    guard table.isShared, let family = catalog.member(named: table.writer.sharedName)?.family else { return refresh() }
    family.whenAsked(original, refresh)
  }

  /// Fetches sources of a table now, and waits for those that another configuration has given it beside them meanwhile.
  ///
  /// - Parameter asked: the names of those that were waited for already.
  private func fetch(
    _ sources: [PolledSource],
    of table: LiveTable,
    after asked: Set<String> = [],
    _ completion: @escaping @Sendable () -> Void
  ) {
    let (group, adopted) = (DispatchGroup(), context.adoptions.count)
    for source in sources {
      if asked.isEmpty { source.refresh(group.entered()) } else { source.whenAnswered(group.entered()) }
    }
    group.notify(queue: context.background) { [self] in
      table.writer.whenDecided { [self] in
        context.adoptions.whenDone { [self] number in
          let asked = asked.union(sources.map(\.name))
          // News that came while a configuration was taken over may not have reached the table yet.
          let others = table.latest.sources.filter { number != adopted || !asked.contains($0.name) }
          if others.isEmpty { completion() } else { fetch(others, of: table, after: asked, completion) }
        }
      }
    }
  }

  /// Calls back when a table shows in all languages what it has of its sources: a promoted server of the database may have lost what was
  /// stored. False: it does not.
  private func whenStillStored(_ shown: LiveTable, _ completion: @escaping @Sendable (Bool) -> Void) {
    guard shown.writer.isShared else { return completion(true) }
    readBarrier(of: shown) { outcome in
      guard outcome == .read else { return completion(false) }
      shown.latest.untranslated.whenAllFollow([], completion)
    }
  }

  /// The read barrier of a table in all its languages.
  func readBarrier(of table: LiveTable, _ completion: @escaping @Sendable (LookOutcome) -> Void) {
    let outcomes = JoinedCalls(LookOutcome.read) { $0 = $0.and($1) }
    for table in table.latest.all { table.writer.readBarrier(outcomes.begin()) }
    outcomes.notify(on: context.background, completion)
  }

  // MARK: One source

  /// Fetches a source now, for all that ask it.
  ///
  /// - Parameter completion: called with how it does when what it said is shown here, or with why it is not; on any queue.
  /// - Throws: where there is no such source.
  package func refresh(
    source name: String,
    _ completion: @escaping @Sendable (Result<SourceStatus, TableError>) -> Void
  ) throws(TableError) {
    _ = try catalog.status(of: name)
    fetch(source: name) { [self] error in
      completion(
        Result { () throws(TableError) in
          if let error { throw error }
          return try catalog.status(of: name)
        }
      )
    }
  }

  /// The same; what is shared is fetched by the replica that asks the sources.
  ///
  /// - Parameter isWhole: everything is asked for, and not only what has changed; by another replica always.
  func fetch(source name: String, isWhole: Bool = true, _ completion: @escaping @Sendable (TableError?) -> Void) {
    let failure = JoinedCalls<TableError?, TableError?>(nil) { $0 = $1 ?? $0 }
    if !context.replica.isLeading {
      let finish = failure.begin()
      context.replica.askLeader(catalog.has(name) ? .refreshSource(name) : .refresh(name)) { [self] outcome in
        if case .failure(let error) = outcome { finish(error) } else { showNews(of: name, finish) }
      }
    }
    fetchHere(source: name, isWhole: isWhole, failure.begin())
    failure.notify(on: context.background, completion)
  }

  /// Shows what another replica has shown of a source.
  private func showNews(of source: String, _ completion: @escaping @Sendable (TableError?) -> Void) {
    let catalog = catalog
    let tables = catalog.tables + catalog.families.flatMap { $0.members.map(\.table) }
    let areRead = JoinedCalls(true) { $0 = $0 && $1 }
    let fed = tables.filter { $0.writer.isShared && $0.sources.contains { $0.name == source } }
    for table in fed.flatMap(\.latest.all) {
      table.writer.lookForNews(attempts: TableWriter.attemptsToRead, areRead.begin())
    }
    areRead.notify(on: context.background) { completion($0 ? nil : TableError(.unreadable)) }
  }

  /// Fetches a source as far as it is asked from here.
  ///
  /// - Parameter completion: given why what it said may not be shown.
  func fetchHere(
    source name: String,
    isWhole: Bool = true,
    _ completion: @escaping @Sendable (TableError?) -> Void
  ) {
    let (catalog, isLeading, adopted) = (catalog, context.replica.isLeading, context.adoptions.count)
    let term = context.replica.lease?.term
    let group = DispatchGroup()
    let asked = AskedSources()
    for family in catalog.families { family.refresh(source: name, isWhole: isWhole, asked, group.entered()) }
    if isLeading, let source = catalog.sources[name], asked.isNew(source) {
      source.refresh(isWhole: isWhole, group.entered())
    }
    group.notify(queue: context.background) { [self] in
      whenTold(by: name, since: adopted) { [self] in
        // A former configuration's tables have no sources any more.
        whenAllFollow(name, self.catalog.tables.filter { $0.sources.contains { $0.name == name } }, since: adopted) {
          [self] isShown in
          // Where another replica asks it, that one's answer says whether its tables show what it said.
          let isAnswered = isStarted.withLock { $0 } && (!isLeading || context.replica.leads(since: term) && isShown)
          completion(isAnswered ? nil : .notStoredForNow)
        }
      }
    }
  }

  /// Calls back when a source has told its tables what it said last, also where another configuration was taken over meanwhile.
  private func whenTold(by source: String, since adopted: Int, _ completion: @escaping @Sendable () -> Void) {
    context.adoptions.whenDone { [self] number in
      guard number != adopted, context.replica.isLeading, let source = catalog.sources[source] else {
        return completion()
      }
      source.whenAnswered { [self] in whenTold(by: source.name, since: number, completion) }
    }
  }

  /// Calls back when the tables show in all their languages what a source has said; false: some don't.
  ///
  /// - Parameter adopted: since so many configurations it was asked: a later one's tables have to have been told something by it.
  private func whenAllFollow(
    _ source: String,
    _ tables: [LiveTable],
    since adopted: Int,
    _ completion: @escaping @Sendable (_ isShown: Bool) -> Void
  ) {
    let areShown = JoinedCalls(true) { $0 = $0 && $1 }
    for table in tables {
      let finish = areShown.begin()
      let shown = table.latest.untranslated
      shown.whenAllFollow(shown === table && context.adoptions.count == adopted ? [] : [source]) { [self] isShown in
        guard isShown else { return finish(false) }
        whenStillStored(shown, finish)
      }
    }
    areShown.notify(on: context.background, completion)
  }
}
