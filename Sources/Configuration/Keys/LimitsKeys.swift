import Definitions

enum LimitsKeys: ObjectKeys {
  static let name = "Limits"
  static let noun = "the limits"

  /// The limits where the file says nothing.
  private static let standard = LimitsDefinition()

  private static let count = ValueReader<Int>.integer(1...100_000_000)
  static let connections = Key("connections", count, "Connections in all.")
  static let connectionsPerAddress = Key("connectionsPerAddress", count, "Connections from one address.")
  static let waiters = Key("waiters", count, "Long polls and streams that wait, in all.")
  static let waitersPerAddress = Key("waitersPerAddress", count, "Long polls and streams that wait, from one address.")
  static let waitersPerCaller = Key(
    "waitersPerCaller",
    count,
    "Long polls and streams that wait, of one caller. Default: no limit."
  )
  static let requestBody = Key("requestBody", .size, "The body of one request.")
  static let itemBytes = Key(
    "itemBytes",
    .size,
    "One item that the service owns, as JSON. Default: \(sizeText(standard.itemBytes))."
  )
  static let tableBytes = Key(
    "tableBytes",
    .size,
    "All items of one table that the service owns, as JSON. Default: \(sizeText(standard.tableBytes))."
  )
  static let mappingBytes = Key(
    "mappingBytes",
    .size,
    "The memory for mapping one table, and for its older versions. Default: \(sizeText(standard.mappingBytes))."
  )
  static let mappingWork = Key(
    "mappingWork",
    .integer(1...1_000_000_000),
    "Steps that mapping one table may take for each item. Default: \(standard.mappingWork)."
  )
  static let membersBytes = Key(
    "membersBytes",
    .size,
    "The memory for the members of all families. Default: 512MB, but no more than a quarter of the memory."
  )
  static let lensBytes = Key(
    "lensBytes",
    .size,
    "The memory for searches, and for rows in other cells, of all tables. Default: \(sizeText(standard.lensBytes))."
  )
  static let requestsPerMinute = Key(
    "requestsPerMinute",
    count,
    "Requests of one caller, else of one address. Default: no limit."
  )
  static let editsPerMinute = Key(
    "editsPerMinute",
    count,
    "Edits of one caller, else of one address. Default: no limit."
  )

  static let keys = [
    connections.description, connectionsPerAddress.description, waiters.description, waitersPerAddress.description,
    waitersPerCaller.description, requestBody.description, itemBytes.description, tableBytes.description,
    mappingBytes.description, mappingWork.description, membersBytes.description, lensBytes.description,
    requestsPerMinute.description, editsPerMinute.description,
  ]

  static func value(of object: ObjectReader) -> LimitsDefinition? {
    var limits = LimitsDefinition()
    limits.connections = object[connections]
    limits.connectionsPerAddress = object[connectionsPerAddress]
    limits.waiters = object[waiters]
    limits.waitersPerAddress = object[waitersPerAddress]
    limits.waitersPerCaller = object[waitersPerCaller]
    limits.requestBody = object[requestBody]
    object.set(&limits.itemBytes, from: itemBytes)
    object.set(&limits.tableBytes, from: tableBytes)
    object.set(&limits.mappingBytes, from: mappingBytes)
    object.set(&limits.mappingWork, from: mappingWork)
    object.set(&limits.membersBytes, from: membersBytes)
    object.set(&limits.lensBytes, from: lensBytes)
    limits.requestsPerMinute = object[requestsPerMinute]
    limits.editsPerMinute = object[editsPerMinute]
    return limits
  }
}
