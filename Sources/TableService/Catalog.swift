import Definitions
import Dispatch
import HTTPServer
import Synchronization
import TableMapping
import TableModel
import TableStore

/// The tables that there are: those that always live, and families whose members come with their readers.
final class Catalog: Sendable {
  private struct Contents {
    var tables: [String: LiveTable] = [:]
    /// The configuration's order.
    var order: [String] = []
    var families: [String: TableFamily] = [:]
    /// The upstreams of the tables that always live, each polled once for all of them.
    var sources: [String: SourceFeed] = [:]
  }
  private let contents = Mutex(Contents())
  private let context: ServiceContext

  init(_ context: ServiceContext) { self.context = context }

  // MARK: Finding

  /// The tables that always live, in the configuration's order.
  var all: [LiveTable] {
    contents.withLock { contents in contents.order.compactMap { contents.tables[$0] } }
  }

  /// The families, by name.
  var families: [(name: String, family: TableFamily)] {
    contents.withLock { $0.families.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }

  /// The table that a request names; a family's member is made if it is not there yet.
  func table(_ reference: TableReference, for caller: @autoclosure () -> CallerFields) throws(ServiceError) -> LiveTable
  {
    let (table, family) = contents.withLock { ($0.tables[reference.name], $0.families[reference.name]) }
    if let family { return try family.member(reference, caller()) }
    guard let table else {
      throw .notFound("There is no table `\(reference.name)`: /v1/tables lists those there are.")
    }
    guard reference.parameters.isEmpty else {
      throw .malformed("The table `\(reference.name)` has no parameters.", field: reference.parameters[0].name)
    }
    return table
  }

  /// Whether a table's upstreams are sent the caller's own credentials.
  func forwardsCredentials(_ name: String) -> Bool {
    contents.withLock { $0.families[name] }?.forwardsCredentials ?? false
  }

  // MARK: Loading

  /// Makes what a definition says; what was there and still is goes on.
  ///
  /// - Throws: ``StartError``; then everything is as it was.
  func load(_ definition: ServiceDefinition) throws {
    let plans = try definition.tables.map { try TablePlan($0, in: definition) }
    let before = contents.withLock { $0 }
    let variables = context.variables
    context.configure(definition.environment)
    // What can fail comes first, while all that lives is as it was.
    var made: [String: LiveTable] = [:]
    do {
      for plan in plans where !plan.definition.isFamily {
        let name = plan.definition.name
        guard before.tables[name]?.canBe(plan) != true else { continue }
        made[name] = try LiveTable(restoring: plan, context: context)
      }
    } catch {
      context.configure(variables)
      throw error
    }

    var next = Contents()
    for source in definition.sources {
      if case .upstream(let upstream) = source.kind {
        next.sources[source.name] = SourceFeed(source.name, upstream, context: context)
      }
    }
    for plan in plans {
      let name = plan.definition.name
      if plan.definition.isFamily {
        next.families[name] = before.families[name] ?? TableFamily(context)
      } else if let table = made[name] ?? before.tables[name] {
        if made[name] == nil { table.reconfigure(plan) }
        next.tables[name] = table
        next.order.append(name)
        for source in plan.upstreams { next.sources[source.name]?.feed(table) }
      }
    }
    for plan in plans where plan.definition.isFamily { next.families[plan.definition.name]?.configure(plan) }
    contents.withLock { $0 = next }
    for source in before.sources.values { source.stop() }
    for (name, table) in before.tables where next.tables[name] !== table { table.remove() }
    for (name, family) in before.families where next.families[name] == nil { family.removeAll() }
  }

  // MARK: Sources

  func startSources() {
    for source in contents.withLock({ Array($0.sources.values) }) where source.isRead { source.start() }
    for family in contents.withLock({ Array($0.families.values) }) { family.startSweeping() }
  }

  func stopSources() {
    let (sources, families) = contents.withLock { (Array($0.sources.values), Array($0.families.values)) }
    for source in sources { source.stop() }
    for family in families { family.stop() }
  }

  /// Fetches all sources of a table now; `completion` is called when what they said is published.
  func refresh(_ table: LiveTable, _ completion: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    for source in table.sources {
      group.enter()
      source.refresh { group.leave() }
    }
    group.notify(queue: context.background, execute: completion)
  }

  /// `POST /v1/hooks/{source}`
  func hook(_ name: String, _ request: Request) throws(ServiceError) {
    let (source, families) = contents.withLock { ($0.sources[name], Array($0.families.values)) }
    guard let source, source.hasWebhook else { throw .notFound("No source `\(name)` takes webhooks.") }
    try source.verify(request)
    if source.isRead { source.refresh {} }
    for family in families { family.refresh(source: name) }
  }
}

/// Why a service can't start, or go on with another definition.
public struct StartError: Error, CustomStringConvertible {
  public var description: String
}

/// A table's definition with what it refers to.
struct TablePlan: Sendable {
  var definition: TableDefinition
  var mapper: TableMapper
  var cells: CellRegistry
  /// The upstream sources that the table's sections name.
  var upstreams: [(name: String, definition: UpstreamDefinition)]
  /// The local one, if there is one.
  var local: (name: String, definition: LocalDefinition)?

  init(_ table: TableDefinition, in service: ServiceDefinition) throws {
    definition = table
    do {
      mapper = try TableMapper(
        table: table,
        cells: service.cells,
        representations: service.representations,
        sources: service.sources
      )
    } catch {
      throw StartError(description: "table `\(table.name)`: \(error)")
    }
    cells = CellRegistry(
      service.cells.isEmpty ? [TableMapper.builtInCell] : service.cells,
      defaultCell: mapper.defaultCell
    )
    upstreams = []
    for name in mapper.sources {
      switch service.sources.first(where: { $0.name == name })?.kind {
      case .upstream(let upstream)?: upstreams.append((name, upstream))
      case .local(let local)?: self.local = (name, local)
      case nil: throw StartError(description: "table `\(table.name)`: there is no source `\(name)`")
      }
    }
  }
}

extension TableDefinition {
  /// Whether this is a family of tables, with a member for each set of parameters or each caller.
  var isFamily: Bool { !parameters.isEmpty || !forward.isEmpty }
}
