import Dispatch
import Queues
import TableStore

/// The leader's tasks for the other replicas.
extension Engine {
  /// Carries out a task that another replica has asked the leader for.
  func carryOut(_ task: LeaderTask, _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void) {
    switch task {
    case .refresh(let name): refresh(named: name) { completion($0.map { .failure($0) } ?? .success(nil)) }
    case .refreshSource(let name): refreshSource(name) { completion($0.map { .failure($0) } ?? .success(nil)) }
    case .showItems(let name): showItems(of: name, completion)
    case .knowRows(let name): knowRows(of: name, completion)
    case .findFree(let name, let source, let identity): findFree(identity, at: source, of: name, completion)
    case .findTable(let name, let source): findTable(name, fedBy: source, completion)
    case .show(let edit):
      whenHere(edit.table) { [catalog] table in
        guard let table else { return completion(.failure(TableError(.unreadable))) }
        guard let family = catalog.member(named: table.writer.sharedName)?.family else {
          return AcceptedEdits(writer: table.writer).show(edit, completion)
        }
        family.whenAsked(table) { AcceptedEdits(writer: table.writer).show(edit, completion) }
      }
    }
  }

  private func showItems(of name: String, _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void) {
    whenHere(name) { [self] table in
      // The replica that asks has another configuration: its version of the table may be an older state for good.
      guard let table else { return completion(.failure(TableError(.unreadable))) }
      guard let (family, reference) = catalog.family(of: name) else { return showItems(in: table, completion) }
      family.keepUp(reference) { [self] in showItems(in: table, completion) }
    }
  }

  private func showItems(in table: LiveTable, _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void) {
    readBarrier(of: table) { completion($0 == .read ? .success(nil) : .failure(.notStoredForNow)) }
  }

  /// Fetches a table's sources where they have not all answered since this process asks them.
  private func knowRows(of name: String, _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void) {
    whenHere(name) { [self] table in
      guard let table = table?.latest.untranslated else { return completion(.failure(TableError(.unreadable))) }
      table.writer.whenSourcesHaveAnswered { [self] haveAnswered in
        guard !haveAnswered else { return completion(.success(nil)) }
        fetch(table) { outcome in
          guard case .success(let table) = outcome else { return completion(.failure(.notStoredForNow)) }
          table.untranslated.writer.whenSourcesHaveAnswered {
            completion($0 ? .success(nil) : .failure(.hasNoRowsYet(name)))
          }
        }
      }
    }
  }

  private func findFree(
    _ identity: String,
    at source: String,
    of name: String,
    _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void
  ) {
    knowRows(of: name) { [self] outcome in
      guard case .success = outcome else { return completion(outcome) }
      whenHere(name) { table in
        guard let writer = table?.latest.untranslated.writer else {
          return completion(.failure(TableError(.unreadable)))
        }
        writer.content.queue.async {
          let isTaken: Bool? = writer.content.access { content in
            content.refreshResult(named: writer.name)
            return content.result.map { _ in content.isTakenByOthers(identity, at: source) }
          }
          completion(isTaken.map { .success($0 ? LeaderTask.lacking : nil) } ?? .failure(.notStoredForNow))
        }
      }
    }
  }

  /// A table's sources, or a source.
  private func refresh(named name: String, _ completion: @escaping @Sendable (TableError?) -> Void) {
    if catalog.tablesByName[name] != nil || catalog.family(of: name) != nil {
      return whenHere(name) { [self] table in
        guard let table else { return completion(TableError(.unreadable)) }
        fetch(table) { outcome in
          if case .failure(let error) = outcome { completion(error) } else { completion(nil) }
        }
      }
    }
    refreshSource(name, completion)
  }

  /// The replica that asks may have a configuration with a table or a source that this one's lacks.
  private func refreshSource(_ name: String, _ completion: @escaping @Sendable (TableError?) -> Void) {
    guard (try? catalog.status(of: name)) != nil else { return completion(TableError(.unreadable)) }
    fetchHere(source: name, completion)
  }

  private func findTable(
    _ name: String,
    fedBy source: String?,
    _ completion: @escaping @Sendable (LeaderTask.Outcome) -> Void
  ) {
    whenHere(name) { table in
      let sources = table?.latest.untranslated.sources.map(\.name)
      let isFound = sources.map { names in source.map { names.contains($0) } ?? true } ?? false
      completion(.success(isFound ? nil : LeaderTask.lacking))
    }
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
