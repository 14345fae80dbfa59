import Definitions
import Expressions

/// Who callers are to a table.
extension CrossChecks {
  /// A subject means somebody to its issuer alone: two issuers may call different people the same.
  func warnOfEqualSubjects() {
    guard definition.auth.issuers.count > 1 else { return }
    for table in definition.tables {
      let paths = table.callerUse.paths
      let readsSubject = paths.contains(["claims", "sub"]) || paths.contains(["name"])
      let readsIssuer = paths.contains { [[], ["claims"], ["claims", "iss"]].contains($0) }
      guard readsSubject, !readsIssuer, let place = reading.tables.first(where: { $0.name == table.name })?.place else {
        continue
      }
      reading.warning(
        at: place,
        "'\(table.name)' tells callers apart by their subject, and two issuers may call different people the same",
        "compare `$caller.claims.iss`, too"
      )
    }
  }
}
