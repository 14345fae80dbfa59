import Queues
import Synchronization
import TableEncoding
package import TableModel
import TableStore

/// Work on the rendering queue: clients' requests in turns, the service's own before them.
extension TableReader {
  /// One row through a lens, given to `body` on the rendering queue; nil where there is none. O(`place`) beside the
  /// search: rows stand where they stand in what is found, whatever the lens shows in their places, and no other one is drawn.
  ///
  /// - Parameter lens: without a window.
  func read(
    _ lens: Lens,
    for asker: ReplyAsker,
    at place: @escaping @Sendable (Table) -> IndexPath?,
    _ body: @escaping @Sendable (ShownRow?) -> Void
  ) {
    inTurn(asker) { [self] in
      let (version, view) = (versions.current, view(lens))
      let lens = current(lens, version)
      let table = lens.find == nil ? version.table : base(of: version, lens)
      guard let path = place(table), let plain = table[at: path] else { return body(nil) }
      let isToggled = view.map { $0.state.isToggled(plain.key.identity, at: $0.state.taps) } ?? false
      let row = isToggled ? plain.toggled() : plain
      let registry = drawing.withLock { $0 }
      let shown = lens.cells.map { registry.variant(of: row, $0, isKept: !isToggled) } ?? row
      let section = table.sections[path.section].id
      body(ShownRow(row: shown, path: path, section: section, cursor: cursor(version, lens, view)))
    }
  }

  /// Has something made on the rendering queue, when it is the asker's turn; nil: before all that clients have asked for.
  func inTurn(_ asker: ReplyAsker?, _ make: @escaping @Sendable () -> Void) {
    let isWanted: @Sendable () -> Bool = if let asker { asker.isThere } else { { true } }
    let (job, share) = (ReplyTurns.Job(isWanted: isWanted, make: make), asker?.share)
    let isFirst = turns.withLock { turns -> Bool in turns.add(job, of: share) }
    guard isFirst else { return }
    maker.queue.async { [self] in makeNext() }
  }

  private func makeNext() {
    guard let job = turns.withLock({ $0.next() }) else { return }
    job.make()
    // Other work on the queue comes in between.
    maker.queue.async { [self] in makeNext() }
  }
}

/// A row as a client sees it, and where.
package struct ShownRow: Sendable {
  package var row: Row
  package var path: IndexPath
  /// The section's id.
  package var section: String
  package var cursor: Cursor
}
