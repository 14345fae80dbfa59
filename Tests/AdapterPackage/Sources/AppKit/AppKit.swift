// Stand-ins for what TablecastUI uses of AppKit, declared from Apple's public documentation. An `NSTableView` counts
// anew after every operation, and has no sections.

@_exported import Foundation

public struct NSRectLike {
  public var minX: CGFloat = 0
  public var minY: CGFloat
  public var height: CGFloat = 0
}

@MainActor open class NSView: NSObject {
  public var window: NSWindow?
  public var translatesAutoresizingMaskIntoConstraints = true
  public private(set) var subviews: [NSView] = []
  private weak var superview: NSView?
  override public nonisolated init() {}

  public func addSubview(_ view: NSView) {
    view.superview = self
    subviews.append(view)
  }

  public func removeFromSuperview() {
    superview?.subviews.removeAll { $0 === self }
    superview = nil
  }

  public let centerXAnchor = NSLayoutXAxisAnchor()
  public let centerYAnchor = NSLayoutYAxisAnchor()
  public let bottomAnchor = NSLayoutYAxisAnchor()
  public weak var enclosingScrollView: NSScrollView?
  public var menu: NSMenu?
  /// 50 points of what it shows.
  public var visibleRect = NSRectLike(minY: 0, height: 50)
  public func scroll(_ point: NSPoint) { visibleRect.minY = point.y }
}

@MainActor public final class NSWindow: NSObject {}
@MainActor public final class NSScrollView: NSView {}

@MainActor public final class NSLayoutXAxisAnchor: NSObject {
  override public nonisolated init() {}
  public func constraint(equalTo anchor: NSLayoutXAxisAnchor) -> NSLayoutConstraint { NSLayoutConstraint() }
}

@MainActor public final class NSLayoutYAxisAnchor: NSObject {
  override public nonisolated init() {}
  public func constraint(equalTo anchor: NSLayoutYAxisAnchor) -> NSLayoutConstraint { NSLayoutConstraint() }
}

@MainActor public final class NSLayoutConstraint: NSObject {
  public static func activate(_ constraints: [NSLayoutConstraint]) {}
}

public final class NSColor: NSObject, Sendable {
  public static let secondaryLabelColor = NSColor()
}

public enum NSTextAlignment: Int, Sendable { case left, right, center }

@MainActor open class NSTextField: NSView {
  public var stringValue = ""
  public var alignment = NSTextAlignment.left
  public var textColor: NSColor?

  public convenience init(labelWithString text: String) {
    self.init()
    stringValue = text
  }
}

@MainActor public final class NSTableViewRowAction: NSObject {
  public enum Style: Int, Sendable { case regular, destructive }
  public let style: Style
  public let title: String
  private let handler: (NSTableViewRowAction, Int) -> Void

  public init(style: Style, title: String, handler: @escaping (NSTableViewRowAction, Int) -> Void) {
    (self.style, self.title, self.handler) = (style, title, handler)
  }

  public func perform(_ row: Int) { handler(self, row) }
}

@MainActor public final class NSTableColumn: NSObject {}

@MainActor public protocol NSTableViewDelegate: AnyObject {
  func tableView(_ tableView: NSTableView, viewFor column: NSTableColumn?, row: Int) -> NSView?
  func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool
  func tableView(_ tableView: NSTableView, rowActionsForRow row: Int, edge: NSTableView.RowActionEdge)
    -> [NSTableViewRowAction]
}

@MainActor public protocol NSTableViewDataSource: AnyObject {
  func numberOfRows(in tableView: NSTableView) -> Int
}

@MainActor open class NSTableView: NSView {
  public struct AnimationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let effectFade = AnimationOptions(rawValue: 1)
    public static let slideUp = AnimationOptions(rawValue: 0x10)
    public static let slideDown = AnimationOptions(rawValue: 0x20)
    public static let slideLeft = AnimationOptions(rawValue: 0x30)
    public static let slideRight = AnimationOptions(rawValue: 0x40)
  }

  public enum RowActionEdge: Int, Sendable { case leading, trailing }

  public weak var dataSource: (any NSTableViewDataSource)?
  public weak var delegate: (any NSTableViewDelegate)?
  public var editedRow = -1
  /// The row under the pointer when a menu was asked for.
  public var clickedRow = -1
  public var rowActionsVisible = false
  public private(set) var exceptions: [String] = []
  public private(set) var views: [NSView?] = []
  public private(set) var batches = 0
  public private(set) var selectedRowIndexes = IndexSet()
  private var updates = 0

  public var numberOfRows: Int { views.count }
  public var numberOfColumns: Int { 1 }

  /// Every row is 10 points high.
  public func rect(ofRow row: Int) -> NSRectLike { NSRectLike(minY: CGFloat(10 * row), height: 10) }
  public func rows(in rect: NSRectLike) -> NSRange {
    let first = min(max(0, Int(rect.minY / 10)), views.count)
    return NSRange(location: first, length: min(views.count, Int((rect.minY + rect.height) / 10) + 1) - first)
  }

  public func reloadData() {
    if updates > 0 { exceptions.append("reloadData inside updates") }
    views = (0..<count).map { view($0) }
  }

  public func reloadData(forRowIndexes rows: IndexSet, columnIndexes: IndexSet) {
    check()
    for row in rows where views.indices.contains(row) { views[row] = view(row) }
  }

  public func beginUpdates() {
    if window == nil { exceptions.append("updates outside a window") }
    batches += 1
    updates += 1
  }

  public func endUpdates() {
    updates -= 1
    check()
    // Views of new rows are asked for when all have come.
    for index in views.indices where views[index] == nil { views[index] = view(index) }
  }

  public func insertRows(at rows: IndexSet, withAnimation options: AnimationOptions) {
    for row in rows {
      guard row <= views.count else { return exceptions.append("row \(row) is inserted beyond the end") }
      views.insert(nil, at: row)
    }
  }

  public func removeRows(at rows: IndexSet, withAnimation options: AnimationOptions) {
    for row in rows.reversed() {
      guard views.indices.contains(row) else { return exceptions.append("row \(row) is removed, and isn't there") }
      views.remove(at: row)
    }
  }

  public func moveRow(at old: Int, to new: Int) {
    guard views.indices.contains(old), new < views.count else { return exceptions.append("row \(old) moves to \(new)") }
    views.insert(views.remove(at: old), at: new)
  }

  public func selectRowIndexes(_ rows: IndexSet, byExtendingSelection: Bool) { selectedRowIndexes = rows }

  private var count: Int { dataSource?.numberOfRows(in: self) ?? 0 }
  private func view(_ row: Int) -> NSView? { delegate?.tableView(self, viewFor: nil, row: row) }
  private func check() {
    if views.count != count { exceptions.append("\(views.count) rows, and the data has \(count)") }
  }
}
