#if canImport(UIKit)
import UIKit

/// A list of UIKit's, which keeps its place over a reload.
@MainActor
protocol ScrolledList: ListView {
  /// Notes how far the view reaches: a reload of whatever kind may have it scroll.
  func willReload()
}

/// How far a scroll view can be scrolled past its content: bars, safe areas, the app's own insets.
struct ScrollMargins {
  var top: CGFloat = 0
  var bottom: CGFloat = 0
}

extension UIScrollView {
  /// A view without a window has no safe area, so bars are missing from its insets. Where it stands tells of them.
  var scrollMargins: ScrollMargins {
    var margins = ScrollMargins(top: adjustedContentInset.top, bottom: adjustedContentInset.bottom)
    guard window == nil else { return margins }
    let y = contentOffset.y
    margins.top = max(margins.top, -y)
    // At its top, a short list ends above the lower edge: that is no margin.
    if y > 0 { margins.bottom = max(margins.bottom, y + bounds.height - contentSize.height) }
    return margins
  }

  /// Scrolls to a place, and not past either end of the content.
  ///
  /// - Parameter place: the offset that is wanted; nil where there is none.
  func scroll(within margins: ScrollMargins, to place: () -> CGFloat?) {
    // Rows that size themselves have estimated heights until they are laid out: the second time near the place.
    for _ in 0..<2 {
      layoutIfNeeded()
      guard let y = place() else { return }
      let top = -margins.top
      let bottom = max(top, contentSize.height + margins.bottom - bounds.height)
      contentOffset.y = min(max(y, top), bottom)
    }
  }
}
#endif
