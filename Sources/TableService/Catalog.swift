import Synchronization
import TableModel

/// The tables that there are, by name; read on every request.
final class Catalog: Sendable {
  private struct Contents {
    var tables: [String: LiveTable] = [:]
    /// The configuration's order.
    var order: [String] = []
  }
  private let contents = Mutex(Contents())

  subscript(name: String) -> LiveTable? { contents.withLock { $0.tables[name] } }

  /// In the configuration's order.
  var all: [LiveTable] {
    contents.withLock { contents in contents.order.compactMap { contents.tables[$0] } }
  }

  /// Puts these tables in the place of what was there. Returns those that are gone.
  func replace(with tables: [LiveTable]) -> [LiveTable] {
    contents.withLock { contents in
      let new = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      let gone = contents.tables.values.filter { new[$0.name] == nil }
      contents = Contents(tables: new, order: tables.map(\.name))
      return gone
    }
  }
}
