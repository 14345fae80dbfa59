// Stand-ins for menus: `NSMenu` asks its delegate for items each time before it opens.

/// Linux has no selectors.
public struct Selector: Sendable {}

@MainActor public protocol NSMenuDelegate: AnyObject {
  func menuNeedsUpdate(_ menu: NSMenu)
  func menuWillOpen(_ menu: NSMenu)
  func menuDidClose(_ menu: NSMenu)
}

@MainActor open class NSMenu: NSObject {
  public weak var delegate: (any NSMenuDelegate)?
  public private(set) var items: [NSMenuItem] = []
  public init(title: String) {}
  public func removeAllItems() { items = [] }
  public func addItem(_ item: NSMenuItem) { items.append(item) }

  /// What the user does: opens it, and chooses an item or none. Returns the items; nil where it didn't open.
  @discardableResult
  public func open(choose: (NSMenuItem) -> Void = { _ in }, whileOpen: () -> Void = {}) -> [NSMenuItem]? {
    delegate?.menuNeedsUpdate(self)
    guard !items.isEmpty else { return nil }
    delegate?.menuWillOpen(self)
    whileOpen()
    // AppKit closes it before the item acts.
    delegate?.menuDidClose(self)
    for item in items { choose(item) }
    return items
  }
}

@MainActor open class NSMenuItem: NSObject {
  public var title: String
  public weak var target: AnyObject?
  public var action: Selector?

  public init(title: String, action: Selector?, keyEquivalent: String) { (self.title, self.action) = (title, action) }
  public required init(coder: NSCoder) { title = "" }
}
