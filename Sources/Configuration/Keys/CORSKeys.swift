import Definitions

enum CORSKeys: ObjectKeys {
  static let name = "CORS"
  static let noun = "the CORS settings"

  static let origins = Key(
    required: "origins",
    .list(of: .origin, noun: "the list of origins"),
    example: "[https://app.example.com]",
    "Origins that may read replies, as `https://app.example.com`; `*` for all."
  )

  static let writes = Key(
    "writes",
    .list(of: .origin, noun: "the list of origins"),
    "Origins that may also edit. Default: none."
  )

  static let keys = [origins.description, writes.description]

  static func value(of object: ObjectReader) -> CORSDefinition? {
    var cors = CORSDefinition()
    object.set(&cors.origins, from: origins)
    object.set(&cors.writes, from: writes)
    return cors
  }
}
