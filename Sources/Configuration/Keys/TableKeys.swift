import Definitions
import Expressions
import JSON

/// A table as it is declared, with the source that stands in it.
struct DeclaredTable: Sendable {
  var definition: TableDefinition
  var inlineSource: SourceDefinition?
}

enum TableKeys: ObjectKeys {
  static let name = "Table"
  static let noun = "a table"

  static let title = Key(
    "title",
    .title,
    "The title: a text, with expressions of `$params` and `$locale`. Default: the name."
  )
  static let source = Key(
    "source",
    .tableSource,
    "A source's name, or a source itself: `{local: {items: […]}}`, `{url: …}`."
  )
  static let items = Key(
    "items",
    .expression,
    "The list that each item of `source` has: its elements are the rows, and `$parent` is the item around. Default: the "
      + "items are the rows."
  )
  static let row = Key("row", .object(RowKeys.self), "The identity and the type of each row.")
  static let cell = Key("cell", .cellName, "The default cell, for items that no representation takes.")
  static let payload = Key("payload", .payload, "The default cell's payload.")
  static let select = Key("select", .template, "The target of a tap on the default cell.")
  static let representations = Key(
    "representations",
    .map(of: .object(RepresentationKeys.self), noun: "the representations", names: .any),
    "This table's own look, over the shared ones."
  )
  static let sections = Key("sections", .sections, "A list of sections, or groups. Default: one, with id `main`.")
  static let animation = Key("animation", .object(AnimationKeys.self), "How clients animate changes: UIKit's names.")
  static let can = Key("can", .object(PermissionKeys.self), "The permissions of a row.")
  static let sharedTaps = Key(
    "sharedTaps",
    .boolean,
    "A tap without a view changes the table for everyone. Default: false."
  )
  static let parameters = Key(
    "parameters",
    .map(of: .parameter, noun: "the parameters", names: .identifier),
    "Makes this a family of tables, addressed as `table;owner=apple`; expressions see `$params.owner`."
  )
  static let forward = Key(
    "forward",
    .list(of: .headerName, noun: "the list of headers"),
    "The caller's own request headers to send upstream; each caller then has rows of their own."
  )
  static let edges = Key(
    "edges",
    .boolean,
    "May be polled through caches: clients behind them ask for a `slot`. Default: false."
  )
  static let lookups = Key(
    "lookups",
    .map(of: .object(LookupKeys.self), noun: "the lookups", names: .identifier),
    "Items of other sources, found by a key: `user: {source: users, key: id, on: assignee_id}` is `${$user.name}`."
  )
  static let find = Key(
    "find",
    .object(FindKeys.self),
    "How readers may search, filter and sort the table (`q`, `filter`, `sort`)."
  )
  static let actions = Key(
    "actions",
    .map(of: .object(ActionKeys.self), noun: "the actions", names: .url),
    "The entries of a row's swipe and context menu, by name."
  )
  static let edits = Key("edits", .object(EditsKeys.self), "How edits are sent to the upstream. Default: not at all.")
  static let instances = Key(
    "instances",
    .object(InstancesKeys.self),
    "How many instances of a family live, and for how long."
  )

  static let keys = [
    title.description, source.description, items.description, row.description, cell.description, payload.description,
    select.description, representations.description, sections.description, animation.description, can.description,
    sharedTaps.description, edges.description, parameters.description, forward.description, lookups.description,
    find.description, actions.description, edits.description, instances.description,
  ]

