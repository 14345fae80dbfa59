#if canImport(UIKit)
public import UIKit

/// Shows a table's status in words: behind a list without rows, or as a strip at the lower edge of a list with rows.
public final class TableStatusView: UIView {
  public let status: TableStatus
  /// An adapter has made it, not the app.
  var isOfAdapter = false

  /// - Parameter retry: what the button does, where the status offers one.
  public init(_ status: TableStatus, texts: TableTexts = TableTexts(), retry: @escaping @MainActor () -> Void) {
    self.status = status
    super.init(frame: .zero)
    let stack = UIStackView(arrangedSubviews: parts(texts, retry))
    stack.axis = .vertical
    stack.alignment = .center
    stack.spacing = 8
    stack.translatesAutoresizingMaskIntoConstraints = false
    addSubview(stack)
    let isStrip = status.kind == .stale
    if isStrip { backgroundColor = .secondarySystemBackground }
    let margin = layoutMarginsGuide
    NSLayoutConstraint.activate([
      stack.leadingAnchor.constraint(equalTo: margin.leadingAnchor),
      stack.trailingAnchor.constraint(equalTo: margin.trailingAnchor),
      isStrip
        ? stack.topAnchor.constraint(equalTo: margin.topAnchor)
        : stack.centerYAnchor.constraint(equalTo: margin.centerYAnchor),
    ])
    if isStrip { stack.bottomAnchor.constraint(equalTo: margin.bottomAnchor).isActive = true }
  }

  @available(*, unavailable)
  public required init?(coder: NSCoder) { nil }

  private func parts(_ texts: TableTexts, _ retry: @escaping @MainActor () -> Void) -> [UIView] {
    var parts: [UIView] = []
    if status.kind == .loading {
      let spinner = UIActivityIndicatorView(style: .medium)
      spinner.startAnimating()
      parts.append(spinner)
    }
    parts.append(label(status.title, status.kind == .stale ? .footnote : .headline, .label))
    if !status.detail.isEmpty { parts.append(label(status.detail, .footnote, .secondaryLabel)) }
    if status.offersRetry {
      let action = UIAction(title: texts.retry) { _ in retry() }
      parts.append(UIButton(configuration: .bordered(), primaryAction: action))
    }
    return parts
  }

  private func label(_ text: String, _ style: UIFont.TextStyle, _ color: UIColor) -> UILabel {
    let label = UILabel()
    label.text = text
    label.font = .preferredFont(forTextStyle: style)
    label.adjustsFontForContentSizeCategory = true
    label.textColor = color
    label.textAlignment = .center
    label.numberOfLines = 0
    return label
  }
}
#endif
