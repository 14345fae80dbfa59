public import TablecastClient

/// When more rows are asked for by scrolling.
enum ScrollLoading {
  /// How many rows before the end: about what a quick scroll passes while they come.
  static let margin = 20
}

/// Keeps a view in step with a table. It applies batches in order, holds them back while the user drags a row, and
/// reloads if the view can't take a batch.
///
/// The adapters of UIKit and AppKit use it. It is public for other kinds of view.
@MainActor
public final class TableDriver<Cell: CellModel> {
  public let table: LiveTable<Cell>
  /// The sections that the view shows, for its data source.
  public var sections: [TableSection] { queue.sections }
  /// The last state. The view may not show it yet.
  public private(set) var snapshot: TableSnapshot?
  /// Called after each change, when the view has applied it. For empty, loading and failed states.
  public var onChange: ((TableSnapshot) -> Void)?
  /// Likewise, for the adapter's own empty, loading and failed states.
  var onStatus: ((TableSnapshot) -> Void)?
  /// What stands between the driver and a view that isn't the driver's own: kept as long as the driver.
  var adapter: AnyObject?
  /// Likewise, for the search field and its menu.
  var finding: AnyObject?
  var onFind: ((TableSnapshot) -> Void)?

  private weak var view: (any ListView)?
  private var queue = ListQueue()
  private var holds: Set<String> = []
  private var following: Task<Void, Never>?
  private var asking: Task<Void, Never>?
  /// How soon a view that the user holds is asked again, in nanoseconds: not every end of a drag is told.
  private static var patience: UInt64 { 250_000_000 }

  /// - Parameter view: is not kept.
  public init(_ table: LiveTable<Cell>, view: any ListView) {
    self.table = table
    self.view = view
    queue.takesStates = view.takesStates
  }

  deinit {
    following?.cancel()
    asking?.cancel()
  }

  /// Begins to follow the table. Following ends when the driver is released.
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

  /// Applies a change. `start` calls it; tests may call it, too.
  public func take(_ change: TableChange) {
    snapshot = change.snapshot
    queue.take(change)
    proceed()
    onStatus?(change.snapshot)
    onFind?(change.snapshot)
    onChange?(change.snapshot)
  }

  /// Holds changes back for a reason of the app, in addition to the view's own reasons.
  public func hold(_ reason: String) { holds.insert(reason) }

  public func release(_ reason: String) {
    holds.remove(reason)
    proceed()
  }

  /// Call this after a move by the user that the view shows already. The driver continues from there when the client's
  /// state has the move.
  public func didMove(from origin: RowPath, to destination: RowPath) {
    var sections = queue.sections
    guard sections.indices.contains(origin.section), sections[origin.section].rows.indices.contains(origin.row),
      sections.indices.contains(destination.section)
    else { return }
    let row = sections[origin.section].rows.remove(at: origin.row)
    let rows = sections[destination.section].rows.count
    sections[destination.section].rows.insert(row, at: min(destination.row, rows))
    let edit = table.move(row.id, to: .section(sections[destination.section].id, at: destination.row))
    queue.moved(to: sections, by: edit.id)
    view?.didMove()
    Task { [weak self] in
      _ = await edit.outcome()
      guard let self else { return }
      queue.ended(edit.id)
      proceed()
    }
  }

  /// The user's move that no state has yet.
  var awaitedMove: EditID? { queue.awaitedMove }

  /// Continues if it can. Call this when the view has come into a window, or an interaction has ended.
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
    guard asking == nil, queue.isWaiting, view?.isInteracting == true else { return }
    asking = Task { [weak self] in
      try? await Task.sleep(nanoseconds: Self.patience)
      guard let self, !Task.isCancelled else { return }
      asking = nil
      proceed()
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
    case .refill(let refill, let sections):
      let refill = exchanging(refill, for: sections)
      view.refill(refill.rows, reloaded: refill.reloaded, sections: refill.sections, animation: animation) {
        queue.commit(sections)
      }
      queue.finish()
    case .state(let sections, let refill):
      let refill = exchanging(refill, for: sections)
      view.show(
        rows: refill.rows,
        reloaded: refill.reloaded,
        sections: refill.sections,
        animation: animation,
        { [self] in queue.commit(sections) },
        completion: { [weak self] in self?.finish() }
      )
    }
  }

  /// A cell that is filled again in place must stay of its kind. A row whose payload the app can't read any more shows
  /// its fallback's cell, though the service counts it as the same kind: its cell is exchanged.
  private func exchanging(_ refill: Refill, for sections: [TableSection]) -> Refill {
    guard !refill.rows.isEmpty else { return refill }
    let next = refill.rows.map { sections[$0.section].rows[$0.row] }
    var former: [Identity: TableRow] = [:]
    // Mostly they stand where they stood.
    let stayed = zip(refill.rows, next).map { path, row in
      self.row(path).flatMap { $0.identity == row.identity ? $0 : nil }
    }
    for case let row? in stayed { former[row.identity] = row }
    if stayed.contains(where: { $0 == nil }) {
      let ids = Set(next.map(\.identity))
      for section in self.sections {
        for row in section.rows where ids.contains(row.identity) { former[row.identity] = row }
      }
    }
    var result = Refill(reloaded: refill.reloaded, sections: refill.sections)
    for (path, row) in zip(refill.rows, next) {
      let isSame = former[row.identity].map {
        $0 === row || $0.shownIdentifier(as: Cell.self) == row.shownIdentifier(as: Cell.self)
      }
      if isSame ?? true { result.rows.append(path) } else { result.reloaded.append(path) }
    }
    return result
  }

  private func finish() {
    queue.finish()
    proceed()
  }

  /// The scroll position and the selection are kept by identity: index paths mean other rows now.
  private func reload(_ view: any ListView, _ sections: [TableSection]) {
    let anchor = view.anchor.flatMap { anchor in identity(anchor.path).map { (id: $0, offset: anchor.offset) } }
    let selected = Set(view.selectedRows.compactMap { identity($0) })
    view.reload { queue.commit(sections) }
    var paths: [RowPath] = []
    for (section, element) in sections.enumerated() {
      for (row, element) in element.rows.enumerated() {
        let path = RowPath(section: section, row: row)
        if selected.contains(element.identity) { paths.append(path) }
        if let anchor, anchor.id == element.identity { view.scroll(to: path, offset: anchor.offset) }
      }
    }
    view.select(paths)
    queue.finish()
  }

  private func identity(_ path: RowPath) -> Identity? { row(path)?.identity }

  /// The row that the view shows there.
  func row(_ path: RowPath) -> TableRow? {
    guard let rows = section(path.section)?.rows, rows.indices.contains(path.row) else { return nil }
    return rows[path.row]
  }

  /// Call this when a row becomes visible, or soon will. If the table has a window, further rows are loaded near its
  /// ends. O(sections).
  public func willShow(_ path: RowPath) {
    guard let window = snapshot?.window, window.hasMore || window.hasPrevious else { return }
    let before = sections.prefix(path.section).reduce(0) { $0 + $1.rows.count } + path.row
    if window.hasMore, sections.reduce(0, { $0 + $1.rows.count }) - before <= ScrollLoading.margin {
      table.loadMore()
    } else if window.hasPrevious, before < ScrollLoading.margin {
      table.loadPrevious()
    }
  }

  /// Whether the person may move it: not in an order that they have chosen.
  func canMove(_ row: TableRow) -> Bool { row.can.move && snapshot?.offersMoves != false }

  func section(_ index: Int) -> TableSection? { sections.indices.contains(index) ? sections[index] : nil }
}
