public import TablecastClient

/// Keeps a view showing a table: batches in their order, held while the user has a row under the finger, a reload where
/// the view can't take a batch.
///
/// The adapters of UIKit and AppKit make one; it is public for views of other kinds.
@MainActor
public final class TableDriver<Cell: CellModel> {
  public let table: LiveTable<Cell>
  /// What the view shows: what its data source answers from.
  public var sections: [TableSection] { queue.sections }
  /// The last state, which the view may still be on its way to.
  public private(set) var snapshot: TableSnapshot?
  /// Called after each change, when the view has taken what it takes of it: for empty, loading and failed states.
  public var onChange: ((TableSnapshot) -> Void)?
  /// What stands between the driver and a view that isn't the driver's own: kept as long as the driver.
  var adapter: AnyObject?

  private weak var view: (any ListView)?
  private var queue = ListQueue()
  private var holds: Set<String> = []
  private var following: Task<Void, Never>?

  /// - Parameter view: is not kept.
  public init(_ table: LiveTable<Cell>, view: any ListView) {
    self.table = table
    self.view = view
  }

  deinit { following?.cancel() }

  /// Begins to follow; a driver that is gone has ended.
  public func start() {
    guard following == nil else { return }
    following = Task { [weak self, table] in
      for await change in table.changes {
        guard let self else { return }
        self.take(change)
      }
    }
  }

  public func stop() {
    following?.cancel()
    following = nil
  }

  /// Takes a change. `start` calls it; a test may.
  public func take(_ change: TableChange) {
    snapshot = change.snapshot
    queue.take(change)
    proceed()
    onChange?(change.snapshot)
  }

  /// Holds changes back for a reason of the app's, beside those that the view knows of itself.
  public func hold(_ reason: String) { holds.insert(reason) }

  public func release(_ reason: String) {
    holds.remove(reason)
    proceed()
  }

  /// The user's own move, which the view already shows: from there the driver goes on.
  public func didMove(from origin: RowPath, to destination: RowPath) {
    var sections = queue.sections
    guard sections.indices.contains(origin.section), sections[origin.section].rows.indices.contains(origin.row),
      sections.indices.contains(destination.section)
    else { return }
    let row = sections[origin.section].rows.remove(at: origin.row)
    let rows = sections[destination.section].rows.count
    sections[destination.section].rows.insert(row, at: min(destination.row, rows))
    queue.moved(to: sections)
    table.move(row.id, to: .section(sections[destination.section].id, at: destination.row))
  }

  /// Goes on where it can: to be called when the view has come into a window, or an interaction has ended.
  public func proceed() {
    while let view,
      let step = queue.next(
        counts: view.rowCounts,
        isInWindow: view.isInWindow,
        isHeld: !holds.isEmpty || view.isInteracting
      )
    {
      perform(step, in: view)
    }
  }

  private var animation: TableAnimation { snapshot?.attributes.animation ?? TableAnimation() }

  private func perform(_ step: ListQueue.Step, in view: any ListView) {
    switch step {
    case .reload(let sections): reload(view, sections)
    case .batch(let stage, let sections):
      view.perform(
        stage,
        animation: animation,
        { [self] in queue.commit(sections) },
        completion: { [weak self] in self?.finish() }
      )
    case .refill(let rows, let reloaded, let indices, let sections):
      view.refill(rows, reloaded: reloaded, sections: indices, animation: animation) { queue.commit(sections) }
      queue.finish()
    }
  }

  private func finish() {
    queue.finish()
    proceed()
  }

  /// The scroll position and the selection are kept by identity: index paths mean other rows now.
  private func reload(_ view: any ListView, _ sections: [TableSection]) {
    let anchor = view.anchor.flatMap { anchor in id(anchor.path).map { (id: $0, offset: anchor.offset) } }
    let selected = Set(view.selectedRows.compactMap { id($0) })
    view.reload { queue.commit(sections) }
    var paths: [RowPath] = []
    for (section, element) in sections.enumerated() {
      for (row, element) in element.rows.enumerated() {
        let path = RowPath(section: section, row: row)
        if selected.contains(element.id) { paths.append(path) }
        if let anchor, anchor.id == element.id { view.scroll(to: path, offset: anchor.offset) }
      }
    }
    view.select(paths)
    queue.finish()
  }

  private func id(_ path: RowPath) -> String? {
    guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row) else {
      return nil
    }
    return sections[path.section].rows[path.row].id
  }
}
