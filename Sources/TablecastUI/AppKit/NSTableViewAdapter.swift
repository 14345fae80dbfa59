#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
public import TablecastClient

/// An adapter that shows a table in an `NSTableView`. It is the view's data source and delegate.
@MainActor
open class NSTableViewAdapter<Cell: CellModel>: NSObject, NSTableViewDataSource, NSTableViewDelegate, ListAdapter {
  /// Makes the view of a row.
  public typealias Configure = @MainActor (NSTableView, DisplayedRow<Cell>) -> NSView?

  public unowned let driver: TableDriver<Cell>
  public weak var tableView: NSTableView?
  public let options: AdapterOptions
  private let configure: Configure
  private var shown: (status: TableStatus, label: NSTextField)?
  private var menu: RowMenu?

  public init(
    _ driver: TableDriver<Cell>,
    _ tableView: NSTableView,
    options: AdapterOptions = AdapterOptions(),
    configure: @escaping Configure
  ) {
    (self.driver, self.tableView, self.options, self.configure) = (driver, tableView, options, configure)
    super.init()
    removeFormerParts(of: tableView)
    if options.offersActions, tableView.menu == nil { offerMenu(tableView) }
  }

  /// The parts of the view's driver before this one.
  private func removeFormerParts(of tableView: NSTableView) {
    if tableView.menu is AdapterMenu { tableView.menu = nil }
    for case let label as StatusLabel in tableView.enclosingScrollView?.subviews ?? [] { label.removeFromSuperview() }
  }

  /// The row's deletion and actions by the other mouse button. An app's own menu stays.
  private func offerMenu(_ tableView: NSTableView) {
    let rows = RowMenu(tableView) { [unowned self] line in
      driver.offers(path(line), options)
    } isOpen: { [weak driver] isOpen in
      if isOpen { driver?.hold("menu") } else { driver?.release("menu") }
    }
    let menu = AdapterMenu(title: "")
    menu.delegate = rows
    tableView.menu = menu
    // A menu doesn't keep its delegate.
    self.menu = rows
  }

  // MARK: Data source

  open func numberOfRows(in tableView: NSTableView) -> Int { ListLine.count(of: driver.sections) }

  // MARK: Delegate

  open func tableView(_ tableView: NSTableView, isGroupRow line: Int) -> Bool { path(line) == nil }

  open func tableView(_ tableView: NSTableView, viewFor column: NSTableColumn?, row line: Int) -> NSView? {
    if let path = path(line) {
      if options.loadsByScroll { driver.willShow(path) }
      return DisplayedRow(driver, path).flatMap { configure(tableView, $0) }
    }
    let title = ListLine.section(line, in: driver.sections)?.header?["payload"]?["title"]?.string ?? ""
    return NSTextField(labelWithString: title)
  }

  /// A swipe to the left: deletion and the row's actions.
  open func tableView(_ tableView: NSTableView, rowActionsForRow line: Int, edge: NSTableView.RowActionEdge)
    -> [NSTableViewRowAction]
  {
    guard edge == .trailing else { return [] }
    return driver.offers(path(line), options).map { offer in
      NSTableViewRowAction(style: offer.isDestructive ? .destructive : .regular, title: offer.title) { _, _ in
        offer.perform()
      }
    }
  }

  /// The row on a line; nil for a header.
  public func path(_ line: Int) -> RowPath? { ListLine.path(line, in: driver.sections) }

  // MARK: States

  /// Says over the list what is to be said of it: in its middle where it has no rows, at its lower edge where it has.
  func show(_ snapshot: TableSnapshot) {
    guard options.showsStatus else { return }
    let status = TableStatus(snapshot, texts: options.texts)
    guard status != shown?.status else { return }
    shown?.label.removeFromSuperview()
    shown = nil
    guard let status, let frame = tableView?.enclosingScrollView else { return }
    let text = [status.title, status.detail].filter { !$0.isEmpty }.joined(separator: "\n")
    let label = StatusLabel(labelWithString: text)
    label.alignment = .center
    label.textColor = .secondaryLabelColor
    label.translatesAutoresizingMaskIntoConstraints = false
    frame.addSubview(label)
    NSLayoutConstraint.activate([
      label.centerXAnchor.constraint(equalTo: frame.centerXAnchor),
      status.kind == .stale
        ? label.bottomAnchor.constraint(equalTo: frame.bottomAnchor)
        : label.centerYAnchor.constraint(equalTo: frame.centerYAnchor),
    ])
    shown = (status, label)
  }
}

/// An adapter's words over a list.
final class StatusLabel: NSTextField {}

extension TableDriver {
  /// A driver of an `NSTableView`: registers itself as data source and delegate, and begins to follow.
  public convenience init(
    _ table: LiveTable<Cell>,
    _ tableView: NSTableView,
    options: AdapterOptions = AdapterOptions(),
    configure: @escaping NSTableViewAdapter<Cell>.Configure
  ) {
    self.init(table) {
      NSTableViewList(tableView, $0)
    } adapter: {
      NSTableViewAdapter($0, tableView, options: options, configure: configure)
    } connect: { _, _, adapter in
      tableView.dataSource = adapter
      tableView.delegate = adapter
      return nil
    }
  }
}
#endif
