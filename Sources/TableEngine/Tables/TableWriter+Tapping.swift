import Definitions
import Dispatch
import TableModel
import TableStore

extension LiveTable {
  /// `didSelectRow`: an expandable row toggles, for its view or, where the table says so, for everyone.
  package func tap(
    _ row: String,
    _ lens: Lens,
    _ terms: EditTerms,
    _ caller: CallerFields,
    _ completion: @escaping @Sendable (Result<TapAnswer, TableError>) -> Void
  ) {
    var terms = terms
    terms.idempotency?.caller = caller.name(forwarding: forwards)
    guard let original, lens.view == nil else { return writer.tap(row, lens, terms, completion) }
    // What is toggled for everyone is so in all languages.
    writer.content.queue.async { [self, terms] in
      original.tap(row, lens, writer.original(of: terms)) { [self] outcome in
        writer.afterFollowing { [self] in
          guard case .success = outcome else { return completion(outcome) }
          writer.describe(row, lens, reader.cursor(current, lens), completion)
        }
      }
    }
  }
}

extension TableWriter {
  fileprivate func tap(
    _ row: String,
    _ lens: Lens,
    _ terms: EditTerms,
    _ completion: @escaping @Sendable (Result<TapAnswer, TableError>) -> Void
  ) {
    // What is kept of a tap is that it was made: a repeat gets the row and its object as they are then.
    let answer: @Sendable (EditResult) -> Void = { [self] outcome in
      switch outcome {
      case .failure(let error): completion(.failure(error))
      case .success(let done): describe(row, lens, done.cursor, completion)
      }
    }
    content.queue.async { [self] in
      once(terms.idempotency, answer) { [self] answerAll in
        toggle(row, lens, terms) { [self] error in
          content.queue.async { [self] in
            let outcome: EditResult =
              error.map { .failure($0) }
              ?? .success(EditAnswer(cursor: reader.cursor(feed.current, lens), rows: [row]))
            remember(outcome, for: terms.idempotency) { answerAll(outcome) }
          }
        }
      }
    }
  }

  /// Does what a tap does; `completion` is given what refuses it. On the table's queue.
  private func toggle(
    _ row: String,
    _ lens: Lens,
    _ terms: EditTerms,
    then completion: @escaping @Sendable (TableError?) -> Void
  ) {
    let latest = feed.latest.table
    guard let path = latest.indexPath(of: row), let plain = latest[at: path] else {
      return completion(.notFound("The table `\(name)` has no row `\(row)`."))
    }
    guard plain.permissions.contains(.select) else {
      return completion(.forbidden("Row `\(row)` can't be selected: its `can.select` is false."))
    }
    if let error = refusal(of: terms) { return completion(error) }
    if let view = lens.view {
      if plain.expansion != nil {
        let state = context.views.tap(plain.key.identity, view: view, table: feed.epoch)
        context.wake([context.views.topic(view: view)])
        if isStored, context.replica.isShared { tell(of: row, view, state, in: latest) }
      }
      return completion(nil)
    }
    guard content.access({ $0.definition.sharedTaps }) else {
      return completion(
        .malformed("A tap is of a view: `?view=` and a token of your choice, one for each screen.", field: "view")
      )
    }
    guard plain.expansion != nil else { return completion(nil) }
    if let error = context.replica.refusal { return completion(error) }
    toggleForEveryone(row) { error in completion(error.map { TableError($0) }) }
  }

  /// Tells the other replicas of a tap in a view. O(rows).
  private func tell(of row: String, _ view: String, _ state: ViewState, in table: Table) {
    let identities = state.toggled(at: state.taps)
    let toggled = table.sections.lazy.flatMap(\.rows).filter { identities.contains($0.key.identity) }.map(\.id)
    context.replica.tell(ViewTap(table: storedName, view: view, state, row: row, toggled: Array(toggled)))
  }

  /// Another replica has been tapped.
  func follow(_ tap: ViewTap) {
    content.queue.async { [self] in
      context.views.follow(tap, table: feed.epoch)
      context.wake([context.views.topic(view: tap.view)])
    }
  }

  private func toggleForEveryone(_ row: String, then completion: @escaping @Sendable (StoreError?) -> Void) {
    let retry: @Sendable () -> Void = { [self] in toggleForEveryone(row, then: completion) }
    guard !content.access({ $0.commits.holdsBack(retry) }) else { return }
    let (change, table) = content.access { content in
      content.refreshResult(named: name)
      let isToggled = content.toggle(row, in: feed.latest.table)
      return (ToggleChange(row: row, isToggled: isToggled), content.table(named: name))
    }
    publish(table, toggles: [change], retry: retry, then: completion)
  }

  fileprivate func describe(
    _ id: String,
    _ lens: Lens,
    _ tapped: Cursor,
    _ completion: @escaping @Sendable (Result<TapAnswer, TableError>) -> Void
  ) {
    content.queue.async { [self] in
      let object = content.access { $0.object(id)?.bytes }
      // The row is shown whether it lies in the client's window or not.
      reader.read(Lens(cells: lens.cells, view: lens.view)) { table, _ in
        guard let path = table.indexPath(of: id), let row = table[at: path] else {
          return completion(.failure(.notFound("Row `\(id)` is gone.")))
        }
        completion(
          .success(
            TapAnswer(
              cursor: tapped,
              id: id,
              row: row.encoded,
              object: object,
              select: row.select.map { Array(row.encoded[$0]) }
            )
          )
        )
      }
    }
  }
}
