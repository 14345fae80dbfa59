import Dispatch
import Synchronization
import TableStore

/// Fetching when somebody asks for it, here or at another replica.
extension Engine {
  /// Fetches all sources of a table now.
  ///
  /// - Parameter completion: called when what they said is shown here, or with why it is not; on any queue.
  package func refresh(_ table: LiveTable, _ completion: @escaping @Sendable (TableError?) -> Void) {
    table.writer.whenStoreAnswers { [self] error in
      if let error { return completion(error) }
      // What feeds a member that is not shared is its own; all else is asked by one replica.
      guard table.isMember && !table.writer.isStored || context.replica.isLeading else {
        return context.replica.askLeader(.refresh(table.name)) { outcome in
          if case .failure(let error) = outcome { return completion(error) }
          table.writer.comeAbreast(attempts: TableWriter.attemptsToRead) { isRead in
            completion(isRead ? nil : TableError(.unreadable))
          }
        }
      }
      fetch(table, completion)
    }
  }

  /// - Parameter completion: when what the sources said is stored, in all of the table's languages.
  private func fetch(_ table: LiveTable, _ completion: @escaping @Sendable (TableError?) -> Void) {
    let original = table.original?.table.withLock { $0.value } ?? table
    let refresh: @Sendable () -> Void = { [context] in
      let group = DispatchGroup()
      for source in original.sources {
        group.enter()
        source.refresh { group.leave() }
      }
      group.notify(queue: context.background) {
        original.whenAllFollow {
          let writer = table.writer
          writer.content.queue.async {
            completion(writer.content.access { $0.isBehind && !$0.inputs.isEmpty } ? .notStoredForNow : nil)
          }
        }
      }
    }
    guard table.isShared, let family = catalog.member(named: table.name)?.family else { return refresh() }
    family.whenAsked(original, refresh)
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
        if let table { fetch(table, completion) } else { completion(nil) }
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
