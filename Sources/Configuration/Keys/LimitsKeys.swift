import Definitions

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
