import Definitions

/// The whole file.
enum ServiceKeys: ObjectKeys {
  static let name = "Service"
  static let noun = "the configuration"

  static let listen = Key(
    "listen",
    .listenAddress,
    "Where to listen: `address:port`, `[::1]:8080`, or a port alone (then on 127.0.0.1)."
  )
  static let store = Key(
    "store",
    .store,
    "Where local items, versions and edits are kept: `{path: FILE}` for an SQLite file, or `memory` to keep nothing."
  )
  static let history = Key(
    "history",
    .integer(1...100_000),
    "How many versions of a table are held for changesets. Default: 64."
  )
  static let views = Key("views", .object(ViewsKeys.self), "Clients' own states over tables: which rows are expanded.")
  static let cors = Key("cors", .object(CORSKeys.self), "Which web pages of other origins may read replies.")
  static let auth = Key("auth", .object(AuthKeys.self), "Who may read, edit and administrate.")
  static let limits = Key("limits", .object(LimitsKeys.self), "What a client may cost.")
  static let sources = Key(
    "sources",
    .map(of: .object(SourceKeys.self), noun: "the sources", names: .url),
    "Where items come from, by name."
  )
  static let cells = Key(
    "cells",
    .map(of: .object(CellKeys.self), noun: "the cells", names: .any),
    "What clients can show: one entry a cellIdentifier."
  )
  static let representations = Key(
    "representations",
    .map(of: .object(RepresentationKeys.self), noun: "the representations", names: .any),
    "How a type of item is shown, shared by all tables; `$default` takes what nothing else does."
  )
  static let tables = Key(
    required: "tables",
    .map(of: .object(TableKeys.self), noun: "the tables", names: .url),
    example: "{names: {source: team, row: {id: \"${id}\"}}}",
    "What is served, by name."
  )

  static let keys = [
    listen.description, store.description, history.description, views.description, cors.description,
    auth.description, limits.description, sources.description, cells.description, representations.description,
    tables.description,
  ]

  static func value(of object: ObjectReader) -> ServiceDefinition? {
    var service = ServiceDefinition()
    object.set(&service.listen, from: listen)
    service.store = object[store] ?? .sqlite(path: ServiceDefinition.defaultStorePath)
    object.set(&service.history, from: history)
    object.set(&service.views, from: views)
    object.set(&service.cors, from: cors)
    object.set(&service.auth, from: auth)
    object.set(&service.limits, from: limits)
    declareNames(in: object)
    for (name, kind) in object[sources] ?? [] {
      service.sources.append(SourceDefinition(name: name.value, kind: kind.kind))
      object.reading.forwardedBySource[name.value] = kind.forward
    }
    service.cells = (object[cells] ?? []).map(\.value)
    for (name, representation) in object[representations] ?? [] {
      service.representations[name.value] = representation
    }
    for (_, table) in object[tables] ?? [] {
      service.tables.append(table.definition)
      if let inline = table.inlineSource { service.sources.append(inline) }
    }
    return service
  }

  /// What is declared with a mistake is declared all the same: whoever names it makes none.
  private static func declareNames(in object: ObjectReader) {
    let reading = object.reading
    reading.declare(.source, in: object.node(of: sources))
    reading.declare(.cell, in: object.node(of: cells))
    reading.declare(.representation(table: nil), in: object.node(of: representations))
    reading.declare(.table, in: object.node(of: tables))
  }
}
