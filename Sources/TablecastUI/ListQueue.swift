import TablecastClient

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
    case refill(rows: [RowPath], reloaded: [RowPath], sections: [Int], [TableSection])
  }

  /// What the view shows: its data source answers from it.
  private(set) var sections: [TableSection] = []
  /// What it is on its way to.
  private var goal: [TableSection] = []
  private var revision: Int?
  private var target: TableSnapshot?
  /// The service's own stages from `sections` to the target, where nothing was missed.
  private var stages: [TableStage]?
  private var isReset = false
  private var planned: [Step] = []
  private var isBusy = false
  private var wantsReload = true

  mutating func take(_ change: TableChange) {
    switch change.kind {
    case .stages(let next):
      let isNext = target == nil && planned.isEmpty && !isBusy && revision == change.from
      stages = isNext ? next : nil
    case .reset:
      stages = nil
      isReset = true
    case .status where target == nil && planned.isEmpty && !isBusy && revision == change.from:
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
    guard !isBusy, !isHeld else { return nil }
    if planned.isEmpty { plan() }
    guard !planned.isEmpty else { return nil }
    var step = planned.removeFirst()
    // A view that has nothing yet, isn't on the screen, or has lost count, takes no batch.
    if wantsReload || !isInWindow || counts != sections.map(\.rows.count) {
      wantsReload = false
      planned = []
      step = .reload(goal)
      stages = nil
    }
    isBusy = true
    return step
  }

  mutating func commit(_ sections: [TableSection]) { self.sections = sections }

  mutating func finish() { isBusy = false }

  /// The view did what it liked with its rows: it moved one itself, say.
  mutating func moved(to sections: [TableSection]) {
    self.sections = sections
    revision = nil
  }

  private mutating func plan() {
    guard let target else { return }
    self.target = nil
    defer {
      revision = target.revision
      stages = nil
      isReset = false
    }
    goal = target.sections
    let stages = stages ?? [TableStage](from: sections, to: goal)
    // Another table altogether is no animation; the same rows again are filled in place.
    if wantsReload || isReset && stages.contains(where: \.changesStructure) {
      planned = [.reload(goal)]
      return
    }
    var state = sections
    var steps: [Step] = []
    for stage in stages {
      guard let next = stage.applied(to: state) else {
        planned = [.reload(goal)]
        return
      }
      if stage.changesStructure { steps.append(.batch(stage, stage.structure(of: next, before: state))) }
      if let refill = stage.refill(next) { steps.append(refill) }
      state = next
    }
    planned = state == goal ? steps : [.reload(goal)]
  }
}

extension TableStage {
  /// What stands after the batch and before the updates: rows that are updated still look as before.
  fileprivate func structure(of next: [TableSection], before: [TableSection]) -> [TableSection] {
    guard !updatedRows.isEmpty || !updatedSections.isEmpty else { return next }
    var stage = self
    (stage.updatedRows, stage.updatedSections) = ([], [])
    return stage.applied(to: before) ?? next
  }

  fileprivate func refill(_ next: [TableSection]) -> ListQueue.Step? {
    guard !updatedRows.isEmpty || !updatedSections.isEmpty else { return nil }
    return .refill(
      rows: updatedRows.filter { !$0.reload }.map(\.at),
      reloaded: updatedRows.filter(\.reload).map(\.at),
      sections: updatedSections.map(\.at),
      next
    )
  }
}