  static func value(of object: ObjectReader) -> DeclaredTable? {
    let reading = object.reading
    let name = reading.path.last ?? ""
    let declared = object[source]
    let title = object[title]
    var table = TableDefinition(name: name, title: title?.constant ?? name, source: "")
    table.titleTemplate = title?.template
    object.set(&table.sections, from: sections)
    var inline: SourceDefinition?
    switch declared {
    case .named(let source)?: table.source = source.value
    case .inline(let kind)?:
      table.source = TableDefinition.inlineSourceName(of: name)
      inline = SourceDefinition(name: table.source, kind: kind.kind)
      table.forward = kind.forward
    case nil:
      if let first = table.sections.sources.first {
        table.source = first
      } else if !object.has(source) {
        reading.error(at: object.place, "'source' is missing", "write the name of a source, or `source: {local: {}}`")
      }
    }
    table.items = object[items]
    if let row = object[row] { (table.rowID, table.rowType) = (row.id, row.type) }
    checkIdentity(of: object, table)
    readLook(of: object, into: &table)
    object.set(&table.animation, from: animation)
    object.set(&table.can, from: can)
    object.set(&table.sharedTaps, from: sharedTaps)
    table.parameters = (object[parameters] ?? []).map { name, parameter in
      var definition = ParameterDefinition(
        name: name.value,
        pattern: parameter.pattern,
        defaultValue: parameter.defaultValue
      )
      definition.defaultTemplate = parameter.defaultTemplate
      return definition
    }
    if let title = table.standardTitle { table.title = title }
    for header in object[forward] ?? [] where !table.forwards(header) { table.forward.append(header) }
    object.set(&table.edges, from: edges)
    table.lookups = (object[lookups] ?? []).map { name, lookup in
      if Self.roots.contains("$\(name.value)") {
        let why = "`$\(name.value)` is something else in expressions"
        object.reading.error(at: name.place, why, "give the lookup another name")
      }
      return LookupDefinition(name: name.value, source: lookup.source, key: lookup.key, on: lookup.on)
    }
    table.find = object[find]
    readActions(of: object, into: &table)
    object.set(&table.edits, from: edits)
    object.set(&table.instances, from: instances)
    return DeclaredTable(definition: table, inlineSource: inline)
  }

  private static let roots = Set(Dependencies(rawValue: .max).names + ["$env"])

  private static func checkIdentity(of object: ObjectReader, _ table: TableDefinition) {
    let place = object.node(of: row)?.place ?? object.place
    object.reading.tables.append(
      TablePlaces(
        name: table.name,
        place: object.place,
        row: object.has(row) ? object.place(of: row) : place,
        edits: object.has(edits) ? object.place(of: edits) : nil,
        replace: object.node(of: edits)?.entries?.first { $0.key.value == EditsKeys.replace.name }?.key.place,
        forward: object.has(forward) ? object.place(of: forward) : nil,
        items: object.has(items) ? object.place(of: items) : nil,
        rowIDIsWrong: table.rowID == nil && rowHasID(object),
        actions: object.node(of: actions)?.entries?.map { ActionPlaces($0) } ?? [],
        hasCell: object.has(cell)
      )
    )
  }

  private static func readActions(of object: ObjectReader, into table: inout TableDefinition) {
    table.actions = (object[actions] ?? []).map { name, action in
      ActionDefinition(
        id: name.value,
        title: action.title ?? Template(constant: .string(name.value)),
        style: action.style,
        condition: action.condition,
        effect: action.effect
      )
    }
  }

  private static func rowHasID(_ object: ObjectReader) -> Bool {
    object.node(of: row)?.entries?.contains { $0.key.value == RowKeys.id.name } ?? object.has(row)
  }

  private static func readLook(of object: ObjectReader, into table: inout TableDefinition) {
    object.reading.declare(.representation(table: table.name), in: object.node(of: representations))
    for (name, representation) in object[representations] ?? [] { table.representations[name.value] = representation }
    if object.has(cell) {
      table.cell = CellMapping(object, cell, payload, select)
    } else {
      for extra in object.present(of: [payload.name, select.name]) {
        object.reading.error(
          at: object.place,
          "'\(extra)' without 'cell'",
          "name the cell: `cell: TableViewCellWithLabel`"
        )
      }
    }
  }
}

extension TableDefinition {
  /// A name that no declared source can have.
  static func inlineSourceName(of table: String) -> String { "$\(table)" }

  /// Header names are compared without case (RFC 9110 §5.1).
  func forwards(_ header: String) -> Bool {
    forward.contains { $0.lowercased() == header.lowercased() }
  }
}

extension TableDefinition {
  /// The title where every parameter has its default.
  fileprivate var standardTitle: String? {
    var scope = Scope()
    for parameter in parameters {
      guard let value = parameter.defaultValue else { return nil }
      scope.parameters[parameter.name] = value
    }
    return try? titleTemplate?.text(in: scope)
  }
}
