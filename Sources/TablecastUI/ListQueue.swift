import TablecastClient

/// Which rows, headers and footers of a state are to be filled again in place.
struct Refill: Hashable, Sendable {
  var rows: [RowPath] = []
  /// Their cell itself is another one.
  var reloaded: [RowPath] = []
  var sections: [Int] = []

  var isEmpty: Bool { rows.isEmpty && reloaded.isEmpty && sections.isEmpty }
}

/// What a view is to do next, so that it comes from what it shows to what it should. Pure: events in, steps out.
///
/// One step at a time: a batch is over when its completion says so. What comes meanwhile, or while the user has a row
/// under the finger, waits, and is done as one change from what is shown then.
struct ListQueue: Sendable {
  enum Step: Sendable {
    /// Everything anew; the scroll position and the selection are kept by identity.
    case reload([TableSection])
    /// One batch of structure; its updates follow as a step of their own.
    case batch(TableStage, [TableSection])
    case refill(Refill, [TableSection])
    /// Another state, for a view that finds out itself what moves.
    case state([TableSection], Refill)
  }

  /// The view finds out itself what moves: diffable data sources.
  var takesStates = false

  /// What the view shows: its data source answers from it.
  private(set) var sections: [TableSection] = []
  /// Rows that it shows as pending.
  private var pending: Set<String> = []
  /// What it is on its way to, once steps are planned.
  private var goal: TableSnapshot?
  private var revision: Int?
  /// Where the window begins, of a table that is cut.
  private var firstRow = 0
  private var target: TableSnapshot?
  /// The service's own stages from `sections` to the target, where nothing was missed.
  private var stages: [TableStage]?
  private var isReset = false
  /// The edit of the user's own move, until a state has it: one without it would take the row back.
  private(set) var awaitedMove: EditID?
  private var planned: [Step] = []
  private var isBusy = false
  private var wantsReload = true

  mutating func take(_ change: TableChange) {
    if change.snapshot.edits.contains(where: { $0.id == awaitedMove }) { awaitedMove = nil }
    let isNext = target == nil && planned.isEmpty && !isBusy && revision == change.from
    switch change.kind {
    case .stages(let next): stages = isNext ? next : nil
    case .reset:
      stages = nil
      isReset = true
    case .status where isNext && change.snapshot.pendingRows == pending:
      // The same rows: nothing for the view to do.
      revision = change.snapshot.revision
      return
    case .status: stages = nil
    }
    target = change.snapshot
  }

  /// What to do now; nil where there is nothing, or where it must wait. `commit` is to be called where the data source
  /// is to answer with the new rows, `finish` when it is done.
  ///
  /// - Parameters:
  ///   - counts: what the view believes to have; nil where it has nothing yet.
  mutating func next(counts: [Int]?, isInWindow: Bool, isHeld: Bool) -> Step? {
    guard !isBusy, !isHeld, awaitedMove == nil else { return nil }
    if planned.isEmpty { plan() }
    guard !planned.isEmpty else { return nil }
    var step = planned.removeFirst()
    // A view that has nothing yet, isn't on the screen, or has lost count, takes no batch.
    if wantsReload || !isInWindow || counts != sections.map(\.rows.count) {
      wantsReload = false
      planned = []
      step = .reload(goal?.sections ?? [])
      stages = nil
    }
    isBusy = true
    return step
  }

  /// Something is to be done, and nothing is being done.
  var isWaiting: Bool { !isBusy && (target != nil || !planned.isEmpty) }

  mutating func commit(_ sections: [TableSection]) { self.sections = sections }

  mutating func finish() { isBusy = false }

  /// The view shows a move of the user's already. Steps that were planned from the rows before no longer fit, and the
  /// next ones lead to a state that has the move.
  mutating func moved(to sections: [TableSection], by edit: EditID) {
    self.sections = sections
    (revision, stages, awaitedMove) = (nil, nil, edit)
    guard !planned.isEmpty else { return }
    planned = []
    target = target ?? goal
  }

  /// The edit is over, whether a state that had it has come or not.
  mutating func ended(_ edit: EditID) { if awaitedMove == edit { awaitedMove = nil } }

