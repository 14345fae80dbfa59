// Stand-ins for what TablecastUI uses of UIKit, declared from Apple's public documentation. A table view here keeps
// counts and identities as the real one does, and notes what the real one raises an exception for.

@_exported import Foundation

public typealias CGFloat = Foundation.CGFloat

extension IndexPath {
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  public var section: Int { self[0] }
  public var row: Int { self[1] }
}

public struct CGRectLike { public var minY: CGFloat }

@MainActor open class UIView: NSObject {
  public var window: UIWindow?
  override public nonisolated init() {}
}

@MainActor public final class UIWindow: NSObject {}

@MainActor public final class UILabel: NSObject { public var text: String? }

public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration {
  public var text: String?
}

@MainActor open class UITableViewCell: UIView {
  public enum EditingStyle: Int, Sendable { case none, delete, insert }
  public internal(set) var reuseIdentifier: String?
  public let textLabel: UILabel? = UILabel()
}

@MainActor open class UITableViewHeaderFooterView: UIView {
  public let textLabel: UILabel? = UILabel()
  public var contentConfiguration: (any UIContentConfiguration)?
}

@MainActor public final class UIContextualAction: NSObject {
  public enum Style: Int, Sendable { case normal, destructive }
  public typealias Handler = (UIContextualAction, UIView, @escaping (Bool) -> Void) -> Void

  public let style: Style
  public let title: String?
  public let handler: Handler

  public init(style: Style, title: String?, handler: @escaping Handler) {
    (self.style, self.title, self.handler) = (style, title, handler)
  }
}

@MainActor public final class UISwipeActionsConfiguration: NSObject {
  public let actions: [UIContextualAction]
  public init(actions: [UIContextualAction]) { self.actions = actions }
}

@MainActor public protocol UIScrollViewDelegate: AnyObject {}

@MainActor open class UIScrollView: UIView {
  public var isDragging = false
  public var contentOffset = CGPoint()
  public func layoutIfNeeded() {}
}

@MainActor public protocol UITableViewDelegate: UIScrollViewDelegate {}

@MainActor public protocol UITableViewDataSource: AnyObject {
  func numberOfSections(in tableView: UITableView) -> Int
  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
  func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
  func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String?
}
