package import TableModel

/// How a client asks to see a table, as its request says it.
package struct LensRequest: Hashable, Sendable {
  package enum Window: Hashable, Sendable {
    /// Not named: that of the cursor, where there is one.
    case unnamed
    /// `rows=all`
    case all
    case rows(WindowRange)
  }

  package var cells: AcceptedCells?
  package var view: String?
  package var window: Window
  /// The search, or only a request for the menus (`find=1`); nil: neither.
  package var find: FindSearch?
  /// The caller may edit the table, as far as its rows can be edited.
  package var mayEdit = true

  package init(
    cells: AcceptedCells? = nil,
    view: String? = nil,
    window: Window = .unnamed,
    find: FindSearch? = nil
  ) {
    (self.cells, self.view, self.window, self.find) = (cells, view, window, find)
  }

  /// Returns the rows that a client at `after` has; nil where it has all.
  package func rows(after: Cursor?) -> WindowRange? {
    switch window {
    case .unnamed: after?.lensTag?.rows
    case .all: nil
    case .rows(let rows): rows
    }
  }
}

/// The difference between one client's table and the plain one: a value, and everything that a reply depends on beside
/// versions.
package struct Lens: Hashable, Sendable {
  /// Nil: rows are shown as they are.
  package var appearance: RowAppearance?
  package var view: String?
  /// Nil: the whole table.
  package var rows: WindowRange?
  /// Nil: nothing is looked for.
  package var find: FindSearch?
  /// The registry of the cells: with other cells in the configuration it is another set.
  private(set) var origin: Origin?

  /// The cells that a client accepts, and the registry that they were found in.
  struct Origin: Hashable, Sendable {
    var accepted: AcceptedCells
    var registry: [UInt8]
  }

  /// Its waiters are woken by changes in its window or search, and not by each version: they register before they look.
  package var wakesByItself: Bool { rows != nil || find != nil }

  package init(
    appearance: RowAppearance? = nil,
    view: String? = nil,
    rows: WindowRange? = nil,
    find: FindSearch? = nil
  ) {
    (self.appearance, self.view, self.rows, self.find) = (appearance, view, rows, find)
  }

  init(
    _ accepted: AcceptedCells?,
    of registry: CellRegistry,
    view: String?,
    rows: WindowRange?,
    find: FindSearch?
  ) {
    self.init(appearance: accepted.flatMap { registry.appearance($0) }, view: view, rows: rows, find: find)
    origin = accepted.map { Origin(accepted: $0, registry: registry.digest) }
  }

  /// The whole table, as callers are shown it who may not edit it.
  package static let readOnly = Lens(appearance: .readOnly)

  /// As it is with the cells that there are now. O(1) where they are those that it was made with.
  func with(_ registry: CellRegistry) -> Lens {
    guard let origin, origin.registry != registry.digest else { return self }
    let lens = Lens(origin.accepted, of: registry, view: view, rows: rows, find: find)
    return isReadOnly ? lens.offering(edits: false) : lens
  }

  /// Rows offer neither edits nor moves, as the caller may not edit the table.
  package var isReadOnly: Bool { appearance?.isReadOnly ?? false }

  /// The same for a caller who may edit the table, or may not. O(1).
  func offering(edits: Bool) -> Lens {
    guard edits == isReadOnly else { return self }
    var lens = self
    lens.appearance = edits ? appearance?.withEdits : appearance?.readOnly ?? .readOnly
    return lens
  }

  /// Without the view: as all see it who share the rest.
  var shared: Lens { Lens(appearance: appearance, rows: rows, find: find) }
}
