#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
public import TablecastClient

/// A line of an `NSTableView`, which has no sections: headers are lines of their own.
public enum ListLine: Hashable, Sendable {
  case header(section: String)
  case row(String)

  static func all(of sections: [TableSection]) -> [ListLine] {
    sections.flatMap { section in
      (section.header == nil ? [] : [.header(section: section.id)]) + section.rows.map { .row($0.id) }
    }
  }
}

/// An `NSTableView` that shows a table: its data source and delegate.
@MainActor
open class NSTableViewAdapter<Cell: CellModel>: NSObject, NSTableViewDataSource, NSTableViewDelegate {
  /// Makes the view of a row.
  public typealias Configure = @MainActor (NSTableView, DisplayedRow<Cell>) -> NSView?

  public unowned let driver: TableDriver<Cell>
  private let configure: Configure

  public init(_ driver: TableDriver<Cell>, configure: @escaping Configure) {
    (self.driver, self.configure) = (driver, configure)
  }

  open func numberOfRows(in tableView: NSTableView) -> Int { ListLine.all(of: driver.sections).count }

  open func tableView(_ tableView: NSTableView, isGroupRow line: Int) -> Bool { path(line) == nil }

  open func tableView(_ tableView: NSTableView, viewFor column: NSTableColumn?, row line: Int) -> NSView? {
    if let path = path(line) { return DisplayedRow(driver, path).flatMap { configure(tableView, $0) } }
    let title = header(line)?["payload"]?["title"]?.string ?? ""
    return NSTextField(labelWithString: title)
  }

  /// The row on a line; nil for a header.
  public func path(_ line: Int) -> RowPath? {
    var rest = line
    for (index, section) in driver.sections.enumerated() {
      if section.header != nil {
        if rest == 0 { return nil }
        rest -= 1
      }
      if rest < section.rows.count { return RowPath(section: index, row: rest) }
      rest -= section.rows.count
    }
    return nil
  }

  private func header(_ line: Int) -> JSONText? {
    let lines = ListLine.all(of: driver.sections)
    guard lines.indices.contains(line), case .header(let id) = lines[line] else { return nil }
    return driver.sections.first { $0.id == id }?.header
  }
}

/// An `NSTableView` as the driver sees it: its indices count anew after every operation.
@MainActor
final class NSTableViewList: ListView {
  private weak var view: NSTableView?
  private let sections: () -> [TableSection]
  private var isLoaded = false

  init(_ view: NSTableView, sections: @escaping () -> [TableSection]) { (self.view, self.sections) = (view, sections) }

  var isInWindow: Bool { view?.window != nil }
  var isInteracting: Bool { view?.editedRow ?? -1 >= 0 }

  /// The view knows lines, not sections: it has lost count where their number differs.
  var rowCounts: [Int]? {
    guard isLoaded, let view, view.numberOfRows == ListLine.all(of: sections()).count else { return nil }
    return sections().map(\.rows.count)
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
    let old = ListLine.all(of: sections())
    setData()
    let operations = SequentialOperation.between(old, ListLine.all(of: sections()))
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
    let old = ListLine.all(of: sections())
    setData()
    guard let view else { return }
    // A header that comes or goes is a line more or less.
    guard old == ListLine.all(of: sections()) else { return view.reloadData() }
    var lines = IndexSet()
    var line = 0
    let paths = Set(rows + reloaded)
    for (index, section) in sections().enumerated() {
      if section.header != nil {
        if indices.contains(index) { lines.insert(line) }
        line += 1
      }
      for row in section.rows.indices {
        if paths.contains(RowPath(section: index, row: row)) { lines.insert(line) }
        line += 1
      }
    }
    view.reloadData(forRowIndexes: lines, columnIndexes: IndexSet(integersIn: 0..<view.numberOfColumns))
  }

  var anchor: ScrollAnchor? { nil }
  func scroll(to path: RowPath, offset: Double) {}

  var selectedRows: [RowPath] {
    var line = 0
    var paths: [RowPath] = []
    let selected = view?.selectedRowIndexes ?? IndexSet()
    for (index, section) in sections().enumerated() {
      if section.header != nil { line += 1 }
      for row in section.rows.indices {
        if selected.contains(line) { paths.append(RowPath(section: index, row: row)) }
        line += 1
      }
    }
    return paths
  }

  func select(_ rows: [RowPath]) {
    var line = 0
    var lines = IndexSet()
    for (index, section) in sections().enumerated() {
      if section.header != nil { line += 1 }
      for row in section.rows.indices {
        if rows.contains(RowPath(section: index, row: row)) { lines.insert(line) }
        line += 1
      }
    }
    view?.selectRowIndexes(lines, byExtendingSelection: false)
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

extension TableDriver {
  /// A driver of an `NSTableView`: registers itself as data source and delegate, and begins to follow.
  public convenience init(
    _ table: LiveTable<Cell>,
    _ tableView: NSTableView,
    configure: @escaping NSTableViewAdapter<Cell>.Configure
  ) {
    let source = SectionSource()
    let list = NSTableViewList(tableView) { source.sections() }
    self.init(table, view: list)
    source.sections = { [weak self] in self?.sections ?? [] }
    let adapter = NSTableViewAdapter(self, configure: configure)
    self.adapter = AdapterParts(list: list, adapter: adapter)
    tableView.dataSource = adapter
    tableView.delegate = adapter
    start()
  }
}
#endif
