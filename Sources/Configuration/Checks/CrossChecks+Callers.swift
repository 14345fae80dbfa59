import Definitions
import Expressions

/// Checks of callers' tables.
extension CrossChecks {
  /// Caches can't tell who holds a token: where reading takes one, clients are not sent to any.
  mutating func leaveOutEdges() {
    guard definition.auth.reading == .tokens else { return }
    for index in definition.tables.indices where definition.tables[index].edges {
      definition.tables[index].edges = false
      let name = definition.tables[index].name
      guard let place = reading.tables.first(where: { $0.name == name })?.place else { continue }
      reading.warning(
        at: place,
        "'\(name)' has `edges: true`, and reading takes a token, which caches can't ask for",
        "it is polled with `wait`, unless reading is open"
      )
    }
  }

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