  private mutating func plan() {
    guard let target else { return }
    let repending = pending.symmetricDifference(target.pendingRows)
    defer {
      (revision, pending) = (target.revision, target.pendingRows)
      (stages, isReset) = (nil, false)
    }
    self.target = nil
    goal = target
    // Another table altogether is no animation, nor are rows that come above as the window moves: what is in sight
    // stays where it is. The same rows again are filled in place.
    let isJump = isReset || firstRow != target.window?.from ?? 0
    firstRow = target.window?.from ?? 0
    if takesStates && !wantsReload { return planState(target, repending, isJump) }
    let stages = stages ?? [TableStage](from: sections, to: target.sections)
    if wantsReload || isJump && stages.contains(where: \.changesStructure) {
      planned = [.reload(target.sections)]
      return
    }
    var state = sections
    var steps: [Step] = []
    for stage in stages {
      guard let next = stage.applied(to: state) else {
        planned = [.reload(target.sections)]
        return
      }
      if stage.changesStructure { steps.append(.batch(stage, stage.structure(of: next, before: state))) }
      if stage.changesContents { steps.append(.refill(stage.refill, next)) }
      state = next
    }
    guard state == target.sections else {
      planned = [.reload(target.sections)]
      return
    }
    planned = steps
    refill(repending, in: state)
  }

  private mutating func planState(_ target: TableSnapshot, _ repending: Set<String>, _ isJump: Bool) {
    let refill = Refill(from: sections, to: target.sections, also: repending)
    let isSameOrder =
      sections.map(\.identity) == target.sections.map(\.identity)
      && zip(sections, target.sections).allSatisfy { $0.rows.elementsEqual($1.rows) { $0.identity == $1.identity } }
    if isSameOrder, refill.isEmpty { return }
    planned = [isJump && !isSameOrder ? .reload(target.sections) : .state(target.sections, refill)]
  }

  /// Rows whose edits are done, or have just begun, and that nothing else fills again. What enters is filled anyway.
  private mutating func refill(_ ids: Set<String>, in state: [TableSection]) {
    guard !ids.isEmpty else { return }
    let shown = Set(sections.lazy.flatMap { $0.rows.lazy.map(\.id) })
    var refill = Refill()
    if case .refill(let last, _)? = planned.last {
      refill = last
      planned.removeLast()
    }
    let filled = Set(refill.rows + refill.reloaded)
    for (section, element) in state.enumerated() {
      for (row, element) in element.rows.enumerated() where ids.contains(element.id) && shown.contains(element.id) {
        let path = RowPath(section: section, row: row)
        if !filled.contains(path) { refill.rows.append(path) }
      }
    }
    if !refill.isEmpty { planned.append(.refill(refill, state)) }
  }
}

extension Refill {
  /// What two states have in common and show differently, in the coordinates of the second one. O(rows).
  init(from old: [TableSection], to new: [TableSection], also ids: Set<String>) {
    let rows = Dictionary(old.lazy.flatMap { $0.rows.lazy.map { ($0.identity, $0) } }) { first, _ in first }
    let frames = Dictionary(old.lazy.map { ($0.identity, $0) }) { first, _ in first }
    for (section, element) in new.enumerated() {
      if let frame = frames[element.identity], frame.header != element.header || frame.footer != element.footer {
        sections.append(section)
      }
      for (row, element) in element.rows.enumerated() {
        guard let former = rows[element.identity], former != element || ids.contains(element.id) else { continue }
        let path = RowPath(section: section, row: row)
        if former.cellIdentifier == element.cellIdentifier { self.rows.append(path) } else { reloaded.append(path) }
      }
    }
  }
}

extension TableStage {
  fileprivate var changesContents: Bool { !updatedRows.isEmpty || !updatedSections.isEmpty }

  /// What stands after the batch and before the updates: rows that are updated still look as before.
  fileprivate func structure(of next: [TableSection], before: [TableSection]) -> [TableSection] {
    guard changesContents else { return next }
    var stage = self
    (stage.updatedRows, stage.updatedSections) = ([], [])
    return stage.applied(to: before) ?? next
  }

  fileprivate var refill: Refill {
    Refill(
      rows: updatedRows.filter { !$0.reload }.map(\.at),
      reloaded: updatedRows.filter(\.reload).map(\.at),
      sections: updatedSections.map(\.at)
    )
  }
}
