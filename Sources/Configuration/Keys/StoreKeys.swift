import Definitions

enum StoreKeys: ObjectKeys {
  static let name = "Store"
  static let noun = "the store"

  static let path = Key(
    "path",
    .text("a file's path", example: ServiceDefinition.defaultStorePath),
    "The SQLite file; made with its folder if it isn't there. Default: `\(ServiceDefinition.defaultStorePath)`."
  )
  static let postgres = Key(
    "postgres",
    .text("a connection string", example: "${env.DATABASE_URL}"),
    "A PostgreSQL database that several replicas may share: a URI or `key=value` pairs, as libpq takes them."
  )

  static let keys = [path.description, postgres.description]

  static func value(of object: ObjectReader) -> StoreDefinition? {
    let (file, database) = (object[path], object[postgres])
    switch object.present(of: [path.name, postgres.name]).count {
    case 0:
      object.reading.error(
        at: object.place,
        "the store is neither a file nor a database",
        "write `path: \(ServiceDefinition.defaultStorePath)` or `postgres: ${env.DATABASE_URL}`"
      )
      return nil
    case 1: return file.map(StoreDefinition.sqlite(path:)) ?? database.map(StoreDefinition.postgres)
    default:
      object.reading.error(at: object.place(of: postgres), "a store with 'path' and 'postgres'", "keep one of them")
      return nil
    }
  }
}
