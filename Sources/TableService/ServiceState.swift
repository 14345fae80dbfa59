import Definitions
import HTTPServer
import Synchronization
import TableEngine

/// All that a configuration decides for requests, swapped as one: nobody is let in by one configuration to a table of
/// another.
final class ServiceState: Sendable {
  let authorizer: Authorizer
  let writeOrigins: WriteOrigins
  let catalog: Catalog
  let limits: LimitsDefinition
  /// Nil: nothing is written of edits.
  let audit: AuditLog?
  let cellsListing: Representation
  /// The schemas of items of tables with `local.fields`, by the tables' names.
  let itemSchemas: [String: ItemSchema]
  /// The state after the transition to this configuration, and the judge of the one before; nil: the transition is over.
  let next: (settled: ServiceState, former: Authorizer)?
  /// The questions of those who poll.
  let questions = PollQuestion.Shared()
  /// Tells it from all other states of the process, also for who does not keep it.
  let number = ServiceState.count.add(1, ordering: .relaxed).newValue
  private static let count = Atomic(0)

  /// - Parameter audit: where edits are written of.
  init(_ definition: ServiceDefinition, _ catalog: Catalog, _ authorizer: Authorizer, _ audit: AuditLog?) {
    self.authorizer = authorizer
    self.audit = audit
    writeOrigins = WriteOrigins(definition.cors)
    self.catalog = catalog
    limits = definition.limits
    let fields = definition.fields
    next = nil
    itemSchemas = Dictionary(
      definition.tables.compactMap { table in fields[table.source].map { (table.name, ItemSchema($0)) } },
      uniquingKeysWith: { first, _ in first }
    )
    let listing = CellRegistry(definition.cells).listing
    cellsListing = Representation(
      body: listing,
      contentType: "application/json",
      entityTag: contentTag(listing),
      cacheControl: "no-cache"
    )
  }

  /// The same while another configuration takes its place, or it takes another one's; itself where that one decides the same.
  ///
  /// - Parameter tables: those that may show what is of the other one; nil: all.
  func beside(_ other: Authorizer, for tables: Set<String>? = nil) -> ServiceState {
    let both = Authorizer(authorizer, and: other, for: tables)
    return both.isAlone ? self : ServiceState(self, both, until: other)
  }

  private init(_ present: ServiceState, _ authorizer: Authorizer, until other: Authorizer) {
    self.authorizer = authorizer
    (writeOrigins, catalog, limits, audit) = (present.writeOrigins, present.catalog, present.limits, present.audit)
    (cellsListing, itemSchemas, next) = (present.cellsListing, present.itemSchemas, (present, other))
  }
}

/// The state by the present configuration. A class of its own, for requests that wait: they must not keep the service, and weak
/// references to it would make each request that retains it slower.
final class PresentState: Sendable {
  let current: Mutex<ServiceState>

  init(_ state: ServiceState) { current = Mutex(state) }

  var state: ServiceState { current.withLock { $0 } }
}

extension ServiceDefinition {
  /// By source, what edits may write of its items, where that is declared.
  fileprivate var fields: [String: ItemFields] {
    let declared = sources.compactMap { source -> (String, ItemFields)? in
      guard case .local(let local) = source.kind, let fields = local.fields else { return nil }
      return (source.name, fields)
    }
    return Dictionary(declared) { first, _ in first }
  }
}
