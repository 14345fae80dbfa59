#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit

/// An adapter's menu: an app's own is another.
final class AdapterMenu: NSMenu {}

/// The context menu of a row of an `NSTableView`: filled when it is asked for, with what the row under the pointer offers.
@MainActor
final class RowMenu: NSObject, NSMenuDelegate {
  private weak var tableView: NSTableView?
  private let offers: (_ line: Int) -> [RowOffer]
  /// Whether it is open: what changes then waits.
  private let isOpen: (Bool) -> Void

  init(_ tableView: NSTableView, offers: @escaping (Int) -> [RowOffer], isOpen: @escaping (Bool) -> Void) {
    (self.tableView, self.offers, self.isOpen) = (tableView, offers, isOpen)
  }

  /// A menu without items isn't opened.
  func menuNeedsUpdate(_ menu: NSMenu) {
    menu.removeAllItems()
    guard let tableView, tableView.clickedRow >= 0 else { return }
    for offer in offers(tableView.clickedRow) { menu.addItem(RowMenuItem(offer)) }
  }

  func menuWillOpen(_ menu: NSMenu) { isOpen(true) }
  func menuDidClose(_ menu: NSMenu) { isOpen(false) }
}

/// AppKit's items call a selector, which Linux doesn't have: there the stand-ins' tests choose the item themselves.
final class RowMenuItem: NSMenuItem {
  private let offer: RowOffer

  init(_ offer: RowOffer) {
    self.offer = offer
    super.init(title: offer.title, action: nil, keyEquivalent: "")
    #if canImport(ObjectiveC)
    (target, action) = (self, #selector(choose))
    #endif
  }

  @available(*, unavailable)
  required init(coder: NSCoder) {
    offer = RowOffer(title: "", isDestructive: false) {}
    super.init(coder: coder)
  }

  #if canImport(ObjectiveC)
  @objc
  #endif
  func choose() { offer.perform() }
}
#endif
