// Stand-ins for what TablecastUI uses of UIKit, declared from Apple's public documentation. A list here keeps counts and
// identities as the real one does, and notes what the real one raises an exception for.

@_exported import Foundation

public typealias CGFloat = Foundation.CGFloat

extension IndexPath {
  public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
  public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
  public var section: Int { self[0] }
  public var row: Int { self[1] }
  public var item: Int { self[1] }
}

/// `CGRect` is without its computed edges here.
public struct CGRectLike {
  public var minY: CGFloat
  public var height: CGFloat = 0
  public static var zero: CGRectLike { CGRectLike(minY: 0) }
}

public struct UIEdgeInsets: Sendable {
  public var top: CGFloat = 0
  public var bottom: CGFloat = 0
}

@MainActor open class UIView: NSObject {
  public var window: UIWindow?
  public var bounds = CGRectLike.zero
  public var backgroundColor: UIColor?
  public var translatesAutoresizingMaskIntoConstraints = true
  public private(set) var subviews: [UIView] = []
  private weak var superview: UIView?

  public init(frame: CGRectLike) {}
  public required init?(coder: NSCoder) { nil }
  override public nonisolated init() {}

  public func addSubview(_ view: UIView) {
    view.removeFromSuperview()
    view.superview = self
    subviews.append(view)
  }

  public func removeFromSuperview() {
    superview?.subviews.removeAll { $0 === self }
    superview = nil
  }

  /// Everything below, itself first.
  public var descendants: [UIView] { [self] + subviews.flatMap(\.descendants) }

  public let layoutMarginsGuide = UILayoutGuide()
  public let safeAreaLayoutGuide = UILayoutGuide()
  public let leadingAnchor = NSLayoutXAxisAnchor()
  public let trailingAnchor = NSLayoutXAxisAnchor()
  public let topAnchor = NSLayoutYAxisAnchor()
  public let bottomAnchor = NSLayoutYAxisAnchor()
  public let centerYAnchor = NSLayoutYAxisAnchor()
}

@MainActor public final class UIWindow: NSObject {}

// MARK: Layout

@MainActor public final class UILayoutGuide: NSObject {
  override public nonisolated init() {}
  public let leadingAnchor = NSLayoutXAxisAnchor()
  public let trailingAnchor = NSLayoutXAxisAnchor()
  public let topAnchor = NSLayoutYAxisAnchor()
  public let bottomAnchor = NSLayoutYAxisAnchor()
  public let centerYAnchor = NSLayoutYAxisAnchor()
}

@MainActor public final class NSLayoutXAxisAnchor: NSObject {
  override public nonisolated init() {}
  public func constraint(equalTo anchor: NSLayoutXAxisAnchor) -> NSLayoutConstraint { NSLayoutConstraint() }
}

@MainActor public final class NSLayoutYAxisAnchor: NSObject {
  override public nonisolated init() {}
  public func constraint(equalTo anchor: NSLayoutYAxisAnchor) -> NSLayoutConstraint { NSLayoutConstraint() }
}

@MainActor public final class NSLayoutConstraint: NSObject {
  public var isActive = false
  public static func activate(_ constraints: [NSLayoutConstraint]) {
    for constraint in constraints { constraint.isActive = true }
  }
}

// MARK: What is drawn

public final class UIColor: NSObject, Sendable {
  public static let label = UIColor()
  public static let secondaryLabel = UIColor()
  public static let secondarySystemBackground = UIColor()
}

public final class UIFont: NSObject, Sendable {
  public struct TextStyle: Hashable, Sendable {
    let name: String
    public static let headline = TextStyle(name: "headline")
    public static let footnote = TextStyle(name: "footnote")
  }

  public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont() }
}

public enum NSTextAlignment: Int, Sendable { case left, center, right }

public final class UILabel: UIView {
  public var text: String?
  public var font: UIFont?
  public var textColor: UIColor?
  public var textAlignment = NSTextAlignment.left
  public var numberOfLines = 1
  public var adjustsFontForContentSizeCategory = false
}

public final class UIActivityIndicatorView: UIView {
  public enum Style: Int, Sendable { case medium, large }
  public private(set) var isAnimating = false

  public init(style: Style) { super.init(frame: .zero) }
  public required init?(coder: NSCoder) { nil }
  public func startAnimating() { isAnimating = true }
}

public final class UIStackView: UIView {
  public enum Alignment: Int, Sendable { case fill, leading, center }
  public var axis = Axis.horizontal
  public var alignment = Alignment.fill
  public var spacing: CGFloat = 0
  public enum Axis: Int, Sendable { case horizontal, vertical }

  public init(arrangedSubviews views: [UIView]) {
    super.init(frame: .zero)
    for view in views { addSubview(view) }
  }
  public required init?(coder: NSCoder) { nil }
}

public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration {
  public var text: String?
}
