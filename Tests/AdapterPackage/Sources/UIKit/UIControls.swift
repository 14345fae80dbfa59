import Foundation

@MainActor open class UIMenuElement: NSObject {
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let disabled = Attributes(rawValue: 1)
    public static let destructive = Attributes(rawValue: 2)
  }

  public let title: String
  init(_ title: String) { self.title = title }
}

public final class UIAction: UIMenuElement {
  public enum State: Int, Sendable { case off, on, mixed }

  public let attributes: Attributes
  public let state: State
  private let handler: (UIAction) -> Void

  public init(
    title: String = "",
    attributes: Attributes = [],
    state: State = .off,
    handler: @escaping (UIAction) -> Void
  ) {
    (self.attributes, self.state, self.handler) = (attributes, state, handler)
    super.init(title)
  }

  /// What a tap does.
  public func perform() { handler(self) }
}

public final class UIMenu: UIMenuElement {
  public struct Options: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let displayInline = Options(rawValue: 1)
  }

  public let children: [UIMenuElement]
  public let options: Options

  public init(title: String = "", options: Options = [], children: [UIMenuElement] = []) {
    (self.options, self.children) = (options, children)
    super.init(title)
  }
}

@MainActor public final class UIContextMenuConfiguration: NSObject {
  public let identifier: any NSCopying
  private let actionProvider: (([UIMenuElement]) -> UIMenu?)?

  public init(
    identifier: (any NSCopying)?,
    previewProvider: (() -> UIView?)? = nil,
    actionProvider: (([UIMenuElement]) -> UIMenu?)? = nil
  ) {
    self.identifier = identifier ?? NSString(string: "")
    self.actionProvider = actionProvider
  }

  /// The menu as it is shown.
  public var menu: UIMenu? { actionProvider?([]) }
}

@MainActor public protocol UIContextMenuInteractionAnimating: AnyObject {}

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

@MainActor open class UIControl: UIView {
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let valueChanged = Event(rawValue: 1 << 12)
    public static let primaryActionTriggered = Event(rawValue: 1 << 13)
  }

  private var actions: [(action: UIAction, events: Event)] = []

  public func addAction(_ action: UIAction, for events: Event) { actions.append((action, events)) }

  public func sendActions(for events: Event) {
    for entry in actions where !entry.events.isDisjoint(with: events) { entry.action.perform() }
  }
}

public final class UIButton: UIControl {
  public struct Configuration: Sendable {
    public static func bordered() -> Configuration { Configuration() }
  }

  public init(configuration: Configuration, primaryAction: UIAction?) {
    super.init(frame: .zero)
    if let primaryAction { addAction(primaryAction, for: .primaryActionTriggered) }
  }
  public required init?(coder: NSCoder) { nil }
}

open class UIRefreshControl: UIControl {
  public private(set) var isRefreshing = false
  public func beginRefreshing() { isRefreshing = true }
  public func endRefreshing() { isRefreshing = false }
}

@MainActor public protocol UIScrollViewDelegate: AnyObject {
  func scrollViewDidEndDragging(_ scrollView: UIScrollView, willDecelerate decelerate: Bool)
}

@MainActor open class UIScrollView: UIView {
  public var isDragging = false
  public var contentOffset = CGPoint()
  /// UIKit sets it; tests do so here.
  public var adjustedContentInset = UIEdgeInsets()
  open var contentSize: CGSize { CGSize() }
  public var refreshControl: UIRefreshControl?
  public let frameLayoutGuide = UILayoutGuide()
  /// What the real view raises an exception for.
  public private(set) var exceptions: [String] = []

  open func layoutIfNeeded() {}
  func raise(_ what: String) { exceptions.append(what) }
}
