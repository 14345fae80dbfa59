import Foundation

@MainActor public protocol UISearchResultsUpdating: NSObjectProtocol {
  func updateSearchResults(for searchController: UISearchController)
}

public final class UISearchBar: UIView {
  public var text: String?
  public var placeholder: String?
}

@MainActor open class UIViewController: NSObject {
  public let navigationItem = UINavigationItem()
  override public nonisolated init() {}
}

open class UISearchController: UIViewController {
  public let searchBar = UISearchBar()
  public var obscuresBackgroundDuringPresentation = true
  public weak var searchResultsUpdater: (any UISearchResultsUpdating)?

  public init(searchResultsController: UIViewController?) {}

  /// The person types.
  public func type(_ text: String) {
    searchBar.text = text
    searchResultsUpdater?.updateSearchResults(for: self)
  }
}

public final class UIImage: NSObject {
  public let systemName: String
  public init?(systemName: String) { self.systemName = systemName }
}

@MainActor open class UIBarButtonItem: NSObject {
  public var image: UIImage?
  public var menu: UIMenu?
  public var accessibilityLabel: String?

  public init(title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil, menu: UIMenu? = nil) {
    (self.image, self.menu) = (image, menu)
  }
}

@MainActor public final class UINavigationItem: NSObject {
  public var searchController: UISearchController?
  public var rightBarButtonItems: [UIBarButtonItem]?
  override public nonisolated init() {}
}
