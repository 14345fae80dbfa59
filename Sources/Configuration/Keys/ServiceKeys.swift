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
    "Where local items, versions and edits are kept: `{path: FILE}` for an SQLite file, `{postgres: URL}` for a database "
      + "that replicas share, or `memory` to keep nothing."
  )
  static let generation = Key(
    "generation",
    .integer(0...Int(Int32.max)),
    "The highest generation among replicas' configurations counts. Default: \(standard.generation)."
  )
  static let locales = Key(
    "locales",
    .list(ofDifferent: .languageTag, noun: "the list of locales", atLeast: 1, ignoringCase: true),
    "Languages that tables are served in, picked by `Accept-Language`; the first is the default. Expressions see "
      + "`$locale`."
  )
  static let hosts = Key(
    "hosts",
    .list(of: .hostName, noun: "the list of host names"),
    "Names that requests may be for, beside `localhost` and IP addresses. Default: only on loopback is `Host` checked."
  )
  static let trustedProxies = Key(
    "trustedProxies",
    .list(of: .addressRange, noun: "the list of proxies"),
    "Addresses of proxies whose `Forwarded` and `X-Forwarded-For` name the client. Default: none."
  )
  static let problems: Key<ProblemDetail> = Key(
    "problems",
    .word,
    "How much readers learn of an upstream's failure. `public`: its kind and host. `full`: its own words. Default: "
      + "`\(standard.problems.rawValue)`."
  )
  static let history = Key(
    "history",
    .integer(1...100_000),
    "How many versions of a table are held for changesets. Default: \(standard.history)."
  )
  static let views = Key("views", .object(ViewsKeys.self), "Clients' own states over tables: which rows are expanded.")
  static let cors = Key("cors", .object(CORSKeys.self), "Which web pages of other origins may read replies.")
  static let auth = Key("auth", .object(AuthKeys.self), "Who may read, edit and administrate.")
  static let audit = Key(
    "audit",
    .object(AuditKeys.self),
    "A line for each edit: caller, change and outcome."
  )
  static let limits = Key("limits", .object(LimitsKeys.self), "Limits on clients.")
  static let sources = Key(
    "sources",
    .map(of: .object(SourceKeys.self), noun: "the sources", names: .url),
    "Where items come from, by name."
  )
  static let cells = Key(
    "cells",
    .map(of: .object(CellKeys.self), noun: "the cells", names: .any),
    "The clients' cells, by `cellIdentifier`."
  )
  static let representations = Key(
    "representations",
    .map(of: .object(RepresentationKeys.self), noun: "the representations", names: .any),
    "How a type of item is shown, shared by all tables; `$default` is for all other items."
  )
  static let tables = Key(
    required: "tables",
    .map(of: .object(TableKeys.self), noun: "the tables", names: .url),
    example: "{names: {source: team, row: {id: \"${id}\"}}}",
    "The tables, by name."
  )

  static let keys = [
    listen.description, store.description, generation.description, history.description, views.description,
    locales.description, hosts.description, trustedProxies.description, problems.description, cors.description,
    auth.description, audit.description, limits.description, sources.description, cells.description,
    representations.description,
    tables.description,
  ]

  /// The configuration where the file says nothing.
  private static let standard = ServiceDefinition()

  static func value(of object: ObjectReader) -> ServiceDefinition? {
    var service = ServiceDefinition()
    object.reading.knowRoots(of: object)
    object.set(&service.listen, from: listen)
    service.store = object[store] ?? .sqlite(path: ServiceDefinition.defaultStorePath)
    object.set(&service.generation, from: generation)
    object.set(&service.history, from: history)
    object.set(&service.views, from: views)
    object.set(&service.locales, from: locales)
    object.set(&service.hosts, from: hosts)
    object.set(&service.trustedProxies, from: trustedProxies)
    object.set(&service.problems, from: problems)
    object.set(&service.cors, from: cors)
    object.set(&service.auth, from: auth)
    service.audit = object[audit]
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

  /// A name that is declared with a mistake is declared all the same: to use it is no further mistake.
  private static func declareNames(in object: ObjectReader) {
    let reading = object.reading
    reading.declare(.source, in: object.node(of: sources))
    reading.declare(.cell, in: object.node(of: cells))
    reading.declare(.representation(table: nil), in: object.node(of: representations))
    reading.declare(.table, in: object.node(of: tables))
  }
}
