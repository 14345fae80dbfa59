@testable import TablecastClient
@testable import TablecastUI

/// A rule of the driver's, broken.
enum Fault: String, CaseIterable, Sendable {
  case dataBeforeTheBatch, dataAfterTheBatch, batchOutsideAWindow, batchWhileHeld, batchDuringABatch,
    batchAfterLostCount
  case refillInsideTheBatch, refillForgotten, refillBeforeTheData, refillTwice, kindKept
  case deletionForgotten, insertionForgotten, deletedAndMoved, rowInAMovedSection, laterCoordinates, sectionUpdatedOnly

  /// What the simulator says of it.
  var notice: String {
    switch self {
    case .dataBeforeTheBatch, .batchAfterLostCount: "the data was changed before the batch"
    case .deletionForgotten, .insertionForgotten: "invalid number of rows after the batch"
    // A section enters of which the data doesn't know yet, or rows do.
    case .dataAfterTheBatch: "a section enters beyond the end"
    case .batchOutsideAWindow: "a batch outside a window"
    case .batchWhileHeld: "a batch while the user holds a row"
    case .batchDuringABatch: "while another one is animated"
    case .refillInsideTheBatch: "a refill inside a batch"
    case .refillForgotten, .sectionUpdatedOnly: "a cell shows an old row"
    case .refillTwice: "a row is reconfigured and reloaded"
    case .kindKept, .refillBeforeTheData: "a cell of another kind"
    case .deletedAndMoved: "a row leaves twice"
    case .rowInAMovedSection: "a row operation in a section that moves"
    case .laterCoordinates: "rows stand elsewhere after the batch"
    }
  }
}

/// Stands between the driver and a strict view and breaks one rule, always: what a driver without the rule would do.
@MainActor
final class FaultyView: ListView {
  private let view: StrictListView
  private let fault: Fault

  init(_ view: StrictListView, _ fault: Fault) { (self.view, self.fault) = (view, fault) }

  var isInWindow: Bool { fault == .batchOutsideAWindow || view.isInWindow }
  var isInteracting: Bool { fault != .batchWhileHeld && view.isInteracting }
  var rowCounts: [Int]? {
    let counts = view.rowCounts
    return fault == .batchAfterLostCount && counts != nil ? view.dataSource().map(\.rows.count) : counts
  }

  func reload(_ setData: () -> Void) { view.reload(setData) }

  func perform(
    _ stage: TableStage,
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  ) {
    let wrong = broken(stage)
    switch fault {
    case .dataBeforeTheBatch:
      setData()
      view.perform(wrong, animation: animation, {}, completion: completion)
    case .dataAfterTheBatch:
      view.perform(wrong, animation: animation, {}, completion: completion)
      setData()
    case .batchDuringABatch:
      view.perform(wrong, animation: animation, setData, completion: {})
      completion()
    case .refillInsideTheBatch:
      view.perform(
        wrong,
        animation: animation,
        { [view] in
          setData()
          view.refill([], reloaded: [], sections: [], animation: animation) {}
        },
        completion: completion
      )
    default: view.perform(wrong, animation: animation, setData, completion: completion)
    }
  }

  private func broken(_ stage: TableStage) -> TableStage {
    var stage = stage
    switch fault {
    case .deletionForgotten: stage.deletedRows = []
    case .insertionForgotten: stage.insertedRows = []
    case .deletedAndMoved: stage.deletedRows += stage.movedRows.map { .init(at: $0.from, id: $0.id) }
    case .rowInAMovedSection:
      stage.deletedRows += stage.movedSections.filter { !view.shown[$0.from].rows.isEmpty }
        .map { .init(at: RowPath(section: $0.from, row: 0), id: "") }
    case .laterCoordinates:
      // As AppKit counts: each deletion after those before it.
      for index in stage.deletedRows.indices {
        let above = stage.deletedRows[..<index].filter { $0.at.section == stage.deletedRows[index].at.section }
        stage.deletedRows[index].at.row -= above.count { $0.at.row < stage.deletedRows[index].at.row } > 0 ? 1 : 0
      }
    default: break
    }
    return stage
  }

  func refill(_ rows: [RowPath], reloaded: [RowPath], sections: [Int], animation: TableAnimation, _ setData: () -> Void)
  {
    switch fault {
    case .refillForgotten: view.refill([], reloaded: [], sections: sections, animation: animation, setData)
    case .sectionUpdatedOnly: view.refill([], reloaded: reloaded, sections: sections, animation: animation, setData)
    case .refillBeforeTheData:
      view.refill(rows, reloaded: reloaded, sections: sections, animation: animation) {}
      setData()
    case .refillTwice: view.refill(rows, reloaded: rows + reloaded, sections: sections, animation: animation, setData)
    case .kindKept: view.refill(rows + reloaded, reloaded: [], sections: sections, animation: animation, setData)
    default: view.refill(rows, reloaded: reloaded, sections: sections, animation: animation, setData)
    }
  }

  var anchor: ScrollAnchor? { view.anchor }
  func scroll(to path: RowPath, offset: Double) { view.scroll(to: path, offset: offset) }
  var selectedRows: [RowPath] { view.selectedRows }
  func select(_ rows: [RowPath]) { view.select(rows) }
}
