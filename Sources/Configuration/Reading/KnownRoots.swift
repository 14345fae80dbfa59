import Expressions

/// The roots that an expression knows where it stands: a root that means nothing there would be null in every row.
struct KnownRoots {
  /// The roots that may be read.
  let roots: Dependencies
  /// The table's lookups, where its items are in scope.
  let lookups: Set<String>
  /// The cell above or below a section's rows: there is no item of its own.
  let isHeader: Bool

  private static let everywhere: Dependencies = [
    .item, .index, .key, .count, .response, .pages, .id, .parameters, .environment, .caller,
  ]

  private static let inTables = everywhere.union(.parent)

  /// - Parameter path: the keys and names on the way to the value.
  init(at path: [String], lookups declared: [String: Set<String>]) {
    if Self.isDefaultItem(path) {
      // An added item has only a caller; there is nothing else yet.
      self.init([.caller])
      return
    }
    let isInlineSource = path.first == ServiceKeys.tables.name && path.dropFirst(2).first == TableKeys.source.name
    if path.first == ServiceKeys.sources.name || isInlineSource {
      // A source is fetched once for all languages.
      self.init(Self.everywhere.union([.cursor, .since, .status]))
      return
    }
    if path.first == ServiceKeys.auth.name {
      // A token's rights are judged before a table is looked up.
      self.init([.caller, .environment])
      return
    }
    let isOfTable = path.first == ServiceKeys.tables.name && path.count > 2
    let own = path.dropFirst().first.flatMap { declared[$0] } ?? []
    let lookups = isOfTable ? own : declared.values.reduce(into: []) { $0.formUnion($1) }
    let isSection = path.contains(TableKeys.sections.name)
    // A header or a form's field may be called like a key. An action or a parameter may be called `form`: it has keys.
    let fields = [EditRequestKeys.headers.name, EditRequestKeys.form.name]
    let isField = path.count > 5 && fields.contains(path[path.count - 2])
    switch (isOfTable ? path[2] : "", isField ? "" : path.last ?? "") {
    case (TableKeys.parameters.name, ParameterKeys.defaultValue.name):
      self.init([.caller])
    case (TableKeys.title.name, _):
      self.init([.parameters, .environment, .locale, .caller])
    case (TableKeys.edits.name, EditRequestKeys.item.name), (TableKeys.edits.name, EditRequestKeys.refused.name),
      (TableKeys.actions.name, EditRequestKeys.item.name), (TableKeys.actions.name, EditRequestKeys.refused.name),
      (TableKeys.edits.name, EditRequestKeys.id.name), (TableKeys.edits.name, EditRequestKeys.fields.name),
      (TableKeys.actions.name, EditRequestKeys.fields.name):
      // An expression of an upstream's answer reads no item.
      self.init(Self.everywhere.union([.edit, .status, .locale]))
    case (TableKeys.edits.name, _):
      // There is no item yet, and so it belongs to nothing.
      let isInsert = path.dropFirst(3).first == EditsKeys.insert.name
      let roots = isInsert ? Self.everywhere.subtracting(.item) : Self.inTables
      self.init(roots.union([.edit, .status, .locale]), lookups: isInsert ? [] : lookups)
    case (TableKeys.items.name, _):
      self.init(Self.everywhere.union(.locale))
    case (TableKeys.find.name, _):
      self.init(find: Array(path.dropFirst(3)), lookups: lookups)
    case (TableKeys.lookups.name, _):
      self.init((path.last == LookupKeys.on.name ? Self.inTables : Self.everywhere).union(.locale))
    case (TableKeys.actions.name, ActionKeys.title.name), (TableKeys.actions.name, ActionKeys.when.name):
      self.init(Self.inTables.union(.locale), lookups: lookups)
    case (TableKeys.actions.name, _):
      self.init(Self.inTables.union([.edit, .status, .locale]), lookups: lookups)
    case (_, SortKeys.order.name) where isSection, (_, SortKeys.locale.name) where isSection,
      (_, SectionKeys.limit.name) where isSection:
      self.init([.parameters, .environment, .locale, .caller])
    case (_, RowKeys.id.name) where path.dropLast().last == TableKeys.row.name:
      self.init(Self.inTables.union(.locale))
    default:
      let isHeader = isSection && (path.contains(SectionKeys.header.name) || path.contains(SectionKeys.footer.name))
      let roots = (isHeader ? Self.everywhere : Self.inTables).union(.locale)
      self.init(isHeader ? roots.union(.items) : roots, lookups: isHeader ? [] : lookups, isHeader: isHeader)
    }
  }

  /// Returns whether a path leads into the members that an added item gets.
  static func isDefaultItem(_ path: [String]) -> Bool {
    let inSource = path.first == ServiceKeys.sources.name ? path.dropFirst(2) : path.dropFirst(3)
    let isOfSource =
      path.first == ServiceKeys.sources.name
      || path.first == ServiceKeys.tables.name && path.dropFirst(2).first == TableKeys.source.name
    return isOfSource && inSource.prefix(2).elementsEqual([SourceKeys.local.name, LocalKeys.defaultItem.name])
  }

  /// - Parameter path: below `find`.
  private init(find path: [String], lookups: Set<String>) {
    let isOfItem: Bool
    switch path.first {
    case FindKeys.search.name: isOfItem = true
    case FindKeys.filters.name: isOfItem = path.count == 3 && path[2] == FindFilterKeys.by.name
    case FindKeys.sorts.name: isOfItem = path.count == 3 && path[2] == FindSortKeys.by.name
    default: isOfItem = false
    }
    if isOfItem {
      self.init(Self.inTables.union(.locale).subtracting([.key, .count]), lookups: lookups)
    } else {
      self.init([.parameters, .environment, .locale, .caller])
    }
  }

  private init(_ roots: Dependencies, lookups: Set<String> = [], isHeader: Bool = false) {
    self.roots = lookups.isEmpty ? roots : roots.union(.lookups)
    (self.lookups, self.isHeader) = (lookups, isHeader)
  }

  /// The roots where the elements of a list are in scope: in what stands beside `$each`.
  var forElements: KnownRoots { KnownRoots(roots.union([.item, .index]), lookups: lookups) }

  /// An item is being added: there is what the caller sent, and no item.
  private var isOfNewItem: Bool { roots.contains(.edit) && !roots.contains(.item) }

  /// Returns what is known in place of a member of the item, where there is no item.
  func substitute(for member: String) -> String {
    isOfNewItem ? "`$edit.\(member)` is what the caller sent" : "`$params` is known"
  }

  /// Returns the place where a root is known, for an author who wrote it elsewhere.
  func home(of root: String) -> String {
    switch root {
    case "$items": "it is known in headers and footers of sections: the section's items"
    case "$parent": "it is known in tables with `items`, of what has an item: the item around"
    case "$since": "it is known in the request of a source with `since`"
    case "$cursor": "it is known in a source's request: where the next page begins"
    case "$edit": "it is known in `edits` and `actions`: what the caller sent"
    case "$status": "it is known in `edits`: the status of the upstream's answer"
    case "$locale": "it is known in tables and representations: a source is fetched once for all languages"
    case "$item" where isOfNewItem: "here there is no item: `$edit` is what the caller sent"
    case "$item", "$index", "$key", "$count", "$response", "$pages", "$id": "here there is no item: `$params` is known"
    default: "it is known in tables and representations"
    }
  }
}
