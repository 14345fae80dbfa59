import Dispatch
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
      // What feeds a member that is not shared is its own; all else is asked by one replica.
      guard table.isMember && !table.writer.isStored || context.replica.isLeading else {
        return context.replica.askLeader(.refresh(table.name)) { outcome in
          if case .failure(let error) = outcome { return completion(.failure(error)) }
          let shown = table.latest
          shown.writer.comeAbreast(attempts: TableWriter.attemptsToRead) { isRead in
            completion(isRead ? .success(shown) : .failure(TableError(.unreadable)))
          }
        }
      }
      fetch(table, completion)
    }
  }

  /// - Parameter completion: when what the sources said is stored, in all of the table's languages.
  private func fetch(_ table: LiveTable, _ completion: @escaping @Sendable (Result<LiveTable, TableError>) -> Void) {
    let original = table.original?.table.withLock { $0.value } ?? table
    let refresh: @Sendable () -> Void = { [self] in
      fetch(original.sources, of: original) {
        let shown = original.latest
        shown.whenAllFollow {
          let table = shown.localized(table.locale)
          let writer = table.writer
          writer.content.queue.async {
            if let error = shown.departure { return completion(.failure(error)) }
            let isBehind = writer.content.access { $0.isBehind && !$0.inputs.isEmpty }
            completion(isBehind ? .failure(.notStoredForNow) : .success(table))
          }
        }
      }
    }
    guard table.isShared, let family = catalog.member(named: table.name)?.family else { return refresh() }
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
    let group = DispatchGroup()
    for source in sources {
      group.enter()
      if asked.isEmpty { source.refresh { group.leave() } } else { source.whenAnswered { group.leave() } }
    }
    group.notify(queue: context.background) { [self] in
      table.writer.whenDecided { [self] in
        let asked = asked.union(sources.map(\.name))
        let others = table.latest.sources.filter { !asked.contains($0.name) }
        if others.isEmpty { completion() } else { fetch(others, of: table, after: asked, completion) }
      }
    }
  }

  // MARK: For other replicas

  /// What another replica asks the one that asks the sources for.
  func carryOut(_ task: LeaderTask, _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void) {
    switch task {
    case .refresh(let name): refresh(named: name) { completion($0.map { .failure($0) } ?? .success(nil)) }
    case .show(let edit):
      whenHere(edit.table) { [catalog] table in
        guard let table else { return completion(.success(nil)) }
        guard let family = catalog.member(named: table.name)?.family else {
          return table.writer.show(edit, completion)
        }
        family.whenAsked(table) { table.writer.show(edit, completion) }
      }
    }
  }

  /// A table's sources, or a source.
  private func refresh(named name: String, _ completion: @escaping @Sendable (TableError?) -> Void) {
    if catalog.tablesByName[name] != nil || catalog.family(of: name) != nil {
      return whenHere(name) { [self] table in
        guard let table else { return completion(nil) }
        fetch(table) { outcome in
          if case .failure(let error) = outcome { completion(error) } else { completion(nil) }
        }
      }
    }
    guard let source = catalog.sources[name] else { return completion(nil) }
    for family in catalog.families { family.refresh(source: name) }
    if source.isRead { source.refresh { completion(nil) } } else { completion(nil) }
  }

  /// A table, or a member of a family that another replica's clients read: that may ask before its claim is heard, or where
  /// this one has just begun to ask the sources, and then it is looked for again.
  private func whenHere(_ name: String, attempts: Int = 20, _ body: @escaping @Sendable (LiveTable?) -> Void) {
    if let table = catalog.tablesByName[name] ?? catalog.member(named: name)?.table { return body(table) }
    guard attempts > 0, context.replica.isLeading, catalog.family(of: name) != nil else { return body(nil) }
    context.background.asyncAfter(deadline: .now() + .milliseconds(250)) { [weak self] in
      self?.whenHere(name, attempts: attempts - 1, body)
    }
  }
}
