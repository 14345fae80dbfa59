#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import TablecastClient

/// An `NSTableView` as the driver sees it: its indices count anew after every operation.
@MainActor
final class NSTableViewList: ListView {
  private weak var view: NSTableView?
  private let source: SectionSource
  private var isLoaded = false

  init(_ view: NSTableView, _ source: SectionSource) { (self.view, self.source) = (view, source) }

  var isInWindow: Bool { view?.window != nil }
  var isInteracting: Bool {
    guard let view else { return false }
    return view.editedRow >= 0 || view.rowActionsVisible
  }

  /// The view knows lines, not sections: it has lost count where their number differs.
  var rowCounts: [Int]? {
    guard isLoaded, let view, view.numberOfRows == ListLine.all(of: source.sections).count else { return nil }
    return source.sections.map(\.rows.count)
  }

  func reload(_ setData: () -> Void) {
    setData()
    isLoaded = true
    view?.reloadData()
  }

  func perform(
    _ stage: TableStage,
    animation: TableAnimation,
    _ setData: @escaping @MainActor () -> Void,
    completion: @escaping @MainActor () -> Void
  ) {
    let old = ListLine.all(of: source.sections)
    setData()
    let operations = SequentialOperation.between(
      old,
      ListLine.all(of: source.sections),
      fresh: ListLine.entering(by: stage)
    )
    guard let view else { return completion() }
    view.beginUpdates()
    for operation in operations {
      switch operation {
      case .remove(let line): view.removeRows(at: IndexSet(integer: line), withAnimation: .init(animation.delete))
      case .insert(let line): view.insertRows(at: IndexSet(integer: line), withAnimation: .init(animation.insert))
      case .move(let from, let to): view.moveRow(at: from, to: to)
      }
    }
    view.endUpdates()
    completion()
  }

  func refill(
    _ rows: [RowPath],
    reloaded: [RowPath],
    sections indices: [Int],
    animation: TableAnimation,
    _ setData: () -> Void
  ) {
    let old = source.sections
    setData()
    guard let view else { return }
    guard let lines = ListLine.refilled(rows + reloaded, sections: indices, from: old, to: source.sections) else {
      return view.reloadData()
    }
    view.reloadData(forRowIndexes: lines, columnIndexes: IndexSet(integersIn: 0..<view.numberOfColumns))
  }

  /// The first line that is a row, and visible to its upper edge or not.
  var anchor: ScrollAnchor? {
    guard let view else { return nil }
    let visible = view.visibleRect
    let lines = view.rows(in: visible)
    guard lines.length > 0 else { return nil }
    for line in lines.location..<lines.location + lines.length {
      guard let path = ListLine.path(line, in: source.sections) else { continue }
      return ScrollAnchor(path: path, offset: Double(view.rect(ofRow: line).minY - visible.minY))
    }
    return nil
  }

  func scroll(to path: RowPath, offset: Double) {
    guard let view, let line = ListLine.line(of: path, in: source.sections) else { return }
    view.scroll(NSPoint(x: view.visibleRect.minX, y: view.rect(ofRow: line).minY - CGFloat(offset)))
  }

  var selectedRows: [RowPath] {
    let sections = source.sections
    return (view?.selectedRowIndexes ?? IndexSet()).compactMap { ListLine.path($0, in: sections) }
  }

  func select(_ rows: [RowPath]) {
    let sections = source.sections
    view?.selectRowIndexes(
      IndexSet(rows.compactMap { ListLine.line(of: $0, in: sections) }),
      byExtendingSelection: false
    )
  }
}

extension NSTableView.AnimationOptions {
  /// By the protocol's names, which are UIKit's; what AppKit hasn't fades.
  init(_ name: String) {
    switch name {
    case "none": self = []
    case "left": self = .slideLeft
    case "right": self = .slideRight
    case "top": self = .slideUp
    case "bottom": self = .slideDown
    default: self = .effectFade
    }
  }
}
#endif
