import Definitions

/// `audit: {path: data/audit.log, bodies: false}`.
enum AuditKeys: ObjectKeys {
  static let name = "Audit"
  static let noun = "the record of edits"

  static let path = Key(
    "path",
    .text("a file's path", example: "data/audit.log"),
    "The file to which a line is added for each edit, before that is answered. Opened again at SIGHUP."
  )
  static let stderr = Key("stderr", .boolean, "Lines go to the standard error instead. Default: false.")
  static let bodies = Key("bodies", .boolean, "The lines have the bodies of the requests, too. Default: false.")

  static let keys = [path.description, stderr.description, bodies.description]

  static func value(of object: ObjectReader) -> AuditDefinition? {
    let (file, isStandardError) = (object[path], object[stderr] ?? false)
    guard object.has(path) != isStandardError else {
      object.reading.error(
        at: object.place,
        object.has(path) ? "the record of edits goes to two places" : "the record of edits goes nowhere",
        "write `path: data/audit.log` or `stderr: true`"
      )
      return nil
    }
    let hasBodies = object[bodies] ?? false
    if isStandardError { return AuditDefinition(.standardError, hasBodies: hasBodies) }
    return file.map { AuditDefinition(.file(path: $0), hasBodies: hasBodies) }
  }
}
