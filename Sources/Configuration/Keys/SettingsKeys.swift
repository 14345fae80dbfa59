import Definitions

enum StoreKeys: ObjectKeys {
  static let name = "Store"
  static let noun = "the store"

  static let path = Key(
    required: "path",
    .text("a file's path", example: "data/tablecast.sqlite"),
    example: "data/tablecast.sqlite",
    "The SQLite file; made with its folder if it isn't there. Default: `data/tablecast.sqlite`."
  )

  static let keys = [path.description]

  static func value(of object: ObjectReader) -> StoreDefinition? {
    object[path].map(StoreDefinition.sqlite(path:))
  }
}

enum ViewsKeys: ObjectKeys {
  static let name = "Views"
  static let noun = "the views"

  static let idle = Key("idle", .duration(atLeast: .seconds(1)), "A view idle for so long is dropped. Default: 30m.")
  static let max = Key(
    "max",
    .integer(1...100_000_000),
    "How many are held; the least recently used goes first. Default: 100000."
  )

  static let keys = [idle.description, max.description]

  static func value(of object: ObjectReader) -> ViewsDefinition? {
    var views = ViewsDefinition()
    object.set(&views.idle, from: idle)
    object.set(&views.maximum, from: max)
    return views
  }
}

enum CORSKeys: ObjectKeys {
  static let name = "CORS"
  static let noun = "the CORS settings"

  static let origins = Key(
    required: "origins",
    .list(of: .origin, noun: "the list of origins"),
    example: "[https://app.example.com]",
    "Origins that may read replies, as `https://app.example.com`; `*` for all."
  )

  static let keys = [origins.description]

  static func value(of object: ObjectReader) -> CORSDefinition? {
    var cors = CORSDefinition()
    object.set(&cors.origins, from: origins)
    return cors
  }
}

enum LimitsKeys: ObjectKeys {
  static let name = "Limits"
  static let noun = "the limits"

  private static let count = ValueReader<Int>.integer(1...100_000_000)
  static let connections = Key("connections", count, "Connections in all.")
  static let connectionsPerAddress = Key("connectionsPerAddress", count, "Connections from one address.")
  static let waiters = Key("waiters", count, "Long polls and streams that wait, in all.")
  static let waitersPerAddress = Key("waitersPerAddress", count, "Long polls and streams that wait, from one address.")
  static let requestBody = Key("requestBody", .size, "The body of one request.")

  static let keys = [
    connections.description, connectionsPerAddress.description, waiters.description, waitersPerAddress.description,
    requestBody.description,
  ]

  static func value(of object: ObjectReader) -> LimitsDefinition? {
    var limits = LimitsDefinition()
    limits.connections = object[connections]
    limits.connectionsPerAddress = object[connectionsPerAddress]
    limits.waiters = object[waiters]
    limits.waitersPerAddress = object[waitersPerAddress]
    limits.requestBody = object[requestBody]
    return limits
  }
}

enum InstancesKeys: ObjectKeys {
  static let name = "Instances"
  static let noun = "the instances"

  static let max = Key(
    "max",
    .integer(1...1_000_000),
    "How many are held; the least recently read goes first. Default: 1000."
  )
  static let freezeAfter = Key(
    "freezeAfter",
    .duration(atLeast: .seconds(1)),
    "Polled only while someone read it in so long. Default: 5m."
  )
  static let dropAfter = Key(
    "dropAfter",
    .duration(atLeast: .seconds(1)),
    "Forgotten when nobody read it for so long. Default: 30m."
  )

  static let keys = [max.description, freezeAfter.description, dropAfter.description]

  static func value(of object: ObjectReader) -> InstancesDefinition? {
    var instances = InstancesDefinition()
    object.set(&instances.maximum, from: max)
    object.set(&instances.freezeAfter, from: freezeAfter)
    object.set(&instances.dropAfter, from: dropAfter)
    if instances.dropAfter < instances.freezeAfter {
      object.reading.error(
        at: object.place(of: dropAfter),
        "'dropAfter' is shorter than 'freezeAfter'",
        "an instance is frozen first"
      )
    }
    return instances
  }
}
